"""What a run would take: its calls, counted while a stand-in answers in the models' place.

A quote is kept beside the project until the run can be held against it.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from libriscribe2.errors import ProjectError
from libriscribe2.forecast.prompt_cache import PromptCache
from libriscribe2.llm.backend import Backend, Completion, Request
from libriscribe2.llm.backends.responses import Reply, estimated_usage
from libriscribe2.llm.limits.budget import Price
from libriscribe2.models.draft_order import Drafting
from libriscribe2.project.atomic import PRIVATE, atomic_write, storage_errors
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.texts import readable_json, utf8


class Sums(BaseModel):
    """What calls come to.

    Attributes:
        calls: Requests.
        input_tokens: Tokens sent.
        cached_tokens: Those of them that a provider's cache held.
        output_tokens: Tokens received.
        low_usd: The price, or its low end; None is unknown, never 0.
        high_usd: The high end; the same as `low_usd` for what has happened.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    low_usd: float | None = 0.0
    high_usd: float | None = 0.0

    @classmethod
    def of(cls, manifest: Manifest) -> Self:
        """What the project's calls so far came to."""
        totals = manifest.totals
        usd = None if totals.unknown_costs else totals.cost_usd
        return cls(
            calls=manifest.ledger.sent,
            input_tokens=totals.input_tokens,
            cached_tokens=totals.cached_tokens,
            output_tokens=totals.output_tokens,
            low_usd=usd,
            high_usd=usd,
        )

    def plus(self, other: "Sums", sign: Literal[1, -1] = 1) -> "Sums":
        """Both together, or without the other; an unknown price makes the sum unknown."""
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in Sums.model_fields}
        return Sums.model_validate({name: _sum(*pair, sign) for name, pair in pairs.items()})


class StageQuote(Sums):
    """What one stage would ask of one model.

    Attributes:
        stage: The stage.
        model: The model.
    """

    stage: str
    model: str


class ModelTimes(BaseModel):
    """How long the models of a run would take.

    Attributes:
        at_once: Calls under way at once.
        tokens_per_second: Tokens of a reply in a second.
        first_token_seconds: Seconds until the first of them.
        drafting: The book's own order of drafting.
        seconds: The time by order of drafting; of a book that has chapters already, its own only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_once: int
    tokens_per_second: float
    first_token_seconds: float
    drafting: Drafting
    seconds: dict[Drafting, float]


class Quote(BaseModel):
    """What a run would take, at the time when it was asked.

    Attributes:
        v: Format version.
        at: UTC time of the question.
        stages: The parts, by stage and model.
        before: What the project had taken until then.
        times: How long the models would take; None where only a part of the book is quoted.
        job: What the run was to do, in the words of the command line; "" where nobody said.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    v: Literal[1] = 1
    at: datetime
    stages: tuple[StageQuote, ...]
    before: Sums = Sums()
    times: ModelTimes | None = None
    job: str = ""

    @property
    def total(self) -> Sums:
        """All stages together."""
        total = Sums()
        for stage in self.stages:
            total = total.plus(stage)
        return total

    def actual(self, manifest: Manifest) -> Sums:
        """What the project has taken since the quote."""
        return Sums.of(manifest).plus(self.before, -1)


@dataclass(frozen=True, slots=True)
class Remaking:
    """What it would take to remake what is stale.

    Attributes:
        units: Why each file would be remade, in the order of the work: those that are stale, and
            those that become it when what they were made from is remade.
        quote: The calls.
        stale: How many of the files are stale at once; the others become it later.
    """

    units: Mapping[str, str]
    quote: Quote
    stale: int


def save_quote(paths: ProjectPaths, quote: Quote) -> None:
    """Keep a quote as the project's last one.

    Raises:
        StorageError: It cannot be written.
    """
    with storage_errors("write", paths.quote):
        data = utf8(readable_json(quote.model_dump(mode="json")))
        atomic_write(paths.quote, data, mode=PRIVATE)


def read_quote(paths: ProjectPaths) -> Quote | None:
    """The project's last quote, or None.

    Raises:
        ProjectError: The file holds no quote.
        StorageError: It cannot be read.
    """
    with storage_errors("read", paths.quote):
        data = paths.quote.read_bytes() if paths.quote.exists() else None
    if data is None:
        return None
    try:
        return Quote.model_validate_json(data)
    except ValidationError as error:
        raise ProjectError(
            f"{paths.quote} is not a quote",
            why=f"{error.error_count()} values do not fit",
            fix="Delete it, or run `libriscribe2 resume --dry-run` again.",
        ) from error


def _sum(one: float | None, other: float | None, sign: int) -> float | None:
    return None if one is None or other is None else one + sign * other


HIGH_FACTOR: Final = 2.0
"""The high end over the low one: every reply half as long again, one call in three made twice."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast models answer.

    Attributes:
        tokens_per_second: Tokens of a reply in a second.
        first_token_seconds: Seconds until the first of them.
    """

    tokens_per_second: float = 60.0
    first_token_seconds: float = 2.0

    def seconds(self, output_tokens: int) -> float:
        """Seconds until the end of a reply."""
        return self.first_token_seconds + output_tokens / self.tokens_per_second


USUAL_PACE: Final = Pace()
"""The pace that quotes and benchmarks reckon with."""


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
        read: Tokens of the prompt that a provider's cache would hold.
        kept: Tokens that it would keep at a surcharge.
    """

    stage: str
    model: str
    input_tokens: int
    output_tokens: int
    step: str = ""
    begun: float = 0.0
    ended: float = 0.0
    read: int = 0
    kept: int = 0


_VARIANTS: Final = 20


class FreshBackend:
    """Has another backend answer; what is asked again never gets the same reply as before.

    The stand-in author has few words for a short scene, and may come upon the same ones; a model
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
        earlier = (await self._author.complete(before)).reply
        for later in range(1, _VARIANTS):
            if completion.reply != earlier:
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
        self._caches: defaultdict[str, PromptCache] = defaultdict(PromptCache)
        self.calls: list[QuotedCall] = []

    async def complete(self, request: Request) -> Completion:
        """The author's answer, when a model's would be there."""
        completion = await self._author.complete(request)
        usage = estimated_usage(request.messages, Reply(pieces=[completion.reply]))
        stage = request.step.partition("/")[0]
        begun = asyncio.get_running_loop().time()
        took = self._pace.seconds(usage.output_tokens)
        read, kept = self._caches[request.model].take(request, begun, begun + took)
        self.calls.append(
            QuotedCall(
                stage,
                request.model,
                usage.input_tokens,
                usage.output_tokens,
                step=request.step,
                begun=begun,
                ended=begun + took,
                read=read,
                kept=kept,
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
    knows_caches = price is not None and price.read_usd is not None
    read, kept = (sum(getattr(call, what) for call in calls) for what in ("read", "kept"))
    low = None if price is None else price.cost(sent, received, read, kept)
    most = None if price is None else price.cost(sent, received) * HIGH_FACTOR
    return StageQuote(
        stage=stage,
        model=model,
        calls=len(calls),
        input_tokens=sent,
        cached_tokens=read if knows_caches else 0,
        output_tokens=received,
        low_usd=low,
        high_usd=most,
    )
