"""P14: how a chapter leaves people, and how the next one finds them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import regex

from libriscribe2.quality.plan.known import words_of
from libriscribe2.quality.plan.plan import OUTLINE, Plan, PlanFinding

_CLAUSE: Final = re.compile(r"[.;!?\n]+|, (?:and|while|but) ")
_MOVES_ON: Final = frozenset({"arrival", "time-skip"})
"""Openings that tell by themselves that somebody is elsewhere now."""


def broken_states(plan: Plan) -> Iterator[PlanFinding]:
    """P14: a person whom one chapter leaves at one place and the next finds at another.

    Only for people and places that the book knows, and where a part of the sentence names one
    place and no other.
    """
    if not plan.people or not plan.places:
        return
    for number in range(2, plan.last + 1):
        before, here = plan.chapters[number - 2], plan.chapters[number - 1]
        if here.opening_move in _MOVES_ON or _time_passes(before.story_time, here.story_time):
            continue
        left = whereabouts(before.exit_state, plan)
        found = whereabouts(here.entry_state, plan)
        for person in plan.people:
            if person in left and person in found and left[person] != found[person]:
                yield PlanFinding(
                    "P14",
                    "warning",
                    OUTLINE,
                    f"Chapter {number - 1} leaves {person} at {left[person]}; chapter {number} "
                    f"finds {person} at {found[person]}.",
                    f"Make the entry_state of chapter {number} follow, or open it with arrival "
                    "or time-skip.",
                    number,
                )


def _time_passes(before: str, here: str) -> bool:
    """Whether the plan says that the next chapter happens at another time."""
    return bool(before and here) and before.casefold() != here.casefold()


def whereabouts(state: str, plan: Plan) -> Mapping[str, str]:
    """Who is where; who is at two places is nowhere for sure."""
    found: dict[str, set[str]] = {}
    for clause in _CLAUSE.split(state):
        said = frozenset(regex.findall(r"[\p{L}\p{N}]+", clause.casefold()))
        places = [place for place in plan.places if _is_whole(place, said)]
        if len(places) == 1:
            for person in plan.people:
                if _is_whole(person, said) or said & _given(person, plan.people):
                    found.setdefault(person, set()).update(places)
    return {person: places.pop() for person, places in found.items() if len(places) == 1}


def _is_whole(name: str, said: frozenset[str]) -> bool:
    """Whether all words of a name are said."""
    own = words_of(name)
    return bool(own) and own <= said


def _given(person: str, people: Sequence[str]) -> frozenset[str]:
    """The first word of a person's name, where nobody else has it in theirs."""
    first = frozenset(regex.findall(r"[\p{L}\p{N}]+", person.casefold())[:1])
    others = {word for other in people if other != person for word in words_of(other)}
    return first - others - {"the", "a", "an"}
