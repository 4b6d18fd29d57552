"""Sending the same request again: which failures deserve it, and how long to wait.

Time and chance come in as arguments, so that no test waits and every run can be repeated.
"""

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.llm.backend import BackendError

Sleep = Callable[[float], Awaitable[None]]

TRANSIENT_KINDS = frozenset({"rate", "timeout", "connection", "server", "cut", "malformed"})
"""Failures that the same payload may survive; every other kind would fail again."""

REQUESTS_PER_STEP: Final = 15
"""Most requests of one question to one model: 3 attempts, each sent up to 5 times."""

_LARGEST_EXPONENT = 62


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


class Retries:
    """Counts how often one request was sent, and says when it is sent again.

    Args:
        policy: How often and how patiently.
        rng: Draws the jitter.
    """

    def __init__(self, policy: RetryPolicy, rng: random.Random) -> None:
        self._policy = policy
        self._rng = rng
        self._attempt = 1
        self._obeyed = 0.0

    def wait_after(self, error: BackendError) -> Wait | None:
        """The wait before the request leaves again; None where the failure is final.

        A 429 that says when to come back is an order and no failure: it is obeyed and not counted,
        as long as the waits do not add up to more than `retry_after_cap_seconds`.
        """
        policy, attempt = self._policy, self._attempt
        ordered = error.kind == "rate" and bool(error.retry_after) and policy.attempts > 1
        number = 1 if ordered else attempt
        seconds = pause_before_retry(error, number, policy=policy, rng=self._rng)
        if seconds is None:
            return None
        if not ordered:
            self._attempt += 1
        elif self._obeyed + seconds > policy.retry_after_cap_seconds:
            return None
        else:
            self._obeyed += max(seconds, policy.base_seconds)
        return Wait(seconds, error.kind, attempt, error.message)


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


@dataclass
class StepCounts:
    """Counts the requests that left, by step.

    Attributes:
        most: How many one question may make to one model. The same step asked from inside its own
            parser, or over and over by its agent, shares the one count.
    """

    most: int = REQUESTS_PER_STEP
    _left: Counter[str] = field(default_factory=Counter)

    def leave(self, step: str, variants: int = 1) -> None:
        """Count a request that is about to leave; one without a step is nobody's.

        Args:
            step: Path of the work.
            variants: How many models, or parts of a long reply, the question may be put to.

        Raises:
            MaxRetriesExceededError: The step has made as many as it may.
        """
        most = self.most * variants
        if step and self._left[step] >= most:
            feedback = f"the step {step!r} has made {most} requests in this run, the most it may"
            raise MaxRetriesExceededError(most, feedback, "")
        self._left[step] += 1

    def refused(self, step: str) -> None:
        """The provider turned the request away unread (429): it does not count."""
        self._left[step] -= 1
