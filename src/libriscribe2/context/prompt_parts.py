"""Parts of a prompt as blocks within their budgets, trimmed by rank where need be; the record of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import not_
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from libriscribe2.models.story_bible import Fact
from libriscribe2.prose import lines_within, shorten, weigh

NEVER: Final = 0
"""The rank of what is never trimmed."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A part within some budget.

    Attributes:
        text: What the prompt shows; "" for nothing.
        cut: Whether there is more than the budget lets in.
        facts: The facts of the story bible that it shows.
        chapters: The chapters whose text, summary or record it is taken from.
    """

    text: str = ""
    cut: bool = False
    facts: tuple[Fact, ...] = ()
    chapters: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A part before it is known how much room there is.

    Attributes:
        name: The prompt's hole.
        budget: Most that it takes, in the measure of `prose.weigh`.
        rank: The lowest is trimmed first; `NEVER` is not.
        render: Makes it for a budget; within a budget of 0 it has to be empty.
        least: What is left to it before any other part loses more than its growth; all of its
            budget where nothing is said. What it takes beyond that goes first.
    """

    name: str
    budget: int
    rank: int
    render: Callable[[int], Rendered]
    least: int | None = None

    @property
    def due(self) -> int:
        """What it has a right to before the others of a higher rank have given way."""
        return self.budget if self.least is None else min(self.least, self.budget)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A part as the prompt shows it.

    Attributes:
        part: The part.
        shown: What is shown of it.
        trimmed: Whether it had to give way to others.
    """

    part: Part
    shown: Rendered
    trimmed: bool = False


def fitted(parts: Sequence[Part], budget: int) -> list[Fitted]:
    """All parts, in their order, within a budget for all of them together.

    Each is made within its own budget. While they are too much together, those that take more
    than their least give that back, the lowest rank first. Then the part with the lowest rank
    gives way altogether, and the next one only when nothing is left of it.

    Args:
        parts: The parts; of two with one rank, the later one gives way first.
        budget: Most that they take together, unless those that are never trimmed take more.
    """
    made = [Fitted(part, part.render(part.budget)) for part in parts]
    over = sum(weigh(one.shown.text) for one in made) - budget
    places = [at for at, part in enumerate(parts) if part.rank != NEVER]
    places.sort(key=lambda at: (parts[at].rank, -at))
    turns = [(at, parts[at].due) for at in places] + [(at, 0) for at in places]
    for at, least in turns:
        has = weigh(made[at].shown.text)
        if over <= 0:
            break
        if has > least:
            less = parts[at].render(max(least, has - over))
            made[at] = Fitted(parts[at], less, trimmed=True)
            over -= has - weigh(less.text)
    return made


def block(name: str, body: str, *, remark: str = "") -> str:
    """A block after a blank line; nothing where there is nothing to show.

    Args:
        name: The block's tag.
        body: What it holds.
        remark: What the model is told of it, on its first line.
    """
    if not body:
        return ""
    told = f"{remark}\n{body}" if remark else body
    return f"\n\n<{name}>\n{told}\n</{name}>"


def frame(name: str, *, remark: str = "") -> int:
    """What a block takes besides its body."""
    return weigh(block(name, ".", remark=remark)) - 1


def text_block(name: str, text: str, budget: int, *, remark: str = "") -> Rendered:
    """The beginning of a text as a block within a budget."""
    room = budget - frame(name, remark=remark)
    shown = shorten(text, room) if room > 0 else ""
    return Rendered(block(name, shown, remark=remark), cut=shown != text)


def lines_block(name: str, lines: Sequence[str], budget: int, *, remark: str = "") -> Rendered:
    """The first lines that fit, as a block."""
    kept = lines_within(lines, budget - frame(name, remark=remark))
    return Rendered(block(name, "\n".join(kept), remark=remark), cut=len(kept) < len(lines))


def fields_within(fields: Mapping[str, Any], budget: int) -> tuple[str, bool]:
    """Fields as JSON within a budget, and whether any had to go.

    Args:
        fields: The most important first; the last ones go first, then the end of a text.
        budget: Most that the JSON takes; within less than a few characters it is empty.
    """
    names = list(fields)
    for shown in range(len(names), 0, -1):
        text = json.dumps(
            {name: fields[name] for name in names[:shown]},
            ensure_ascii=False,
            separators=(",", ":"),
        )
        if weigh(text) <= budget:
            return text, shown < len(names)
    return "", bool(names)


Fit = Literal["whole", "cut", "trimmed", "left out"]
"""How much of a part is shown: all; what its own budget lets in; less, or nothing, because all
parts together were too much."""


class ShownPart(BaseModel):
    """One part of a prompt.

    Attributes:
        name: The prompt's hole.
        size: What it takes, in the measure of `prose.weigh`: characters, of English.
        fit: How much of it is shown.
        room: Most that it might take by its own budget; 0 where that is not known.
        chapters: The chapters whose text, summary or record it is taken from.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    size: int = Field(ge=0)
    fit: Fit
    chapters: tuple[int, ...] = ()
    room: int = Field(0, exclude_if=not_)


class ShownFact(BaseModel):
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


class ContextManifest(BaseModel):
    """What one scene was written from.

    Attributes:
        chapter: The chapter's number when it was written.
        scene: The scene's number in the chapter, from 1.
        drafting: How the chapters were drafted.
        budget: Most that all parts might take together.
        parts: The parts that the prompt shows or that had to go, in its order.
        facts: The facts of the story bible that it shows.
        key: The key of the request that was made from it; "" before there is one.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    chapter: int
    scene: int
    drafting: str
    budget: int
    parts: tuple[ShownPart, ...] = ()
    facts: tuple[ShownFact, ...] = ()
    key: str = ""

    @property
    def size(self) -> int:
        """What all parts take together."""
        return sum(part.size for part in self.parts)

    @property
    def chapters(self) -> tuple[int, ...]:
        """The chapters whose text, summary or record it is taken from, ascending."""
        return tuple(sorted({number for part in self.parts for number in part.chapters}))
