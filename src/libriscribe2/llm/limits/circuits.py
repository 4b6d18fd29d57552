"""Circuit breakers, one per model: whoever has failed several times in a row is left alone for a while.

Closed, requests leave. After `failures` in a row it opens: nothing leaves for `rest_seconds`. Then
it is half-open: exactly one request, the probe, may leave; its success closes the circuit, its
failure opens it again (M. Nygard, "Release It!", "Circuit Breaker"). A breaker does no I/O and
never waits; time comes in as an argument.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, Literal

from libriscribe2.llm.backend import BackendError

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
    told = f"{model} failed several times in a row and is left alone for {seconds:.0f} s"
    return BackendError(RESTING, told, unsent=True)
