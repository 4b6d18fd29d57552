"""What a failure of a server means: the same request again, or a circuit that stays open."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Literal

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
            feedback = f"the step {step!r} has made {most} requests in this run, the maximum"
            raise MaxRetriesExceededError(most, feedback, "")
        self._left[step] += 1

    def refused(self, step: str) -> None:
        """The provider turned the request away unread (429): it does not count."""
        self._left[step] -= 1


State = Literal["closed", "open", "half-open"]

_PROBE_SECONDS: Final = 1.0
"""How long to stay away while somebody else's probe is under way, before looking again."""


class CircuitBreaker:
    """Counts the failures of one server, and says when the next request may leave.

    A caller asks `wait_seconds`; at 0 it calls `enter` without giving way in between, and then
    exactly one of `succeeded`, `failed` and `released`.

    Args:
        failures: How many failures in a row open the circuit; at least 1.
        rest_seconds: How long it stays open; above 0.
        clock: Seconds on a clock that never goes back.

    Raises:
        ValueError: A number is out of bounds.
    """

    def __init__(
        self,
        failures: int = 5,
        rest_seconds: float = 30.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        if failures < 1 or not rest_seconds > 0:
            raise ValueError("failures must be at least 1 and rest_seconds above 0")
        self._limit = failures
        self._rest = rest_seconds
        self._clock = clock
        self._failed = 0
        self._open_until: float | None = None
        self._probing = False
        self._era = 0

    @property
    def state(self) -> State:
        """Whether requests leave (`closed`), none does (`open`) or one may (`half-open`)."""
        if self._open_until is None:
            return "closed"
        return "open" if self._clock() < self._open_until else "half-open"

    def wait_seconds(self) -> float:
        """How long to stay away; 0.0 where a request may leave now, never infinite.

        While a probe is under way it is a short time after which to ask again.
        """
        if self._open_until is None:
            return 0.0
        if self._probing:
            return min(_PROBE_SECONDS, self._rest)
        return max(0.0, self._open_until - self._clock())

    def enter(self) -> int:
        """A request leaves; in the half-open state it is the probe.

        Returns:
            Its claim, by which an outcome that comes late is told from a recent one.

        Raises:
            RuntimeError: No request may leave now; `wait_seconds` was not asked.
        """
        if self.wait_seconds() > 0:
            raise RuntimeError("a request left while its circuit was open")
        self._probing = self._open_until is not None
        return self._era

    def succeeded(self, claim: int | None = None) -> None:
        """The request was answered.

        Args:
            claim: What `enter` returned. The outcome of a request that left before the circuit
                last opened or closed is not counted; without a claim every outcome is.
        """
        if not self._counts(claim):
            return
        self._failed = 0
        if self._open_until is not None:
            self._turn(None)

    def failed(self, claim: int | None = None) -> None:
        """The server failed; the circuit opens where that was once too often.

        Args:
            claim: As for `succeeded`.
        """
        if not self._counts(claim):
            return
        self._failed += 1
        if self._probing or (self._open_until is None and self._failed >= self._limit):
            self._turn(self._clock() + self._rest)

    def released(self, claim: int | None = None) -> None:
        """The request ended without telling anything of the server, as one that was cancelled.

        Args:
            claim: As for `succeeded`.
        """
        if self._counts(claim):
            self._probing = False

    def _counts(self, claim: int | None) -> bool:
        """Whether an outcome is of the present state."""
        return claim is None or claim == self._era

    def _turn(self, open_until: float | None) -> None:
        """Open the circuit until a moment, or close it."""
        self._open_until = open_until
        self._probing = False
        self._failed = 0
        self._era += 1


RESTING: Final = "resting"
"""The kind of a `BackendError` that no server caused: its circuit is open, nothing was sent."""

OUTAGES: Final = frozenset({"timeout", "connection", "server", "cut", "malformed"})
"""Kinds of failure that open a circuit: the server did not answer, or not in order.

A 429 is none: the server is there and says when to come back, which is obeyed by itself. Neither
is any failure of the request (key, credit, name, content), for it would fail anywhere.
"""


@dataclass
class Circuits:
    """The circuit breakers by model name, which names the provider too.

    Attributes:
        failures: How many failures in a row open a circuit.
        rest_seconds: How long nothing is sent then, before one request may probe.
        clock: Seconds on a clock that never goes back.
    """

    failures: int = 5
    rest_seconds: float = 30.0
    clock: Callable[[], float] = monotonic
    _by_model: dict[str, CircuitBreaker] = field(default_factory=dict)

    def of(self, model: str) -> CircuitBreaker:
        """The circuit of a model."""
        if model not in self._by_model:
            self._by_model[model] = CircuitBreaker(self.failures, self.rest_seconds, self.clock)
        return self._by_model[model]


@contextmanager
def through(circuit: CircuitBreaker) -> Iterator[None]:
    """Send a request through a circuit that lets it; its outcome is counted."""
    claim = circuit.enter()
    outcome = circuit.released
    try:
        yield
        outcome = circuit.succeeded
    except BackendError as error:
        if error.kind in OUTAGES:
            outcome = circuit.failed
        elif error.kind != "rate":
            outcome = circuit.succeeded
        raise
    finally:
        outcome(claim)


def resting(model: str, seconds: float) -> BackendError:
    """What is said where nobody waits for a circuit to close."""
    told = f"{model} failed several times in a row and is paused for {seconds:.0f} s"
    return BackendError(RESTING, told, unsent=True)
