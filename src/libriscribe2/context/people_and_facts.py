"""Cards of a scene's people and places, and the facts that it must not break."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

from pydantic import BaseModel, Field

from libriscribe2.context.prompt_context import FIXED, PromptContext
from libriscribe2.context.prompt_parts import Rendered, block, frame
from libriscribe2.models.excerpts import cards, cast_of
from libriscribe2.models.story import Character, Entry, ScenePlan, WorldFile
from libriscribe2.models.story_bible import Attribute, Fact
from libriscribe2.prose import shorten, weigh

_SMALL: Final = frozenset({"the", "a", "an", "of", "mr", "mrs", "ms", "dr", "sir", "lady", "lord"})
_WORD: Final = re.compile(r"[^\W_]+")


def told_of(plan: ScenePlan) -> str:
    """All that a scene's plan says, as one text."""
    lists = (*plan.characters, *plan.reveals, *plan.withholds)
    said = (plan.summary, plan.goal, plan.conflict, plan.turn, plan.outcome, plan.place)
    return " ".join((*said, plan.entry_state, plan.exit_state, *lists))


def people_of(plan: ScenePlan, state: PromptContext) -> list[Character]:
    """The people of a scene: those whom its plan lists, then those whom it speaks of."""
    listed = cast_of(plan, state.cast)
    names = {person.name for person in listed}
    told = frozenset(_WORD.findall(told_of(plan)))
    shared = Counter(word for person in state.cast for word in set(_WORD.findall(person.name)))
    spoken_of = [
        person
        for person in state.cast
        if person.name not in names
        and any(word in told and shared[word] == 1 for word in _WORD.findall(person.name))
    ]
    return [*listed, *spoken_of]


def places_of(plan: ScenePlan, state: PromptContext) -> list[Entry]:
    """The places and terms that a scene's plan names, its own place first."""
    if state.world is None:
        return []
    known = [*state.world.places, *(() if shows_all_terms(state.world) else state.world.terms)]
    told = words_of(told_of(plan))
    named = [entry for entry in known if words_of(entry.name) and words_of(entry.name) <= told]
    own = plan.place.casefold()
    return sorted(named, key=lambda entry: entry.name.casefold() not in own)


def shows_all_terms(world: WorldFile) -> bool:
    """Whether there is room for all terms of a world beside its rules, in every scene's prompt."""
    return sum(weigh(line) + 1 for line in rule_lines(world, terms=True)) <= RULES_ROOM


def rule_lines(world: WorldFile, *, terms: bool) -> list[str]:
    """The rules of a world, and its terms, a line each."""
    named = [f"- {one.name}: {one.description}" for one in world.terms] if terms else []
    return [*(f"- {shorten(rule, RULE_BUDGET)}" for rule in world.rules), *named]


def words_of(text: str) -> frozenset[str]:
    """The words of a name or a text that tell it from others, in lower case."""
    return frozenset(_WORD.findall(text.casefold())) - _SMALL


def shares_name(name: str, others: Iterable[str]) -> bool:
    """Whether a name is one of the others, or a part of one, or holds one."""
    own = words_of(name)
    return bool(own) and any(
        own <= words_of(other) or words_of(other) <= own for other in others if words_of(other)
    )


RULES_ROOM: Final = 4_000
RULE_BUDGET: Final = 600
STATE_BUDGET: Final = 600
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
    *("age", "relationships", "background"),
)


PLACES_REMARK: Final = "As they were when the story began; what has happened since counts."
_OF_PLACES: Final = ("name", "description")


class Card(Character):
    """A person as a scene is shown them.

    Attributes:
        now: How earlier chapters left them.
        fixed: What the text says of them once and for all.
    """

    now: list[str] = Field(default_factory=list)
    fixed: list[str] = Field(default_factory=list)


def people_part(plan: ScenePlan, state: PromptContext, budget: int) -> Rendered:
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


def places_part(plan: ScenePlan, state: PromptContext, budget: int) -> Rendered:
    """The places and terms that a scene names."""
    named = places_of(plan, state)
    whole = cards(named, _OF_PLACES, 10**9)
    remark = PLACES_REMARK if state.number > 1 else ""
    shown = _within(whole, named, _OF_PLACES, budget - frame("places", remark=remark))
    return Rendered(block("places", shown, remark=remark), cut=bool(named) and shown != whole)


def _within(whole: str, made: Sequence[BaseModel], fields: Sequence[str], room: int) -> str:
    """All cards where there is room for them, else as much of them as fits."""
    text = whole if weigh(whole) <= room else cards(made, fields, max(0, room))
    return "" if text == "[]" else text


def _card(person: Character, state: PromptContext) -> Card:
    own = _facts_about(person, state)
    fixed = [_said(fact) for fact in own if fact.attribute in FIXED]
    now = [_said(fact) for fact in reversed(own) if fact.attribute in _LASTING]
    return Card(
        **person.model_dump(),
        now=[*_left(person, state), *now][:MOST_NOW],
        fixed=list(dict.fromkeys(fixed))[:MOST_NOW],
    )


def _left(person: Character, state: PromptContext) -> list[str]:
    """Where and how the last chapter that had the person in it left them."""
    found = _last_seen(person, state)
    if found is None:
        return []
    place, said = found[1], found[2]
    told = "; ".join(part for part in (place, said) if part)
    return [f"after chapter {found[0]}: {shorten(told, STATE_BUDGET)}"] if told else []


def _last_seen(person: Character, state: PromptContext) -> tuple[int, str, str] | None:
    """The last chapter before that says how it leaves the person, with place and state."""
    for number in sorted((n for n in state.exits if n < state.number), reverse=True):
        for one in state.exits[number].people:
            if shares_name(one.name, [person.name]):
                return number, one.place, one.state
    return None


def _facts_about(person: Character, state: PromptContext) -> list[Fact]:
    """The facts that say how a person is."""
    return [
        fact
        for entity, facts in state.held_of.items()
        if shares_name(entity, [person.name])
        for fact in facts
        if fact.attribute in FIXED or fact.attribute in _LASTING
    ]


def _chapters(person: Character, state: PromptContext) -> set[int]:
    """The chapters from which a card is taken."""
    seen = _last_seen(person, state)
    own = {fact.chapter for fact in _facts_about(person, state) if not fact.origin}
    return own | ({seen[0]} if seen else set())


def _said(fact: Fact) -> str:
    """A fact as a card has it."""
    return f"{fact.attribute.value}: {shorten(fact.value, STATE_BUDGET)}"


REMARK: Final = (
    "What the written chapters state, each as of the end of the chapter in brackets. What never "
    "changes may not be contradicted; of the rest, a later statement and the text before hold."
)
REMARK_OF_SERIES: Final = (
    "What the written chapters state, each as of the end of the chapter in brackets, and how the "
    "books before this one in its series left things. What never changes may not be contradicted; "
    "of the rest, a later statement and the text before hold."
)
VALUE_BUDGET: Final = 300
EARLY: Final = 3
"""The first part of the book, one in so many: what it sets up is what later chapters break."""

_DEEDS: Final = frozenset({Attribute.ACTS, Attribute.OTHER})


def facts_of(plan: ScenePlan, state: PromptContext) -> list[Fact]:
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


def facts_part(plan: ScenePlan, state: PromptContext, budget: int) -> Rendered:
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
    where += ", of the past" if fact.stance == "remembered" else ""
    return f"- {fact.entity}, {fact.attribute.value}: {value} ({where})"


def _nearness(plan: ScenePlan, state: PromptContext) -> list[tuple[Fact, int]]:
    """How near each fact is: 3 to the scene's people, 2 to its places and things, 0 to neither."""
    people = [person.name for person in people_of(plan, state)]
    places = [plan.place, *(entry.name for entry in places_of(plan, state))]
    told = words_of(f"{told_of(plan)} {state.chapter.summary}")
    cast = [person.name for person in state.cast]
    of_entity: dict[str, int] = {}
    for entity in state.held_of:
        named = words_of(entity)
        is_told = bool(named) and named <= told
        of_thing = 2 * (is_told or shares_name(entity, places))
        of_entity[entity] = 3 if shares_name(entity, people) else of_thing
    return [
        (fact, of_entity[fact.entity] or int(fact.attribute in FIXED and _is_told(fact, told)))
        for fact in state.held
        # Where somebody is, their card says as of the last chapter that they were in.
        if fact.attribute is not Attribute.LOCATION or not shares_name(fact.entity, cast)
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
