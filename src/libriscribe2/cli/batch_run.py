"""`libriscribe2 batch run`: the books of a batch, from the command to the report."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from libriscribe2.batch.batch_report import book_record, report_of, write_report
from libriscribe2.batch.folders import BatchPaths
from libriscribe2.batch.processes import BookProcess, RunCommand
from libriscribe2.batch.queue import BookQueue
from libriscribe2.batch.state import Batch, Book, Ended
from libriscribe2.batch.work import BookWriter, Terms, minutes_for
from libriscribe2.cli.batch_choice import Bookshelf, is_shared
from libriscribe2.cli.batch_provider import habits_of, provider_calls
from libriscribe2.cli.batch_status import summary
from libriscribe2.cli.interrupts import run_async
from libriscribe2.cli.render import Renderer
from libriscribe2.errors import BudgetError, IncompleteError
from libriscribe2.project.texts import utc_now
from libriscribe2.settings import Settings
from libriscribe2.wording import cost, counted, duration


@dataclass(frozen=True, slots=True)
class BatchOrder:
    """What a command asks of a batch.

    Attributes:
        options: Options of every book's run.
        max_cost: The most that all books together may cost, in US dollars; None is no cap.
        as_json: Whether every book's end goes to stdout, one JSON object per line.
        deadline: When no further book begins and those under way stop; None is never.
        together: Whether calls are sent together, as batches of their provider; the deadline
            then ends no book but the waiting for these.
    """

    options: Sequence[str] = ()
    max_cost: float | None = None
    as_json: bool = False
    deadline: datetime | None = None
    together: bool = False


def run_batch(renderer: Renderer, queue: BookQueue, settings: Settings, order: BatchOrder) -> None:
    """Write the books, tell how it goes, and write the report.

    Raises:
        IncompleteError: A book failed.
        BudgetError: No book failed, but one reached its budget, or was left at the deadline.
        ProjectInUseError: Another process runs the books of this batch.
        typer.Exit: The run was interrupted.
    """
    name = queue.name
    shelf = Bookshelf(settings, name)
    terms = terms_of(renderer, settings, order)
    again = f"`libriscribe2 batch run --batch {name}`"
    # Chosen before the books begin: it may ask, and listen for Ctrl-C.
    renderer.note(f"model: {shelf.choice.model} ({shelf.choice.reason})")
    batch = queue.status()
    habits = habits_of(renderer, settings, batch, takes=order.together, until=order.deadline)
    calls = provider_calls(renderer, settings, shelf, batch, habits)
    writer = writer_of(settings, shelf, order, calls.environment if calls else None)
    run_async(
        calls.during(lambda: queue.work(writer, terms)) if calls else queue.work(writer, terms),
        lambda: renderer.warning(f"Interrupted. Go on with {again}."),
    )
    batch = queue.status()
    if calls is not None:
        calls.clear(batch)
    paths = BatchPaths(settings.batches_dir / name)
    write_report(paths, report_of(name, batch))
    renderer.note(summary(batch))
    if not order.as_json:
        renderer.data(str(paths.report("html")))
    if batch.paused and batch.within("queued"):
        renderer.note(f"Paused. Go on with {again}.")
    _judge(name, batch, terms)


def terms_of(renderer: Renderer, settings: Settings, order: BatchOrder) -> Terms:
    """How books are run, as the settings and a command say."""
    return Terms(
        books=settings.batch.books,
        cap=order.max_cost,
        tries=settings.batch.max_tries,
        retry_seconds=settings.batch.retry_seconds,
        tell=lambda book, how: _tell(renderer, book, how, as_json=order.as_json),
        deadline=order.deadline,
    )


def writer_of(
    settings: Settings,
    shelf: Bookshelf,
    order: BatchOrder,
    environment: Mapping[str, str] | None = None,
) -> BookWriter:
    """Who writes the books of a batch.

    Args:
        settings: The settings in force for no book in particular.
        shelf: Where the books are.
        order: What a command asks.
        environment: Further variables of the books' processes.
    """
    more, end = environment or {}, None if order.together else order.deadline
    unknown = settings.budget.unknown_usd_per_million

    def minutes_of(book: Book) -> float | None:
        return minutes_for(book, settings.budget.max_minutes, end, utc_now())

    def process(how: RunCommand) -> BookProcess:
        return BookProcess(shelf.paths, shelf.begin, how, unknown, minutes_of)

    if not is_shared(settings):
        return process(RunCommand(("resume",), ("--no-input", "--json", *order.options), more))
    from libriscribe2.cli.batch_database import (  # noqa: PLC0415 - only a shared batch pays
        child_environment,
        travelling,
    )

    shared = ("--batch", shelf.batch, *order.options)
    how = RunCommand(("batch", "book"), shared, {**child_environment(settings), **more})
    return travelling(settings, process(how), shelf.batch)


def _judge(name: str, batch: Batch, terms: Terms) -> None:
    """End as the worst book did."""
    failed, stopped = batch.within("failed"), batch.within("stopped")
    if failed:
        raise IncompleteError(
            f"{counted(len(failed), 'book')} of {len(batch.books):,} could not be finished",
            why=f"{failed[0].row.place}, {failed[0].row.name!r}: {failed[0].last.what}",
            fix=f"See `libriscribe2 batch status --batch {name}`, mend it, then "
            f"`libriscribe2 batch retry --batch {name}`.",
        )
    if stopped:
        raise BudgetError(
            f"{counted(len(stopped), 'book')} of {len(batch.books):,} reached the budget",
            why=f"{stopped[0].row.place}, {stopped[0].row.name!r}: {stopped[0].last.what}",
            fix=f"`libriscribe2 batch retry --batch {name}`, then `libriscribe2 batch run "
            f"--batch {name}` with a higher --max-cost.",
        )
    left = batch.within("queued", "running")
    if left and terms.over:
        raise BudgetError(
            f"{counted(len(left), 'book')} of {len(batch.books):,} had to be left at the deadline",
            why=f"the first is {left[0].row.name!r}; what was made is kept",
            fix=f"Go on with `libriscribe2 batch run --batch {name}`.",
        )


def _tell(renderer: Renderer, book: Book, how: Ended | None, *, as_json: bool) -> None:
    """A book begins, or a run of it has ended."""
    if as_json:
        if how is not None:
            renderer.data(json.dumps(book_record(book), ensure_ascii=False))
        return
    name = book.row.name
    if how is None:
        late = f"; late: it is due {book.row.deadline}" if book.late else ""
        renderer.note(f"{name}: begins ({book.row.place}){late}")
    elif how.state == "done":
        sums = how.sums
        told = (
            f"{'late, ' if book.late else ''}{counted(sums.words, 'word')}, "
            f"{counted(sums.calls, 'call')}, {cost(sums.cost_usd)}"
        )
        renderer.note(f"{name}: done, {told}, {duration(book.times.seconds)}")
    else:
        told = f": {how.what}" if how.what else ""
        later = " and goes on later" if book.state == "queued" and how.what else ""
        renderer.warning(f"{name} ({book.row.place}): {book.state}{later}{told}")
