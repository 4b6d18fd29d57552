"""Kinds of books, the order in which chapters are drafted, and lists of openings and endings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import BeforeValidator, Field

Kind = Literal["fiction", "non-fiction"]

ORIGINAL_CATEGORIES: Final = frozenset(
    {
        "fiction",
        "non fiction",
        "business",
        "research paper",
        "academic",
        "technical",
        "biography",
        "history",
        "science",
    }
)
"""The categories that the original LibriScribe2 offered (spec, user surface), normalised."""

_OF_FACTS: Final = (ORIGINAL_CATEGORIES - {"fiction"}) | {
    "art",
    "autobiography",
    "cookbook",
    "cooking",
    "economics",
    "education",
    "essay",
    "essays",
    "finance",
    "guide",
    "health",
    "how to",
    "journalism",
    "law",
    "management",
    "manual",
    "mathematics",
    "medicine",
    "memoir",
    "nature",
    "parenting",
    "philosophy",
    "politics",
    "popular science",
    "programming",
    "psychology",
    "reference",
    "religion",
    "report",
    "self help",
    "sociology",
    "sports",
    "technology",
    "textbook",
    "travel",
    "true crime",
}
_NOT_A_STORY: Final = ("non fiction", "nonfiction")
_GAP: Final = re.compile(r"[\s_-]+")


def kind_of(category: str) -> Kind:
    """What a book of that category is; one that is not known to hold facts is a story."""
    name = _normalised(category)
    facts = name in _OF_FACTS or any(word in name for word in _NOT_A_STORY)
    return "non-fiction" if facts else "fiction"


def names_its_kind(category: str) -> bool:
    """Whether the category is a kind itself, such as `Fiction` or `Nonfiction`."""
    name = _normalised(category)
    return name == "fiction" or name in _NOT_A_STORY


def as_kind(value: object) -> object:
    """A kind as authors spell it, such as `Nonfiction`; what is no text stays as it is."""
    if not isinstance(value, str):
        return value
    name = _normalised(value)
    return "non-fiction" if name in _NOT_A_STORY else name


def _normalised(name: str) -> str:
    """A name in lower case, its words parted by single spaces."""
    return _GAP.sub(" ", name.casefold()).strip()


OpeningMove = Literal[
    "",
    "action",
    "dialogue",
    "image",
    "statement",
    "document",
    "arrival",
    "interior",
    "aftermath",
    "time-skip",
]
EndingMove = Literal[
    "",
    "decision",
    "reveal",
    "reversal",
    "image",
    "line",
    "arrival",
    "departure",
    "question",
    "quiet",
    "cliff",
]
ChapterRole = Literal["", "introduction", "conclusion"]
"""What a chapter of a book of facts is beside those that answer its questions."""

OPENING_MOVES: Final[tuple[str, ...]] = get_args(OpeningMove)[1:]
ENDING_MOVES: Final[tuple[str, ...]] = get_args(EndingMove)[1:]
CHAPTER_ROLES: Final[tuple[str, ...]] = get_args(ChapterRole)[1:]

HIGHEST_TENSION: Final = 10


def _closed(moves: tuple[str, ...]) -> BeforeValidator:
    """Reads a word of a list, however it is spelt; one that is not on the list is not known."""
    return BeforeValidator(lambda said: _known(said, moves))


def _known(said: Any, moves: tuple[str, ...]) -> str:
    name = said.casefold().strip() if isinstance(said, str) else ""
    name = "-".join(name.replace("_", " ").replace("-", " ").split())
    return name if name in moves else ""


def _tension(said: Any) -> int | None:
    """A tension from 0 to 10, also read from `7/10`; anything else is not known."""
    if isinstance(said, str):
        number = said.split("/")[0].strip()
        said = int(number) if number.isdecimal() and len(number) <= 2 else None
    if isinstance(said, bool) or not isinstance(said, int | float):
        return None
    return round(said) if 0 <= said <= HIGHEST_TENSION else None


def _words(said: Any) -> Any:
    """A length in words; what is no length is an even share."""
    if isinstance(said, str) and said.strip().isdecimal():
        said = int(said[:9])
    fits = isinstance(said, int | float) and not isinstance(said, bool) and 0 < said < 10**9
    return round(said) if fits else 0


Opening = Annotated[OpeningMove, _closed(OPENING_MOVES)]
Ending = Annotated[EndingMove, _closed(ENDING_MOVES)]
Role = Annotated[ChapterRole, _closed(CHAPTER_ROLES)]
Tension = Annotated[
    Annotated[int, Field(ge=0, le=HIGHEST_TENSION)] | None, BeforeValidator(_tension)
]
TargetWords = Annotated[int, Field(ge=0), BeforeValidator(_words)]
"""A length in words; 0 is an even share of what is to be filled."""


Drafting = Literal["sequential", "redblack", "parallel"]
"""How the chapters are drafted.

`sequential` writes one after the other, each from the text before it. `redblack` writes the odd
chapters first, all at once and from their plans, then the even ones, which see both neighbours
as they were written. `parallel` writes all chapters at once from their plans, and then the
scene that opens each chapter from the text on both sides of it.
"""

FEW_AT_ONCE: Final = 4
"""Up to so many calls at once chapters are drafted in sequence, where the author does not say.

With more of them the calls would mostly wait for each other. It is the default of the setting, so
that whoever changes nothing gets the order in which each chapter is written from all before it.
"""


def fitting(kind: Kind, at_once: int) -> Drafting:
    """How the chapters of a book are drafted where the author does not say.

    Args:
        kind: Whether it is a story.
        at_once: How many calls may be under way at once.
    """
    if at_once <= FEW_AT_ONCE:
        return "sequential"
    return "redblack" if kind == "fiction" else "parallel"


@dataclass(frozen=True, slots=True)
class DraftOrder:
    """The order of a book's chapters.

    Attributes:
        mode: How they are drafted.
        chapters: How many there are.
        last: Those that are written when all others are there, from what they really say: the
            introduction and the conclusion of a book of facts.
    """

    mode: Drafting = "sequential"
    chapters: int = 0
    last: tuple[int, ...] = ()

    @classmethod
    def planned(cls, mode: Drafting, kind: Kind, roles: Sequence[ChapterRole]) -> "DraftOrder":
        """The order of a book's chapters by what its plan says that they are.

        Only the first chapter can be an introduction, only the last one a conclusion, and there
        has to be another chapter between or beside them.

        Args:
            mode: How they are drafted.
            kind: Whether it is a story; a story has neither.
            roles: What each chapter is.
        """
        count = len(roles)
        framing = [1] if roles[:1] == ["introduction"] else []
        framing += [count] if roles[-1:] == ["conclusion"] else []
        frames = kind != "fiction" and len(framing) < count
        return cls(mode, count, tuple(framing) if frames else ())

    def known(self, number: int) -> tuple[int, ...]:
        """Chapters whose finished text chapter `number` may be written from, ascending.

        None of them is ever written from chapter `number`, so nothing waits in a circle.
        """
        if number in self.last:
            return self._others(range(1, self.chapters + 1))
        if self.mode == "sequential":
            return self._others(range(1, number))
        if self.mode == "redblack" and number % 2 == 0:
            return self._others(range(1, self.chapters + 1, 2))
        return ()

    def drafts(self, number: int) -> tuple[int, ...]:
        """Chapters of whose drafts chapter `number` is made, its own last.

        Where all are drafted at once its opening is written from the draft before it, unless
        that chapter is written last. None where it is written in one go.
        """
        if self.mode != "parallel" or number in self.last:
            return ()
        return self._others(range(max(1, number - 1), number + 1))

    def before(self, number: int) -> int | None:
        """The chapter before, where its text may be used."""
        return self._neighbour(number, -1)

    def after(self, number: int) -> int | None:
        """The chapter after, where its text may be used."""
        return self._neighbour(number, 1)

    def _others(self, numbers: range) -> tuple[int, ...]:
        """The chapters that are not written last."""
        return tuple(n for n in numbers if n not in self.last) if self.last else tuple(numbers)

    def _neighbour(self, number: int, step: int) -> int | None:
        return number + step if number + step in self.known(number) else None
