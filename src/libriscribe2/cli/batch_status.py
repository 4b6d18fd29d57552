"""`libriscribe2 batch status`: how the books of a batch stand."""

import asyncio
import json
import math
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final

from libriscribe2.batch.batch_report import book_record, report_of
from libriscribe2.batch.queue import BookQueue
from libriscribe2.batch.state import Batch, Book
from libriscribe2.cli.batch_choice import Bookshelf
from libriscribe2.cli.interrupts import run_async
from libriscribe2.cli.render import Renderer
from libriscribe2.observe.event_file import last_run
from libriscribe2.wording import cost, counted

_LOOK_SECONDS: Final = 1.0

Sleep = Callable[[float], Awaitable[None]]


def show_status(renderer: Renderer, queue: BookQueue, shelf: Bookshelf, *, as_json: bool) -> None:
    """Every book with its state and reason, once.

    Raises:
        LibriScribeError: The log cannot be read.
    """
    batch, running = queue.status(), queue.is_running()
    if as_json:
        record = report_of(queue.name, batch)
        renderer.data_json({**record, "running": running, "damaged_records": queue.damaged})
        return
    rows = [_row(book, shelf, running=running) for book in batch.books.values()]
    renderer.table(("book", "state", "words", "cost", "why", "command"), rows)
    renderer.note(summary(batch))
    if queue.damaged:
        renderer.warning(f"{counted(queue.damaged, 'line')} of its log cannot be read.")
    if not running and batch.within("queued", "running"):
        renderer.note(f"Go on with `libriscribe2 batch run --batch {queue.name}`.")


def watch(
    renderer: Renderer,
    queue: BookQueue,
    *,
    as_json: bool,
    sleep: Sleep = asyncio.sleep,  # noqa: TID251 - the real clock
) -> None:
    """Tell every change until nobody runs the books any more.

    Raises:
        LibriScribeError: The log cannot be read.
        typer.Exit: Ctrl-C.
    """

    async def follow() -> None:
        told = ""
        while True:
            running = queue.is_running()
            batch = queue.status()
            line = json.dumps(_totals(queue, batch)) if as_json else summary(batch)
            if line != told:
                renderer.data(line)
                sys.stdout.flush()  # a reader follows it line by line
                told = line
            if not running:
                return
            await sleep(_LOOK_SECONDS)

    run_async(follow(), lambda: None)


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
        why = _at(book, shelf) if running else "its process is gone; `batch run` goes on"
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


def _at(book: Book, shelf: Bookshelf) -> str:
    """Where a running book is, by its own events."""
    events = last_run(shelf.paths(book.row.name).events)
    stages = [event for event in events if event.stage]
    if not stages:
        return ""
    chapter = f" {stages[-1].chapter}" if stages[-1].chapter is not None else ""
    return f"at {stages[-1].stage}{chapter}"
