"""Sending the same request again: which failures deserve it, how long to wait, what to say after.

Time and chance come in as arguments, so that no test waits and every run can be repeated.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from libriscribe2.errors import (
    ContentFilteredError,
    IncompleteError,
    LibriScribeError,
    ModelError,
    ProviderError,
)
from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.providers import key_variables

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

TRANSIENT_KINDS = frozenset({"rate", "timeout", "connection", "server", "cut", "malformed"})
"""Failures that the same payload may survive; every other kind would fail again."""

_LARGEST_EXPONENT = 62
_LONGEST_TOLD = 86_400.0
"""The longest wait in seconds that is told to the user; a provider may say any number."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How patiently one request is sent again.

    Attributes:
        attempts: Requests in all, the first included; at least 1.
        base_seconds: Upper bound of the first wait; it doubles with each further one.
        cap_seconds: Upper bound of every wait that the provider did not ask for.
        retry_after_cap_seconds: The longest wait that a provider may ask for, at once or in all
            429s of one request; a longer one ends the run resumably instead of sleeping through
            it. It is also the longest wait for a model that is left alone for a while.
    """

    attempts: int = 5
    base_seconds: float = 1.0
    cap_seconds: float = 60.0
    retry_after_cap_seconds: float = 600.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts must be at least 1, got {self.attempts}")
        if min(self.base_seconds, self.cap_seconds, self.retry_after_cap_seconds) < 0:
            raise ValueError("waits must not be negative")


@dataclass(frozen=True, slots=True)
class Wait:
    """One pause before the same request leaves again.

    Attributes:
        seconds: How long the pause lasts.
        kind: The kind of the failure, as in `BackendError`.
        attempt: The number of the request that failed, from 1.
        message: What the provider said.
    """

    seconds: float
    kind: str
    attempt: int
    message: str


async def with_retries(
    send: Callable[[], Awaitable[T]],
    *,
    policy: RetryPolicy,
    sleep: Sleep,
    rng: random.Random,
    on_wait: Callable[[Wait], None] | None = None,
) -> T:
    """Send until an answer comes, a failure is final or the policy is used up.

    A 429 that says when to come back is an order and no failure: it is obeyed and not counted, as
    long as the waits do not add up to more than `retry_after_cap_seconds`.

    Args:
        send: Makes one request.
        policy: How often and how patiently.
        sleep: Waits the given seconds.
        rng: Draws the jitter.
        on_wait: Told of each pause before it begins.

    Raises:
        BackendError: The last failure, unchanged.
    """
    attempt, obeyed = 1, 0.0
    while True:
        try:
            return await send()
        except BackendError as error:
            ordered = _is_order(error) and policy.attempts > 1
            number = 1 if ordered else attempt
            seconds = pause_before_retry(error, number, policy=policy, rng=rng)
            if seconds is None or (ordered and obeyed + seconds > policy.retry_after_cap_seconds):
                raise
            if on_wait is not None:
                on_wait(Wait(seconds, error.kind, attempt, error.message))
        await sleep(seconds)
        if ordered:
            obeyed += max(seconds, policy.base_seconds)
        else:
            attempt += 1


def _is_order(error: BackendError) -> bool:
    """Whether the provider says when the request may come back."""
    return error.kind == "rate" and bool(error.retry_after)


def pause_before_retry(
    error: BackendError, attempt: int, *, policy: RetryPolicy, rng: random.Random
) -> float | None:
    """Seconds to wait after the failed request number `attempt`; None where it is final.

    The wait is full jitter over an exponential bound (AWS Architecture Blog, "Exponential Backoff
    And Jitter"), and never shorter than the provider's Retry-After.
    """
    if error.kind not in TRANSIENT_KINDS or attempt >= policy.attempts:
        return None
    asked = error.retry_after if error.retry_after is not None else 0.0
    if asked > policy.retry_after_cap_seconds:
        return None
    bound = policy.base_seconds * 2.0 ** min(attempt - 1, _LARGEST_EXPONENT)
    jitter = rng.uniform(0.0, min(policy.cap_seconds, bound))
    return max(jitter, asked)


def explain(error: BackendError, model: str) -> LibriScribeError:
    """The failure in the user's terms: whose fault, why, and the next command to type."""
    why = error.message
    match error.kind:
        case "auth":
            return ModelError(f"The provider of {model!r} refused the key", why, _key_fix(model))
        case "not_found":
            fix = "choose another model with --model, or --model offline to go on without one"
            return ModelError(f"Nobody serves the model {model!r}", why, fix)
        case "filtered":
            fix = "reword the premise or the chapter's summary, then run `libriscribe2 resume`"
            return ContentFilteredError(f"The provider of {model!r} withheld a reply", why, fix)
        case "context":
            fix = "choose a model with a longer context with --model, then `libriscribe2 resume`"
            return IncompleteError(f"The request is too long for {model!r}", why, fix)
        case _:
            return _provider_error(error, model)


def _key_fix(model: str) -> str:
    """Which variable holds the key, and the way on without one."""
    names = " or ".join(key_variables(model))
    variable = f"set {names} to a valid key" if names else "set the provider's key variable"
    return f"{variable}, or choose --model offline"


def _provider_error(error: BackendError, model: str) -> ProviderError:
    """What the network or the provider did, per kind; the work so far is safe in every case."""
    sentence, fix = _PROVIDER_SENTENCES.get(error.kind, _UNEXPLAINED)
    status = f" (HTTP {error.status})" if error.status is not None else ""
    what = f"{sentence.format(model=repr(model))}{status}"
    if error.retry_after is not None and error.retry_after <= _LONGEST_TOLD:
        fix = f"wait {error.retry_after:.0f} seconds, then run `libriscribe2 resume`"
    return ProviderError(what, error.message, fix)


_RESUME = "run `libriscribe2 resume` later; nothing that was paid for is lost"
_UNEXPLAINED = ("The request to {model} was refused", "choose another model with --model")
_PROVIDER_SENTENCES = {
    "quota": (
        "The account behind {model} has no credit left",
        "top up the account or choose another --model, then run `libriscribe2 resume`",
    ),
    "resting": (
        "{model} failed several times in a row and is left alone for a while",
        "choose another --model or name fallbacks, or run `libriscribe2 resume` later",
    ),
    "rate": ("The provider of {model} still limits the rate after every retry", _RESUME),
    "timeout": ("{model} did not answer in time", _RESUME),
    "connection": (
        "No connection to the provider of {model}",
        "check the network (or that the local server runs), then run `libriscribe2 resume`",
    ),
    "server": ("The provider of {model} failed", _RESUME),
    "cut": ("The reply of {model} broke off", _RESUME),
    "malformed": (
        "{model} sent something that is not a reply",
        "check the address (OPENAI_BASE_URL) and any proxy, then run `libriscribe2 resume`",
    ),
}
