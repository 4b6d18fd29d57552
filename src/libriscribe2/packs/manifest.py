"""What a pack holds and where it is from: kept with the draft, read by `why`."""

from collections.abc import Sequence
from operator import not_
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from libriscribe2.models.canon import Fact
from libriscribe2.packs.part import Fitted
from libriscribe2.packs.state import PackState
from libriscribe2.prose import weigh

Fit = Literal["whole", "cut", "trimmed", "left out"]
"""How much of a part is shown: all; what its own budget lets in; less, or nothing, because all
parts together were too much."""


class PackedPart(BaseModel):
    """One part of a prompt.

    Attributes:
        name: The prompt's hole.
        size: What it takes, in the measure of `text_budget`: characters, of English.
        fit: How much of it is shown.
        chapters: The chapters whose text, summary or record it is taken from.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    size: int = Field(ge=0)
    fit: Fit
    chapters: tuple[int, ...] = ()


class PackedFact(BaseModel):
    """A fact that a prompt shows.

    Attributes:
        entity: Who or what it is about.
        attribute: What kind of statement it is.
        value: What it says.
        chapter: The chapter that says so; 0 where an earlier book does.
        line: The line of the file that says so, as it was then.
        quote: The words that say so.
        file: The file of the earlier book that says so, as the way from this one, such as
            `../first/chapters/03.md`; "" for this book.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    entity: str
    attribute: str
    value: str
    chapter: int
    line: int
    quote: str = ""
    file: str = Field("", exclude_if=not_)


class PackManifest(BaseModel):
    """What one scene was written from.

    Attributes:
        chapter: The chapter's number when it was written.
        scene: The scene's number in the chapter, from 1.
        drafting: How the chapters were drafted.
        budget: Most that all parts might take together.
        parts: The parts that the prompt shows or that had to go, in its order.
        facts: The facts of the canon that it shows.
        key: The key of the request that was made from it; "" before there is one.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    chapter: int
    scene: int
    drafting: str
    budget: int
    parts: tuple[PackedPart, ...] = ()
    facts: tuple[PackedFact, ...] = ()
    key: str = ""

    @property
    def size(self) -> int:
        """What all parts take together."""
        return sum(part.size for part in self.parts)

    @property
    def chapters(self) -> tuple[int, ...]:
        """The chapters whose text, summary or record it is taken from, ascending."""
        return tuple(sorted({number for part in self.parts for number in part.chapters}))


def manifest_of(state: PackState, scene: int, budget: int, made: Sequence[Fitted]) -> PackManifest:
    """The manifest of a pack; a part of which there is nothing is not in it."""
    return PackManifest(
        chapter=state.number,
        scene=scene + 1,
        drafting=state.order.mode,
        budget=budget,
        parts=tuple(_part(one) for one in made if one.shown.text or one.trimmed or one.shown.cut),
        facts=tuple(_fact(fact) for one in made for fact in one.shown.facts),
    )


def _part(one: Fitted) -> PackedPart:
    shown = one.shown
    return PackedPart(
        name=one.part.name, size=weigh(shown.text), fit=_fit(one), chapters=shown.chapters
    )


def _fit(one: Fitted) -> Fit:
    if not one.shown.text:
        return "left out"
    if one.trimmed:
        return "trimmed"
    return "cut" if one.shown.cut else "whole"


def _fact(fact: Fact) -> PackedFact:
    return PackedFact(
        entity=fact.entity,
        attribute=fact.attribute.value,
        value=fact.value,
        chapter=fact.chapter,
        line=fact.line,
        quote=fact.quote,
        file=fact.origin,
    )
