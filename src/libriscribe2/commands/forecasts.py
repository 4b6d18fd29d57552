"""What a run would take: it is made on a copy of the project, with nobody asked.

The stand-in author answers in the models' place, at a model's pace; so these functions belong into
a loop whose clock jumps (`forecast.model_time.VirtualLoop`). The prompts are those of a real run,
because the same code builds them; what the journal can replay is not counted. The copy is thrown
away.
"""

import shutil
import stat
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from libriscribe2.app import App, AppOptions
from libriscribe2.commands.new_book import NewBook, place_files
from libriscribe2.commands.projects import open_project, read_brief, stages_up_to, wanted_stages
from libriscribe2.commands.runs import OpenBook, Prepare
from libriscribe2.engine.engine import RunRequest, follow
from libriscribe2.engine.stages import book_status, units_of
from libriscribe2.errors import IncompleteError, LibriScribeError
from libriscribe2.forecast.model_time import model_times, with_their_chapters
from libriscribe2.forecast.quote import (
    FreshBackend,
    Quote,
    QuotingBackend,
    Remaking,
    Sums,
    stage_quotes,
)
from libriscribe2.llm.backends.demo import DemoAuthor
from libriscribe2.llm.limits.budget import price_of
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.observe.events import Event, EventList
from libriscribe2.observe.run_files import log_nowhere
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import UnsyncedOps, storage_errors
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.lock import Machine, Rescue
from libriscribe2.project.paths import EXPORTS, ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import peek
from libriscribe2.project.texts import utc_now
from libriscribe2.settings.schema import BudgetConfig, Settings

_ANY_NUMBER: Final = 1_000_000
"""Calls at once in a dry run: how many wait for each other is worked out from their times."""

_LEFT_OUT: Final = (EXPORTS, "trash", "lock", "run.log*", "quote.json")


async def quote_project(
    paths: ProjectPaths, settings: Settings, choice: ModelChoice, prepare: Prepare
) -> Quote:
    """What a command on a project would take.

    Raises:
        LibriScribeError: As the command itself would, before it sends anything.
        StorageError: The project cannot be copied.
    """
    before = Sums.of(peek(paths).manifest)
    with _copy_of(paths) as (copy, machine), ProjectStore.open(copy, machine) as store:
        brief = open_project(store)
        request = prepare(store, brief)
        quote, _ = await _quote(store, brief, settings, choice, request)
    return quote.model_copy(update={"before": before, "job": request.job})


async def quote_remaking(
    paths: ProjectPaths,
    settings: Settings,
    choice: ModelChoice,
    first: Prepare | None = None,
) -> Remaking:
    """What `resume --rewrite` would take for the files that are there.

    Args:
        paths: The project.
        settings: Its settings.
        choice: The default model.
        first: A command that is carried out before; its own calls do not count.

    Raises:
        LibriScribeError: As the command itself would, before it sends anything.
        StorageError: The project cannot be copied.
    """
    with _copy_of(paths) as (copy, machine), ProjectStore.open(copy, machine) as store:
        brief = open_project(store)
        if first is not None:
            await _quote(store, brief, settings, choice, first(store, brief))
        stages = wanted_stages(brief)
        units = [unit for stage in stages for unit in units_of(stage, store)]
        there = frozenset(unit.output for unit in units if store.exists(unit.output))
        asking = {stage.name for stage in stages if stage.asks_model}
        before = [one for one in book_status(stages, brief, store) if one.unit.stage in asking]
        stale = sum(one.state == "stale" and one.unit.output in there for one in before)
        request = RunRequest(stages, refresh=True, only=there)
        quote, events = await _quote(store, brief, settings, choice, request)
    begun = [one for one in events if one.event == "stage.start" and one.stage in asking]
    remade = {one.unit: one.reason for one in begun}
    return Remaking(remade, quote, min(stale, len(remade)))


async def remaking_now(paths: ProjectPaths, settings: Settings, choice: ModelChoice) -> Remaking:
    """What is out of date in a book, and what remaking it would take.

    Raises:
        LibriScribeError: The book cannot be read.
    """
    brief, view = read_brief(paths), peek(paths)
    if any(one.state == "stale" for one in book_status(wanted_stages(brief), brief, view)):
        return await quote_remaking(paths, settings, choice)
    return Remaking({}, Quote(at=utc_now(), stages=()), 0)


async def quote_new(
    brief: Brief, settings: Settings, choice: ModelChoice, new: NewBook, name: str
) -> Quote:
    """What a new book would take; no folder is left behind.

    Raises:
        UsageError: A stage cannot be used.
        LibriScribeError: As the command itself would, before it sends anything.
    """
    stages, only = stages_up_to(brief, new.until)
    with throw_away(name) as (paths, machine), ProjectStore.create(paths, machine) as store:
        place_files(paths, new.given)
        write_book_toml(paths.book_toml, brief.model_dump(), {})
        return (await _quote(store, brief, settings, choice, RunRequest(stages, only=only)))[0]


async def quote_asking(
    paths: ProjectPaths,
    settings: Settings,
    choice: ModelChoice,
    ask: Callable[[OpenBook], Awaitable[object]],
) -> Quote:
    """What a question to an agent would take, such as a change of a chapter.

    Args:
        paths: The project.
        settings: Its settings.
        choice: The default model.
        ask: Asks it; what it would change, it changes in a copy.

    Raises:
        LibriScribeError: As the command itself would, before it sends anything.
        StorageError: The project cannot be copied.
    """
    with _copy_of(paths) as (copy, machine), ProjectStore.open(copy, machine) as store:
        return await _quote_question(store, open_project(store), settings, choice, ask)


async def quote_import(
    brief: Brief,
    settings: Settings,
    choice: ModelChoice,
    take_over: Callable[[OpenBook], Awaitable[object]],
) -> Quote:
    """What it would take to have a manuscript read; no folder is left behind.

    Raises:
        LibriScribeError: As the import itself would, before it sends anything.
    """
    with throw_away("import") as (paths, machine), ProjectStore.create(paths, machine) as store:
        return await _quote_question(store, brief, settings, choice, take_over)


async def _quote_question(
    store: ProjectStore,
    brief: Brief,
    settings: Settings,
    choice: ModelChoice,
    ask: Callable[[OpenBook], Awaitable[object]],
) -> Quote:
    """What a question takes in a project that is thrown away."""
    backend = QuotingBackend(FreshBackend(DemoAuthor()))
    options = AppOptions(backend=backend, trusts_evaluators=True)
    with suppress(IncompleteError):  # what the stand-in answers may not fit the book
        await ask(OpenBook(store, brief, _uncapped(settings), choice, options))
    return Quote(at=utc_now(), stages=stage_quotes(backend.calls, price_of))


async def _quote(
    store: ProjectStore,
    brief: Brief,
    settings: Settings,
    choice: ModelChoice,
    request: RunRequest,
) -> tuple[Quote, Sequence[Event]]:
    """The calls of the run, counted and priced, and what it told."""
    log_nowhere()
    events = EventList()
    backend = QuotingBackend(FreshBackend(DemoAuthor()))
    options = AppOptions(backend=backend, trusts_evaluators=True)
    engine = App(store, brief, _uncapped(settings), choice, options).engine
    await follow(request.by(engine), events)
    stages = stage_quotes(backend.calls, price_of)
    times = None
    if request.only is None:
        names = [stage.name for stage in request.stages]
        at_once = settings.pipeline.max_concurrency
        chapters, last = Book(store).chapters(), Book(store).draft_order(brief).last
        calls = with_their_chapters(backend.calls)
        times = model_times(calls, names, brief, chapters, at_once, last)
    return Quote(at=utc_now(), stages=stages, times=times), events


def _uncapped(settings: Settings) -> Settings:
    """The settings without caps of what is spent, and with any number of calls at once."""
    pipeline = settings.pipeline.model_copy(update={"max_concurrency": _ANY_NUMBER})
    return settings.model_copy(update={"budget": BudgetConfig(), "pipeline": pipeline})


@contextmanager
def _copy_of(paths: ProjectPaths) -> Iterator[tuple[ProjectPaths, Machine]]:
    """A copy of a project without what no run reads."""
    with throw_away(paths.root.name, paths.typed) as (copy, machine):
        with storage_errors("copy", paths.root):
            ignore = shutil.ignore_patterns(*_LEFT_OUT)
            shutil.copytree(
                paths.root, copy.root, symlinks=True, ignore=ignore, copy_function=shutil.copyfile
            )
            # The copy of a project that may not be written has its rights.
            for folder in (copy.root, *(one for one in copy.root.rglob("*") if _is_folder(one))):
                folder.chmod(stat.S_IRWXU)
        with _told_of(paths, copy):
            yield copy, machine


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


@contextmanager
def _told_of(paths: ProjectPaths, copy: ProjectPaths) -> Iterator[None]:
    """Have errors about the copy name the project."""
    try:
        yield
    except LibriScribeError as error:
        for place, own in ((copy.root, paths.root), (copy.debug, paths.dumps)):
            error.what, error.why, error.fix = (
                text.replace(str(place), str(own)) for text in (error.what, error.why, error.fix)
            )
        raise


@contextmanager
def throw_away(name: str, typed: str = "") -> Iterator[tuple[ProjectPaths, Machine]]:
    """A place for a project, and a machine that writes there without waiting for the disk."""
    with TemporaryDirectory(prefix="libriscribe2-") as folder:
        place = Path(folder)
        rescue, places = Rescue(place / "rescue"), place / "places"
        machine = Machine(ops=UnsyncedOps(), rescue=rescue, places=places)
        yield ProjectPaths(place / name, place / "debug" / name, typed), machine
