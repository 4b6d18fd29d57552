"""`libriscribe2 batch`: many books."""

from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Annotated

import typer

from libriscribe2.batch.batch_report import report_of, write_report
from libriscribe2.batch.folders import BatchPaths
from libriscribe2.batch.queue import BookQueue, Enqueued
from libriscribe2.batch.rows import check_rows, read_rows
from libriscribe2.batch.work import Terms, moment_of
from libriscribe2.cli.batch_choice import Bookshelf, is_shared, new_queue, queue_of
from libriscribe2.cli.batch_options import (
    AtOnceOption,
    BatchOption,
    BookOptions,
    BooksArgument,
    DeadlineOption,
    DsnOption,
    JournalOption,
    MaxBatchCostOption,
    ProviderBatchOption,
    deadline_of,
)
from libriscribe2.cli.batch_run import BatchOrder, run_batch
from libriscribe2.cli.batch_shared import book, fetch, forget
from libriscribe2.cli.batch_status import show_status, watch
from libriscribe2.cli.batch_telling import refused, tell_added, tell_marked, tell_paused
from libriscribe2.cli.frame import (
    Frame,
    JsonLinesOption,
    JsonOption,
    command,
    command_group,
)
from libriscribe2.commands.projects import stage_names
from libriscribe2.errors import UsageError
from libriscribe2.project.texts import utc_now
from libriscribe2.project.view import natural_order
from libriscribe2.settings.loading import check_book_tables

app = command_group("batch", "Write many books: queue them, run them, see how they stand.")


@app.command()
@command
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
    as_json: JsonOption = False,
) -> None:
    """Queue a book for each row; nothing is queued while a row is at fault.

    A row has the keys of a book.toml (premise, title, chapters, ...), and may have name, model,
    max_cost, max_calls and deadline (a time such as 2026-11-23T08:00, or a duration from now such
    as 6h). The earliest deadline begins first. Rows that the batch has already are left alone.
    """
    renderer = frame.renderer
    settings = frame.settings(more={"batch.dsn": dsn})
    raw, unread = read_rows(source)
    now = utc_now()
    stages = stage_names()
    rows, faults = check_rows(
        raw,
        lambda table: check_book_tables(table, stages),
        lambda text: moment_of(text, now),
    )
    bad = sorted([*unread, *faults], key=lambda one: natural_order(one.place))
    with closing(new_queue(settings, batch, source)) as queue:
        shelf = Bookshelf(settings, queue.name)
        found = Enqueued((), faults=bad)
        if not bad:
            found = queue.enqueue(rows, shelf.is_taken, max_cost)
    tell_added(renderer, queue.name, found, as_json=as_json)
    if found.faults:
        raise refused(source, found.faults)


@app.command()
@command
def run(
    frame: Frame,
    batch: BatchOption = None,
    books: AtOnceOption = None,
    max_batch_cost: MaxBatchCostOption = None,
    deadline: DeadlineOption = None,
    together: ProviderBatchOption = False,
    dsn: DsnOption = None,
    as_json: JsonLinesOption = False,
    *,
    options: BookOptions,
) -> None:
    """Write the books of a batch, or go on with them.

    Each book is written in a process of its own. Ctrl-C is safe, and so is a crash: nothing that
    was paid for is asked again. The exit code is 5 if a book failed, 8 if one reached its budget
    or the deadline left one unfinished.
    """
    renderer = frame.renderer
    settings = frame.settings(options, more={"batch.books": books, "batch.dsn": dsn})
    order = BatchOrder(
        options.of_book(),
        max_batch_cost,
        as_json=as_json,
        deadline=deadline_of(deadline),
        together=together,
    )
    with closing(queue_of(settings, batch)) as queue:
        run_batch(renderer, queue, settings, order)


@app.command()
@command
def worker(
    frame: Frame,
    batches: Annotated[
        list[str] | None,
        typer.Option("--batch", "-b", metavar="NAME", help="Which batch; may be given again."),
    ] = None,
    books: AtOnceOption = None,
    drain: Annotated[
        bool, typer.Option("--drain", help="End once no book runs anywhere and none waits.")
    ] = False,
    deadline: DeadlineOption = None,
    dsn: DsnOption = None,
    journal: JournalOption = None,
    as_json: JsonLinesOption = False,
    *,
    options: BookOptions,
) -> None:
    """Write books of all batches in a database, together with other machines, until it is stopped.

    The books of a worker that dies are taken over by the others. Ctrl-C is safe.
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
    from libriscribe2.cli.batch_worker import (  # noqa: PLC0415 - only a worker pays for it
        WorkerOrder,
        run_worker,
    )

    until = deadline_of(deadline)
    order = WorkerOrder(options.of_book(), batches, drain=drain, as_json=as_json, deadline=until)
    run_worker(renderer, settings, order)


app.command(hidden=True)(book)
app.command()(fetch)
app.command()(forget)


@app.command()
@command
def status(
    frame: Frame,
    batch: BatchOption = None,
    watching: Annotated[
        bool, typer.Option("--watch", help="Tell every change until no book runs any more.")
    ] = False,
    dsn: DsnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show how the books of a batch stand; with --watch --json, one JSON object per line."""
    renderer = frame.renderer
    settings = frame.settings(more={"batch.dsn": dsn})
    with closing(queue_of(settings, batch)) as queue:
        if watching:
            watch(renderer, queue, as_json=as_json)
        else:
            show_status(renderer, queue, Bookshelf(settings, queue.name), as_json=as_json)


def _opened(frame: Frame, batch: str | None, dsn: str | None) -> AbstractContextManager[BookQueue]:
    """A batch, in a folder or a database, until the block ends."""
    return closing(queue_of(frame.settings(more={"batch.dsn": dsn}), batch))


@app.command()
@command
def retry(
    frame: Frame,
    books: BooksArgument = None,
    batch: BatchOption = None,
    dsn: DsnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Queue books again that failed or reached their budget; cancelled ones only by name."""
    renderer = frame.renderer
    with _opened(frame, batch, dsn) as queue:
        marked = queue.retry(books or ())
    tell_marked(renderer, "queued again", marked, as_json=as_json)


@app.command()
@command
def cancel(
    frame: Frame,
    books: BooksArgument = None,
    batch: BatchOption = None,
    dsn: DsnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take books out of the queue and stop those that run; their files are kept."""
    renderer = frame.renderer
    with _opened(frame, batch, dsn) as queue:
        marked = queue.cancel(books or ())
    tell_marked(renderer, "cancelled", marked, as_json=as_json)


@app.command()
@command
def pause(
    frame: Frame,
    batch: BatchOption = None,
    off: Annotated[bool, typer.Option("--off", help="Let books begin again.")] = False,
    dsn: DsnOption = None,
) -> None:
    """Let no further book begin; those under way are finished."""
    renderer = frame.renderer
    settings = frame.settings(more={"batch.dsn": dsn})
    with closing(queue_of(settings, batch)) as queue:
        if off:
            queue.go(Terms())
        else:
            queue.pause()
        tell_paused(renderer, queue, off=off, shared=is_shared(settings))


@app.command()
@command
def report(
    frame: Frame,
    batch: BatchOption = None,
    dsn: DsnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the report of a batch: report.html, report.json and report.csv in its folder."""
    renderer = frame.renderer
    settings = frame.settings(more={"batch.dsn": dsn})
    with closing(queue_of(settings, batch)) as queue:
        made = report_of(queue.name, queue.status())
    paths = BatchPaths(settings.batches_dir / queue.name)
    write_report(paths, made)
    if as_json:
        renderer.data_json(made)
    else:
        renderer.data(str(paths.report("html")))
