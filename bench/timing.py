"""One measured call: how long it took, and whether it ended in a value, a refusal or trouble."""

import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from bench.limits import OutOfTime, time_limit

LIMIT: Final = 10.0
ROUNDS: Final = 7
LEAST: Final = 0.01
TICK: Final = 1e-7


@dataclass(frozen=True, slots=True)
class Timing:
    """What a call cost.

    Attributes:
        seconds: Best time of the repetitions; the whole time where it did not end well.
        outcome: "" for a value, "refused", or the name of what went wrong.
    """

    seconds: float
    outcome: str = ""

    def over(self, base: float) -> str:
        """As a multiple of `base` seconds, or the outcome where there is no value."""
        return self.outcome or f"{self.seconds / base:.1f}"


def timed(call: Callable[[], object], least: float = 0.0) -> Timing:
    """Time `call`, repeated until `least` seconds are spent."""
    start, best, outcome = time.perf_counter(), float("inf"), ""
    try:
        with time_limit(LIMIT):
            while best == float("inf") or time.perf_counter() - start < least:
                begun = time.perf_counter()
                call()
                best = min(best, time.perf_counter() - begun)
    except (OutOfTime, RecursionError, MemoryError) as error:
        outcome = type(error).__name__
    except Exception:  # noqa: BLE001 - libraries refuse with exceptions of every kind
        outcome = "refused"
    return Timing(time.perf_counter() - start if outcome else best, outcome)


def in_turns(calls: Sequence[Callable[[], object]]) -> list[float]:
    """CPU seconds of each call, the best of several rounds in which the calls take turns."""
    best = [_cpu(call, 1) for call in calls]
    counts = [1 + int(LEAST / max(one, TICK)) for one in best]
    for _ in range(ROUNDS):
        times = [_cpu(call, count) for call, count in zip(calls, counts, strict=True)]
        best = [min(pair) for pair in zip(best, times, strict=True)]
    return best


def _cpu(call: Callable[[], object], count: int) -> float:
    """CPU seconds of one of `count` calls in a row."""
    start = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - start) / count


def peak_memory(call: Callable[[], object]) -> int:
    """Bytes that Python allocates at most during `call`; memory inside C libraries is not seen."""
    tracemalloc.start()
    try:
        timed(call)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
