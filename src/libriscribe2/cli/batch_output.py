"""What `libriscribe2 batch` prints: rows, books, and how a batch stands."""

import json
import math
import os
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from libriscribe2.batch.batch_report import Figure, book_record, report_of
from libriscribe2.batch.progress import Batch, Book, Ended
from libriscribe2.batch.queue import BookQueue, Enqueued
from libriscribe2.batch.rows import Fault
from libriscribe2.batch.work import Listener
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.batches import Bookshelf, looks
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.observe.events import Event
from libriscribe2.observe.run_files import last_run
from libriscribe2.project.atomic import atomic_write
from libriscribe2.project.texts import iso_utc, utc_now
from libriscribe2.wording import cost, counted, duration, local_time

if TYPE_CHECKING:  # only a shared batch pays for its module
    from libriscribe2.commands.workers import Fetched


_LOGGED: Final = frozenset({"llm.call", "llm.wait", "stage.failed"})
"""What a worker's log says of the runs of its books."""


def tell_added(renderer: Renderer, name: str, found: Enqueued) -> None:
    """What was queued, or every fault."""
    if renderer.as_json:
        faults = [{"row": one.place, "why": one.why} for one in found.faults]
        known = {"added": list(found.added), "known": list(found.known), "faults": faults}
        renderer.data_json({"batch": name, **known})
        return
    for fault in found.faults:
        renderer.fault(f"{fault.place}: {fault.why}")
    if not found.faults:
        known_too = f", {len(found.known):,} already queued" if found.known else ""
        renderer.data(name)
        renderer.note(
            f"{counted(len(found.added), 'book')} queued{known_too}. "
            f"Write them with `libriscribe2 batch run --batch {name}`."
        )


def refused(source: Path, faults: Sequence[Fault]) -> UsageError:
    """The refusal of a file with rows at fault."""
    rows = len({fault.place for fault in faults})
    return UsageError(
        f"{counted(rows, 'row')} of {source} cannot be queued, so nothing was",
        fix="Correct the rows and add the file again; rows that are already queued are skipped.",
    )


def tell_paused(renderer: Renderer, queue: BookQueue, *, off: bool, shared: bool) -> None:
    """That no book of a batch begins, or that they begin again, and who begins them."""
    run = f"`libriscribe2 batch run --batch {queue.name}`"
    if not off:
        workers = f", or let workers do so by `libriscribe2 batch pause --batch {queue.name} --off`"
        renderer.note(f"Paused. Continue with {run}{workers if shared else ''}.")
    elif shared:
        renderer.note("No longer paused: workers continue it.")
    elif queue.is_running():
        renderer.note("No longer paused: books start again.")
    else:
        renderer.note(f"No longer paused. Continue with {run}.")


def tell_marked(renderer: Renderer, how: str, names: Sequence[str]) -> None:
    """Which books were marked."""
    if not renderer.told_json({"books": list(names)}):
        renderer.note(f"{counted(len(names), 'book')} {how}.")


async def tell_fetched(renderer: Renderer, fetching: AsyncIterator["Fetched"]) -> None:
    """Which books were fetched, as each is made.

    Raises:
        LibriScribeError: One could not be made; the others were.
    """
    made: list[str] = []
    errors: list[LibriScribeError] = []
    async for one in fetching:
        if one.error is not None:
            errors.append(one.error)
        elif one.path is None:
            renderer.note(f"{one.name}: its folder already exists; move it away to fetch it")
        else:
            made.append(one.name)
            if not renderer.as_json:
                renderer.data(str(one.path))
    tell_marked(renderer, "fetched", made)
    if errors:
        raise errors[0]


def tell_book(
    renderer: Renderer, book: Book, how: Ended | None, *, worker: Mapping[str, Any] | None = None
) -> None:
    """A book begins, or a run of it has ended.

    Args:
        renderer: Says it.
        book: The book.
        how: How its run ended; None where it begins.
        worker: Where it is written, for logs of several machines: their lines say that a book
            begins, too.
    """
    if renderer.as_json:
        if how is not None or worker is not None:
            event = {} if worker is None else {"event": "start" if how is None else "end", **worker}
            line = {**event, **book_record(book), **event}  # the worker's machine to the end
            renderer.data(json.dumps(line, ensure_ascii=False))
            sys.stdout.flush()  # a collector follows it line by line
        return
    name = book.row.name
    if how is None:
        late = f"; late, due {book.row.deadline}" if book.late else ""
        renderer.note(f"{name}: starts ({book.row.place}){late}")
    elif how.state == "done":
        sums = how.sums
        told = (
            f"{'late, ' if book.late else ''}{counted(sums.words, 'word')}, "
            f"{counted(sums.calls, 'call')}, {cost(sums.cost_usd)}"
        )
        renderer.note(f"{name}: done, {told}, {duration(book.times.seconds)}")
    else:
        told = f": {how.what}" if how.what else ""
        later = " and continues later" if book.state == "queued" and how.what else ""
        renderer.warning(f"{name} ({book.row.place}): {book.state}{later}{told}")


class WorkerTalk(Listener):
    """Says what a person at a worker should know.

    Args:
        renderer: Says it.
        health: The file that is written as a sign of life; None is none.

    Attributes:
        about: Which worker it is, for its lines of JSON.
    """

    def __init__(self, renderer: Renderer, health: Path | None = None) -> None:
        self.about: dict[str, Any] = {"machine": socket.gethostname(), "pid": os.getpid()}
        self._renderer = renderer
        self._health = health

    @override
    def enlisted(self, number: int) -> None:
        """The worker is listed under a number."""
        self.about["worker"] = number

    @override
    def told(self, book: str, event: Event) -> None:
        """The run of a book has told of something; calls and waits go into the log."""
        if self._renderer.as_json and event.event in _LOGGED:
            self._log(event.event, {"book": book, **event.model_dump(mode="json")})

    @override
    def alive(self, *, ready: bool, state: str, books: int) -> None:
        """The worker's loop turns; nothing is lost where the file cannot be written."""
        if self._health is not None:
            about = {"ready": ready, "state": state, "books": books, "at": iso_utc(utc_now())}
            with suppress(OSError):
                atomic_write(self._health, f"{json.dumps(about)}\n".encode(), durable=False)

    @override
    def lost(self, error: LibriScribeError) -> None:
        """The database has stopped to answer."""
        self.note(f"{error.what}: {error.why}; asking again.")

    @override
    def note(self, text: str) -> None:
        """Something else."""
        if self._renderer.as_json:
            self._log("warning", {"message": text})
        else:
            self._renderer.warning(text)

    def _log(self, event: str, record: Mapping[str, Any]) -> None:
        line = {**record, "event": event, **self.about}
        self._renderer.data(json.dumps(line, ensure_ascii=False))
        sys.stdout.flush()  # a collector follows it line by line


def tell_workers(
    renderer: Renderer, found: Sequence[Mapping[str, Any]], figures: Sequence[Figure]
) -> None:
    """The workers of a database, what to mend on which machine, and the figures of its queue."""
    if renderer.as_json:
        told = [{"name": one.name, "value": one.value, **one.about} for one in figures]
        renderer.data_json({"workers": list(found), "figures": told})
        return
    rows = [
        (
            one["id"],
            f"{one['host']}, pid {one['pid']}",
            one["program"],
            local_time(one["started"]),
            "draining" if one["drain"] and one["state"] == "working" else one["state"],
            f"{one['books']} of {one['slots']}",
            f"{duration(one['silent'])} ago",
            one["note"],
        )
        for one in found
    ]
    columns = ("worker", "machine", "version", "started", "state", "books", "heard", "why")
    renderer.table(columns, rows)


def show_status(renderer: Renderer, queue: BookQueue, shelf: Bookshelf) -> None:
    """Every book with its state and reason, once.

    Raises:
        LibriScribeError: The log cannot be read.
    """
    batch, running = queue.status(), queue.is_running()
    if renderer.as_json:
        record = report_of(queue.name, batch)
        renderer.data_json({**record, "running": running, "damaged_records": queue.damaged})
        return
    rows = [_row(book, shelf, running=running) for book in batch.books.values()]
    renderer.table(("book", "state", "words", "cost", "why", "command"), rows)
    renderer.note(summary(batch))
    if queue.damaged:
        renderer.warning(f"{counted(queue.damaged, 'line')} of its log cannot be read.")
    if not running and batch.within("queued", "running"):
        renderer.note(f"Continue with `libriscribe2 batch run --batch {queue.name}`.")


async def watch(renderer: Renderer, queue: BookQueue) -> None:
    """Print every change until nobody runs the books any more.

    Raises:
        LibriScribeError: The log cannot be read.
    """
    before = ""
    async for batch in looks(queue):
        line = json.dumps(_totals(queue, batch)) if renderer.as_json else summary(batch)
        if line != before:
            renderer.data(line)
            sys.stdout.flush()  # a reader follows it line by line
            before = line


def summary(batch: Batch) -> str:
    """The batch in one line: `3 of 10 done, 2 running, 5 queued, $1.20`."""
    counts = batch.counts()
    others = (f"{n:,} {state}" for state, n in counts.items() if n and state != "done")
    parts = [f"{counts['done']:,} of {counted(len(batch.books), 'book')} done", *others]
    paused = ["paused"] if batch.paused else []
    return ", ".join([*parts, cost(_cost(batch)), *paused])


def _cost(batch: Batch) -> float | None:
    costs = [book.last.sums.cost_usd for book in batch.books.values()]
    known = [one for one in costs if one is not None]
    return math.fsum(known) if len(known) == len(costs) else None


def _totals(queue: BookQueue, batch: Batch) -> dict[str, Any]:
    return {"batch": queue.name, "counts": batch.counts(), "cost_usd": _cost(batch)}


def _row(book: Book, shelf: Bookshelf, *, running: bool) -> tuple[object, ...]:
    record = book_record(book)
    why = ": ".join(part for part in (record["what"], record["why"]) if part)
    if book.state == "running":
        why = _where(book, shelf) if running else "its process is gone; `batch run` continues it"
    if record["late"]:
        why = "; ".join(part for part in (f"late, due {record['deadline']}", why) if part)
    return (
        book.row.name,
        book.state,
        record["words"],
        cost(record["cost_usd"]),
        why,
        record["command"],
    )


def _where(book: Book, shelf: Bookshelf) -> str:
    """On which machine a running book is, and at what."""
    machine = f"on {book.machine}" if book.machine else ""
    return ", ".join(part for part in (machine, _at(book, shelf)) if part)


def _at(book: Book, shelf: Bookshelf) -> str:
    """Where a running book is, by its own events."""
    events = last_run(shelf.paths(book.row.name).events)
    stages = [event for event in events if event.stage]
    if not stages:
        return ""
    chapter = f" {stages[-1].chapter}" if stages[-1].chapter is not None else ""
    return f"at {stages[-1].stage}{chapter}"
