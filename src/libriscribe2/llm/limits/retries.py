"""What a failure of a server means, and the clocks over a request.

The same request goes out again, or a circuit stays open. A provider that keeps a connection alive
must not hold the run: HTTP read timeouts do not help, since keep-alive comments and a trickle of
pieces reset them for ever, so the clocks are our own.

"""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Literal, TypeVar

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


T = TypeVar("T")

_STOOD_STILL: Final = 1.0
"""A timer that fires so many seconds late says that the process did not run meanwhile."""

_TO_READ: Final = 5.0
"""Most seconds in which a process that stood still may read what came."""

_LAST_LOOK: Final = 0.25
"""Seconds of every last look: one that stood still to the very end of a wait notices nothing."""

_LATE_SECONDS = 0.05
"""How late a wait may be found too long that began after its deadline had passed."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """How long to wait, in positive seconds; each is the limit of silence that it names.

    Attributes:
        first_piece: From the request to the first piece of a streamed reply; generous, because
            reasoning models think before they write.
        between_pieces: From one piece to the next.
        whole_call: From the request to the end of the reply, streamed or not.
    """

    first_piece: float = 180.0
    between_pieces: float = 60.0
    whole_call: float = 900.0


async def within(awaitable: Awaitable[T], deadline: float, what: str) -> T:
    """The result of an awaitable that comes before the loop's clock shows `deadline`.

    Raises:
        BackendError: Of kind `timeout`; `what` says which silence was too long.
    """
    watch = _Watch(deadline)
    try:
        return await watch.over(awaitable, what)
    finally:
        watch.stop()


async def paced(
    pieces: AsyncIterator[T], limits: TimeLimits, *, started: float
) -> AsyncIterator[T]:
    """The same pieces, as long as they keep coming.

    The consumer's own time between two pieces counts only towards the whole call.

    Args:
        pieces: The pieces of a streamed reply.
        limits: The clocks.
        started: When the request left, on the loop's clock.

    Raises:
        BackendError: Of kind `timeout`.
    """
    end = started + limits.whole_call
    watch = _Watch(min(started + limits.first_piece, end))
    what = f"no piece of the reply within {limits.first_piece:g} seconds"
    try:
        while True:
            whole = watch.deadline >= end
            reason = f"the reply took over {limits.whole_call:g} seconds" if whole else what
            try:
                piece = await watch.over(anext(pieces), reason)
            except StopAsyncIteration:
                return
            yield piece
            end = max(end, watch.granted)
            watch.until(min(watch.now() + limits.between_pieces, end))
            what = f"no further piece of the reply for {limits.between_pieces:g} seconds"
    finally:
        watch.stop()


class _Watch:
    """One timer for many waits in a row.

    A process that stood still (Ctrl-Z, a paused container) finds its clock ahead, and what came
    meanwhile unread in the socket: so no wait ends without a last look, which is the longer the
    later it is.

    Attributes:
        deadline: When the present wait has lasted too long, on the loop's clock.
        granted: The end of the latest last look.
    """

    def __init__(self, deadline: float) -> None:
        loop = asyncio.get_running_loop()
        self.deadline = deadline
        self.granted = 0.0
        self.now = loop.time
        self._at = loop.call_at
        self._waiting: asyncio.Task[object] | None = None
        self._expired = False
        self._looks_at = deadline
        self._timer = loop.call_at(deadline, self._look)

    def until(self, deadline: float) -> None:
        """Set the next wait's deadline; only one that comes earlier needs the timer moved."""
        self.deadline = deadline
        if deadline < self._looks_at:
            self._timer.cancel()
            self._arm(deadline)

    async def over(self, awaitable: Awaitable[T], reason: str) -> T:
        """The awaitable's result.

        Raises:
            BackendError: Of kind `timeout`, with `reason`: the deadline passed.
        """
        task = self._waiting = asyncio.current_task()
        try:
            return await awaitable
        except asyncio.CancelledError:
            if not self._expired or task is None or task.uncancel():
                raise
            raise BackendError("timeout", reason) from None
        finally:
            self._waiting = None

    def stop(self) -> None:
        """Watch no longer."""
        self._timer.cancel()

    def _look(self) -> None:
        """End a wait that has lasted too long, or look again when the present one may have."""
        now = self.now()
        late = now - self._looks_at
        if now >= self.deadline and (self.deadline != self.granted or late > _STOOD_STILL):
            self.deadline = self.granted = now + min(max(late, _LAST_LOOK), _TO_READ)
        if now < self.deadline:
            self._arm(self.deadline)
        elif self._waiting is None:  # the consumer's own time; its next wait is looked at then
            self._arm(now + _LATE_SECONDS)
        else:
            self._expired = True
            self._waiting.cancel()

    def _arm(self, when: float) -> None:
        self._looks_at = when
        self._timer = self._at(when, self._look)
