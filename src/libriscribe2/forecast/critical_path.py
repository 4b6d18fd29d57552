"""How long the models of a run would take, whatever the machine: calls on a simulated clock."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final


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
class Job:
    """A call, or a mere meeting point of others.

    Attributes:
        seconds: How long it takes; what takes no time needs no free place either.
        after: Places, in the list of all jobs, of those that have to end before it begins.
    """

    seconds: float
    after: tuple[int, ...] = ()


def simulate(jobs: Sequence[Job], at_once: int) -> list[float]:
    """The second at which each job ends, where at most `at_once` are under way.

    What has waited longest goes first; of those that wait equally long, the first in the list.

    Raises:
        ValueError: `at_once` is below 1, or some jobs wait for each other.
    """
    if at_once < 1:
        raise ValueError(f"at_once must be at least 1, not {at_once}")
    return _Simulation(jobs, at_once).run()


class _Simulation:
    """The jobs on their way.

    Args:
        jobs: The jobs.
        at_once: How many may be under way at once.
    """

    def __init__(self, jobs: Sequence[Job], at_once: int) -> None:
        self._jobs = jobs
        self._free = at_once
        self._now = 0.0
        self._waiting: deque[int] = deque()
        self._under_way: list[tuple[float, int]] = []
        self._missing = [len(set(job.after)) for job in jobs]
        self._followers: list[list[int]] = [[] for _ in jobs]
        for place, job in enumerate(jobs):
            for other in set(job.after):
                self._followers[other].append(place)

    def run(self) -> list[float]:
        """When each job ends.

        Raises:
            ValueError: Some jobs wait for each other.
        """
        ends: dict[int, float] = {}
        for place, missing in enumerate(self._missing):
            if not missing:
                self._ready(place)
        while self._under_way:
            self._now, place = heappop(self._under_way)
            ends[place] = self._now
            self._free += self._jobs[place].seconds > 0
            for follower in self._followers[place]:
                self._missing[follower] -= 1
                if not self._missing[follower]:
                    self._ready(follower)
            self._begin()
        if len(ends) < len(self._jobs):
            raise ValueError("some jobs wait for each other")
        return [ends[place] for place in range(len(self._jobs))]

    def _ready(self, place: int) -> None:
        """Nothing that a job waits for is missing any more."""
        if self._jobs[place].seconds > 0:
            self._waiting.append(place)
            self._begin()
        else:
            heappush(self._under_way, (self._now, place))

    def _begin(self) -> None:
        """Put what waits into the free places."""
        while self._waiting and self._free:
            place = self._waiting.popleft()
            self._free -= 1
            heappush(self._under_way, (self._now + self._jobs[place].seconds, place))
