"""`libriscribe2 check --story` and `--book-review`: reports on the text, and whom they ask."""

import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_book_reviewer import REVIEW_RULES, BookReviewer, book_to_read
from libriscribe2.agents.agent_continuity_evaluator import ContinuityEvaluator, open_questions
from libriscribe2.app import App, AppOptions
from libriscribe2.checks.continuity.story_bible import bible_of, has_no_story
from libriscribe2.checks.continuity.story_report import (
    JUDGED,
    StoryReport,
    check_story,
    ready,
    story_rules,
)
from libriscribe2.cli.book_run import begin_run
from libriscribe2.cli.finding_formats import Checked, Format, RuleBook, show
from libriscribe2.cli.interrupts import run_async
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import look_at, open_project, read_brief
from libriscribe2.engine.engine import follow
from libriscribe2.errors import IncompleteError
from libriscribe2.models.brief import Brief
from libriscribe2.observe.event_file import recorders
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings
from libriscribe2.wording import counted

REVIEW: Final = RuleBook("book review", REVIEW_RULES)

AgentT = TypeVar("AgentT", bound=Agent)
T = TypeVar("T")


def check_the_story(
    renderer: Renderer, paths: ProjectPaths, form: Format, settings: Settings | None
) -> int:
    """Compare what a book states, and tell what cannot be so.

    Args:
        renderer: Where it is told.
        paths: The project.
        form: How it is told.
        settings: Say who decides what code cannot compare; None asks no model.

    Returns:
        The exit code.
    """
    brief, view = read_brief(paths), look_at(paths)
    no_story = has_no_story(brief, view)
    report = StoryReport(paths.root.name, ()) if no_story else check_story(brief, view)
    if settings is not None and not no_story:
        report = _evaluated(renderer, paths, report, settings)
    left_out = frozenset[str]() if report.decisions else frozenset({JUDGED})
    checked = Checked(report.project, report.findings, RuleBook("story", story_rules()), left_out)
    show(renderer, checked, report.as_record(), paths.root, form)
    _tell_basis(renderer, report, paths.called)
    if no_story:
        renderer.note("The book is no story: its chapters are not read for facts to compare.")
    return IncompleteError.exit_code if report.errors else 0


def check_the_book(
    renderer: Renderer, paths: ProjectPaths, form: Format, settings: Settings
) -> None:
    """Have a model read a whole book, and tell what the text proves of its doubts.

    Raises:
        LibriScribeError: It could not be read.
    """
    with ProjectStore.open(paths) as store:
        brief, read = open_project(store), book_to_read(store)
        review = consulted(
            renderer,
            (store, brief, settings),
            BookReviewer,
            lambda reviewer: reviewer.review(read.chapters, read.summaries),
        )
    chapters = tuple(one.number for one in read.chapters)
    report = StoryReport(
        paths.root.name, review.findings, read=chapters, decisions=review.decisions
    )
    checked = Checked(report.project, report.findings, REVIEW)
    show(renderer, checked, report.as_record(), paths.root, form)
    looked, sums = sum(review.decisions.values()), _sums(report)
    doubts = counted(review.doubts, "doubt")
    renderer.note(f"{doubts} by the summaries, {looked} looked for in the text: {sums or 'none'}.")


def consulted(
    renderer: Renderer,
    book: tuple[ProjectStore, Brief, Settings],
    agent: type[AgentT],
    work: Callable[[AgentT], Awaitable[T]],
) -> T:
    """What an agent of a held project answers; its replies are in the journal.

    Args:
        renderer: Tells who answers.
        book: The project, its brief and the settings in force.
        agent: Who answers.
        work: What is wanted of it.

    Raises:
        LibriScribeError: No usable reply came, or a cap was reached.
        typer.Exit: It was interrupted.
    """
    store, brief, settings = book
    choice = model_for(settings)
    begin_run(renderer, store, settings, choice)
    with recorders(store.paths, os.environ, renderer.warning) as recording:
        options = AppOptions(" ".join(sys.argv[1:]))
        engine = App(store, brief, settings, choice, options).engine
        return run_async(
            follow(engine.consult(agent, work), *recording),
            lambda: renderer.warning("Interrupted. The same command goes on."),
        )


def _evaluated(
    renderer: Renderer, paths: ProjectPaths, report: StoryReport, settings: Settings
) -> StoryReport:
    """A report with what a model says of the pairs that no rule compares.

    Its replies are in the journal: what was decided once is not paid for again.
    """
    with ProjectStore.open(paths) as store:
        brief = open_project(store)
        bible = bible_of(brief, store)
        questions = open_questions(bible.facts)
        if not questions:
            return report.with_decisions((), Counter())
        evaluation = consulted(
            renderer,
            (store, brief, settings),
            ContinuityEvaluator,
            lambda evaluator: evaluator.evaluate(questions, bible.chapters),
        )
        if evaluation.left_out:
            left = counted(evaluation.left_out, "statement")
            renderer.warning(f"{left} left unjudged: too many.")
        found = ready(bible, store, evaluation.findings)
        return report.with_decisions(found, evaluation.decisions)


def _tell_basis(renderer: Renderer, report: StoryReport, project: str) -> None:
    """How much was compared, and what was not."""
    read = counted(len(report.read), "chapter")
    sums = [counted(len(report.errors), "error"), counted(len(report.warnings), "warning")]
    if report.allowed:
        sums.append(f"{len(report.allowed)} let stand")
    renderer.note(f"{counted(report.facts, 'fact')} of {read} compared: {', '.join(sums)}.")
    if report.decisions:
        renderer.note(f"judged by a model: {_sums(report)}.")
    if report.unread:
        numbers = ", ".join(map(str, report.unread))
        renderer.warning(
            f"not read yet: chapters {numbers}; `libriscribe2 resume {project}` reads them."
        )
    for number in report.changed:
        renderer.warning(
            f"chapter {number} has changed since it was read; "
            f"`libriscribe2 redo {project} canon --chapter {number}` reads it again."
        )


def _sums(report: StoryReport) -> str:
    """How many of each decision."""
    return ", ".join(f"{count} {decision}" for decision, count in report.decisions.items())
