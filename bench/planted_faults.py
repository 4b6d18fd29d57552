"""Faults put into a sound book on purpose, to see which of them the rules find.

Each operator makes one fault of its kind: it takes a fact that the book states and has a later
chapter say otherwise, as a sentence of its own and as the fact that a reader would take from it. A slip
misspells a name once, as hands and models misspell them.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from libriscribe2.checks.continuity.fact_values import colour, number, side, weekday
from libriscribe2.checks.text import ChapterText
from libriscribe2.models.story_bible import Attribute, Fact, StoryTime

_TOY: Final = Path(__file__).with_name("toy_book.json")


@dataclass(frozen=True, slots=True)
class GoldBook:
    """A text and its facts.

    Attributes:
        chapters: The text.
        facts: The facts that it states, each with its quote.
        names: Names of people and places.
    """

    chapters: tuple[ChapterText, ...]
    facts: tuple[Fact, ...]
    names: Sequence[str]

    @property
    def words(self) -> int:
        """Words of the text."""
        return sum(len(one.words) for one in self.chapters)


def toy_book() -> GoldBook:
    """The book of six short chapters beside this module."""
    record = json.loads(_TOY.read_text(encoding="utf-8"))
    chapters = tuple(
        ChapterText(number, f"chapters/{number:02d}.md", text)
        for number, text in enumerate(record["chapters"], start=1)
    )
    facts = tuple(_fact(chapters, row) for row in record["facts"])
    return GoldBook(chapters, facts, (*record["people"], *record["places"]))


def line_of(text: str, quote: str) -> int:
    """The line of a text in which a quote begins, from 1.

    Raises:
        ValueError: The text does not hold the quote.
    """
    return text[: text.index(quote)].count("\n") + 1


def _fact(chapters: Sequence[ChapterText], row: Sequence[Any]) -> Fact:
    """A row of the file as a fact."""
    number, entity, attribute, value, quote, day, part = row
    return Fact(
        entity=entity,
        attribute=Attribute(attribute),
        value=value,
        chapter=number,
        quote=quote,
        line=line_of(chapters[number - 1].text, quote),
        time=StoryTime(day=day, part=part),
    )


_COLOURS: Final = ("green", "blue", "violet", "red", "white")
_DAYS: Final = (*("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),)


@dataclass(frozen=True, slots=True)
class Planted:
    """A book with one fault.

    Attributes:
        operator: Name of the operator.
        rule: The rule that has to find it.
        book: The book with the fault.
        fact: The fact that is wrong.
    """

    operator: str
    rule: str
    book: GoldBook
    fact: Fact


@dataclass(frozen=True, slots=True)
class Wrong:
    """What a later chapter is to say.

    Attributes:
        sentence: The sentence.
        value: The value of the fact in it.
        attribute: What kind of fact it is; None for that of the fact that it contradicts.
        entity: Whom it is about; empty for the same.
        same_time: Whether it happens at the very time of the fact that it contradicts.
        earlier: Whether it has to stand before the fact that it contradicts.
    """

    sentence: str
    value: str
    attribute: Attribute | None = None
    entity: str = ""
    same_time: bool = False
    earlier: bool = False


Operator = Callable[[Fact, GoldBook, Random], Wrong | None]


def _colour(fact: Fact, _book: GoldBook, dice: Random) -> Wrong | None:
    known = colour(fact.value)
    if known is None:
        return None
    other = dice.choice([one for one in _COLOURS if one != known and not _near(one, known)])
    return Wrong(f"{fact.entity} had {other} {fact.attribute.value}.", other)


def _younger(fact: Fact, _book: GoldBook, dice: Random) -> Wrong | None:
    age = number(fact.value)
    if age is None:
        return None
    less = age - dice.randint(1, 9)
    return Wrong(f"{fact.entity} was {less} years old.", str(less))


def _older(fact: Fact, _book: GoldBook, dice: Random) -> Wrong | None:
    age = number(fact.value)
    if age is None:
        return None
    more = age + dice.randint(5, 20)
    return Wrong(f"{fact.entity} was {more} years old.", str(more))


def _walks(fact: Fact, _book: GoldBook, _dice: Random) -> Wrong | None:
    if fact.value != "dead":
        return None
    return Wrong(f"{fact.entity} opened the door.", "opens the door", Attribute.ACTS)


def _elsewhere(fact: Fact, book: GoldBook, dice: Random) -> Wrong | None:
    places = [name for name in book.names if name.startswith("the ") and name != fact.value]
    if fact.time.day is None or not fact.time.part or not places:
        return None
    place = dice.choice(places)
    when = f"on the {fact.time.part} of day {fact.time.day}"
    return Wrong(f"{fact.entity} was at {place} {when}.", place, same_time=True)


def _weekday(fact: Fact, _book: GoldBook, dice: Random) -> Wrong | None:
    named = weekday(fact.value)
    if named is None:
        return None
    day = _DAYS[(named + dice.randint(1, 6)) % 7]
    return Wrong(f"It was a {day}.", day, same_time=True)


def _count(fact: Fact, _book: GoldBook, dice: Random) -> Wrong | None:
    known = number(fact.value)
    if known is None:
        return None
    other = known + dice.randint(1, 30)
    return Wrong(f"The {fact.entity}: {other} in all.", str(other))


def _kin(fact: Fact, _book: GoldBook, _dice: Random) -> Wrong | None:
    relation, _, other = fact.value.partition(" of ")
    if not other:
        return None
    wrong = "mother" if relation not in ("mother", "father") else "sister"
    return Wrong(f"{fact.entity} was the {wrong} of {other}.", f"{wrong} of {other}")


def _used(fact: Fact, _book: GoldBook, _dice: Random) -> Wrong | None:
    state, _, thing = fact.value.partition(": ")
    if state != "lost":
        return None
    return Wrong(f"{fact.entity} lifted {thing}.", f"uses: {thing}")


def _knows(fact: Fact, _book: GoldBook, _dice: Random) -> Wrong | None:
    told = f"{fact.entity} knew of {fact.value}."
    return Wrong(told, fact.value, Attribute.KNOWS, earlier=True)


def _side(fact: Fact, _book: GoldBook, _dice: Random) -> Wrong | None:
    known = side(fact.value)
    if known is None:
        return None
    wrong = fact.value.replace(known, "right" if known == "left" else "left")
    return Wrong(f"{fact.entity}: {wrong}.", wrong)


def _alias(fact: Fact, book: GoldBook, dice: Random) -> Wrong | None:
    people = [name for name in book.names if not name.startswith("the ") and name != fact.entity]
    other = dice.choice(people)
    return Wrong(f"{other} was called {fact.value}.", fact.value, entity=other)


def _breach(fact: Fact, _book: GoldBook, _dice: Random) -> Wrong | None:
    value = f"breaks: {fact.entity}"
    return Wrong(f"Nobody minded the rule of the {fact.entity}.", value, entity="the coast")


OPERATORS: Final[Mapping[str, tuple[Attribute, str, Operator]]] = {
    "eye colour": (Attribute.EYES, "R1", _colour),
    "hair colour": (Attribute.HAIR, "R1", _colour),
    "age goes back": (Attribute.AGE, "R2", _younger),
    "age jumps": (Attribute.AGE, "R2", _older),
    "acts after death": (Attribute.ALIVE, "R3", _walks),
    "two places at once": (Attribute.LOCATION, "R4", _elsewhere),
    "weekday": (Attribute.WEEKDAY, "R5", _weekday),
    "count": (Attribute.COUNT, "R6", _count),
    "distance": (Attribute.DISTANCE, "R6", _count),
    "kin": (Attribute.KIN, "R7", _kin),
    "lost thing": (Attribute.POSSESSION, "R8", _used),
    "knows too early": (Attribute.LEARNS, "R9", _knows),
    "by-name": (Attribute.ALIAS, "R10", _alias),
    "side of an injury": (Attribute.INJURY, "R11", _side),
    "rule of the world": (Attribute.RULE, "R14", _breach),
}
"""Each operator with the kind of fact that it needs and the rule that has to find it."""


def plant(name: str, book: GoldBook, dice: Random) -> Planted | None:
    """Put one fault into a book; None where the book states nothing that it could contradict."""
    attribute, rule, operator = OPERATORS[name]
    stated = [fact for fact in book.facts if fact.attribute is attribute]
    dice.shuffle(stated)
    for fact in stated:
        wrong = operator(fact, book, dice)
        chapters = _room(fact, book, earlier=wrong is not None and wrong.earlier)
        if wrong is not None and chapters:
            return _planted(name, rule, (fact, wrong), book, dice.choice(chapters))
    return None


def _room(fact: Fact, book: GoldBook, *, earlier: bool) -> list[int]:
    """Numbers of the chapters that can say otherwise."""
    numbers = [one.number for one in book.chapters]
    return [n for n in numbers if (n < fact.chapter if earlier else n > fact.chapter)]


def _planted(
    name: str, rule: str, said: tuple[Fact, Wrong], book: GoldBook, number: int
) -> Planted:
    """The book with a sentence more and its fact."""
    fact, wrong = said
    index = next(i for i, one in enumerate(book.chapters) if one.number == number)
    old = book.chapters[index]
    text = f"{old.text.rstrip()}\n\n{wrong.sentence}\n"
    new = Fact(
        entity=wrong.entity or fact.entity,
        attribute=wrong.attribute or fact.attribute,
        value=wrong.value,
        chapter=number,
        quote=wrong.sentence,
        line=text.rstrip().count("\n") + 1,
        time=fact.time if wrong.same_time else _time_of(book.facts, number),
    )
    chapters = (*book.chapters[:index], replace(old, text=text), *book.chapters[index + 1 :])
    return Planted(name, rule, GoldBook(chapters, (*book.facts, new), book.names), new)


def _time_of(facts: Sequence[Fact], chapter: int) -> StoryTime:
    """The story's day in a chapter, as far as its facts tell it."""
    days = [fact.time.day for fact in facts if fact.chapter == chapter and fact.time.day]
    return StoryTime(day=days[-1] if days else None)


def _near(one: str, other: str) -> bool:
    """Whether two colours could be taken for each other."""
    return {one, other} in ({"blue", "grey"}, {"green", "hazel"}, {"white", "grey"})


SHORTEST: Final = 5
"""Shorter names have too many neighbours to be told from them."""

_VOWELS: Final = "aeiou"


@dataclass(frozen=True, slots=True)
class Slip:
    """A text with one misspelt name.

    Attributes:
        name: The name as it should be.
        spelling: The name as it stands once.
        chapters: The text with it.
    """

    name: str
    spelling: str
    chapters: Sequence[ChapterText]


def _swap(name: str, at: int) -> str:
    return f"{name[:at]}{name[at + 1]}{name[at]}{name[at + 2 :]}"


def _drop(name: str, at: int) -> str:
    return name[:at] + name[at + 1 :]


def _double(name: str, at: int) -> str:
    return name[: at + 1] + name[at:]


def _vowel(name: str, at: int) -> str:
    spots = [n for n in range(1, len(name)) if name[n] in _VOWELS] or [at]
    spot = spots[at % len(spots)]
    other = _VOWELS[(_VOWELS.find(name[spot]) + 1) % len(_VOWELS)]
    return name[:spot] + other + name[spot + 1 :]


_SLIPS: Final[tuple[Callable[[str, int], str], ...]] = (_swap, _drop, _double, _vowel)


def plant_slip(book: GoldBook, dice: Random) -> Slip | None:
    """Misspell one later mention of a name; None where no name of the book is long enough."""
    names = [
        word
        for full in book.names
        for word in re.findall(r"[A-Z][a-z]+", full)
        if len(word) >= SHORTEST and _mentions(book, word)
    ]
    if not names:
        return None
    name = dice.choice(names)
    spelling = name
    while spelling == name or spelling in names:
        spelling = dice.choice(_SLIPS)(name, dice.randint(1, len(name) - 2))
    index, at = dice.choice(_mentions(book, name))
    chapter = book.chapters[index]
    text = chapter.text[:at] + spelling + chapter.text[at + len(name) :]
    chapters = [*book.chapters]
    chapters[index] = replace(chapter, text=text)
    return Slip(name, spelling, chapters)


def _mentions(book: GoldBook, name: str) -> list[tuple[int, int]]:
    """Where a name stands in the prose: index of the chapter, and place in its text."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return [
        (index, found.start())
        for index, chapter in enumerate(book.chapters)
        for found in word.finditer(chapter.text)
        if not chapter.text[: found.start()].rsplit("\n", 1)[-1].startswith("#")
    ]
