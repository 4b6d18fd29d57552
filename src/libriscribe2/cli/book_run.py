"""One run over a book, from a command to its statistics."""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace

from libriscribe2.agents.agent_base import Agent
from libriscribe2.app import App, AppOptions
from libriscribe2.cli.check_plan import tell_planned
from libriscribe2.cli.frame import resumable
from libriscribe2.cli.interrupts import interruptible
from libriscribe2.cli.process import interrupted
from libriscribe2.cli.quotes import quote_beside_actual
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.runs import RunRequest
from libriscribe2.engine.engine import follow
from libriscribe2.engine.runner import Outcome
from libriscribe2.llm.call_records import Piece
from libriscribe2.llm.providers import DEMO_NAMES, ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.observe.event_file import recorders
from libriscribe2.observe.events import Event
from libriscribe2.observe.run_log import log_to
from libriscribe2.project.paths import MANUSCRIPT
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings
from libriscribe2.settings.parts import resolved, stage_model
from libriscribe2.wording import cost, counted, duration

DEMONSTRATION = (
    "The stand-in author is not a language model: it draws English sentences to show what the "
    "program does, without a network. Set a provider's key or --model for a real book."
)


def run_book(
    renderer: Renderer,
    store: ProjectStore,
    brief: Brief,
    settings: Settings,
    choice: ModelChoice,
    request: RunRequest,
    options: AppOptions | None = None,
) -> Outcome:
    """Run the stages, show how it goes, and say where the book is.

    Args:
        renderer: Shows it.
        store: The project, held by this process.
        brief: What the author asked for.
        settings: The settings in force.
        choice: The default model and why it is the one.
        request: What is asked of the run.
        options: What else the run is given.

    Raises:
        LibriScribeError: The run failed; what was made is kept.
        typer.Exit: The run was interrupted.
    """
    name = store.paths.called
    screen = Screen(renderer, as_json=request.as_json)
    notes = FallbackNotes(renderer, first_models(settings, choice, request.stages))
    with resumable(renderer, name):
        begin_run(renderer, store, settings, choice)
        all_options = replace(options or AppOptions(), command=" ".join(sys.argv[1:]))
        engine = App(store, brief, settings, choice, all_options).engine
        with (
            recorders(store.paths, os.environ, renderer.warning) as recording,
            renderer.live(),
        ):
            run = follow(request.by(engine), *recording, screen, notes, pieces=screen)
            with interruptible(lambda: renderer.warning(interrupted(name))) as runner:
                outcome = runner.run(run)
    if not request.as_json:
        _show(renderer, store, outcome, request)
        if request.ends_with_plan:
            tell_planned(renderer, brief, store)
    return outcome


class Screen:
    """Shows a run: lines and how far it is, or one JSON object per event.

    Args:
        renderer: Prints.
        as_json: Whether events go to stdout, one JSON object per line.
    """

    def __init__(self, renderer: Renderer, *, as_json: bool = False) -> None:
        self._renderer = renderer
        self._as_json = as_json

    def receive(self, event: Event) -> None:
        """Show an event."""
        if self._as_json:
            self._renderer.render_event_json(event)
        else:
            self._renderer.render_event(event)

    def receive_piece(self, piece: Piece) -> None:
        """Show a piece of prose while it arrives."""
        self._renderer.on_text(piece.step, piece.text)


class FallbackNotes:
    """Warns once of each model whose fallback was paid for.

    Args:
        renderer: Warns.
        firsts: The model that each stage asks first (`first_models`).
    """

    def __init__(self, renderer: Renderer, firsts: Mapping[str, str]) -> None:
        self._renderer = renderer
        self._firsts = firsts
        self._warned: set[tuple[str, str]] = set()

    def receive(self, event: Event) -> None:
        """Look at an event of the run."""
        first, asked = self._firsts.get(event.stage), event.asked or event.model
        if event.event != "llm.call" or not event.calls or first in {None, asked}:
            return
        if (pair := (str(first), asked)) not in self._warned:
            self._warned.add(pair)
            self._renderer.warning(
                f"{first} could not answer, so {asked} did; .libriscribe/run.log says why."
            )


def first_models(
    settings: Settings, choice: ModelChoice, stages: Iterable[type[Agent]]
) -> dict[str, str]:
    """The model that each stage asks first."""
    return {
        agent.name: resolved(stage_model(settings, agent).model, choice, settings).model
        for agent in stages
        if agent.asks_model
    }


def begin_run(
    renderer: Renderer, store: ProjectStore, settings: Settings, choice: ModelChoice
) -> None:
    """Keep the log in the project from here on, and say which model answers and why."""
    log_to(store.paths.state / "run.log", settings.log_level)
    renderer.note(f"model: {choice.model} ({choice.reason})")
    if choice.model in DEMO_NAMES:
        renderer.note(DEMONSTRATION)


def _show(renderer: Renderer, store: ProjectStore, outcome: Outcome, request: RunRequest) -> None:
    """The statistics of a finished run, and where the book is."""
    tally = outcome.tally
    renderer.panel(
        store.paths.root.name,
        {
            "words": f"{outcome.words:,}" if outcome.words else "no chapter yet",
            "chapters": outcome.chapters,
            "calls": f"{tally.calls:,}, {tally.replays:,} replayed",
            "tokens": f"{tally.input_tokens:,} in, {tally.output_tokens:,} out",
            "cost": cost(tally.known_cost),
            **quote_beside_actual(renderer, store.paths, store.manifest, request.job),
            "time": duration(outcome.seconds),
            "dumps": store.paths.debug,
        },
    )
    if outcome.stale and not request.again:  # `redo` tells it in full
        stale = counted(outcome.stale, "part")
        name = store.paths.called
        renderer.note(f"{stale} stale: `libriscribe2 resume {name} --refresh` remakes what is.")
    finished = store.exists(MANUSCRIPT)
    renderer.data(str(store.paths.root / MANUSCRIPT if finished else store.paths.root))
