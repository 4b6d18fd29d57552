"""All rules over a plan, in their order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from libriscribe2.quality.plan.allowed import Allowance
from libriscribe2.quality.plan.claims import (
    homeless,
    one_home,
    own_chapter,
    resolved_citations,
    spoken_of_before,
    used_before,
)
from libriscribe2.quality.plan.contracts import known_cast, known_places, whole_contracts
from libriscribe2.quality.plan.headings import one_question, parallel_headings
from libriscribe2.quality.plan.lengths import planned_lengths, scene_lengths
from libriscribe2.quality.plan.moves import endings, openings, quiet_endings
from libriscribe2.quality.plan.names import like_names, worn_names
from libriscribe2.quality.plan.plan import Plan, PlanFinding
from libriscribe2.quality.plan.states import broken_states
from libriscribe2.quality.plan.tension import tension_curve
from libriscribe2.quality.plan.threads import agreement, obligations, threads_alive
from libriscribe2.quality.plan.tidy import tidiness
from libriscribe2.quality.plan.times import backward_chapters, backward_scenes

Rule = Callable[[Plan], Iterator[PlanFinding]]

_BOTH: Final[tuple[Rule, ...]] = (
    openings,
    endings,
    obligations,
    planned_lengths,
    scene_lengths,
    known_places,
    resolved_citations,
)
_STORY: Final[tuple[Rule, ...]] = (
    quiet_endings,
    agreement,
    tension_curve,
    threads_alive,
    like_names,
    worn_names,
    backward_chapters,
    backward_scenes,
    known_cast,
    broken_states,
    whole_contracts,
    tidiness,
)
_FACTS: Final[tuple[Rule, ...]] = (
    one_home,
    own_chapter,
    homeless,
    used_before,
    spoken_of_before,
    parallel_headings,
    one_question,
)
_WEIGHTS: Final = ("error", "warning", "note")


def findings(
    plan: Plan, allowed: Sequence[Allowance] = (), more: Iterable[PlanFinding] = ()
) -> tuple[PlanFinding, ...]:
    """What is wrong with a plan, in the order of the book.

    What code is sure of comes first, what the author lets stand last.

    Args:
        plan: The plan.
        allowed: What the author lets stand.
        more: What else was found, beside the text.
    """
    rules = (*_BOTH, *(_STORY if plan.story else _FACTS))
    found = (
        replace(one, allowed=any(given.lets(one) for given in allowed))
        for one in (*chain.from_iterable(rule(plan) for rule in rules), *more)
    )
    return tuple(sorted(found, key=_rank))


def faults(plan: Plan, file: str, allowed: Sequence[Allowance] = ()) -> tuple[PlanFinding, ...]:
    """What a model can be asked to mend in one file of a plan.

    That is what code is sure to be wrong and the author does not let stand.
    """
    found = (one for one in findings(plan, allowed) if not one.allowed)
    return tuple(one for one in found if one.weight == "error" and one.file == file)


def as_list(found: Iterable[PlanFinding], budget: int) -> str:
    """Findings as lines of a prompt, as many as fit a budget of characters."""
    lines: list[str] = []
    for one in found:
        line = " ".join(f"- {one.place}: {one.message} {one.change}".split())
        budget -= len(line) + 1
        if budget < 0 and lines:
            break
        lines.append(line)
    return "\n".join(lines)


def _rank(one: PlanFinding) -> tuple[bool, int, str, int, int, str, str]:
    weight = _WEIGHTS.index(one.weight)
    return one.allowed, weight, one.file, one.chapter, one.scene, one.rule, one.message
