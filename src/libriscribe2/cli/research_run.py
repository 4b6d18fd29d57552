"""Looking a question up, from a command to the notes of the book."""

import os
import sys
from dataclasses import dataclass

from libriscribe2.agents.researcher import ResearcherAgent
from libriscribe2.app import App, AppOptions
from libriscribe2.cli.book_run import Screen, begin_run
from libriscribe2.cli.interrupts import run_async
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.research_view import note_rows, totals
from libriscribe2.engine.engine import follow
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.models.notes import question_name
from libriscribe2.observe.event_file import recorders
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import RESEARCH_NOTES
from libriscribe2.project.research_files import add_notes
from libriscribe2.project.store import ProjectStore
from libriscribe2.research.research_chain import Findings
from libriscribe2.settings import Settings
from libriscribe2.wording import cost, counted


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and whom it is put to.

    Attributes:
        store: The project, held by this process.
        brief: What the author asked for.
        settings: The settings in force.
        choice: The default model and why it is the one.
        question: The question.
    """

    store: ProjectStore
    brief: Brief
    settings: Settings
    choice: ModelChoice
    question: str


def look_up(renderer: Renderer, work: Asked) -> Findings:
    """Run the chain of a question and put what it found into the notes.

    Raises:
        LibriScribeError: It could not be looked up; what was done is kept.
        typer.Exit: The run was interrupted.
    """
    store, name = work.store, work.store.paths.root.name
    begin_run(renderer, store, work.settings, work.choice)
    is_first = not store.exists(RESEARCH_NOTES)
    command = " ".join(sys.argv[1:])
    with recorders(store.paths, os.environ, renderer.warning) as recording, renderer.live():
        options = AppOptions(command)
        engine = App(store, work.brief, work.settings, work.choice, options).engine
        run = engine.consult(ResearcherAgent, lambda agent: agent.answer(work.question))
        notes, found = run_async(
            follow(run, *recording, Screen(renderer)),
            lambda: renderer.warning(
                f"Interrupted. Ask {name} the same question again: it goes on where it stopped."
            ),
        )
    add_notes(store, notes)
    if is_first and work.brief.is_researched:
        # The book's own research is still to come, although its file is there now.
        store.again(ResearcherAgent.unit().step)
    return found


def tell_answer(renderer: Renderer, work: Asked, found: Findings, *, as_json: bool) -> None:
    """What was found, and what the chain came to."""
    paths = work.store.paths
    verified = sum(note.verified for note in found.notes)
    if as_json:
        renderer.data_json(
            {
                "project": paths.root.name,
                "question": work.question,
                "chain": question_name(work.question),
                "notes": [note.model_dump(mode="json") for note in found.notes],
                "verified": verified,
                "failures": list(found.failures),
                "unusable": list(found.unusable),
                **totals(found.record),
            }
        )
        return
    columns = ("note", "verified", "claim", "source", "place")
    renderer.table(columns, note_rows(found.notes, Book(work.store).sources()))
    for line in (*found.failures, *found.unusable):
        renderer.warning(line)
    sums = totals(found.record)
    renderer.note(
        f"{counted(len(found.notes), 'note')}, {verified} verified; "
        f"{counted(sums['llm_calls'], 'question')} to a model, "
        f"{sums['llm_calls_avoided']} avoided by auto-wiring, {cost(sums['cost_usd'])}."
    )
    renderer.note(f"See the chain with `libriscribe2 research show {paths.called} --run`.")
