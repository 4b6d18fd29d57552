"""A book with every fact that its text states: what the rules are measured on."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from libriscribe2.models.canon import Attribute, Fact, StoryTime
from libriscribe2.quality.text import ChapterText

_TOY: Final = "toy_book.json"


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


@cache
def toy_book() -> GoldBook:
    """The book of six short chapters that is shipped."""
    record = json.loads(files(__package__).joinpath(_TOY).read_text(encoding="utf-8"))
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
