"""How long the models of a run would take in each order of drafting, by the calls of one dry run."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from typing import Final, get_args

from libriscribe2.agents.agent_context import Unit
from libriscribe2.engine.stages import AgentType, stages_of
from libriscribe2.forecast.critical_path import USUAL_PACE, Job, Pace, simulate
from libriscribe2.forecast.estimate import QuotedCall
from libriscribe2.forecast.quote import ModelTimes
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import Drafting, DraftOrder
from libriscribe2.project.paths import OUTLINE

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
        kept = [one for one in stages if one.name in names or one.name == DRAFTS]
        seconds[order] = model_seconds(
            in_order(calls, brief.drafting, order, last),
            kept,
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
    wanted: Drafting,
    last: tuple[int, ...] = (),
) -> list[QuotedCall]:
    """The calls that a run would make if the chapters were drafted in another order.

    Args:
        calls: The calls of a run of a whole book.
        drafted: The order of that run.
        wanted: The other order.
        last: The chapters that are written when all others are there.
    """
    if (drafted == "parallel") == (wanted == "parallel"):
        return list(calls)
    if drafted == "parallel":
        kept = (call for call in calls if call.stage != CHAPTERS or _chapter(call) in last)
        return [_moved(call, DRAFTS, CHAPTERS) for call in kept]
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
    found = _CHAPTER.match(call.step)
    return int(found[1]) if found else 0


def _moved(call: QuotedCall, old: str, new: str) -> QuotedCall:
    """A call as another stage makes it."""
    if call.stage != old:
        return call
    return replace(call, stage=new, step=call.step.replace(old, new, 1))
