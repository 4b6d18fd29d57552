"""`libriscribe2 batch`: many books."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from libriscribe2.batch.paths import BatchPaths
from libriscribe2.batch.queue import Enqueued, LocalQueue
from libriscribe2.batch.report import report_of, write_report
from libriscribe2.batch.row_files import read_rows
from libriscribe2.batch.rows import Fault, check_rows
from libriscribe2.cli.batch_choice import Bookshelf, new_batch, queue_of
from libriscribe2.cli.batch_run import BatchOrder, run_batch
from libriscribe2.cli.batch_status import show_status, watch
from libriscribe2.cli.boundary import reported
from libriscribe2.cli.context import CliContext
from libriscribe2.cli.groups import command_group
from libriscribe2.cli.options import (
    ConcurrencyOption,
    JsonLinesOption,
    JsonOption,
    MockOption,
    ModelOption,
)
from libriscribe2.cli.projects import setting_flags, settings_of
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.stage_choice import stage_names
from libriscribe2.errors import UsageError
from libriscribe2.settings.book_tables import check_book_tables
from libriscribe2.utils.quantities import counted

app = command_group("batch", "Write many books: queue them, run them, see how they stand.")

BatchOption = Annotated[
    str | None,
    typer.Option("--batch", "-b", metavar="NAME", help="Which batch.", show_default="the only one"),
]
BooksArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[BOOK]...", help="Names of books; none means all.")
]


@app.command()
def add(
    ctx: typer.Context,
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
    as_json: JsonOption = False,
) -> None:
    """Queue a book for each row; nothing is queued while a row is at fault.

    A row has the keys of a book.toml (premise, title, chapters, ...), and may have name, model,
    max_cost and max_calls. Rows that the batch has already are left alone.
    """
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    with reported(renderer, as_json=as_json):
        settings = settings_of(None, {})
        paths = new_batch(settings, batch, source)
        raw, unread = read_rows(source)
        stages = stage_names()
        rows, faults = check_rows(raw, lambda table: check_book_tables(table, stages))
        bad = [*unread, *faults]
        shelf = Bookshelf(settings, paths.name)
        found = Enqueued((), faults=bad) if bad else LocalQueue(paths).enqueue(rows, shelf.is_taken)
        _tell_added(renderer, paths, found, as_json=as_json)
        if found.faults:
            raise _refused(source, found.faults)


@app.command()
def run(
    ctx: typer.Context,
    batch: BatchOption = None,
    books: Annotated[
        int | None,
        typer.Option(
            "--books", "-n", min=1, max=64, show_default="2", help="How many books at once."
        ),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", metavar="USD", min=0, help="Most US dollars for all books."),
    ] = None,
    model: ModelOption = None,
    mock: MockOption = False,
    max_concurrency: ConcurrencyOption = None,
    as_json: JsonLinesOption = False,
) -> None:
    """Write the books of a batch, or go on with them.

    Each book is written in a process of its own. Ctrl-C is safe, and so is a crash: nothing that
    was paid for is asked again. The exit code is 5 if a book failed, 8 if one reached its budget.
    """
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    flags = {**setting_flags(model, max_concurrency, None, no_input=True), "batch.books": books}
    with reported(renderer, as_json=as_json):
        settings = settings_of(None, flags, mock=mock)
        options: list[str] = ["--mock"] if mock else []
        options += ["--model", model] if model is not None else []
        if max_concurrency is not None:
            options += ["--max-concurrency", str(max_concurrency)]
        run_batch(
            renderer,
            queue_of(settings, batch),
            settings,
            BatchOrder(options, max_cost, as_json=as_json),
        )


@app.command()
def status(
    ctx: typer.Context,
    batch: BatchOption = None,
    watching: Annotated[
        bool, typer.Option("--watch", help="Tell every change until no book runs any more.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show how the books of a batch stand; with --watch --json, one JSON object per line."""
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    with reported(renderer, as_json=as_json):
        settings = settings_of(None, {})
        queue = queue_of(settings, batch)
        if watching:
            watch(renderer, queue, as_json=as_json)
        else:
            show_status(renderer, queue, Bookshelf(settings, queue.paths.name), as_json=as_json)


@app.command()
def retry(
    ctx: typer.Context,
    books: BooksArgument = None,
    batch: BatchOption = None,
    as_json: JsonOption = False,
) -> None:
    """Queue books again that failed or reached their budget; cancelled ones only by name."""
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    with reported(renderer, as_json=as_json):
        queue = queue_of(settings_of(None, {}), batch)
        _tell_marked(renderer, "queued again", queue.retry(books or ()), as_json=as_json)


@app.command()
def cancel(
    ctx: typer.Context,
    books: BooksArgument = None,
    batch: BatchOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take books out of the queue and stop those that run; their files are kept."""
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    with reported(renderer, as_json=as_json):
        queue = queue_of(settings_of(None, {}), batch)
        _tell_marked(renderer, "cancelled", queue.cancel(books or ()), as_json=as_json)


@app.command()
def pause(ctx: typer.Context, batch: BatchOption = None) -> None:
    """Let no further book begin; those under way are finished. `batch run` goes on."""
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    with reported(renderer):
        queue = queue_of(settings_of(None, {}), batch)
        queue.pause()
        renderer.note(f"Paused. Go on with `libriscribe2 batch run --batch {queue.paths.name}`.")


@app.command()
def report(ctx: typer.Context, batch: BatchOption = None, as_json: JsonOption = False) -> None:
    """Write the report of a batch: report.html, report.json and report.csv beside its log."""
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    with reported(renderer, as_json=as_json):
        queue = queue_of(settings_of(None, {}), batch)
        made = report_of(queue.paths.name, queue.status())
        write_report(queue.paths, made)
        if as_json:
            renderer.data_json(made)
        else:
            renderer.data(str(queue.paths.report("html")))


def _tell_added(renderer: Renderer, paths: BatchPaths, found: Enqueued, *, as_json: bool) -> None:
    """What was queued, or every fault."""
    if as_json:
        faults = [{"row": one.place, "why": one.why} for one in found.faults]
        known = {"added": list(found.added), "known": list(found.known), "faults": faults}
        renderer.data_json({"batch": paths.name, **known})
        return
    for fault in found.faults:
        renderer.warning(f"{fault.place}: {fault.why}")
    if not found.faults:
        known_too = f", {len(found.known):,} known already" if found.known else ""
        renderer.data(paths.name)
        renderer.note(
            f"{counted(len(found.added), 'book')} queued{known_too}. "
            f"Write them with `libriscribe2 batch run --batch {paths.name}`."
        )


def _refused(source: Path, faults: Sequence[Fault]) -> UsageError:
    rows = len({fault.place for fault in faults})
    return UsageError(
        f"{counted(rows, 'row')} of {source} cannot be queued, so nothing was",
        why=f"{faults[0].place}: {faults[0].why}",
        fix="Correct the rows and add the file again; rows that are queued already are left alone.",
    )


def _tell_marked(renderer: Renderer, how: str, names: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        renderer.data_json({"books": list(names)})
    else:
        renderer.note(f"{counted(len(names), 'book')} {how}.")
