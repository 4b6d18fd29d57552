"""Many books: from the name of a batch to its queue, and its books written in processes of their own."""

import asyncio
import os
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from libriscribe2.batch.batch_report import report_of, write_report
from libriscribe2.batch.folders import BatchPaths, batches_in, begin_project, is_taken
from libriscribe2.batch.forking import BookServer
from libriscribe2.batch.processes import GRACE_SECONDS, BookProcess, RunCommand
from libriscribe2.batch.progress import Batch, Book, Ended
from libriscribe2.batch.provider.poller import Poller, kept_meanwhile
from libriscribe2.batch.provider.spool import Spool
from libriscribe2.batch.provider.submitted import PollingOptions
from libriscribe2.batch.queue import BookQueue, Enqueued, LocalQueue, one_of
from libriscribe2.batch.rows import check_rows, read_rows
from libriscribe2.batch.work import BookWriter, Listener, Terms, due_of, minutes_for, moment_of
from libriscribe2.commands.by_hand import check_not_by_hand
from libriscribe2.commands.projects import stage_names
from libriscribe2.errors import BudgetError, ConfigError, IncompleteError, LibriScribeError
from libriscribe2.llm.backends.provider_batches import ProviderBatches, close_clients
from libriscribe2.llm.limits.rates import account_name
from libriscribe2.llm.providers import ModelChoice, batch_provider, is_built_in
from libriscribe2.project.paths import ProjectPaths, check_project_name, project_name_from
from libriscribe2.project.project_view import natural_order
from libriscribe2.project.texts import utc_now
from libriscribe2.settings import ModelsConfig, Settings
from libriscribe2.settings.loading import check_book_tables
from libriscribe2.settings.parts import resolved
from libriscribe2.wording import counted

_LOOK_SECONDS: Final = 1.0
"""Between two looks at a batch that is watched."""

SPOOL_VARIABLE: Final = "LIBRISCRIBE2_BATCH__SPOOL"
"""Tells the books' processes where their calls wait."""


def is_shared(settings: Settings) -> bool:
    """Whether batches are in a database that several machines share.

    Raises:
        ConfigError: They are, and the extra `[batch]` is not installed.
    """
    shared = bool(settings.batch.dsn.get_secret_value())
    if shared and find_spec("psycopg") is None:
        raise ConfigError(
            "A batch in a database needs the extra [batch], which is not installed.",
            why="psycopg not found; a batch in a folder does not need it.",
            fix="`uv tool install 'libriscribe2[batch]'`, or `pip install 'libriscribe2[batch]'`.",
        )
    return shared


def new_queue(settings: Settings, name: str | None, source: Path) -> BookQueue:
    """The batch that rows go to; without a name it is called like the file.

    Raises:
        UsageError: The name cannot be one.
        LibriScribeError: The database cannot be used.
    """
    chosen = check_project_name(name) if name else project_name_from(source.resolve().stem)
    if not is_shared(settings):
        return LocalQueue(BatchPaths(settings.batches_dir / chosen))
    from libriscribe2.commands.shared_batches import open_queue  # noqa: PLC0415 - only a shared batch pays for it

    return open_queue(settings, chosen)


def queue_of(settings: Settings, name: str | None) -> BookQueue:
    """A batch that is there; without a name the only one.

    Raises:
        UsageError: No batch was named, and there are several.
        ProjectError: There is no such batch, or none at all.
        LibriScribeError: The database cannot be used.
    """
    if not is_shared(settings):
        known = [batch.name for batch in batches_in(settings.batches_dir)]
        chosen = one_of(known, name, str(settings.batches_dir))
        return LocalQueue(BatchPaths(settings.batches_dir / chosen))
    from libriscribe2.commands.shared_batches import known_queue  # noqa: PLC0415 - only a shared batch pays for it

    return known_queue(settings, name)


class Bookshelf:
    """Where the books of a batch are, and how their folders are made.

    Args:
        settings: The settings in force for no book in particular.
        batch: The name of the batch.

    Attributes:
        batch: The name of the batch.
    """

    def __init__(self, settings: Settings, batch: str) -> None:
        self._settings = settings
        self.batch = batch

    def paths(self, name: str) -> ProjectPaths:
        """The project of a name."""
        settings = self._settings
        return ProjectPaths(settings.projects_dir / name, settings.debug_dir / name)

    def is_taken(self, name: str) -> bool:
        """Whether there is a project of a name that the batch did not begin.

        Raises:
            StorageError: The folder cannot be read.
        """
        return is_taken(self.paths(name), self.batch)

    def begin(self, choice: ModelChoice, book: Book) -> None:
        """Make the project of a book, as `create` would; one that is there is left alone.

        Args:
            choice: The model of books that name none.
            book: The book.

        Raises:
            LibriScribeError: It cannot be made.
        """
        own: dict[str, Mapping[str, Any]] = dict(book.row.settings)
        models = own.get("models", {})
        if "default" not in models:
            own["models"] = {**models, "default": {"model": choice.model}}
        begin_project(self.paths(book.row.name), book.row, self.batch, own)


def add_books(
    settings: Settings, source: Path, name: str | None, max_cost: float | None
) -> tuple[str, Enqueued]:
    """Queue a book for each row of a file, or for each book.toml of a folder.

    Args:
        settings: The settings in force for no book in particular.
        source: A .jsonl or .csv file, or a folder.
        name: The name of the batch; None takes the file's.
        max_cost: The most that all books together may cost, in US dollars.

    Returns:
        The name of the batch, and what was queued: nothing where a row is at fault.

    Raises:
        UsageError: The source or the name cannot be used.
        LibriScribeError: The queue cannot be used.
    """
    raw, unread = read_rows(source)
    now, stages = utc_now(), stage_names()
    rows, faults = check_rows(
        raw,
        lambda table: _check_tables(table, stages),
        lambda text: moment_of(text, now),
    )
    bad = sorted([*unread, *faults], key=lambda one: natural_order(one.place))
    with closing(new_queue(settings, name, source)) as queue:
        if bad:
            return queue.name, Enqueued((), faults=bad)
        is_taken = Bookshelf(settings, queue.name).is_taken
        return queue.name, queue.enqueue(rows, is_taken, max_cost)


async def looks(
    queue: BookQueue,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,  # noqa: TID251 - the real clock
) -> AsyncIterator[Batch]:
    """How a batch stands, look after look, until nobody runs its books any more.

    Raises:
        LibriScribeError: The log cannot be read.
    """
    running = True
    while running:
        running = queue.is_running()
        yield queue.status()
        if running:
            await sleep(_LOOK_SECONDS)


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """What a command asks of a batch.

    Attributes:
        options: Options of every book's run.
        max_cost: The most that all books together may cost, in US dollars; None is no cap.
        deadline: When no further book begins and those under way stop; None is never.
        together: Whether calls are sent together, as batches of their provider; the deadline
            then ends no book but the waiting for these.
        listener: Hears what a person at a worker should know.
    """

    options: Sequence[str] = ()
    max_cost: float | None = None
    deadline: datetime | None = None
    together: bool = False
    listener: Listener = field(default_factory=Listener)


def _check_tables(table: Mapping[str, Any], stages: Collection[str]) -> None:
    """Refuse settings of a row that no book of a batch may have."""
    check_book_tables(table, stages)
    check_not_by_hand(Settings.model_validate(table))


def terms_of(
    settings: Settings, order: BatchRequest, tell: Callable[[Book, Ended | None], None]
) -> Terms:
    """How books are run, as the settings and a command say.

    Args:
        settings: The settings in force for no book in particular.
        order: What a command asks.
        tell: Hears of each book that begins (None) or whose run has ended.
    """
    return Terms(
        books=settings.batch.books,
        cap=order.max_cost,
        tries=settings.batch.max_tries,
        retry_seconds=settings.batch.retry_seconds,
        stop_seconds=settings.batch.stop_seconds + GRACE_SECONDS,
        funding=settings.batch.funding,
        journal=settings.batch.journal if is_shared(settings) else "folder",
        tell=tell,
        deadline=order.deadline,
        listener=order.listener,
    )


def server_for(settings: Settings, choice: ModelChoice) -> BookServer:
    """What books' processes are forked from, with what most of them need imported."""
    wanted = {"litellm": not is_built_in(choice.model), "database": is_shared(settings)}
    return BookServer([name for name, is_wanted in wanted.items() if is_wanted])


def writer_of(
    settings: Settings,
    shelf: Bookshelf,
    choice: ModelChoice,
    order: BatchRequest,
    server: BookServer,
    environment: Mapping[str, str] | None = None,
) -> BookWriter:
    """Who writes the books of a batch.

    Args:
        settings: The settings in force for no book in particular.
        shelf: Where the books are.
        choice: The model of books that name none.
        order: What a command asks.
        server: Starts the books' processes.
        environment: Further variables of theirs.
    """
    more, end = environment or {}, None if order.together else order.deadline
    stop = settings.batch.stop_seconds
    unknown = settings.budget.unknown_usd_per_million

    def minutes_of(book: Book) -> float | None:
        return minutes_for(book, settings.budget.max_minutes, end, utc_now())

    def process(how: RunCommand) -> BookProcess:
        return BookProcess(
            shelf.batch, shelf.paths, partial(shelf.begin, choice), how, unknown, minutes_of
        )

    if not is_shared(settings):
        options = ("--no-input", "--json", *order.options)
        return process(RunCommand(("resume",), options, more, server.start, stop))
    from libriscribe2.commands.shared_batches import child_environment, travelling  # noqa: PLC0415 - only a shared batch pays

    shared = ("--batch", shelf.batch, *order.options)
    environment = {**child_environment(settings), **more}
    told = order.listener.told
    how = RunCommand(("batch", "book"), shared, environment, server.start, stop, told)
    return travelling(settings, process(how), shelf.batch, shelf.paths)


class BatchWork:
    """The books of a batch, about to be written.

    Args:
        queue: The batch.
        settings: The settings in force for no book in particular.
        choice: The model of books that name none.
        order: What is asked.
        tell: Hears of each book that begins (None) or whose run has ended.
        note: Hears what else a person should know.

    Attributes:
        report: The page for people that `finish` writes.
    """

    def __init__(
        self,
        queue: BookQueue,
        settings: Settings,
        choice: ModelChoice,
        order: BatchRequest,
        *,
        tell: Callable[[Book, Ended | None], None],
        note: Callable[[str], None],
    ) -> None:
        self._queue = queue
        self._terms = terms_of(settings, order, tell)
        self._paths = BatchPaths(settings.batches_dir / queue.name)
        self.report = self._paths.report("html")
        shelf, batch = Bookshelf(settings, queue.name), queue.status()
        habits = habits_of(settings, batch, order, note)
        self._calls = provider_calls(settings, choice, batch, habits, self._paths)
        environment = self._calls.environment if self._calls is not None else None
        self._server = server_for(settings, choice)
        self._writer = writer_of(settings, shelf, choice, order, self._server, environment)

    async def run(self) -> None:
        """Write the books.

        Raises:
            ProjectInUseError: Another process runs the books of this batch.
            LibriScribeError: The queue cannot be used.
        """
        async with self._server:
            if self._calls is None:
                await self._queue.work(self._writer, self._terms)
            else:
                await self._calls.during(lambda: self._queue.work(self._writer, self._terms))

    def finish(self) -> Batch:
        """How the books stand now; writes the report.

        Raises:
            StorageError: The report cannot be written.
        """
        batch = self._queue.status()
        if self._calls is not None:
            self._calls.clear(batch)
        write_report(self._paths, report_of(self._queue.name, batch))
        return batch

    def failure(self, batch: Batch) -> LibriScribeError | None:
        """With what the command ends: as the worst book did."""
        return _failure(self._queue.name, batch, self._terms)


def _failure(name: str, batch: Batch, terms: Terms) -> LibriScribeError | None:
    """The error of the worst book."""
    failed, stopped = batch.within("failed"), batch.within("stopped")
    if failed:
        return IncompleteError(
            f"{counted(len(failed), 'book')} of {len(batch.books):,} could not be finished",
            why=f"{failed[0].row.place}, {failed[0].row.name!r}: {failed[0].last.what}",
            fix=f"See `libriscribe2 batch status --batch {name}`, fix the cause, then "
            f"`libriscribe2 batch retry --batch {name}`.",
        )
    if stopped:
        return BudgetError(
            f"{counted(len(stopped), 'book')} of {len(batch.books):,} reached the budget",
            why=f"{stopped[0].row.place}, {stopped[0].row.name!r}: {stopped[0].last.what}",
            fix=f"`libriscribe2 batch retry --batch {name}`, then `libriscribe2 batch run "
            f"--batch {name}` with a higher --max-cost.",
        )
    left = batch.within("queued", "running")
    if left and terms.over:
        return BudgetError(
            f"{counted(len(left), 'book')} of {len(batch.books):,} unfinished at the deadline",
            why=f"the first is {left[0].row.name!r}; finished parts are kept",
            fix=f"Continue with `libriscribe2 batch run --batch {name}`.",
        )
    return None


@dataclass(frozen=True)
class ProviderCalls:
    """The calls of a run that are sent together.

    Attributes:
        spool: Where they wait.
        keeper_of: Makes who sends them.
    """

    spool: Spool
    keeper_of: Callable[[], Poller]

    @property
    def environment(self) -> Mapping[str, str]:
        """What the process of a book has to know."""
        return {SPOOL_VARIABLE: str(self.spool.root.resolve())}

    async def during(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do work while they are sent and fetched.

        Raises:
            LibriScribeError: Of the work's, or the spool cannot be used.
        """
        try:
            await kept_meanwhile(self.spool, self.keeper_of, work)
        finally:
            await close_clients()

    def clear(self, batch: Batch) -> None:
        """Throw away what no book can ask for any more.

        Raises:
            StorageError: It cannot be removed.
        """
        if not batch.within("queued", "running", "failed", "stopped"):
            for ident in self.spool.idents(self.spool.replies):
                self.spool.drop(self.spool.replies, ident)


def provider_calls(
    settings: Settings, choice: ModelChoice, batch: Batch, habits: PollingOptions, paths: BatchPaths
) -> ProviderCalls | None:
    """The calls that are sent together; None where each is sent at once.

    Where a run before sent calls together, its replies are waited for in any run.

    Args:
        settings: The settings in force for no book in particular.
        choice: The model of books that name none.
        batch: The batch.
        habits: How they are sent; hears which models have no batch API.
        paths: The folder of the batch.
    """
    spool = Spool(paths.provider)
    if not habits.takes and not spool.is_used():
        return None
    lacking = sorted(name for name in _models(settings, choice, batch) if not batch_provider(name))
    if habits.takes and lacking:
        habits.tell(f"no batch API: {', '.join(lacking)}; these calls are sent directly")
    doors: dict[tuple[str, str], ProviderBatches | None] = {}

    def door_of(model: str, account: str) -> ProviderBatches | None:
        if (model, account) not in doors:
            doors[model, account] = _batch_api(settings, choice, model, account)
        return doors[model, account]

    return ProviderCalls(spool, lambda: Poller(spool, door_of, habits))


def habits_of(
    settings: Settings, batch: Batch, order: BatchRequest, note: Callable[[str], None]
) -> PollingOptions:
    """How calls are sent together, as the settings and a command say."""
    due = {name: due_of(book) for name, book in batch.books.items()}
    return PollingOptions(
        takes=order.together,
        quiet=settings.batch.provider_quiet_seconds,
        poll=settings.batch.provider_poll_seconds,
        until=order.deadline,
        due={name: moment for name, moment in due.items() if moment is not None},
        tell=note,
    )


def _batch_api(
    settings: Settings, choice: ModelChoice, model: str, account: str
) -> ProviderBatches | None:
    """The batch API that a call is for; None where a book means another account than this run."""
    url = resolved(model, choice, settings).url
    provider = batch_provider(model)
    if provider is None or account_name(model, url, os.environ) != account:
        return None
    return ProviderBatches(provider, url)


def _models(settings: Settings, choice: ModelChoice, batch: Batch) -> set[str]:
    """The models that the books name or are begun with, as LiteLLM spells them."""
    tables = [
        settings.models,
        *(
            ModelsConfig.model_validate(book.row.settings.get("models", {}))
            for book in batch.within("queued", "running")
        ),
    ]
    named = {name for table in tables for name in _named(table)}
    return {resolved(name, choice, settings).model for name in named | {""}}


def _named(table: ModelsConfig) -> Iterator[str]:
    for one in (table.default, *table.stages().values()):
        yield from (name for name in (one.model, *one.fallbacks) if name)
