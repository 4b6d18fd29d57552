"""The report of a project: its card, what contradicts itself, and an earlier card beside it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from libriscribe2.errors import IncompleteError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.models.story import ScenesFile
from libriscribe2.models.style import StyleFile, StyleNumbers
from libriscribe2.pipeline.story_check import check_story
from libriscribe2.pipeline.story_finding import StoryReport
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import SCENES, STYLE, canon_file, chapter_file
from libriscribe2.project.view import ProjectView
from libriscribe2.quality.card.figure import Figure, Place, clipped, worst
from libriscribe2.quality.card.planned import BookPlan
from libriscribe2.quality.card.report_card import ReportCard, report_card
from libriscribe2.quality.style.distance import distance_figure
from libriscribe2.quality.text import ChapterText


@dataclass(frozen=True, slots=True)
class BookReport:
    """What is measured of a book.

    Attributes:
        card: The figures.
        planned: How many chapters the outline has.
        story: What the chapters state against each other; None before any was read for it.
    """

    card: ReportCard
    planned: int
    story: StoryReport | None


def report_of(brief: Brief, view: ProjectView) -> BookReport:
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
            fix=f"run `libriscribe2 resume {view.paths.called}` until chapters are written",
        )
    story = _story(brief, view, book)
    more = [*([] if story is None else [_continuity(story)]), *_voice(book, written)]
    card = report_card(written, _plan(brief, book), more)
    return BookReport(card, book.chapters(), story)


def earlier_figures(file: Path | None) -> Mapping[str, float]:
    """The figures of an earlier card by name; none where no file is given.

    Raises:
        UsageError: The file is not the output of `report --json`.
    """
    if file is None:
        return {}
    try:
        record: Any = json.loads(file.read_text(encoding="utf-8"))
        return {str(one["name"]): float(one["value"]) for one in record["figures"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        refused = error.strerror if isinstance(error, OSError) else None
        raise UsageError(
            f"{file} is not an earlier report.",
            why=refused or "it does not hold what `report --json` writes",
            fix="write one with `libriscribe2 report PROJECT --json > FILE`",
        ) from error


def _story(brief: Brief, view: ProjectView, book: Book) -> StoryReport | None:
    """The check of the story; None before any chapter was read for it."""
    numbers = range(1, book.chapters() + 1)
    if not any(book.has(canon_file(n)) and book.has(chapter_file(n)) for n in numbers):
        return None
    return check_story(brief, view)


def _continuity(story: StoryReport) -> Figure:
    """Contradictions between chapters that nobody lets stand."""
    places = worst(
        Place(one.place.file, one.place.line, clipped(f"{one.rule}: {one.message}"))
        for one in story.errors
    )
    return Figure("contradictions", "continuity", len(story.errors), "errors", places)


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
