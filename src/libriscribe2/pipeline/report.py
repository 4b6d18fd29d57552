"""The report card of a project: its chapters beside its plan."""

from collections.abc import Sequence

from libriscribe2.errors import IncompleteError
from libriscribe2.models.brief import Brief
from libriscribe2.models.scenes import ScenesFile
from libriscribe2.models.style import StyleFile, StyleNumbers
from libriscribe2.pipeline.story_check import check_story
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import SCENES, STYLE, canon_file, chapter_file
from libriscribe2.project.view import ProjectView
from libriscribe2.quality.card.figure import Figure, Place, clipped, worst
from libriscribe2.quality.card.planned import BookPlan
from libriscribe2.quality.card.report_card import ReportCard, report_card
from libriscribe2.quality.style.distance import distance_figure
from libriscribe2.quality.text import ChapterText


def report_of(brief: Brief, view: ProjectView) -> ReportCard:
    """Measure the chapters that are written.

    Raises:
        IncompleteError: No chapter has any prose yet.
        ProjectError: A file that the figures need cannot be used.
    """
    book = Book(view)
    written = [
        ChapterText(number, chapter_file(number), book.text(chapter_file(number)))
        for number in range(1, book.chapters() + 1)
        if book.has(chapter_file(number))
    ]
    if not any(one.words for one in written):
        raise IncompleteError(
            "There is no chapter to measure yet.",
            why="the report card is made from the text of the chapters",
            fix="run `libriscribe2 resume` until chapters are written",
        )
    more = [*_continuity(brief, view, book), *_voice(book, written)]
    return report_card(written, _plan(brief, book), more)


def _continuity(brief: Brief, view: ProjectView, book: Book) -> list[Figure]:
    """Contradictions between chapters that nobody lets stand; none before any was read."""
    numbers = range(1, book.chapters() + 1)
    if not any(book.has(canon_file(n)) and book.has(chapter_file(n)) for n in numbers):
        return []
    errors = check_story(brief, view).errors
    places = worst(
        Place(one.place.file, one.place.line, clipped(f"{one.rule}: {one.message}"))
        for one in errors
    )
    return [Figure("contradictions", "continuity", len(errors), "errors", places)]


def _voice(book: Book, written: Sequence[ChapterText]) -> list[Figure]:
    """How far the book is from its author's samples; none where there are no numbers of them."""
    numbers = book.load(STYLE, StyleFile).numbers if book.has(STYLE) else StyleNumbers()
    return [distance_figure(written, numbers)] if numbers.words else []


def _plan(brief: Brief, book: Book) -> BookPlan:
    """What was planned, as far as there is a plan."""
    chapters = max(1, book.chapters())
    return BookPlan(
        people=[person.name for person in book.characters()],
        others=[entry.name for entry in (*book.places(), *book.terms())],
        beats=_beats(book),
        chapter_words=brief.words_per_chapter(chapters),
        english=brief.language.casefold().startswith("en"),
    )


def _beats(book: Book) -> dict[int, list[str]]:
    """What each chapter's scenes are to hold."""
    if not book.has(SCENES):
        return {}
    planned = book.load(SCENES, ScenesFile).chapters
    return {
        chapter.chapter: [scene.summary for scene in chapter.scenes]
        for chapter in planned
        if chapter.scenes
    }
