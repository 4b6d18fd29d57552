"""What a book takes over from the one before it in a series."""

from collections.abc import Callable, Iterable
from typing import Final

from pydantic import Field

from libriscribe2.models.base import Shape, Text
from libriscribe2.models.canon import HARD_STANCES, Attribute, Fact, Stance

PASSING: Final[frozenset[Attribute]] = frozenset(
    {Attribute.LOCATION, Attribute.ACTS, Attribute.WEEKDAY, Attribute.OTHER}
)
"""Kinds of statements that end with the book that makes them; all others go on after it."""

_BREAKS: Final = "breaks:"


class SeriesFact(Shape):
    """A statement of an earlier book, with the words that make it."""

    entity: Text
    attribute: Attribute
    value: Text
    quote: Text
    stance: Stance = "asserted"
    file: Text = Field(description="The file that holds the words, as the way from this book")
    line: int = Field(1, ge=1)

    def as_fact(self) -> Fact:
        """The statement as one that comes before the first chapter; its clock is another."""
        return Fact(chapter=0, origin=self.file, **self.model_dump(exclude={"file"}))


class SeriesFile(Shape):
    """`.libriscribe/series/canon.json`: what an earlier book states and this one shares."""

    book: Text = Field(description="The project that states it")
    facts: list[SeriesFact] = Field(default_factory=list)


def lasting_facts(book: str, facts: Iterable[Fact], file_of: Callable[[Fact], str]) -> SeriesFile:
    """The statements of a book that go on after it.

    Args:
        book: The name of its project.
        facts: What holds at its end, under the names of its cast.
        file_of: The file that says a fact, as the way from the new book's folder.
    """
    kept = [
        SeriesFact(
            file=file_of(fact),
            **fact.model_dump(exclude={"chapter", "scene", "time", "origin"}),
        )
        for fact in facts
        if _lasts(fact)
    ]
    return SeriesFile(book=book, facts=kept)


def _lasts(fact: Fact) -> bool:
    """Whether a fact is one of the next book, too."""
    is_breach = fact.attribute is Attribute.RULE and fact.value.casefold().startswith(_BREAKS)
    is_sure = bool(fact.quote) and fact.stance in HARD_STANCES
    return is_sure and not is_breach and fact.attribute not in PASSING
