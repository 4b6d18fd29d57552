"""The facts that a scene must not contradict, ranked: those about its own people and places."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from libriscribe2.models.canon import Attribute, Fact
from libriscribe2.models.story import ScenePlan
from libriscribe2.packs.blocks import block, frame
from libriscribe2.packs.naming import people_of, places_of, shares_name, told_of, words_of
from libriscribe2.packs.part import Rendered
from libriscribe2.packs.standing import FIXED
from libriscribe2.packs.state import PackState
from libriscribe2.prose import shorten, weigh

REMARK: Final = "What the written chapters state. Nothing here may be contradicted."
REMARK_OF_SERIES: Final = (
    "What the written chapters state, and how the books before this one in its series left "
    "things. Nothing here may be contradicted."
)
VALUE_BUDGET: Final = 140
EARLY: Final = 3
"""The first part of the book, one in so many: what it sets up is what later chapters break."""

_DEEDS: Final = frozenset({Attribute.ACTS, Attribute.OTHER})


def facts_of(plan: ScenePlan, state: PackState) -> list[Fact]:
    """The facts that concern a scene, the most important first.

    A fact concerns it that is about its people, its places or a thing that its plan names. Those
    of the last chapters, of the first third of the chapters so far and of the book before take
    turns, while there are such.
    """
    ranked = sorted(
        ((near, fact) for fact, near in _nearness(plan, state) if near),
        key=lambda one: (-one[0], one[1].attribute in _DEEDS, *_backwards(one[1])),
    )
    given = [fact for _, fact in ranked if fact.origin]
    near = [fact for _, fact in ranked if not fact.origin]
    last = max(1, (state.number - 1) // EARLY)
    early = [fact for fact in near if fact.chapter <= last]
    late = [fact for fact in near if fact.chapter > last]
    return _in_turns(late, early, given)


def facts_part(plan: ScenePlan, state: PackState, budget: int) -> Rendered:
    """As many of the facts as fit, in the order of the text."""
    remark = REMARK_OF_SERIES if any(fact.origin for fact in state.facts) else REMARK
    room = budget - frame("facts", remark=remark)
    wanted = facts_of(plan, state)
    kept: list[Fact] = []
    for fact in wanted:
        room -= weigh(fact_line(fact)) + 1
        if room < 0:
            break
        kept.append(fact)
    kept.sort(key=lambda fact: fact.place)
    text = block("facts", "\n".join(map(fact_line, kept)), remark=remark)
    chapters = tuple(sorted({fact.chapter for fact in kept if not fact.origin}))
    return Rendered(text, cut=len(kept) < len(wanted), facts=tuple(kept), chapters=chapters)


def fact_line(fact: Fact) -> str:
    """A fact in one line."""
    value = " ".join(shorten(fact.value, VALUE_BUDGET).split())
    where = f"the book {fact.earlier_book}" if fact.origin else f"chapter {fact.chapter}"
    return f"- {fact.entity}, {fact.attribute.value}: {value} ({where})"


def _nearness(plan: ScenePlan, state: PackState) -> list[tuple[Fact, int]]:
    """How near each fact is: 3 to the scene's people, 2 to its places and things, 0 to neither."""
    people = [person.name for person in people_of(plan, state)]
    places = [plan.place, *(entry.name for entry in places_of(plan, state))]
    told = words_of(f"{told_of(plan)} {state.chapter.summary}")
    of_entity: dict[str, int] = {}
    for entity in state.held_of:
        named = words_of(entity)
        is_told = bool(named) and named <= told
        of_thing = 2 * (is_told or shares_name(entity, places))
        of_entity[entity] = 3 if shares_name(entity, people) else of_thing
    return [
        (fact, of_entity[fact.entity] or int(fact.attribute in FIXED and _is_told(fact, told)))
        for fact in state.held
    ]


def _is_told(fact: Fact, told: frozenset[str]) -> bool:
    """Whether a plan speaks of what a fact says."""
    value = words_of(fact.value)
    return bool(value) and value <= told


def _backwards(fact: Fact) -> tuple[int, int, int]:
    """The latest first; what is fixed stands where it stands."""
    chapter, scene, line = fact.place
    return -chapter, -scene, -line


def _in_turns(*lists: Sequence[Fact]) -> list[Fact]:
    """All lists in turns, while there is anything in them."""
    return [fact for row in zip_longest(*lists) for fact in row if fact is not None]
