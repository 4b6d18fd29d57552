"""Whom and what a scene is about, by name."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from libriscribe2.models.excerpts import cast_of
from libriscribe2.models.story import Character, Entry, ScenePlan
from libriscribe2.packs.state import PackState

_SMALL: Final = frozenset({"the", "a", "an", "of", "mr", "mrs", "ms", "dr", "sir", "lady", "lord"})
_WORD: Final = re.compile(r"[^\W_]+")


def told_of(plan: ScenePlan) -> str:
    """All that a scene's plan says, as one text."""
    lists = (*plan.characters, *plan.reveals, *plan.withholds)
    said = (plan.summary, plan.goal, plan.conflict, plan.turn, plan.outcome, plan.place)
    return " ".join((*said, plan.entry_state, plan.exit_state, *lists))


def people_of(plan: ScenePlan, state: PackState) -> list[Character]:
    """The people of a scene: those whom its plan lists, then those whom it speaks of."""
    listed = cast_of(plan, state.cast)
    names = {person.name for person in listed}
    words = words_of(told_of(plan))
    spoken_of = [
        person
        for person in state.cast
        if person.name not in names and words_of(person.name) <= words
    ]
    return [*listed, *spoken_of]


def places_of(plan: ScenePlan, state: PackState) -> list[Entry]:
    """The places and terms that a scene's plan names, its own place first."""
    known = [*state.world.places, *state.world.terms] if state.world is not None else []
    told = f"{plan.place} {plan.summary}".casefold()
    named = [entry for entry in known if entry.name.casefold() in told]
    own = plan.place.casefold()
    return sorted(named, key=lambda entry: entry.name.casefold() not in own)


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """The words of a name or a text that tell it from others, in lower case."""
    return frozenset(_WORD.findall(text.casefold())) - _SMALL


def shares_name(name: str, others: Iterable[str]) -> bool:
    """Whether a name is one of the others, or a part of one, or holds one."""
    own = words_of(name)
    return bool(own) and any(
        own <= words_of(other) or words_of(other) <= own for other in others if words_of(other)
    )
