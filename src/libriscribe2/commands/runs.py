"""Runs of a book that is there: what is asked of one, and the run itself as a stream of events."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from libriscribe2.agents.agent_base import Agent
from libriscribe2.app import App, AppOptions, SharedCalls
from libriscribe2.commands.projects import kept_settings, open_project, stages_up_to
from libriscribe2.engine.engine import Engine, RunRequest, RunStream, follow
from libriscribe2.engine.runner import Outcome
from libriscribe2.engine.stages import units_of
from libriscribe2.llm.providers import DEMO_MODEL, DEMO_NAMES, ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.observe.events import EventConsumer
from libriscribe2.observe.run_files import log_to
from libriscribe2.project.artifacts import Book
from libriscribe2.project.book_file import read_book_toml, write_book_toml
from libriscribe2.project.paths import CHAPTER_FILES, ProjectPaths
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings.parts import check_models, resolved, stage_model
from libriscribe2.settings.schema import Settings

AgentT = TypeVar("AgentT", bound=Agent)
T = TypeVar("T")

Prepare = Callable[[ProjectStore, Brief], RunRequest]
"""What a command does before its run, and the run that it asks for."""


@contextmanager
def open_book(paths: ProjectPaths) -> Iterator[tuple[ProjectStore, Brief]]:
    """A project that this process holds while the block runs, and its brief.

    Raises:
        ProjectInUseError: Another process holds it.
        ProjectError: There is no project, or it cannot be read.
        ConfigError: Its brief cannot be used.
    """
    with ProjectStore.open(paths) as store:
        yield store, open_project(store)


@dataclass(frozen=True, slots=True)
class OpenBook:
    """A project that this process holds, and what a run of it works with.

    Attributes:
        store: The project.
        brief: What the author asked for.
        settings: The settings in force.
        choice: The default model and why it is the one.
        options: What else a run is given.
    """

    store: ProjectStore
    brief: Brief
    settings: Settings
    choice: ModelChoice
    options: AppOptions

    def run(self, request: RunRequest) -> RunStream[Outcome]:
        """The run that is asked for.

        Raises:
            LibriScribeError: A key is missing, or a file of the book cannot be used; the stream
                raises the first failure of the run.
        """
        return request.by(self.engine())

    async def ask(
        self,
        agent: type[AgentT],
        work: Callable[[AgentT], Awaitable[T]],
        consumers: Iterable[EventConsumer],
    ) -> T:
        """What an agent answers, from which no file of the book is made; its replies are recorded.

        Args:
            agent: Who is asked.
            work: What it does.
            consumers: Receive every event.

        Raises:
            LibriScribeError: A key is missing, a cap was reached, or no usable reply came.
        """
        return await follow(self.engine().consult(agent, work), *consumers)

    def engine(self) -> Engine:
        """The parts of a run, whose log goes to the project from here on.

        Raises:
            LibriScribeError: A key is missing, or a file of the book cannot be used.
        """
        log_to(self.store.paths.state / "run.log", self.settings.log_level)
        return App(self.store, self.brief, self.settings, self.choice, self.options).engine


PLAN_STAGE: Final = "plan"
"""The last stage before prose, as a command line calls it."""


def going_on(until: str | None, *, refresh: bool, rewrite: bool = False) -> Prepare:
    """What `resume` does: bring the book, or the stages up to `until`, up to date.

    Args:
        until: The last stage, or `chapter:5`; None for all.
        refresh: Whether a plan that is out of date is made again, as long as no chapter is written.
        rewrite: Whether everything that is out of date is made again, chapters too.
    """

    def prepare(store: ProjectStore, brief: Brief) -> RunRequest:
        ends = [until] if until is not None else []
        stages, only = stages_up_to(brief, ends, Book(store).chapters())
        said = [f"--until {until}"] if until is not None else []
        said += [name for name, on in (("--refresh", refresh), ("--rewrite", rewrite)) if on]
        again = rewrite or (refresh and not store.names(CHAPTER_FILES))
        return RunRequest(stages, refresh=again, only=only, job=" ".join(["resume", *said]))

    return prepare


_NOT_ITS_OWN: Final = frozenset({"edited", "missing"})


def stand_in_files(view: ProjectView) -> frozenset[str]:
    """The files that the stand-in author wrote and nobody has changed since."""
    written = (
        name
        for name, made in view.manifest.files.items()
        if not DEMO_NAMES.isdisjoint(made.params.get("models", ()))
    )
    states = ((name, view.state(name, {})) for name in written)
    return frozenset(name for name, one in states if not one.own and one.kind not in _NOT_ITS_OWN)


def written_anew(prepare: Prepare, settings: Settings, choice: ModelChoice) -> Prepare:
    """The same run, which also writes anew what the stand-in author wrote, where a model can."""
    if choice.model in DEMO_NAMES:
        return prepare

    def prepared(store: ProjectStore, brief: Brief) -> RunRequest:
        request, written = prepare(store, brief), stand_in_files(store)
        models = first_models(settings, choice, request.stages) if written else {}
        units = tuple(
            unit
            for agent in request.stages
            if models.get(agent.name, DEMO_MODEL) not in DEMO_NAMES
            for unit in units_of(agent, store)
            if unit.output in written
        )
        if not units:
            return request
        return replace(request, refresh=True, again=units)

    return prepared


def keep_model(book: OpenBook, request: RunRequest) -> None:
    """Have `book.toml` name the model of a run in place of the stand-in author.

    Raises:
        ModelError: A key is missing, or nobody serves the model; nothing was changed.
    """
    root, file = book.store.paths.root, book.store.paths.book_toml
    check_models(book.settings, book.choice, request.stages, root, book.brief.premise)
    if read_book_toml(file).get("models", {}).get("default"):
        none = {"default": {"model": None}}
        kept = kept_settings(book.settings, book.choice).get("models", none)
        write_book_toml(file, {}, {"models": kept})


def first_models(
    settings: Settings, choice: ModelChoice, stages: Iterable[type[Agent]]
) -> dict[str, str]:
    """The model that each stage asks first."""
    return {
        agent.name: resolved(stage_model(settings, agent).model, choice, settings).model
        for agent in stages
        if agent.asks_model
    }


def calls_of_batch(paths: ProjectPaths, settings: Settings) -> SharedCalls | None:
    """What sends the calls of a batch's book together with others; None for any other book.

    Raises:
        ProjectError: Its batch submitted calls and does not run: asked here, they would be paid
            twice.
        StorageError: Nobody can say.
    """
    if settings.batch.spool is None and not paths.batch_mark.exists():
        return None
    # A book of its own never passes the room of many books.
    from libriscribe2.batch.provider.spool import calls_of  # noqa: PLC0415

    return calls_of(paths, settings.batch.spool, settings.batches_dir)
