"""The report of a project: its metrics, what contradicts itself, and an earlier report beside it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from libriscribe2.checks.continuity.story_report import StoryReport, check_story
from libriscribe2.checks.report.book_metrics import BookMetrics, BookPlan, book_metrics
from libriscribe2.checks.report.metric import Metric, clipped, worst
from libriscribe2.checks.report.sample_style import distance_metric
from libriscribe2.checks.text import ChapterText
from libriscribe2.checks.text_lengths import chapter_words
from libriscribe2.errors import IncompleteError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.models.story import OutlineFile
from libriscribe2.models.style import STYLE, StyleFile, StyleNumbers
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE, chapter_file, story_bible_file
from libriscribe2.project.project_view import ProjectView


@dataclass(frozen=True, slots=True)
class BookReport:
    """What is measured of a book.

    Attributes:
        metrics: The metrics.
        planned: How many chapters the outline has.
        story: What the chapters state against each other; None before any was read for it.
    """

    metrics: BookMetrics
    planned: int
    story: StoryReport | None


def report_of(brief: Brief, view: ProjectView) -> BookReport:
    """Measure the chapters that are written.

    Raises:
        IncompleteError: No chapter has any prose yet.
        ProjectError: A file that the metrics need cannot be used.
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
            why="the report is made from the text of the chapters",
            fix=f"run `libriscribe2 resume {view.paths.called}` until chapters are written",
        )
    story = _story(brief, view, book)
    more = [*([] if story is None else [_continuity(story)]), *_voice(book, written)]
    metrics = book_metrics(written, _plan(brief, book), more)
    return BookReport(metrics, book.chapters(), story)


def earlier_metrics(file: Path | None) -> Mapping[str, float]:
    """The metrics of an earlier report by name; none where no file is given.

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
            fix="write one with `libriscribe2 check PROJECT --report --json > FILE`",
        ) from error


def _story(brief: Brief, view: ProjectView, book: Book) -> StoryReport | None:
    """The check of the story; None before any chapter was read for it."""
    numbers = range(1, book.chapters() + 1)
    if not any(book.has(story_bible_file(n)) and book.has(chapter_file(n)) for n in numbers):
        return None
    return check_story(brief, view)


def _continuity(story: StoryReport) -> Metric:
    """Contradictions between chapters that nobody lets stand."""
    places = worst(
        replace(one.where, quote=clipped(f"{one.rule}: {one.why}")) for one in story.errors
    )
    return Metric("contradictions", "continuity", len(story.errors), "errors", places)


def _voice(book: Book, written: Sequence[ChapterText]) -> list[Metric]:
    """How far the book is from its author's samples; none where there are no numbers of them."""
    numbers = book.load(STYLE.file, StyleFile).numbers if book.has(STYLE.file) else StyleNumbers()
    return [distance_metric(written, numbers)] if numbers.words else []


def _plan(brief: Brief, book: Book) -> BookPlan:
    """What was planned, as far as there is a plan."""
    outline = book.load(OUTLINE, OutlineFile).chapters
    return BookPlan(
        people=[person.name for person in book.characters()],
        others=[entry.name for entry in (*book.places(), *book.terms())],
        chapter_words=dict(enumerate(chapter_words(brief, outline), start=1)),
        language=brief.language,
        kind=brief.kind,
    )
