"""A model asked about a book: what no rule compares, what a reader doubts, which draft is better."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from libriscribe2.agents.agent_book_reviewer import BookReviewer, book_to_read
from libriscribe2.agents.agent_continuity_evaluator import (
    CitationJudge,
    ContinuityEvaluator,
    OpenQuestion,
    doubted,
    open_questions,
)
from libriscribe2.agents.agent_passage_evaluator import Comparison, PassageEvaluator
from libriscribe2.checks.calibration import QUESTIONS, calibration_pairs, votes
from libriscribe2.checks.continuity import facts_report
from libriscribe2.checks.continuity.facts_report import read_facts, with_allowances
from libriscribe2.checks.continuity.story_bible import StoryBible, bible_of
from libriscribe2.checks.continuity.story_report import StoryReport, ready
from libriscribe2.checks.passage_pairs import DraftPairs, pairs_of, writers_of
from libriscribe2.checks.report.book_metrics import BookMetrics
from libriscribe2.commands.projects import look_at
from libriscribe2.commands.runs import OpenBook
from libriscribe2.context.notes import CitedChapter
from libriscribe2.llm.providers import maker_of
from libriscribe2.models.brief import Brief
from libriscribe2.models.citations import ids_in
from libriscribe2.models.story import ScenesFile
from libriscribe2.observe.events import EventConsumer
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import SCENES, ProjectPaths
from libriscribe2.project.store import ProjectStore

_TOKENS_PER_CALL: Final = 2_600


def unclear_pairs(
    store: ProjectStore, brief: Brief, report: StoryReport
) -> tuple[StoryBible, Sequence[OpenQuestion]]:
    """The facts of a book, and of them what no rule compares, or none is sure of.

    Args:
        store: The project.
        brief: Its brief.
        report: What the rules found.

    Raises:
        IncompleteError: No chapter was read for its facts.
        ProjectError: A file cannot be used.
    """
    bible = bible_of(brief, store)
    return bible, [*doubted(report.warnings, bible), *open_questions(bible.facts)]


async def evaluate_story(
    book: OpenBook,
    report: StoryReport,
    bible: StoryBible,
    questions: Sequence[OpenQuestion],
    consumers: Sequence[EventConsumer] = (),
) -> tuple[StoryReport, int]:
    """A report with what a model says of the pairs of which no rule is sure.

    What it says of a pair stands in place of what a rule said of it. Its replies are in the journal: what was decided once is not paid for again.

    Args:
        book: The project, held by this process.
        report: What the rules found.
        bible: The facts of the book.
        questions: What the rules do not compare, or are not sure of.
        consumers: Receive every event.

    Returns:
        The report, and how many statements were left out because there were too many.

    Raises:
        LibriScribeError: A question got no usable reply, or a cap was reached.
    """
    evaluation = await book.ask(
        ContinuityEvaluator, lambda one: one.evaluate(questions, bible.chapters), consumers
    )
    found = ready(bible, book.store, evaluation.findings)
    asked = len(questions) - evaluation.left_out
    settled = [one.finding for one in questions[:asked]]
    sure = tuple(one for one in report.findings if one not in settled)
    decided = replace(report, findings=sure).with_decisions(found, evaluation.decisions)
    return decided, evaluation.left_out


async def judge_facts(
    book: OpenBook, report: StoryReport, consumers: Sequence[EventConsumer] = ()
) -> StoryReport:
    """A report with what a model finds unsupported by the notes; a question for each chapter.

    Raises:
        LibriScribeError: A question got no usable reply, or a cap was reached.
    """
    read, held = Book(book.store), read_facts(book.brief, Book(book.store))
    plans = read.load(SCENES, ScenesFile).chapters if read.has(SCENES) else []
    claimed = {
        plan.chapter: [one for scene in plan.scenes for e in scene.reveals for one in ids_in(e)]
        for plan in plans
    }
    notes, sources = read.notes(), read.sources()
    chapters = [
        CitedChapter(
            one.number,
            held.plan[one.number - 1].title,
            one.text,
            claimed.get(one.number, ()),
            notes,
            sources,
        )
        for one in held.chapters
    ]
    judged = await book.ask(CitationJudge, lambda judge: judge.judge(chapters), consumers)
    files = {one.number: one.file for one in held.chapters}
    found = [
        replace(
            one,
            where=replace(one.where, file=files[number], chapter=number),
            rule=facts_report.JUDGED,
        )
        for number, one in judged
    ]
    return report.with_decisions(with_allowances(held, found), {"judged": len(chapters)})


async def review_book(
    book: OpenBook, consumers: Sequence[EventConsumer] = ()
) -> tuple[StoryReport, int]:
    """Have a model read a whole book by its summaries.

    Args:
        book: The project, held by this process.
        consumers: Receive every event.

    Returns:
        What the text proves of its doubts, and how many doubts there were.

    Raises:
        LibriScribeError: No usable reply came, or a cap was reached.
    """
    read = book_to_read(book.store)
    review = await book.ask(
        BookReviewer, lambda one: one.review(read.chapters, read.summaries), consumers
    )
    name, chapters = book.store.paths.root.name, tuple(one.number for one in read.chapters)
    report = StoryReport(name, review.findings, read=chapters, decisions=review.decisions)
    return report, review.doubts


@dataclass(frozen=True, slots=True)
class DraftComparison:
    """Passages of two drafts that a model is to compare.

    Attributes:
        pairs: The passages.
        calls: Most calls that it takes.
        tokens: About how many tokens.
        kin: A model of the evaluator's maker that wrote one of the drafts, or "".
    """

    pairs: DraftPairs
    calls: int
    tokens: int
    kin: str


def planned_comparison(
    book: OpenBook, theirs: ProjectPaths, evaluator: str, *, chapter: int | None, most: int
) -> DraftComparison:
    """What a comparison of two drafts takes, before anything is asked.

    Args:
        book: The first draft, held by this process.
        theirs: The other one.
        evaluator: The model that compares.
        chapter: Only this chapter; None is all.
        most: Most chapters that are compared.

    Raises:
        ProjectError: The drafts have no chapter in common, or cannot be read.
    """
    pairs = pairs_of(book.store, look_at(theirs), chapter=chapter, most=most)
    exam = calibration_pairs(pairs.sound, pairs.names, book.brief)
    calls = 2 * (len(exam) + len(pairs.pairs))
    maker = maker_of(evaluator)
    writers = [*writers_of(book.store), *writers_of(look_at(theirs))]
    own = [name for name in writers if maker and maker_of(name) == maker]
    return DraftComparison(pairs, calls, calls * _TOKENS_PER_CALL, own[0] if own else "")


async def compare_drafts(
    book: OpenBook, planned: DraftComparison, consumers: Sequence[EventConsumer] = ()
) -> Comparison:
    """What a model says of the passages of two drafts; asked in the journal of the first.

    Raises:
        LibriScribeError: No usable reply came, or a cap was reached.
    """
    pairs = planned.pairs
    return await book.ask(
        PassageEvaluator,
        lambda evaluator: evaluator.evaluate(pairs.pairs, pairs.sound, pairs.names),
        consumers,
    )


def comparison_record(
    books: tuple[ProjectPaths, ProjectPaths],
    measured: tuple[BookMetrics, ...],
    told: Comparison | None,
) -> dict[str, Any]:
    """All that is told, as plain JSON."""
    record: dict[str, Any] = {
        "projects": [paths.root.name for paths in books],
        "cards": [one.as_record() for one in measured],
    }
    if told is not None:
        record["exam"] = {
            "passed": told.calibration.passed,
            "right": {kind: list(counts) for kind, counts in told.calibration.right.items()},
            "flips": told.calibration.flips,
        }
        record["questions"] = {kind: list(asked) for kind, asked in QUESTIONS.items()}
        record["verdicts"] = [
            {"pair": one.name, "better": one.side, "sides": one.sides, "quotes": one.quotes}
            for one in told.decisions
        ]
        found = votes(told.decisions)
        record["votes"] = {"ours": found.ours, "theirs": found.theirs, "tie": found.ties}
        record["interval"], record["better"] = list(found.interval), found.better
    return record
