"""What a run would take: its calls counted while the offline author answers in the models' place."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from libriscribe2.forecast.critical_path import USUAL_PACE, Pace
from libriscribe2.forecast.quote import StageQuote
from libriscribe2.llm.backend import Backend, Completion, Request
from libriscribe2.llm.prices import Price
from libriscribe2.llm.reply import Reply, estimated_usage

HIGH_FACTOR: Final = 2.0
"""The high end over the low one: every reply half as long again, one call in three made twice."""


@dataclass(frozen=True, slots=True)
class QuotedCall:
    """A request that a real run would send.

    Attributes:
        stage: The stage that asks.
        model: The model that it would ask.
        input_tokens: Tokens of the prompt, at four bytes each.
        output_tokens: Tokens of a reply of the wanted length.
        step: Path of the work that asks, such as `chapters/ch03/scene02`.
        begun: When it left, in seconds of the loop's clock.
        ended: When its reply was there.
    """

    stage: str
    model: str
    input_tokens: int
    output_tokens: int
    step: str = ""
    begun: float = 0.0
    ended: float = 0.0


_VARIANTS: Final = 20


class FreshBackend:
    """Has another backend answer; what is asked again never gets the same reply as before.

    The offline author has few words for a short scene, and may come upon the same ones; a model
    does not. What a redo makes stale shows only where its text is another.

    Args:
        author: Answers; its reply depends on the request and its generation alone.
    """

    def __init__(self, author: Backend) -> None:
        self._author = author

    async def complete(self, request: Request) -> Completion:
        """The author's answer, or that to a later generation."""
        completion = await self._author.complete(request)
        if not request.generation:
            return completion
        before = replace(request, generation=request.generation - 1)
        known = (await self._author.complete(before)).reply
        for later in range(1, _VARIANTS):
            if completion.reply != known:
                break
            other = replace(request, generation=request.generation + later)
            completion = await self._author.complete(other)
        return completion

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The answer in one piece."""
        completion = await self.complete(request)
        yield completion.reply
        yield completion


class QuotingBackend:
    """Has another backend answer at a model's pace, and notes what the calls come to.

    It waits on the loop's clock, so it belongs into a loop whose clock jumps.

    Args:
        author: Answers in every model's place.
        pace: How fast the models answer.

    Attributes:
        calls: Every request so far.
    """

    def __init__(self, author: Backend, pace: Pace = USUAL_PACE) -> None:
        self._author = author
        self._pace = pace
        self.calls: list[QuotedCall] = []

    async def complete(self, request: Request) -> Completion:
        """The author's answer, when a model's would be there."""
        completion = await self._author.complete(request)
        usage = estimated_usage(request.messages, Reply(pieces=[completion.reply]))
        stage = request.step.partition("/")[0]
        begun = asyncio.get_running_loop().time()
        took = self._pace.seconds(usage.output_tokens)
        self.calls.append(
            QuotedCall(
                stage,
                request.model,
                usage.input_tokens,
                usage.output_tokens,
                step=request.step,
                begun=begun,
                ended=begun + took,
            )
        )
        await asyncio.sleep(took)  # noqa: TID251 - on a clock that jumps
        return completion

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The author's answer in one piece: nobody reads it."""
        completion = await self.complete(request)
        yield completion.reply
        yield completion


def stage_quotes(
    calls: Iterable[QuotedCall], price_of: Callable[[str], Price | None]
) -> tuple[StageQuote, ...]:
    """The calls summed up and priced by stage and model, in the order in which they came up."""
    groups: dict[tuple[str, str], list[QuotedCall]] = {}
    for call in calls:
        groups.setdefault((call.stage, call.model), []).append(call)
    return tuple(_priced(stage, model, group, price_of) for (stage, model), group in groups.items())


def _priced(
    stage: str, model: str, calls: list[QuotedCall], price_of: Callable[[str], Price | None]
) -> StageQuote:
    """The quote for the calls of one stage to one model."""
    sent = sum(call.input_tokens for call in calls)
    received = sum(call.output_tokens for call in calls)
    price = price_of(model)
    low = None if price is None else price.cost(sent, received)
    return StageQuote(
        stage=stage,
        model=model,
        calls=len(calls),
        input_tokens=sent,
        output_tokens=received,
        low_usd=low,
        high_usd=None if low is None else low * HIGH_FACTOR,
    )
