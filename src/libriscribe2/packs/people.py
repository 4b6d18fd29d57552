"""Cards of a scene's people and places, with their state as of the scene."""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, Field

from libriscribe2.models.canon import Attribute, Fact
from libriscribe2.models.excerpts import cards
from libriscribe2.models.story import Character, ScenePlan
from libriscribe2.packs.blocks import block, frame
from libriscribe2.packs.naming import people_of, places_of, shares_name
from libriscribe2.packs.part import Rendered
from libriscribe2.packs.standing import FIXED
from libriscribe2.packs.state import PackState
from libriscribe2.prose import shorten, weigh

STATE_BUDGET: Final = 160
MOST_NOW: Final = 6

_LASTING: Final = frozenset(
    {
        Attribute.POSSESSION,
        Attribute.INJURY,
        Attribute.ALIVE,
        Attribute.AGE,
        Attribute.JOB,
        Attribute.RANK,
        Attribute.KNOWS,
        Attribute.LEARNS,
        Attribute.PROMISE,
    }
)
_FIELDS: Final = (
    *("name", "role", "now", "fixed", "personality", "motivation", "conflict", "appearance"),
)


_OF_PLACES: Final = ("name", "description")


class Card(Character):
    """A person as a scene is shown them.

    Attributes:
        now: How earlier chapters left them.
        fixed: What the text says of them once and for all.
    """

    now: list[str] = Field(default_factory=list)
    fixed: list[str] = Field(default_factory=list)


def people_part(plan: ScenePlan, state: PackState, budget: int) -> Rendered:
    """The people of a scene, each with what has become of them."""
    people = people_of(plan, state)
    made = [_card(person, state) for person in people]
    whole = cards(made, _FIELDS, 10**9)
    shown = _within(whole, made, _FIELDS, budget - frame("characters"))
    chapters = sorted({n for person in people for n in _chapters(person, state)})
    return Rendered(
        block("characters", shown),
        cut=bool(made) and shown != whole,
        chapters=tuple(chapters) if shown else (),
    )


def places_part(plan: ScenePlan, state: PackState, budget: int) -> Rendered:
    """The places and terms that a scene names."""
    named = places_of(plan, state)
    whole = cards(named, _OF_PLACES, 10**9)
    shown = _within(whole, named, _OF_PLACES, budget - frame("places"))
    return Rendered(block("places", shown), cut=bool(named) and shown != whole)


def _within(whole: str, made: Sequence[BaseModel], fields: Sequence[str], room: int) -> str:
    """All cards where there is room for them, else as much of them as fits."""
    text = whole if weigh(whole) <= room else cards(made, fields, max(0, room))
    return "" if text == "[]" else text


def _card(person: Character, state: PackState) -> Card:
    own = _facts_about(person, state)
    fixed = [_said(fact) for fact in own if fact.attribute in FIXED]
    now = [_said(fact) for fact in reversed(own) if fact.attribute in _LASTING]
    return Card(
        **person.model_dump(),
        now=[*_left(person, state), *now][:MOST_NOW],
        fixed=list(dict.fromkeys(fixed))[:MOST_NOW],
    )


def _left(person: Character, state: PackState) -> list[str]:
    """Where and how the last chapter that had the person in it left them."""
    found = _last_seen(person, state)
    if found is None:
        return []
    place, said = found[1], found[2]
    told = "; ".join(part for part in (place and f"at {place}", said) if part)
    return [f"after chapter {found[0]}: {shorten(told, STATE_BUDGET)}"] if told else []


def _last_seen(person: Character, state: PackState) -> tuple[int, str, str] | None:
    """The last chapter before that says how it leaves the person, with place and state."""
    for number in sorted((n for n in state.exits if n < state.number), reverse=True):
        for one in state.exits[number].people:
            if shares_name(one.name, [person.name]):
                return number, one.place, one.state
    return None


def _facts_about(person: Character, state: PackState) -> list[Fact]:
    """The facts that say how a person is."""
    return [
        fact
        for entity, facts in state.held_of.items()
        if shares_name(entity, [person.name])
        for fact in facts
        if fact.attribute in FIXED or fact.attribute in _LASTING
    ]


def _chapters(person: Character, state: PackState) -> set[int]:
    """The chapters from which a card is taken."""
    seen = _last_seen(person, state)
    own = {fact.chapter for fact in _facts_about(person, state) if not fact.origin}
    return own | ({seen[0]} if seen else set())


def _said(fact: Fact) -> str:
    """A fact as a card has it."""
    return f"{fact.attribute.value}: {shorten(fact.value, STATE_BUDGET)}"
