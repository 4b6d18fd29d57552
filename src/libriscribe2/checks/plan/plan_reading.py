"""The plan of a book as its files have it, and what is written of it."""

from collections.abc import Sequence
from typing import Final

from libriscribe2.checks.continuity.fact_rules import is_death
from libriscribe2.checks.continuity.story_bible import bible_of
from libriscribe2.checks.plan.plan import NOTHING_WRITTEN, Plan, Written
from libriscribe2.checks.text import ChapterText
from libriscribe2.checks.text_lengths import chapter_words
from libriscribe2.errors import IncompleteError
from libriscribe2.models.brief import Brief
from libriscribe2.models.canon import Attribute, CanonFile, ExitState
from libriscribe2.models.story import OutlineFile, PlannedChapter, ScenesFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    RESEARCH_NOTES,
    SCENES,
    WORLD,
    canon_file,
    chapter_file,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.prose import without_notes

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
        notes=frozenset(one.id for one in book.notes() if one.verified) if researched else None,
        words=brief.words_per_chapter(count) * count,
        story=brief.kind == "fiction",
        english=brief.language.casefold().startswith("en"),
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
        left={n: _exit(book, n) for n in numbers if book.has(canon_file(n))},
        naming=" ".join((brief.premise, brief.title, brief.author, *naming)),
    )


def _chapter(book: Book, number: int) -> ChapterText:
    name = chapter_file(number)
    return ChapterText(number, name, without_notes(book.text(name)))


def _exit(book: Book, number: int) -> ExitState:
    return book.load(canon_file(number), CanonFile).exit


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
