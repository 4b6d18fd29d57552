"""Asking a model about a book: `check --story --judge` and `compare --judge`."""

import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TypeVar

from libriscribe2.agents.agent_base import Agent
from libriscribe2.app import App, AppOptions
from libriscribe2.cli.book_run import begin_run
from libriscribe2.cli.interrupts import run_async
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import open_project
from libriscribe2.engine.engine import follow
from libriscribe2.models.brief import Brief
from libriscribe2.observe.event_file import recorders
from libriscribe2.pipeline.story_canon import StoryCanon, canon_of
from libriscribe2.pipeline.story_check import StorySearch
from libriscribe2.pipeline.story_finding import StoryReport
from libriscribe2.pipeline.story_judge import Judged, StoryJudge
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.quality.canon.pairs import open_questions
from libriscribe2.settings import Settings
from libriscribe2.wording import counted

AgentT = TypeVar("AgentT", bound=Agent)
T = TypeVar("T")


def judged(
    renderer: Renderer, paths: ProjectPaths, report: StoryReport, settings: Settings
) -> StoryReport:
    """A report with what a model says of the pairs that no rule compares.

    Its replies are in the journal: what was judged once is not paid for again.

    Raises:
        LibriScribeError: A question got no usable reply, or a cap was reached.
        typer.Exit: The check was interrupted.
    """
    with ProjectStore.open(paths) as store:
        brief = open_project(store)
        canon = canon_of(brief, store)
        questions = open_questions(canon.facts)
        if not questions:
            return report.with_judged((), Counter())
        told = consulted(
            renderer,
            (store, brief, settings),
            StoryJudge,
            lambda judge: judge.judge(questions, canon.chapters),
        )
        if told.left_out:
            renderer.warning(f"{counted(told.left_out, 'statement')} left unjudged: too many.")
        return _with(report, canon, store, told)


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


def _with(report: StoryReport, canon: StoryCanon, store: ProjectStore, told: Judged) -> StoryReport:
    """The report with the model's findings, each with its places."""
    search = StorySearch(canon, store)
    found = search.with_notes(search.finding(conflict) for conflict in told.conflicts)
    return report.with_judged(found, told.verdicts)
