"""`libriscribe2 batch`: many books."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from libriscribe2.app import AppOptions
from libriscribe2.batch.batch_report import report_of, write_report
from libriscribe2.batch.folders import BatchPaths
from libriscribe2.batch.queue import BookQueue
from libriscribe2.batch.work import Terms
from libriscribe2.cli.batch_options import (
    AtOnceOption,
    BatchOption,
    BookOptions,
    BooksArgument,
    DeadlineOption,
    DsnOption,
    HealthOption,
    JournalOption,
    MaxBatchCostOption,
    OlderThanOption,
    ProviderBatchOption,
    deadline_of,
    moment_before,
    stopping,
    under_way,
)
from libriscribe2.cli.batch_output import (
    WorkerTalk,
    refused,
    show_status,
    summary,
    tell_added,
    tell_book,
    tell_fetched,
    tell_marked,
    tell_paused,
    tell_workers,
    watch,
)
from libriscribe2.cli.frame import (
    Frame,
    MaxCostOption,
    MaxMinutesOption,
    command,
    command_group,
    command_with_events,
    command_with_json,
    model_for,
)
from libriscribe2.cli.process import run_async
from libriscribe2.cli.run_output import command_line, run_book
from libriscribe2.commands.batches import (
    BatchRequest,
    BatchWork,
    Bookshelf,
    add_books,
    is_shared,
    queue_of,
)
from libriscribe2.commands.by_hand import check_not_by_hand
from libriscribe2.commands.projects import settings_of
from libriscribe2.commands.runs import OpenBook, calls_of_batch, going_on
from libriscribe2.errors import UsageError
from libriscribe2.settings.schema import Settings

app = command_group("batch", "Write many books: queue them, run them, see their status.")


@app.command()
@command_with_json
def add(
    frame: Frame,
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE", help="A .jsonl or .csv file, or a folder with a book.toml per book."
        ),
    ],
    batch: Annotated[
        str | None,
        typer.Option("--batch", "-b", metavar="NAME", show_default="the file's", help="Its name."),
    ] = None,
    max_cost: MaxBatchCostOption = None,
    dsn: DsnOption = None,
) -> None:
    """Queue a book for each row; nothing is queued while a row is invalid.

    A row has the keys of a book.toml (premise, title, chapters, ...), and may have name, model,
    max_cost, max_calls and deadline (a time such as 2026-11-23T08:00, or a duration from now such
    as 6h). The earliest deadline starts first. Rows that the batch already has are skipped.
    """
    settings = frame.settings(more={"batch.dsn": dsn})
    name, found = add_books(settings, source, batch, max_cost)
    tell_added(frame.renderer, name, found)
    if found.faults:
        raise refused(source, found.faults)


@app.command()
@command_with_events
def run(
    frame: Frame,
    batch: BatchOption = None,
    books: AtOnceOption = None,
    max_batch_cost: MaxBatchCostOption = None,
    deadline: DeadlineOption = None,
    together: ProviderBatchOption = False,
    dsn: DsnOption = None,
    *,
    options: BookOptions,
) -> None:
    """Write the books of a batch, or continue them.

    Each book is written in a process of its own. Ctrl-C and crashes are safe: nothing that was
    paid for is requested again. The exit code is 5 if a book failed, 8 if one reached its budget
    or the deadline left one unfinished.
    """
    renderer = frame.renderer
    settings = frame.settings(options, more={"batch.books": books, "batch.dsn": dsn})
    order = BatchRequest(options.of_book(), max_batch_cost, deadline_of(deadline), together)
    with closing(queue_of(settings, batch)) as queue:
        # Chosen before the books begin: it may ask, and listen for Ctrl-C.
        check_not_by_hand(settings)
        choice = model_for(settings)
        renderer.note(f"model: {choice.model} ({choice.reason})")
        tell = partial(tell_book, renderer)
        work = BatchWork(queue, settings, choice, order, tell=tell, note=renderer.note)
        again = f"Continue with `libriscribe2 batch run --batch {queue.name}`."
        stop = stopping(settings)
        said = f"Interrupted. {under_way(settings)} {again}"
        run_async(work.run(), lambda: renderer.warning(said), stop=stop)
        done = work.finish()
    renderer.note(summary(done))
    if not renderer.as_json:
        renderer.data(str(work.report))
    if done.paused and done.within("queued"):
        renderer.note(f"Paused. {again}")
    failure = work.failure(done)
    if failure is not None:
        raise failure


@app.command()
@command_with_events
def worker(
    frame: Frame,
    batches: Annotated[
        list[str] | None,
        typer.Option("--batch", "-b", metavar="NAME", help="Name of a batch; repeatable."),
    ] = None,
    books: AtOnceOption = None,
    drain: Annotated[
        bool, typer.Option("--drain", help="Stop once no book is running or waiting anywhere.")
    ] = False,
    deadline: DeadlineOption = None,
    dsn: DsnOption = None,
    journal: JournalOption = None,
    health: HealthOption = None,
    *,
    options: BookOptions,
) -> None:
    """Write books of all batches in a database, alongside other machines, until stopped.

    If a worker dies, the others continue its books. Ctrl-C is safe.
    """
    renderer = frame.renderer
    given = {"batch.books": books, "batch.dsn": dsn, "batch.journal": journal}
    settings = frame.settings(options, more=given)
    if not is_shared(settings):
        raise UsageError(
            "A worker needs a database",
            why="neither --dsn nor LIBRISCRIBE2_BATCH__DSN names one",
            fix="Name it, or write the books on this machine with `libriscribe2 batch run`.",
        )
    from libriscribe2.commands.shared_batches import database_of  # noqa: PLC0415 - as below
    from libriscribe2.commands.workers import WorkerRequest, write_for_all  # noqa: PLC0415 - only a worker pays for it

    talk = WorkerTalk(renderer, health)
    order = WorkerRequest(
        options.of_book(),
        deadline=deadline_of(deadline),
        listener=talk,
        batches=batches,
        drain=drain,
    )
    check_not_by_hand(settings)
    choice = model_for(settings)
    with closing(database_of(settings)) as database:
        renderer.note(f"worker of {database.dsn.shown}, {settings.batch.books} at once")
        tell = partial(tell_book, renderer, worker=talk.about)
        work = write_for_all(database, settings, choice, order, tell)
        said = f"Stopped. {under_way(settings)} Other workers continue its books."
        is_over = run_async(work, lambda: renderer.note(said), stop=stopping(settings, 0))
    if is_over:
        renderer.note("The deadline was reached. Other workers continue its books.")


@app.command()
@command_with_json
def workers(frame: Frame, dsn: DsnOption = None) -> None:
    """List the workers of a database: their books, state, and what needs fixing."""
    settings = _shared(frame, dsn)
    from libriscribe2.commands.workers import list_workers  # noqa: PLC0415 - as above

    tell_workers(frame.renderer, *list_workers(settings))


@app.command()
@command_with_json
def drain(
    frame: Frame,
    worker: Annotated[
        str, typer.Argument(metavar="WORKER", help="Its number, or the machine of several.")
    ],
    dsn: DsnOption = None,
) -> None:
    """Have workers finish their books, start no more, and end."""
    settings = _shared(frame, dsn)
    from libriscribe2.commands.workers import drain_workers  # noqa: PLC0415 - as above

    found = drain_workers(settings, worker)
    if not frame.renderer.told_json({"workers": found}):
        numbers = ", ".join(str(number) for number in found)
        frame.renderer.note(f"Draining: {numbers}. They end once their books have ended.")


@app.command(hidden=True)
@command
def book(
    frame: Frame,
    name: Annotated[str, typer.Argument(metavar="BOOK")],
    batch: Annotated[str, typer.Option("--batch")],
    max_cost: MaxCostOption = None,
    max_minutes: MaxMinutesOption = None,
    *,
    options: BookOptions,
) -> None:
    """Write one book of a batch in a database: what a worker starts for each."""
    from libriscribe2.commands.workers import open_shared_book  # noqa: PLC0415 - as below

    frame.renderer.as_json = True
    flags = options.flags() | {"budget.max_cost": max_cost, "budget.max_minutes": max_minutes}
    paths = frame.project(name)
    # Another machine may have begun the book, and then its settings come with its journal.
    own = partial(settings_of, paths.root, flags, mock=options.mock)
    with open_shared_book(paths, batch, settings_of(None, flags), own) as found:
        request = going_on(None, refresh=False)(found.store, found.brief)
        choice, calls = model_for(found.settings), calls_of_batch(paths, found.settings)
        given = AppOptions(command_line(), rates=found.rates, shared_calls=calls)
        opened = OpenBook(found.store, found.brief, found.settings, choice, given)
        run_book(frame.renderer, opened, request)


@app.command()
@command_with_json
def fetch(
    frame: Frame, books: BooksArgument = None, batch: BatchOption = None, dsn: DsnOption = None
) -> None:
    """Rebuild finished books on this machine from their journals in the database.

    Nothing is sent. A book whose folder already exists here is skipped.
    """
    settings = _shared(frame, dsn)
    from libriscribe2.commands.workers import fetch_books  # noqa: PLC0415 - as above

    fetching = fetch_books(settings, batch, books or ())
    run_async(tell_fetched(frame.renderer, fetching), lambda: None)


@app.command()
@command_with_json
def forget(
    frame: Frame,
    books: BooksArgument = None,
    batch: BatchOption = None,
    older_than: OlderThanOption = None,
    dsn: DsnOption = None,
) -> None:
    """Delete the journals of done and cancelled books from the database; folders are kept.

    With --older-than, only of those that ended that long ago, in all batches; a batch whose books
    all did is deleted with its log.
    """
    settings = _shared(frame, dsn)
    from libriscribe2.commands.workers import forget_books, forget_older  # noqa: PLC0415 - as above

    if older_than is None:
        gone = forget_books(settings, batch, books or ())
    elif books:
        raise UsageError("--older-than takes no names of books", fix="Leave out one of the two.")
    else:
        gone = forget_older(settings, batch, moment_before(older_than))
    tell_marked(frame.renderer, "forgotten", gone)


@app.command()
@command_with_json
def status(
    frame: Frame,
    batch: BatchOption = None,
    watching: Annotated[
        bool, typer.Option("--watch", help="Report every change until no book is running.")
    ] = False,
    dsn: DsnOption = None,
) -> None:
    """Show the status of the books of a batch; with --watch --json, one JSON object per line."""
    renderer = frame.renderer
    with _opened(frame, batch, dsn) as (queue, settings):
        if watching:
            run_async(watch(renderer, queue), lambda: None)
        else:
            show_status(renderer, queue, Bookshelf(settings, queue.name))


@contextmanager
def _opened(
    frame: Frame, batch: str | None, dsn: str | None
) -> Iterator[tuple[BookQueue, Settings]]:
    """A batch, in a folder or a database, until the block ends, and the settings."""
    settings = frame.settings(more={"batch.dsn": dsn})
    with closing(queue_of(settings, batch)) as queue:
        yield queue, settings


@app.command()
@command_with_json
def retry(
    frame: Frame, books: BooksArgument = None, batch: BatchOption = None, dsn: DsnOption = None
) -> None:
    """Queue books again that failed or reached their budget; cancelled ones by name only."""
    with _opened(frame, batch, dsn) as (queue, _):
        tell_marked(frame.renderer, "queued again", queue.retry(books or ()))


@app.command()
@command_with_json
def cancel(
    frame: Frame, books: BooksArgument = None, batch: BatchOption = None, dsn: DsnOption = None
) -> None:
    """Remove books from the queue and stop running ones; their files are kept."""
    with _opened(frame, batch, dsn) as (queue, _):
        tell_marked(frame.renderer, "cancelled", queue.cancel(books or ()))


@app.command()
@command
def pause(
    frame: Frame,
    batch: BatchOption = None,
    off: Annotated[bool, typer.Option("--off", help="Let books start again.")] = False,
    dsn: DsnOption = None,
) -> None:
    """Start no more books; running ones are finished."""
    with _opened(frame, batch, dsn) as (queue, settings):
        if off:
            queue.go(Terms())
        else:
            queue.pause()
        tell_paused(frame.renderer, queue, off=off, shared=is_shared(settings))


@app.command()
@command_with_json
def report(frame: Frame, batch: BatchOption = None, dsn: DsnOption = None) -> None:
    """Write the report of a batch: report.html, report.json and report.csv in its folder."""
    renderer = frame.renderer
    with _opened(frame, batch, dsn) as (queue, settings):
        made = report_of(queue.name, queue.status())
    paths = BatchPaths(settings.batches_dir / queue.name)
    write_report(paths, made)
    if not renderer.told_json(made):
        renderer.data(str(paths.report("html")))


def _shared(frame: Frame, dsn: str | None) -> Settings:
    """The settings, with a database.

    Raises:
        UsageError: There is none.
    """
    settings = frame.settings(more={"batch.dsn": dsn})
    if not is_shared(settings):
        raise UsageError(
            "This needs a database",
            why="neither --dsn nor LIBRISCRIBE2_BATCH__DSN names one, and without one every book "
            "is in its folder on this machine",
            fix="Name the database.",
        )
    return settings
