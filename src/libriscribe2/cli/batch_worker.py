"""`libriscribe2 batch worker`: the books of a database, together with other machines."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from libriscribe2.batch.postgres.exchange import Exchange
from libriscribe2.batch.postgres.worker import ELSEWHERE, Worker
from libriscribe2.batch.work import BookWriter
from libriscribe2.cli.batch_choice import Bookshelf
from libriscribe2.cli.batch_database import database_of, pace_of
from libriscribe2.cli.batch_run import BatchOrder, terms_of, writer_of
from libriscribe2.cli.interrupts import run_async
from libriscribe2.cli.render import Renderer
from libriscribe2.settings import Settings


@dataclass(frozen=True, slots=True)
class WorkerOrder:
    """What a command asks of a worker.

    Attributes:
        options: Options of every book's run.
        batches: The batches whose books it writes; None means all.
        drain: Whether it ends once no book runs anywhere and none waits.
        as_json: Whether every book's end goes to stdout, one JSON object per line.
        deadline: When it stops; None is never.
    """

    options: Sequence[str]
    batches: Sequence[str] | None
    drain: bool = False
    as_json: bool = False
    deadline: datetime | None = None


def run_worker(renderer: Renderer, settings: Settings, order: WorkerOrder) -> None:
    """Write books until nothing is left, or for ever.

    Raises:
        LibriScribeError: The database cannot be used.
        typer.Exit: The worker was interrupted.
    """
    told = BatchOrder(order.options, as_json=order.as_json, deadline=order.deadline)
    terms = replace(terms_of(renderer, settings, told), passing=ELSEWHERE)
    pace = pace_of(settings)
    batches = order.batches or None

    @cache
    def writer(batch: str) -> BookWriter:
        return writer_of(settings, Bookshelf(settings, batch), told)

    with closing(database_of(settings)) as database:
        renderer.note(f"worker of {database.dsn.shown}, {terms.books} at once")
        worker = Worker(
            Exchange(database, terms, pace, batches),
            writer,
            terms,
            pace,
            drain=order.drain,
            tell_lost=lambda error: renderer.warning(f"{error.what}: {error.why}; asking again."),
        )
        run_async(
            worker.run(), lambda: renderer.note("Stopped. Other workers go on with its books.")
        )
    if terms.over:
        renderer.note("The deadline was reached. Other workers go on with its books.")
