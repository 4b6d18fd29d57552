"""How long the models of a run would take, whatever the machine.

The calls of one dry run are put on a simulated clock, in each order of drafting.
"""

import asyncio
import re
import selectors
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from heapq import heappop, heappush
from typing import Any, Final, TypeVar, TypeVarTuple, get_args

from typing_extensions import override

from libriscribe2.agents.agent_base import Unit
from libriscribe2.engine.stages import AgentType, stages_of
from libriscribe2.forecast.quote import USUAL_PACE, ModelTimes, Pace, QuotedCall
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import Drafting, DraftOrder
from libriscribe2.project.paths import OUTLINE


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


CHAPTERS: Final = "chapters"
DRAFTS: Final = "drafts"
"""The stage that writes chapters from their plans alone; those of `parallel` are made of them."""

ORDERS: Final[tuple[Drafting, ...]] = get_args(Drafting)

_CHAPTER: Final = re.compile(r"[^/]+/ch(\d+)(?:/|$)")

OPENING_TOKENS: Final = 340
"""Tokens of the opening that is written once both sides of it are there: about 250 words."""


def model_times(
    calls: Sequence[QuotedCall],
    names: Collection[str],
    brief: Brief,
    chapters: int,
    at_once: int,
    last: tuple[int, ...] = (),
) -> ModelTimes | None:
    """How long the models of a run take, in each order while no chapter is begun.

    None where the run asks nothing.

    Args:
        calls: The calls of the run.
        names: Names of the stages of the run.
        brief: What the author asked for.
        chapters: How many chapters the book has.
        at_once: How many calls may be under way at once.
        last: The chapters that are written when all others are there.
    """
    if not calls:
        return None
    begun = len(_written(calls, brief.drafting, last)) < chapters
    seconds: dict[Drafting, float] = {}
    for order in (brief.drafting,) if begun else ORDERS:
        stages = stages_of(brief.model_copy(update={"drafting": order}))
        running = [one for one in stages if one.name in names or one.name == DRAFTS]
        seconds[order] = model_seconds(
            in_order(calls, brief.drafting, order, last),
            running,
            DraftOrder(order, chapters, last),
            at_once,
        )
    return ModelTimes(
        at_once=at_once,
        tokens_per_second=USUAL_PACE.tokens_per_second,
        first_token_seconds=USUAL_PACE.first_token_seconds,
        drafting=brief.drafting,
        seconds=seconds,
    )


def model_seconds(
    calls: Sequence[QuotedCall],
    stages: Sequence[AgentType],
    order: DraftOrder,
    at_once: int,
    pace: Pace = USUAL_PACE,
) -> float:
    """Seconds until the last reply of a run is there, on a clock that counts only the models' time.

    Args:
        calls: The calls of the run; those of one unit of work keep the order that their times say.
        stages: The stages of the run, in running order.
        order: The order in which the chapters are drafted.
        at_once: How many calls may be under way at once.
        pace: How fast the models answer.
    """
    return max(simulate(_jobs(calls, stages, order, pace), at_once), default=0.0)


def in_order(
    calls: Iterable[QuotedCall],
    drafted: Drafting,
    other: Drafting,
    last: tuple[int, ...] = (),
) -> list[QuotedCall]:
    """The calls that a run would make if the chapters were drafted in another order.

    Args:
        calls: The calls of a run of a whole book.
        drafted: The order of that run.
        other: The other order.
        last: The chapters that are written when all others are there.
    """
    if (drafted == "parallel") == (other == "parallel"):
        return list(calls)
    if drafted == "parallel":
        remaining = (call for call in calls if call.stage != CHAPTERS or _chapter(call) in last)
        return [_moved(call, DRAFTS, CHAPTERS) for call in remaining]
    moved = [call if _chapter(call) in last else _moved(call, CHAPTERS, DRAFTS) for call in calls]
    at_once = {_chapter(call) for call in moved if call.stage == DRAFTS}
    models = {call.model for call in moved if call.stage == DRAFTS}
    openings = [
        QuotedCall(CHAPTERS, model, 0, OPENING_TOKENS, step=f"{CHAPTERS}/ch{chapter:02d}/opening")
        for chapter in sorted(at_once)
        if chapter - 1 in at_once
        for model in sorted(models)[:1]
    ]
    return [*moved, *openings]


def _jobs(
    calls: Sequence[QuotedCall], stages: Sequence[AgentType], order: DraftOrder, pace: Pace
) -> list[Job]:
    """The calls with what each waits for; a job without time stands for the end of each unit."""
    pairs = [(agent, unit) for agent in stages for unit in _units(agent, order.chapters)]
    by_step: dict[str, list[QuotedCall]] = {unit.step: [] for _, unit in pairs}
    for call in calls:
        stage, chapter, *_ = [*call.step.split("/"), ""]
        own = f"{stage}/{chapter}"
        by_step.setdefault(own if own in by_step else stage, []).append(call)
    starts: dict[str, int] = {}
    ends: dict[str, int] = {}
    count = 0
    for _, unit in pairs:
        starts[unit.output] = count
        count += len(by_step[unit.step])
        ends[unit.output] = count
        count += 1
    jobs: list[Job] = []
    for agent, unit in pairs:
        awaited = tuple(ends[name] for name in _awaited(agent, unit, order, ends))
        start, own_calls = starts[unit.output], by_step[unit.step]
        for call in own_calls:
            before = (n for n, one in enumerate(own_calls) if one.ended <= call.begun)
            after = (*awaited, *(start + n for n in before if own_calls[n] is not call))
            jobs.append(Job(pace.seconds(call.output_tokens), after))
        jobs.append(Job(0.0, (*awaited, *range(start, start + len(own_calls)))))
    return jobs


def _units(agent: AgentType, chapters: int) -> list[Unit]:
    """The units of a stage."""
    if not agent.per_chapter():
        return [agent.unit()]
    return [agent.unit(number) for number in range(1, chapters + 1)]


def _awaited(
    agent: AgentType, unit: Unit, order: DraftOrder, made: Mapping[str, int]
) -> Iterable[str]:
    """The files of the run that have to be there before a unit begins."""
    names = set(agent.awaits(unit, order)) | ({OUTLINE} if agent.per_chapter() else set())
    plain = {name for name in names if name in made}
    patterns = [name for name in names if "*" in name]
    return sorted(plain | {file for file in made if any(fnmatch(file, one) for one in patterns)})


def _written(calls: Iterable[QuotedCall], drafting: Drafting, last: tuple[int, ...]) -> set[int]:
    """The chapters whose scenes are among the calls of a run."""
    stage = CHAPTERS if drafting != "parallel" else DRAFTS
    return {
        _chapter(call)
        for call in calls
        if call.stage == stage or (call.stage == CHAPTERS and _chapter(call) in last)
    }


def _chapter(call: QuotedCall) -> int:
    """The number of the chapter that a call is about; 0 where it is about the whole book."""
    match = _CHAPTER.match(call.step)
    return int(match[1]) if match else 0


def _moved(call: QuotedCall, old: str, new: str) -> QuotedCall:
    """A call as another stage makes it."""
    if call.stage != old:
        return call
    return replace(call, stage=new, step=call.step.replace(old, new, 1))


_JUDGE: Final = re.compile(r"judge/(?:(?P<chapter>ch\d+)/)?(?P<rest>.+)")


def with_their_chapters(calls: Sequence[QuotedCall]) -> list[QuotedCall]:
    """The calls, those of the judge counted among those of the chapter that is judged.

    The exam belongs to the first chapter that is judged.
    """
    drafted = {one.step.split("/")[1] for one in calls if one.stage == DRAFTS}
    matches = [(one, _JUDGE.fullmatch(one.step)) for one in calls]
    chapters = (match["chapter"] for _, match in matches if match is not None)
    first = next((chapter for chapter in chapters if chapter), None)
    result = []
    for call, match in matches:
        chapter = None if match is None else match["chapter"] or first
        if match is None or chapter is None:
            result.append(call)
        else:
            stage = DRAFTS if chapter in drafted else CHAPTERS
            step = f"{stage}/{chapter}/judge/{match['rest']}"
            result.append(replace(call, stage=stage, step=step))
    return result


T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class JumpingSelector(selectors.DefaultSelector):
    """Moves its clock instead of waiting for a timer.

    Attributes:
        now: Its clock, in seconds.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000.0

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:  # no timer at all, so only a signal or another process can come
            return super().select(None)
        ready = super().select(0)
        if not ready:
            self.now += max(0.0, timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop; what it is asked to do in a thread it does at once.

    Args:
        selector: Its clock.
    """

    def __init__(self, selector: JumpingSelector | None = None) -> None:
        self._jumping = selector if selector is not None else JumpingSelector()
        super().__init__(self._jumping)

    @override
    def time(self) -> float:
        return self._jumping.now

    @override
    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[[*Ts], T], *args: *Ts
    ) -> Awaitable[T]:
        del executor
        future: asyncio.Future[T] = self.create_future()
        future.set_result(func(*args))
        return future
