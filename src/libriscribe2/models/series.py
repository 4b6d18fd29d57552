"""What a book takes over from the one before it in a series."""

from collections.abc import Iterable, Mapping
from typing import Final

from pydantic import Field

from libriscribe2.models.base import Shape, Text
from libriscribe2.models.canon import Attribute, Fact, Stance

LASTING: Final[frozenset[Attribute]] = frozenset({
    Attribute.EYES, Attribute.HAIR, Attribute.BIRTHDAY, Attribute.KIN, Attribute.ALIAS,
    Attribute.ALIVE,
})  # fmt: skip
"""Kinds of statements that hold beyond the book that makes them."""


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


def lasting_facts(
    book: str, folder: str, facts: Iterable[Fact], files: Mapping[int, str]
) -> SeriesFile:
    """The statements of a book that hold beyond it.

    Args:
        book: The name of its project.
        folder: Its folder, as the way from the new book's.
        facts: What its chapters state, under the names of its cast.
        files: The file of every chapter.
    """
    kept = [
        SeriesFact(
            file=f"{folder}/{files[fact.chapter]}",
            **fact.model_dump(exclude={"chapter", "scene", "time", "origin"}),
        )
        for fact in facts
        if fact.attribute in LASTING and fact.chapter in files and fact.quote
    ]
    return SeriesFile(book=book, facts=kept)
