"""What the rules of a plan look at, and what they share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import regex
from rapidfuzz.distance import OSA

from libriscribe2.checks.rules import Rules
from libriscribe2.checks.text import ChapterText, plain
from libriscribe2.checks.text_likeness import stem_weights
from libriscribe2.models.canon import ExitState, Thread
from libriscribe2.models.story import OutlineChapter, PlannedChapter, ScenePlan

SHORTEST: Final = 5
"""Shorter names have too many neighbours to be told from them."""

_WORD: Final = regex.compile(r"[\p{L}\p{N}]+")


@dataclass(frozen=True)
class Written:
    """What there is of a book beside its plan.

    Attributes:
        chapters: The chapters that are written.
        words: Wanted words of each chapter, by number.
        dead: Who has died by the text, with the chapter that says so.
        left: How chapters leave their people, by number.
        naming: What else the author and the plan have said, such as the premise.
    """

    chapters: Sequence[ChapterText] = ()
    words: Mapping[int, float] = field(default_factory=dict)
    dead: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[int, ExitState] = field(default_factory=dict)
    naming: str = ""

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """How much each stem of the text tells."""
        return stem_weights([one.words for one in self.chapters])


NOTHING_WRITTEN: Final = Written()


@dataclass(frozen=True)
class Plan:
    """The plan of a book, and what is written of it.

    Attributes:
        chapters: The chapters of the outline, in order.
        threads: What the book owes its reader.
        scenes: The scene plans, by chapter; none while there are none.
        people: Names of the cast, main ones first.
        places: Names of the world's places.
        terms: Names of the world's terms.
        notes: Ids of the notes that may be cited; None where the book has no research.
        words: Words that the whole book is to have; 0 where nothing was asked.
        story: Whether it is a story; else it is a book of facts.
        english: Whether rules that need English words may be used.
        written: What is written; nothing where the plan is looked at alone.
    """

    chapters: Sequence[OutlineChapter]
    threads: Sequence[Thread] = ()
    scenes: Sequence[PlannedChapter] = ()
    people: Sequence[str] = ()
    places: Sequence[str] = ()
    terms: Sequence[str] = ()
    notes: frozenset[str] | None = None
    words: int = 0
    story: bool = True
    english: bool = True
    written: Written = NOTHING_WRITTEN

    def numbered(self) -> Iterator[tuple[int, OutlineChapter]]:
        """Every chapter with its number."""
        yield from enumerate(self.chapters, start=1)

    def planned(self) -> Iterator[tuple[int, int, ScenePlan]]:
        """Every scene plan with the numbers of its chapter and of its own."""
        for chapter in self.scenes:
            for number, scene in enumerate(chapter.scenes, start=1):
                yield chapter.chapter, number, scene

    @property
    def last(self) -> int:
        """The last chapter's number."""
        return len(self.chapters)


PLAN_RULES: Final[Rules[Plan]] = Rules(__package__ or "")
"""The rules over plans; the kind of one is `story` or `facts`."""

STORY: Final = "story"
FACTS: Final = "facts"


def is_known(name: str, names: Iterable[str]) -> bool:
    """Whether a name is one of the book's, or a whole part of one, or holds one."""
    own = words_of(name)
    return bool(own) and any(
        own <= known or known <= own for one in names if (known := words_of(one))
    )


def nearest(name: str, names: Sequence[str]) -> str | None:
    """The one name of the book that a name misspells by one letter; None where it is not so."""
    folded = _folded(name)
    near = [
        one
        for one in names
        if len(folded) >= SHORTEST and OSA.distance(folded, _folded(one), score_cutoff=1) == 1
    ]
    return near[0] if len(near) == 1 else None


def words_of(name: str) -> frozenset[str]:
    """The words of a name that tell it from others."""
    return frozenset(_WORD.findall(plain(name).casefold())) - {"the", "a", "an", "of"}


def _folded(name: str) -> str:
    return " ".join(_WORD.findall(plain(name).casefold()))
