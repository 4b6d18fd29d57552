"""The circuit breakers of a run, one per model, and what counts as a failure of its server."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Final

from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.circuit_breaker import CircuitBreaker

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
