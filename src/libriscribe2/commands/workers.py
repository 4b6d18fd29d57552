"""Books of a database that several machines share: written, made again here, and forgotten."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from libriscribe2.batch.batch_report import Figure, figures_of
from libriscribe2.batch.folders import mark_project
from libriscribe2.batch.postgres.book_journal import (
    DatabaseJournal,
    ProjectClaim,
    StoredBook,
    forget,
    is_kept,
    stored_book,
)
from libriscribe2.batch.postgres.database import Database, DatabaseRates
from libriscribe2.batch.postgres.exchange import Exchange, batches, forget_batch, key_of
from libriscribe2.batch.postgres.worker import DatabaseQueue, Worker, drain, workers
from libriscribe2.batch.progress import Book, BookState, Ended
from libriscribe2.batch.queue import one_of
from libriscribe2.batch.work import BookWriter, Terms
from libriscribe2.commands.batches import BatchRequest, Bookshelf, server_for, terms_of, writer_of
from libriscribe2.commands.projects import open_project, settings_of
from libriscribe2.commands.rebuilding import Rebuilt, rebuild
from libriscribe2.commands.shared_batches import database_of, dsn_of, pace_of, patience_of
from libriscribe2.editing.rebuild import GOOD
from libriscribe2.errors import IncompleteError, LibriScribeError, ProjectError
from libriscribe2.llm.limits.rate_store import RateLimits
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.models.brief import Brief
from libriscribe2.observe.run_files import LONGEST_FLUSH, metrics
from libriscribe2.project.atomic import (
    PRIVATE,
    SYSTEM,
    atomic_write,
    make_folder,
    replace_file,
    storage_errors,
    sync_folder,
)
from libriscribe2.project.lock import Machine, write_format
from libriscribe2.project.paths import RESEARCH_NOTES, ProjectPaths
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.structure_change import peek
from libriscribe2.project.texts import iso_utc, utc_now
from libriscribe2.settings.schema import Settings

_ALIVE: Final = frozenset({"working", "resting"})


@dataclass(frozen=True, slots=True)
class WorkerRequest(BatchRequest):
    """What a command asks of a worker.

    Attributes:
        batches: The batches whose books it writes; None means all.
        drain: Whether it ends once no book runs anywhere and none waits.
    """

    batches: Sequence[str] | None = None
    drain: bool = False


async def write_for_all(
    database: Database,
    settings: Settings,
    choice: ModelChoice,
    order: WorkerRequest,
    tell: Callable[[Book, Ended | None], None],
) -> bool:
    """Write books of all batches, together with other machines.

    Args:
        database: The database.
        settings: The settings in force for no book in particular.
        choice: The model of books that name none.
        order: What a command asks.
        tell: Hears of each book that begins (None) or whose run has ended.

    Returns:
        Whether it was the deadline that ended it.

    Raises:
        LibriScribeError: The database cannot be used.
    """
    terms = terms_of(settings, order, tell)
    pace, writers = pace_of(settings), dict[str, BookWriter]()
    server = server_for(settings, choice)

    def writer(batch: str) -> BookWriter:
        if batch not in writers:
            writers[batch] = writer_of(settings, Bookshelf(settings, batch), choice, order, server)
        return writers[batch]

    exchange = Exchange(database, terms, pace, order.batches or None)
    async with server, metered(settings, terms):
        await Worker(exchange, writer, drain=order.drain).run()
    return terms.over


class QueueFigures:
    """The figures of all batches of a database, read on from where the last reading ended.

    Args:
        settings: The settings in force.
    """

    def __init__(self, settings: Settings) -> None:
        self._database = Database(dsn_of(settings), patience_of(settings))
        self._stalled = settings.batch.stalled_seconds
        self._batches: dict[str, DatabaseQueue] = {}

    def read(self) -> list[Figure]:
        """The figures as they are now.

        Raises:
            LibriScribeError: The database does not answer, or refuses.
        """
        with closing(self._database) as database:
            known = self._batches
            self._batches = {
                name: known.get(name) or DatabaseQueue(database, name) for name in batches(database)
            }
            found = {name: queue.status() for name, queue in self._batches.items()}
            alive = [one for one in workers(database, self._stalled) if one["state"] in _ALIVE]
            return list(figures_of(found, sum(one["slots"] for one in alive), utc_now()))


@asynccontextmanager
async def metered(settings: Settings, terms: Terms) -> AsyncIterator[None]:
    """Send the figures of the queue while the block runs, where a collector is named."""
    sending = metrics(os.environ, terms.listener.note)
    if sending is None:
        yield
        return
    queue = QueueFigures(settings)

    async def show() -> None:
        with suppress(LibriScribeError):  # the worker says so
            sending.show(await asyncio.to_thread(queue.read))

    async def go_on() -> None:
        while True:
            await show()
            await terms.sleep(settings.batch.heartbeat_seconds)

    showing = asyncio.create_task(go_on())
    try:
        yield
    finally:
        showing.cancel()
        await show()
        await asyncio.to_thread(sending.close, LONGEST_FLUSH)


@dataclass(frozen=True, slots=True)
class SharedBook:
    """A book of a batch in a database, held by this process there and in its folder.

    Attributes:
        store: The project.
        brief: What the author asked for.
        settings: The settings of the book.
        rates: The limits that all machines share.
    """

    store: ProjectStore
    brief: Brief
    settings: Settings
    rates: DatabaseRates


@contextmanager
def open_shared_book(
    paths: ProjectPaths, batch: str, settings: Settings, own: Callable[[], Settings]
) -> Iterator[SharedBook]:
    """A book whose folder and whose lock in the database this process holds while the block runs.

    Args:
        paths: The book's folder on this machine.
        batch: The name of the batch.
        settings: The settings in force for no book in particular.
        own: Loads those of the book, once its `book.toml` is that of whoever began it.

    Raises:
        ProjectInUseError: Another process writes the book, or may do so by now.
        LibriScribeError: The database or the folder cannot be used.
    """
    with (
        closing(database_of(settings)) as database,
        ProjectClaim.take(
            database.dsn, key_of(batch, paths.root.name), patience_of(settings)
        ) as claim,
        ProjectStore.open(paths, _machine(settings, claim, paths)) as store,
    ):
        check_research(store)
        _ask_both(store, claim)
        brief, of_book = open_project(store), own()
        llm = of_book.llm
        limits = RateLimits(llm.requests_per_minute, llm.kilo_tokens_per_minute)
        yield SharedBook(store, brief, of_book, DatabaseRates(database, limits))


def _machine(settings: Settings, claim: ProjectClaim, paths: ProjectPaths) -> Machine:
    """This machine, with the database beside it where the book's journal is there."""
    # Whoever goes on with a book that began there has to keep it there.
    beside = settings.batch.journal == "database" or is_kept(claim)
    return Machine(mirror=DatabaseJournal(claim, paths)) if beside else Machine()


def _ask_both(store: ProjectStore, claim: ProjectClaim) -> None:
    """Let nothing begin unless the folder and the database are still held."""
    holds_folder = store.journal.check_held

    def check_held() -> None:
        holds_folder()
        claim.check()

    store.journal.check_held = check_held


def list_workers(settings: Settings) -> tuple[list[dict[str, Any]], list[Figure]]:
    """The workers of the database, and those that ended with a fault within a day; its figures.

    Raises:
        LibriScribeError: The database cannot be used.
    """
    with closing(database_of(settings)) as database:
        found = workers(database, settings.batch.stalled_seconds)
    return found, QueueFigures(settings).read()


def drain_workers(settings: Settings, name: str) -> list[int]:
    """Have workers end once their books have ended.

    Args:
        settings: The settings in force.
        name: The number of one, or the machine of several.

    Returns:
        Their numbers.

    Raises:
        ProjectError: There is none of that number, and none on such a machine.
        LibriScribeError: The database cannot be used.
    """
    with closing(database_of(settings)) as database:
        found = drain(database, name)
    if not found:
        raise ProjectError(
            f"There is no worker {name!r}",
            why="no worker that is alive has this number or runs on a machine of this name",
            fix="`libriscribe2 batch workers` lists them.",
        )
    return found


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came of a book that was to be fetched.

    Attributes:
        name: The book.
        path: Its folder, where it was made; None where it was not.
        error: Why it could not be made; None where it was, or was there already.
    """

    name: str
    path: Path | None = None
    error: ProjectError | None = None


async def fetch_books(
    settings: Settings, batch: str | None, names: Sequence[str]
) -> AsyncIterator[Fetched]:
    """Make the folders of finished books; without names, of all that are not here.

    Raises:
        ProjectError: A book is not finished.
        IncompleteError: A journal does not make its book.
        LibriScribeError: The database or the folder cannot be used.
    """
    with closing(database_of(settings)) as database:
        shelf = Bookshelf(settings, one_of(batches(database), batch, database.dsn.shown))
        for book in _chosen(database, shelf.batch, names, ("done",)):
            name, paths = book.row.name, shelf.paths(book.row.name)
            if paths.root.exists():
                yield Fetched(name)
            elif (kept := stored_book(database, key_of(shelf.batch, name))) is None:
                yield Fetched(name, error=_not_kept(database, book))
            else:
                await _make(kept, paths, shelf.batch)
                yield Fetched(name, paths.root)


def forget_books(settings: Settings, batch: str | None, names: Sequence[str]) -> list[str]:
    """Delete the journals of books from the database; without names, of all done and cancelled.

    Returns:
        The names of the books whose journals were there.

    Raises:
        ProjectError: A book is neither done, cancelled nor failed.
        ProjectInUseError: A process still writes one of them.
        LibriScribeError: The database cannot be used.
    """
    states: tuple[BookState, ...] = ("done", "cancelled", "failed")
    with closing(database_of(settings)) as database:
        chosen = one_of(batches(database), batch, database.dsn.shown)
        books = _chosen(database, chosen, names, states if names else states[:2])
        return [one.row.name for one in books if forget(database, key_of(chosen, one.row.name))]


def forget_older(settings: Settings, batch: str | None, since: datetime) -> list[str]:
    """Delete what the database holds of books that were done or cancelled before a moment.

    Batches of which all books were go with their logs.

    Args:
        settings: The settings in force.
        batch: Only this batch; None means all.
        since: The moment.

    Returns:
        The names of the books, each after that of its batch and a slash.

    Raises:
        ProjectInUseError: A process still writes one of them.
        LibriScribeError: The database cannot be used.
    """
    gone: list[str] = []
    with closing(database_of(settings)) as database:
        known = batches(database)
        for name in known if batch is None else [one_of(known, batch, database.dsn.shown)]:
            status = DatabaseQueue(database, name).status()
            old = [one for one in status.within("done", "cancelled") if one.at <= iso_utc(since)]
            whole = len(old) == len(status.books)
            keys = [key_of(name, book.row.name) for book in old]
            kept = [key for key in keys if forget(database, key)]
            if whole:
                forget_batch(database, name)
            gone += keys if whole else kept
    return gone


def _chosen(
    database: Database, batch: str, names: Sequence[str], states: Sequence[BookState]
) -> list[Book]:
    """The books of some names, or all that are in one of the states.

    Raises:
        ProjectError: A book is not there, or is in none of the states.
    """
    found = DatabaseQueue(database, batch).status()
    if not names:
        return found.within(*states)
    books = {name: found.named(name) for name in names}
    for name, book in books.items():
        if book is None or book.state not in states:
            raise ProjectError(
                f"The batch {batch!r} has no book {name!r} that is {' or '.join(states)}",
                why="it has none of that name" if book is None else f"it is {book.state}",
                fix=f"See `libriscribe2 batch status --batch {batch}`.",
            )
    return [book for book in books.values() if book is not None]


async def _make(kept: StoredBook, paths: ProjectPaths, batch: str) -> None:
    """Make a book beside its place, and put it there when it is whole.

    Raises:
        IncompleteError: The journal does not make the book.
        ProjectError: Its research is on another machine.
        StorageError: The folder cannot be written.
    """
    with (
        storage_errors("write", paths.root.parent),
        TemporaryDirectory(dir=_made(paths.root.parent), prefix=".fetch-") as name,
    ):
        place = Path(name)
        source = ProjectPaths(place / "kept" / paths.root.name, place / "debug")
        make_folder(source.state)
        atomic_write(source.book_toml, kept.request)
        atomic_write(source.journal, kept.journal, mode=PRIVATE)
        write_format(source)
        check_research(peek(source))
        target = place / paths.root.name
        rebuilt = await rebuild(source, settings_of(source.root, {}), target)
        if not rebuilt.good or rebuilt.unmade:
            raise _not_whole(paths, rebuilt)
        mark_project(ProjectPaths(target, paths.debug), batch)
        replace_file(target, paths.root)
        sync_folder(paths.root.parent, SYSTEM)


def check_research(view: ProjectView) -> None:
    """Make sure that the notes of a book's research are where it is gone on with.

    They come from sources, which no journal holds and which may say something else by now. Without
    them every question that was paid for would be another one.

    Raises:
        ProjectError: They were made on another machine.
    """
    if RESEARCH_NOTES in view.manifest.files and not view.exists(RESEARCH_NOTES):
        name = view.paths.root.name
        raise ProjectError(
            f"The research of {name} is on another machine",
            why=f"its journal lists {RESEARCH_NOTES}, which is made from sources and is not here",
            fix=f"Copy the folder of {name} from there. To start over, `libriscribe2 batch "
            f"forget {name}`, remove the folder here, `libriscribe2 batch retry {name}`.",
        )


def _made(folder: Path) -> Path:
    make_folder(folder)
    return folder


def _not_kept(database: Database, book: Book) -> ProjectError:
    return ProjectError(
        f"The journal of {book.row.name!r} is not in {database.dsn.shown}",
        why="its worker kept it only in the book's folder, or it was deleted",
        fix="Its folder is on the machine that wrote it; `--journal database` keeps those of "
        "further books.",
    )


def _not_whole(paths: ProjectPaths, rebuilt: Rebuilt) -> IncompleteError:
    lacking = [one.name for one in rebuilt.files if one.likeness not in GOOD]
    files = ", ".join(dict.fromkeys((*lacking, *rebuilt.unmade)))
    told = rebuilt.failure.why or rebuilt.failure.what if rebuilt.failure is not None else ""
    return IncompleteError(
        f"The journal of {paths.root.name} in the database does not make the whole book",
        why=told or f"{files}: edited by hand, made from sources, or not in the journal",
        fix="Copy the folder from the machine that wrote it.",
    )
