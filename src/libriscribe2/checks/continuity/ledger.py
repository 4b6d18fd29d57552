"""The ledger: which statements hold at a point of the book, and which one a later chapter ended.

A statement is fixed (`FIXED`), or it holds until an event ends it. What ends is said by the reading
of the chapter that ends it (`StoryBibleFile.ended`), so that no two wordings have to be compared.

Which statements does a text state? `stated_in(bible.facts, text)`, with `bible_of` for the facts of
a book, where they stand now and with the chapter that ended each (`Fact.until`). What an edit takes
away is `stated_in(facts, old)` without `stated_in(facts, new)`; a statement with `until` is no
longer so, and nothing after that chapter contradicts it.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import dropwhile, takewhile
from typing import Final, TypeVar

from libriscribe2.checks.function_words import function_words
from libriscribe2.checks.text import sentences
from libriscribe2.models.story import Entry, WorldFile
from libriscribe2.models.story_bible import (
    FIXED,
    HARD_STANCES,
    PERMANENT,
    Attribute,
    EndedFact,
    Fact,
    StoryBibleFile,
    VerifiedFact,
)
from libriscribe2.prose import shorten, weigh
from libriscribe2.research.quotes import line_of_quote

ONE_AT_A_TIME: Final = frozenset(
    {
        Attribute.LOCATION,
        Attribute.AGE,
        Attribute.JOB,
        Attribute.RANK,
        Attribute.ALIVE,
        Attribute.EYES,
        Attribute.HAIR,
        Attribute.BIRTHDAY,
        Attribute.DISTANCE,
        Attribute.COUNT,
    }
)
"""What has one value at a time; of the others there may be several."""

_UNLISTED: Final = frozenset({Attribute.ACTS, Attribute.WEEKDAY, Attribute.RULE})
"""What no reader of a chapter is asked about: it ends by itself, or stands elsewhere.

So does where somebody is; where a thing lies does not."""

LINE_BUDGET: Final = 240
CLAIMED: Final = "claimed"
"""What stands behind a statement that somebody makes and the text does not."""

SHORTEST_STEM: Final = 4
"""Shorter words have no endings: too many words begin with them."""

_CLAUSES: Final = "; "
"""Between what one sentence says of a place and the next thing that it says."""

_HALF: Final = 0.5
_WORD: Final = re.compile(r"\w+")
_TERM: Final = re.compile(r"[^\W_]+")


FactT = TypeVar("FactT", Fact, VerifiedFact)


def stated_in(facts: Iterable[FactT], text: str) -> list[FactT]:
    """The statements whose words stand in a text."""
    return [fact for fact in facts if line_of_quote(fact.quote, text) is not None]


def with_ends(facts: Sequence[Fact], ended: Mapping[int, Sequence[EndedFact]]) -> list[Fact]:
    """Statements, each with the chapter in which it ends.

    Whoever gets a thing, or is shown with one that has a name of its own, ends that another one
    has it, and that it lies where an earlier chapter put it.

    Args:
        facts: The statements under one name each.
        ended: What each chapter that was read ends.
    """
    things = [fact for fact in facts if fact.attribute is Attribute.POSSESSION]
    return [
        fact.model_copy(update={"until": until}) if (until := _end(fact, things, ended)) else fact
        for fact in facts
    ]


def standing_ends(
    files: Mapping[int, StoryBibleFile], texts: Mapping[int, str]
) -> dict[int, list[EndedFact]]:
    """What each chapter ends, as far as the words that end it stand in its text."""
    return {
        n: [one for one in file.ended if line_of_quote(one.quote, texts[n]) is not None]
        for n, file in files.items()
    }


def _end(fact: Fact, things: Iterable[Fact], ended: Mapping[int, Sequence[EndedFact]]) -> int:
    """The chapter in which a statement ends; 0 where none ends it."""
    if fact.attribute in PERMANENT:
        return 0
    said = [
        number
        for number, ends in ended.items()
        if number > fact.chapter and any(_is_meant(fact, one) for one in ends)
    ]
    taken = [one.chapter for one in things if _takes(one, fact)]
    return min([*said, *taken], default=0)


def _is_meant(fact: Fact, end: EndedFact) -> bool:
    """Whether a statement is the one that a chapter ends, or says the same of where it is.

    `the hall: the piano stands here under a cloth` is what `the piano: under a cloth` is, where
    the same words of the text say both.
    """
    if fact.attribute is not end.attribute:
        return False
    if fact.entity.casefold() == end.entity.casefold():
        quoted = bool(fact.quote) and fact.quote == end.stated
        return quoted or plain(fact.value) == plain(end.value)
    short, long = sorted((fact.quote, end.stated), key=len)
    there = fact.attribute is Attribute.STATE and plain(end.entity) in plain(fact.value)
    return there and bool(short) and short in long


def _takes(later: Fact, fact: Fact) -> bool:
    """Whether a statement says that a thing is in other hands by now, or in somebody's at all."""
    if fact.attribute is Attribute.LOCATION:
        verb, thing = held(later)
        is_it = thing == plain(fact.entity) and verb != "uses"
        return is_it and later.chapter > fact.chapter and later.stance in HARD_STANCES
    if fact.attribute is not Attribute.POSSESSION or later.place <= fact.place:
        return False
    if later.entity == fact.entity or later.stance not in HARD_STANCES:
        return False
    verb, thing = held(later)
    ours, theirs = set(thing.split()), set(held(fact)[1].split())
    fewer = min(ours, theirs, key=len)
    least = 1 if verb == "gets" else 2
    return (
        verb in ("gets", "has")
        and len(fewer) >= least
        and (ours == theirs or (len(fewer) > 1 and _is_same_thing(thing, held(fact)[1])))
    )


def _is_same_thing(one: str, other: str) -> bool:
    """Whether the longer name of a thing is the shorter one with a word before it or some behind.

    `brass key` is `brass key of the piano`, and no pistol is `six cartridges of the pistol`.
    """
    short, long = sorted((one.split(), other.split()), key=len)
    return short in (long[: len(short)], long[1:])


def held(fact: Fact) -> tuple[str, str]:
    """How somebody stands to a thing (`has`, `gets`, `lost` ...), and the thing."""
    verb, _, thing = fact.value.rpartition(":")
    return verb.strip().casefold() or "has", plain(thing)


def facts_in_force(facts: Iterable[Fact], chapter: int, *, claims: bool = False) -> list[Fact]:
    """The facts that hold when a chapter begins, in the order of the text.

    What may change holds only as earlier chapters left it; what never does also holds where only
    a later chapter says it. Of several tellings of one thing, the first stands for what is fixed
    and the last for what changes. What a chapter tells of the past holds, too, but says nothing
    of where or how anybody is now; and whoever is told a thing has learnt it.

    Args:
        facts: The facts in the order of the text.
        chapter: The chapter, from 1.
        claims: Whether what somebody says counts, too, as long as the text says nothing else.
    """
    found: dict[tuple[str, ...], Fact] = {}
    said: dict[tuple[str, ...], Fact] = {}
    for fact in facts:
        past = fact.stance == "remembered" and fact.attribute not in ONE_AT_A_TIME
        heard = fact.stance == "said_by" and fact.attribute in (Attribute.LEARNS, Attribute.KNOWS)
        if 0 < fact.until < chapter:
            continue
        if fact.stance not in HARD_STANCES and not past and not heard:
            if claims and fact.stance == "said_by" and fact.chapter < chapter:
                said[_key(fact)] = fact
        elif fact.attribute in FIXED:
            found.setdefault(_key(fact), fact)
        elif fact.chapter < chapter:
            found[_key(fact)] = fact
    new = (one for key, one in said.items() if key not in found or found[key].place < one.place)
    return sorted([*found.values(), *new], key=lambda fact: fact.place)


def _key(fact: Fact) -> tuple[str, ...]:
    """What two facts have to share for one to take the place of the other."""
    about = fact.entity.casefold(), fact.attribute.value
    if fact.attribute in ONE_AT_A_TIME:
        return about
    if fact.attribute is Attribute.POSSESSION:  # `has: a knife`, then `lost: a knife`
        return (*about, held(fact)[1])
    return (*about, plain(fact.value))


def plain(value: str) -> str:
    """A value in a form that can be compared."""
    return " ".join(_WORD.findall(value.casefold()))


def place_facts(world: WorldFile | None) -> list[Fact]:
    """What the plan says of its places, clause by clause: it holds until a chapter ends it."""
    return [
        Fact(entity=place.name, attribute=Attribute.STATE, value=one, chapter=0)
        for place in (world.places if world is not None else ())
        for sentence in sentences(place.description)
        for one in sentence.split(_CLAUSES)
    ]


def world_at(world: WorldFile, ended: Mapping[int, Sequence[EndedFact]], chapter: int) -> WorldFile:
    """A world whose places are described by what still holds when a chapter begins."""
    gone = {(one.entity, one.value) for n, ends in ended.items() if n < chapter for one in ends}

    def left(place: Entry) -> Entry:
        told = []
        for sentence in sentences(place.description):
            clauses = sentence.split(_CLAUSES)
            kept = [
                one for one in clauses if not {(place.name, one), (place.name, sentence)} & gone
            ]
            if kept:
                is_less = len(kept) < len(clauses)
                told.append(f"{_CLAUSES.join(kept).rstrip('.')}." if is_less else sentence)
        return place.model_copy(update={"description": " ".join(told)}) if gone else place

    return world.model_copy(update={"places": [*map(left, world.places)]})


def open_ledger(
    facts: Iterable[Fact], chapter: int, text: str, people: Iterable[str], budget: int
) -> dict[str, Fact]:
    """What holds of whom and what a chapter names when it begins, by the line that says it.

    A thing is named, too, by the word that says what it is, also where somebody has it. Where not
    all of it fits, what an event ends comes first, then what somebody has learnt or says, then what
    the plan says of its places, then what is so for good; of each the latest first.

    Args:
        facts: What earlier chapters state and what the plan says of its places.
        chapter: The chapter, from 1.
        text: Its text.
        people: Names of people: one word of them is enough.
        budget: Most that all lines take.
    """
    said, named = plain(text).split(), {name.casefold() for name in people}
    told, small = set(said).union(*map(stems, {*said})), function_words(said)

    def is_kind(fact: Fact) -> bool:
        thing = held(fact)[1] if fact.attribute is Attribute.POSSESSION else fact.entity
        kind = "" if thing.casefold() in named else kind_of(thing, small)
        return kind in told or not told.isdisjoint(stems(kind))

    def is_named(fact: Fact) -> bool:
        return _is_named(fact.entity, told, named)

    about = [
        fact
        for fact in facts_in_force(facts, chapter, claims=True)
        if fact.attribute not in _UNLISTED
        and (fact.attribute is not Attribute.LOCATION or fact.entity.casefold() not in named)
        and (is_named(fact) or is_kind(fact))
    ]
    chosen: list[Fact] = []
    for fact in sorted(
        about, key=lambda fact: (_lasting(fact), not is_named(fact), *latest_first(fact))
    ):
        budget -= weigh(_line("e00", fact)) + 1
        if budget >= 0:
            chosen.append(fact)
    chosen.sort(key=lambda fact: fact.place)
    return {_line(f"e{at}", fact): fact for at, fact in enumerate(chosen, start=1)}


def _lasting(fact: Fact) -> int:
    """How unlikely it is that a chapter ends a statement."""
    if not fact.chapter and not fact.origin:  # the plan
        return 2
    if fact.attribute in FIXED:
        return 3 + (fact.attribute in PERMANENT)
    if fact.attribute is Attribute.KNOWS:
        return 0
    return int(fact.attribute is Attribute.LEARNS or fact.stance == "said_by")


def latest_first(fact: Fact) -> tuple[int, int, int]:
    """The key that sorts facts from the last place of the book back to the first."""
    chapter, scene, line = fact.place
    return -chapter, -scene, -line


def _is_named(entity: str, told: set[str], people: set[str]) -> bool:
    """Whether a text names somebody by any word, or a thing by most of its name."""
    own = plain(entity).split()
    there = [word for word in own if word in told or not told.isdisjoint(stems(word))]
    if entity.casefold() in people:
        return bool(there)
    return len("".join(there)) >= _HALF * len("".join(own))


def kind_of(name: str, small: Collection[str]) -> str:
    """The word of a thing's name that says what it is: `book` of `the harbour book of 1911`.

    Args:
        name: The name.
        small: Words that say nothing.
    """
    own = dropwhile(small.__contains__, _TERM.findall(name.casefold()))
    return "".join([*takewhile(lambda word: word not in small, own)][-1:])


def stems(word: str) -> list[str]:
    """What a word may be that has an ending of a letter or two, as `Martins` has."""
    return [word[:-cut] for cut in (1, 2) if len(word) - cut >= SHORTEST_STEM]


def _line(name: str, fact: Fact) -> str:
    """A line of the ledger; what nothing can end has no id."""
    value = " ".join(shorten(fact.value, LINE_BUDGET).split())
    value += f" ({CLAIMED})" if fact.stance == "said_by" else ""
    start = "-" if fact.attribute in PERMANENT else f"- {name}:"
    return f"{start} {fact.entity}, {fact.attribute.value}: {value}"
