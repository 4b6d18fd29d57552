"""The plan of a book as its files have it, and what the rules of a plan look at."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import regex
from rapidfuzz.distance import OSA

from libriscribe2.checks.continuity.fact_rules import is_death
from libriscribe2.checks.continuity.story_bible import bible_of
from libriscribe2.checks.rules import Rules
from libriscribe2.checks.text import ChapterText, plain
from libriscribe2.checks.text_lengths import chapter_words
from libriscribe2.errors import IncompleteError
from libriscribe2.models.brief import Brief
from libriscribe2.models.languages import is_english
from libriscribe2.models.story import (
    OutlineChapter,
    OutlineFile,
    PlannedChapter,
    ScenePlan,
    ScenesFile,
)
from libriscribe2.models.story_bible import Attribute, ExitState, StoryBibleFile, Thread
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    RESEARCH_NOTES,
    SCENES,
    WORLD,
    chapter_file,
    story_bible_file,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.prose import without_notes

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


_NAMING: Final = (CONCEPT, CHARACTERS, WORLD, OUTLINE, SCENES)
"""Files that say who and what belongs to the book."""


def plan_of(brief: Brief, book: Book) -> Plan:
    """The plan that stands in the files.

    Raises:
        ProjectError: There is no outline, or a file cannot be used.
    """
    scenes = book.load(SCENES, ScenesFile).chapters if book.has(SCENES) else ()
    return plan_with(brief, book, book.load(OUTLINE, OutlineFile), scenes)


def plan_with(
    brief: Brief, book: Book, outline: OutlineFile, scenes: Sequence[PlannedChapter] = ()
) -> Plan:
    """A plan that stands in no file yet, beside the files that are there.

    Raises:
        ProjectError: A file cannot be used.
    """
    count = len(outline.chapters)
    researched = book.has(RESEARCH_NOTES)
    return Plan(
        outline.chapters,
        outline.threads,
        scenes,
        people=tuple(person.name for person in book.characters()),
        places=tuple(place.name for place in book.places()),
        terms=tuple(term.name for term in book.terms()),
        notes=frozenset(one.id for one in book.notes() if one.is_fact) if researched else None,
        words=brief.words_per_chapter(count) * count,
        story=brief.kind == "fiction",
        english=is_english(brief.language),
    )


def written_of(brief: Brief, view: ProjectView) -> Written:
    """The chapters that are written, with what the story bible says of them.

    Raises:
        ProjectError: A file cannot be used.
        StorageError: A file cannot be read.
    """
    book = Book(view)
    numbers = [n for n in range(1, book.chapters() + 1) if book.has(chapter_file(n))]
    if not numbers:
        return NOTHING_WRITTEN
    lengths = chapter_words(brief, book.load(OUTLINE, OutlineFile).chapters)
    naming = (book.text(name) for name in _NAMING if book.has(name))
    return Written(
        chapters=[_chapter(book, number) for number in numbers],
        words={number: lengths[number - 1] for number in numbers},
        dead=_dead(brief, view),
        left={n: _exit(book, n) for n in numbers if book.has(story_bible_file(n))},
        naming=" ".join((brief.premise, brief.title, brief.author, *naming)),
    )


def _chapter(book: Book, number: int) -> ChapterText:
    name = chapter_file(number)
    return ChapterText(number, name, without_notes(book.text(name)))


def _exit(book: Book, number: int) -> ExitState:
    return book.load(story_bible_file(number), StoryBibleFile).exit


def _dead(brief: Brief, view: ProjectView) -> dict[str, int]:
    """Who has died by the text of this book, and where; nobody where it was not read for facts."""
    try:
        facts = bible_of(brief, view).facts
    except IncompleteError:
        return {}
    dead: dict[str, int] = {}
    for fact in facts:
        if fact.attribute is Attribute.ALIVE and fact.stance == "asserted" and is_death(fact):
            dead.setdefault(fact.entity, fact.chapter)
    return dead
