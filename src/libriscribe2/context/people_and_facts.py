"""Cards of a scene's people and places, and the facts that it must not break."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

from pydantic import BaseModel, Field

from libriscribe2.checks.continuity.ledger import CLAIMED, kind_of, latest_first, stems
from libriscribe2.checks.function_words import function_words
from libriscribe2.checks.text import sentences
from libriscribe2.context.prompt_context import PromptContext
from libriscribe2.context.prompt_parts import Rendered, block, frame
from libriscribe2.models.excerpts import cards, cast_of, rule_lines
from libriscribe2.models.story import Character, Entry, ScenePlan, WorldFile
from libriscribe2.models.story_bible import FIXED, HARD_STANCES, Attribute, CharacterState, Fact
from libriscribe2.prose import lines_within, shorten, weigh

_SMALL: Final = frozenset({"the", "a", "an", "of", "mr", "mrs", "ms", "dr", "sir", "lady", "lord"})
_WORD: Final = re.compile(r"[^\W_]+")


def told_of(plan: ScenePlan) -> str:
    """All that a scene's plan says, as one text."""
    lists = (*plan.characters, *plan.reveals, *plan.withholds)
    said = (plan.summary, plan.goal, plan.conflict, plan.turn, plan.outcome, plan.place)
    things = (part for one in plan.things for part in (one.name, one.before, one.after))
    return " ".join((*said, plan.entry_state, plan.exit_state, *lists, *things))


def people_of(plan: ScenePlan, state: PromptContext) -> list[Character]:
    """The people of a scene: those whom its plan lists, then those whom it speaks of."""
    listed = cast_of(plan, state.cast)
    names = {person.name for person in listed}
    told = frozenset(_WORD.findall(told_of(plan)))
    shared = Counter(word for person in state.cast for word in set(_WORD.findall(person.name)))
    places = state.world.places if state.world is not None else ()
    others = {*shared, *(word for one in places for word in _WORD.findall(one.name))}
    told |= {stem for word in told - others for stem in stems(word)}
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
STATE_BUDGET: Final = 600
MOST_FIXED: Final = 6
MOST_WALK_ONS: Final = 8
WALK_ON_BUDGET: Final = 240

# What somebody wants stands in `cast`.
_FIELDS: Final = (
    *("name", "role", "fixed", "age", "appearance", "personality", "conflict"),
    *("relationships", "background"),
)


PEOPLE_REMARK: Final = "As planned before the book began; what it has told since counts."
PLACES_REMARK: Final = "As they were when the chapter began; what the text since tells counts."
_CASES_REMARK: Final = "The settings and cases in which the book's examples play."
_OF_PLACES: Final = ("name", "description")


class Card(Character):
    """A person as a scene is shown them.

    Attributes:
        fixed: What the text says of them once and for all.
    """

    fixed: list[str] = Field(default_factory=list)


def people_part(plan: ScenePlan, state: PromptContext, budget: int) -> Rendered:
    """The people of a scene, and a line for those whom only the text or its plan has."""
    people = people_of(plan, state)
    made = [*(_card(person, state) for person in people), *_walk_ons(plan, state)]
    whole = cards(made, _FIELDS, 10**9)
    shown = _within(whole, made, _FIELDS, budget - frame("characters", remark=PEOPLE_REMARK))
    known = [fact for person in people for fact in _fixed_of(person, state)]
    return Rendered(
        block("characters", shown, remark=PEOPLE_REMARK),
        cut=bool(made) and shown != whole,
        chapters=_chapters(known) if shown else (),
    )


def _walk_ons(plan: ScenePlan, state: PromptContext) -> list[Card]:
    """Those whom earlier chapters brought in, the last ones of them, and whom the plan alone has."""
    told = told_of(plan)
    named = [
        one for one in state.walk_ons if one.name in told or shares_name(one.name, plan.characters)
    ]
    others = [one for one in reversed(state.walk_ons) if one not in named]
    known = [one.name for one in (*state.cast, *state.walk_ons)]
    planned = [name for name in plan.characters if not shares_name(name, known)]
    return [
        *(
            Card(name=one.name, role=shorten(one.role, WALK_ON_BUDGET))
            for one in [*named, *others][: max(MOST_WALK_ONS, len(named))]
        ),
        *(Card(name=name, role=_planned(name, state)) for name in planned),
    ]


def _planned(name: str, state: PromptContext) -> str:
    """What the plan of the chapter says of somebody whom nothing else knows."""
    plans = (state.chapter.summary, *(one.summary for one in state.scenes))
    said = (one for plan in plans for one in sentences(plan) if name in one)
    return shorten(next(said, "only the plan of this scene names them"), WALK_ON_BUDGET)


def places_part(plan: ScenePlan, state: PromptContext, budget: int) -> Rendered:
    """The places and terms that a scene names."""
    named = places_of(plan, state)
    whole = cards(named, _OF_PLACES, 10**9)
    remark = PLACES_REMARK if state.brief.kind == "fiction" else _CASES_REMARK
    shown = _within(whole, named, _OF_PLACES, budget - frame("places", remark=remark))
    text = block("places", shown, remark=remark)
    return Rendered(text, cut=bool(named) and shown != whole)


def _within(whole: str, made: Sequence[BaseModel], fields: Sequence[str], room: int) -> str:
    """All cards where there is room for them, else as much of them as fits."""
    text = whole if weigh(whole) <= room else cards(made, fields, max(0, room))
    return "" if text == "[]" else text


def _card(person: Character, state: PromptContext) -> Card:
    said = [_said(fact) for fact in _fixed_of(person, state)]
    return Card(**person.model_dump(), fixed=list(dict.fromkeys(said))[:MOST_FIXED])


def _fixed_of(person: Character, state: PromptContext) -> list[Fact]:
    """What is so of a person from the first page to the last."""
    return [
        fact
        for entity, facts in state.held_of.items()
        if shares_name(entity, [person.name])
        for fact in facts
        if fact.attribute in FIXED and fact.stance != "said_by"
    ]


def _left(name: str, state: PromptContext) -> tuple[int, CharacterState] | None:
    """The last chapter before that says where and how it leaves a person, and what it says."""
    for number in sorted((n for n in state.exits if n < state.number), reverse=True):
        for one in state.exits[number].people:
            if (one.place or one.state) and shares_name(one.name, [name]):
                return number, one
    return None


def _as_left(person: Character, state: PromptContext) -> str:
    """Where and how a person was left, in a line; not where, if a later chapter says otherwise."""
    found = _left(person.name, state)
    if found is None:
        return ""
    number, left = found
    is_elsewhere = any(
        fact.chapter > number and fact.attribute in _MOVES and fact.stance in HARD_STANCES
        for entity, facts in state.held_of.items()
        if shares_name(entity, [person.name])
        for fact in facts
    )
    told = "; ".join(part for part in ("" if is_elsewhere else left.place, left.state) if part)
    return f"- {person.name}, after chapter {number}: {shorten(told, STATE_BUDGET)}" if told else ""


def _said(fact: Fact) -> str:
    """A fact as a card has it."""
    return f"{fact.attribute.value}: {shorten(fact.value, STATE_BUDGET)}"


REMARK: Final = (
    "What the book, and any before it in its series, has stated: nothing may contradict it. What is "
    "claimed, somebody has said; it may be untrue."
)
STATE_REMARK: Final = (
    "How everything stood when this chapter began, and who knew what; what the text before tells "
    "since then counts."
)
VALUE_BUDGET: Final = 300
EARLY: Final = 3
"""The first part of the book, one in so many: what it sets up is what later chapters break."""

_TOLD: Final = frozenset({Attribute.ACTS, Attribute.OTHER})
"""What is said of the past or of no known kind."""

_MOVES: Final = frozenset({Attribute.LOCATION, Attribute.STATE})
"""What may say that somebody is no longer where an earlier chapter left them."""


def facts_of(plan: ScenePlan, state: PromptContext) -> list[Fact]:
    """The facts that concern a scene, the most important first.

    A fact concerns it that is about its people, its places or a thing that its plan names. Those
    of the last chapters, of the first third of the chapters so far and of the book before take
    turns, while there are such.
    """
    ranked = sorted(
        ((near, fact) for fact, near in _nearness(plan, state) if near),
        key=lambda one: (-one[0], _is_aside(one[1]), *latest_first(one[1])),
    )
    given = [fact for _, fact in ranked if fact.origin]
    near = [fact for _, fact in ranked if not fact.origin]
    last = max(1, (state.number - 1) // EARLY)
    early = [fact for fact in near if fact.chapter <= last]
    late = [fact for fact in near if fact.chapter > last]
    return _in_turns(late, early, given)


def facts_part(plan: ScenePlan, state: PromptContext, budget: int) -> Rendered:
    """As many of the lasting facts as fit, in the order of the text."""
    room = budget - frame("facts", remark=REMARK)
    wanted = [fact for fact in facts_of(plan, state) if _lasts(fact)]
    kept = sorted(_within_room(wanted, room), key=lambda fact: fact.place)
    return Rendered(
        block("facts", "\n".join(fact_lines(kept)), remark=REMARK),
        cut=len(kept) < len(wanted),
        facts=tuple(kept),
        chapters=_chapters(kept),
    )


def state_part(plan: ScenePlan, state: PromptContext, budget: int) -> Rendered:
    """How the people, places and things of a scene stood when its chapter began.

    What was not known when the chapter was written is named, so that nobody takes what was true
    earlier for what is true now.
    """
    people = people_of(plan, state)
    lines = [line for one in people if (line := _as_left(one, state))]
    left = {found[0] for one in people if (found := _left(one.name, state))}
    unknown = [n for n in range(1, state.number) if n not in state.order.known(state.number)]
    if unknown and (lines or state.facts):
        lines.append(f"What chapter {', '.join(map(str, unknown[-3:]))} changes is not known here.")
    room = budget - frame("state", remark=STATE_REMARK)
    shown = lines_within(lines, room)
    wanted = [fact for fact in facts_of(plan, state) if _changes(fact)]
    kept = _within_room(wanted, room - sum(weigh(line) + 1 for line in shown))
    order = {entity: at for at, entity in enumerate(dict.fromkeys(fact.entity for fact in wanted))}
    kept.sort(key=lambda fact: (order[fact.entity], fact.place))
    return Rendered(
        block("state", "\n".join([*shown, *fact_lines(kept)]), remark=STATE_REMARK),
        cut=len(kept) < len(wanted) or shown != lines,
        facts=tuple(kept),
        chapters=tuple(sorted({*_chapters(kept), *left})),
    )


def _changes(fact: Fact) -> bool:
    """Whether a fact says how something stands, until an event ends it."""
    return fact.attribute not in FIXED | _TOLD


def _lasts(fact: Fact) -> bool:
    """Whether a fact says what is so for good; what people did, the story so far tells."""
    return not _changes(fact) and (
        fact.attribute is not Attribute.ACTS or fact.stance not in HARD_STANCES
    )


def _is_aside(fact: Fact) -> bool:
    """Whether a fact gives way to others as near: the past, no known kind, somebody's words."""
    return fact.attribute in _TOLD or fact.stance == "said_by"


def _within_room(facts: Iterable[Fact], room: int) -> list[Fact]:
    """The first facts that fit."""
    kept = []
    for fact in facts:
        room -= weigh(f"{_about(fact)} {_told(fact)}") + 1
        if room < 0:
            break
        kept.append(fact)
    return kept


def _chapters(facts: Iterable[Fact]) -> tuple[int, ...]:
    return tuple(sorted({fact.chapter for fact in facts if not fact.origin}))


def fact_lines(facts: Iterable[Fact]) -> list[str]:
    """Facts, those of one kind about one thing in one line."""
    told: dict[str, list[str]] = {}
    for fact in facts:
        told.setdefault(_about(fact), []).append(_told(fact))
    return [f"{about} {'; '.join(values)}" for about, values in told.items()]


def _about(fact: Fact) -> str:
    return f"- {fact.entity}, {fact.attribute.value}:"


def _told(fact: Fact) -> str:
    """What a fact says, and where."""
    value = " ".join(shorten(fact.value, VALUE_BUDGET).split())
    where = f"the book {fact.earlier_book}" if fact.origin else f"chapter {fact.chapter}"
    where += ", of the past" if fact.stance == "remembered" else ""
    where += f", {CLAIMED}" if fact.stance == "said_by" else ""
    return f"{value} ({where})"


_FOUND: Final = FIXED | {Attribute.POSSESSION}
"""What also concerns a scene if the scene's plan names its value."""


def _nearness(plan: ScenePlan, state: PromptContext) -> list[tuple[Fact, int]]:
    """How near each fact is: 3 to the scene's people, 2 to its places and things, 0 to neither.

    Of a thing's name the word that says what it is has to be in the plan: of two keys, a scene has
    to know which.
    """
    people = [person.name for person in people_of(plan, state)]
    places = [plan.place, *(entry.name for entry in places_of(plan, state))]
    said = _WORD.findall(f"{told_of(plan)} {state.chapter.summary}".casefold())
    told, small = frozenset(said) - _SMALL, _SMALL | function_words(said)
    of_names = words_of(" ".join(person.name for person in (*state.cast, *state.walk_ons)))
    kinds = told - small - of_names
    forms = kinds.union(*map(stems, kinds))

    def is_kind(name: str) -> bool:
        kind = kind_of(name, small)
        return kind in forms or not kinds.isdisjoint(stems(kind))

    of_entity: dict[str, int] = {}
    for entity in state.held_of:
        names = [own for name in state.names_of[entity] if (own := words_of(name))]
        is_told = any(own <= told for own in names)
        of_thing = 2 * (is_told or is_kind(entity) or shares_name(entity, places))
        of_entity[entity] = 3 if shares_name(entity, people) else of_thing
    return [
        (fact, of_entity[fact.entity] or int(_is_told(fact, told) or is_kind(_held(fact))))
        for fact in state.held
        if not _is_told_by_exit(fact, state)
    ]


def _held(fact: Fact) -> str:
    """The thing that somebody has; "" for all else that a fact says."""
    return fact.value.rpartition(":")[2] if fact.attribute is Attribute.POSSESSION else ""


def _is_told_by_exit(fact: Fact, state: PromptContext) -> bool:
    """Whether the end of a chapter tells where somebody is, as late as a fact does."""
    if fact.attribute is not Attribute.LOCATION or fact.stance not in HARD_STANCES:
        return False
    left = _left(fact.entity, state)
    return left is not None and left[0] >= fact.chapter


def _is_told(fact: Fact, told: frozenset[str]) -> bool:
    """Whether a plan speaks of what a fact says, or of the thing that somebody has."""
    value = words_of(fact.value.rpartition(":")[2])
    return fact.attribute in _FOUND and bool(value) and value <= told


def _in_turns(*lists: Sequence[Fact]) -> list[Fact]:
    """All lists in turns, while there is anything in them."""
    return [fact for row in zip_longest(*lists) for fact in row if fact is not None]
