"""Whom a question is put to and in which words: the fallback chain, turns with feedback."""

import logging
import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Final

from libriscribe2.errors import (
    ContentFilteredError,
    IncompleteError,
    KeyMissingError,
    LibriScribeError,
    ModelError,
    ProviderError,
)
from libriscribe2.llm.backend import BackendError, CallLog, Completion, Message, Request, Usage
from libriscribe2.llm.content_filter import simplified
from libriscribe2.llm.limits.retries import Retries, RetryPolicy, Wait
from libriscribe2.llm.providers import key_variables
from libriscribe2.replies.contract import split_leading_reasoning
from libriscribe2.telemetry import FALLBACK_GENERATION_USED

logger = logging.getLogger(__name__)

SIMPLIFIED_PROMPT: Final = "simplified prompt"

NOT_RECORDED: Final = "not_recorded"
"""The kind of failure of a recording that has no reply to a question."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """One request by which the question may be answered.

    Attributes:
        request: What is asked, and whom.
        method: How this differs from the question as it was put, or "" for that one.
        is_last_model: Whether no other model is left.
        retries: How often it was sent.
    """

    request: Request
    method: str
    is_last_model: bool
    retries: Retries


class FallbackChain:
    """What may be asked for one question; at most each model once whole and once with less.

    Args:
        requests: The question, to each model; the first is the one that is wanted.
        policy: How often each is sent again, and how patiently.
        rng: Draws the jitter of the waits.
    """

    def __init__(
        self, requests: Sequence[Request], policy: RetryPolicy, rng: random.Random
    ) -> None:
        last = len(requests) - 1
        self._requests = requests
        self._retries = partial(Retries, policy, rng)
        self._asked: Fallback | None = None
        self._left = deque(
            Fallback(
                request, f"model {request.model}" if number else "", number == last, self._retries()
            )
            for number, request in enumerate(requests)
        )

    def perhaps_paid(self, journal: CallLog) -> Iterator[Request]:
        """The requests that may have left in an earlier run: whole ones before simplified ones.

        A simplified one leaves only after a reply to the whole one was filtered, which the journal
        knows by then; to make one and its key takes as long as all else that is done with a
        request.
        """
        yield from self._requests
        for request in self._requests:
            if journal.filtered(request.key()):
                yield simplified(request)

    def next(self) -> Fallback:
        """What is asked now; `failed` says before whether anything is left."""
        self._asked = self._left.popleft()
        return self._asked

    def failed(self, asked: Fallback, error: BackendError) -> Wait | None:
        """Go on with the same once more after a wait, or with what is left.

        Returns:
            The wait; None where the failure will not pass.

        Raises:
            LibriScribeError: Nothing is left; it explains the failure.
        """
        if (wait := asked.retries.wait_after(error)) is not None:
            self._left.appendleft(asked)
            return wait
        model = asked.request.model
        if error.kind == "filtered":
            self._ask_with_less(asked)
        if not self._left:
            raise explain(error, model) from error
        why = (model, error.kind, error.message, self._left[0].method)
        logger.warning("%s could not answer (%s: %s); continuing with the %s", *why)
        return None

    def answered(self) -> None:
        """Say that the question was answered in another way than it was put."""
        asked = self._asked
        if asked is not None and asked.method:
            logger.warning("%s: %s: %s", FALLBACK_GENERATION_USED, asked.request.step, asked.method)

    def _ask_with_less(self, asked: Fallback) -> None:
        """Ask the same model next with less context, unless its request has no more to lose."""
        less = simplified(asked.request)
        if less.messages != asked.request.messages:
            method = f"{SIMPLIFIED_PROMPT}, {asked.method}" if asked.method else SIMPLIFIED_PROMPT
            self._left.appendleft(Fallback(less, method, asked.is_last_model, self._retries()))


def explain(error: BackendError, model: str) -> LibriScribeError:
    """The failure in the user's terms: whose fault, why, and the next command to type."""
    why = error.message
    match error.kind:
        case "auth":
            return KeyMissingError(
                f"The provider of {model!r} refused the key", why, _key_fix(model)
            )
        case "not_found":
            fix = "choose another model with --model, or --model demo to continue without one"
            return ModelError(f"No provider serves the model {model!r}", why, fix)
        case "not_recorded":
            fix = f'name who answers it: `libriscribe2 resume --model "{model}, manual"`'
            return ModelError("The recording cannot answer", why, fix)
        case "filtered":
            fix = "reword the premise or the chapter's summary, then run `libriscribe2 resume`"
            return ContentFilteredError(f"The provider of {model!r} filtered a reply", why, fix)
        case "context":
            fix = "choose a model with a longer context with --model, then `libriscribe2 resume`"
            return IncompleteError(f"The request is too long for {model!r}", why, fix)
        case _:
            return _provider_error(error, model)


def _key_fix(model: str) -> str:
    """Which variable holds the key, and the way on without one."""
    names = " or ".join(key_variables(model))
    variable = f"set {names} to a valid key" if names else "set the provider's key variable"
    return f"{variable}, or choose --model demo"


def _provider_error(error: BackendError, model: str) -> ProviderError:
    """What the network or the provider did, per kind; the work so far is safe in every case."""
    sentence, fix = _PROVIDER_SENTENCES.get(error.kind, _UNEXPLAINED)
    status = f" (HTTP {error.status})" if error.status is not None else ""
    what = f"{sentence.format(model=repr(model))}{status}"
    if error.retry_after is not None and error.retry_after <= _LONGEST_TOLD:
        fix = f"wait {error.retry_after:.0f} seconds, then run `libriscribe2 resume`"
    return ProviderError(what, error.message, fix)


_LONGEST_TOLD = 86_400.0
"""The longest wait in seconds that is told to the user; a provider may say any number."""

_RESUME = "run `libriscribe2 resume` later; nothing that was paid for is lost"
_UNEXPLAINED = ("The request to {model} was refused", "choose another model with --model")
_PROVIDER_SENTENCES = {
    "quota": (
        "The account behind {model} has no credit left",
        "top up the account or choose another --model, then run `libriscribe2 resume`",
    ),
    "resting": (
        "{model} failed several times in a row and is paused for a while",
        "choose another --model or name fallbacks, or run `libriscribe2 resume` later",
    ),
    "rate": ("The provider of {model} still limits the rate after all retries", _RESUME),
    "timeout": ("{model} did not answer in time", _RESUME),
    "connection": (
        "No connection to the provider of {model}",
        "check the network (or that the local server is running), then run `libriscribe2 resume`",
    ),
    "server": ("The provider of {model} failed", _RESUME),
    "cut": ("The reply of {model} broke off", _RESUME),
    "malformed": (
        "{model} sent something that is not a reply",
        "check the address (OPENAI_BASE_URL) and any proxy, then run `libriscribe2 resume`",
    ),
}


Messages = str | Iterable[str | Message]
"""A conversation: one user message, several, or turns with roles."""

MOST_PARTS: Final = 5
"""Of how many replies a long text is joined before it is refused."""

CUT: Final = "Your response was cut off at the length limit. Please answer again, more briefly."
CUT_WITH_ROOM: Final = (
    "Your response was cut off at the length limit. There is more room now. Please answer again, "
    "from the beginning to the end."
)
CONTINUE: Final = "Continue exactly where you stopped. Do not repeat anything and add no remarks."


def as_messages(messages: Messages) -> tuple[Message, ...]:
    """Text, texts or role dicts as a conversation; the caller's list is left alone."""
    if isinstance(messages, str):
        messages = [messages]
    return tuple(
        {"role": "user", "content": turn} if isinstance(turn, str) else turn for turn in messages
    )


def with_feedback(request: Request, reply: str, feedback: str) -> tuple[Message, ...]:
    """The conversation that asks again after a refusal.

    Args:
        request: What was asked, which may be simpler than what was wanted.
        reply: What came.
        feedback: What is wrong with it.
    """
    return (
        *request.messages,
        {"role": "assistant", "content": reply},
        {"role": "user", "content": feedback},
    )


def joined(first: Completion, more: Completion) -> Completion:
    """Two parts of a reply as one: each without its reasoning block, tokens and cost summed."""
    parts = [split_leading_reasoning(part.reply) for part in (first, more)]
    thoughts = [first.reasoning, parts[0][0], more.reasoning, parts[1][0]]
    known = first.cost_usd is not None and more.cost_usd is not None
    return replace(
        more,
        reply="".join(text for _, text in parts),
        reasoning="\n".join(thought for thought in thoughts if thought) or None,
        usage=_sum(first.usage, more.usage),
        cost_usd=(first.cost_usd or 0.0) + (more.cost_usd or 0.0) if known else None,
        seconds=first.seconds + more.seconds,
    )


def _sum(one: Usage, other: Usage) -> Usage:
    """The tokens of both; known only where both are."""
    counts = {
        field.name: getattr(one, field.name) + getattr(other, field.name)
        for field in fields(Usage)
        if field.name != "known"
    }
    return Usage(**counts, known=one.known and other.known)
