"""Workers on shared batches: each takes the next book of the database and writes it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from libriscribe2.batch.postgres.database import Database, DatabaseLostError
from libriscribe2.batch.postgres.exchange import Exchange
from libriscribe2.batch.postgres.worker import ELSEWHERE, Worker
from libriscribe2.batch.state import Book, Ended
from libriscribe2.batch.work import BookWriter
from libriscribe2.commands.batches import BatchOrder, Bookshelf, terms_of, writer_of
from libriscribe2.commands.shared_batches import pace_of
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.settings import Settings


@dataclass(frozen=True, slots=True)
class WorkerOrder(BatchOrder):
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
    order: WorkerOrder,
    tell: Callable[[Book, Ended | None], None],
    tell_lost: Callable[[DatabaseLostError], None],
) -> bool:
    """Write books of all batches, together with other machines.

    Args:
        database: The database.
        settings: The settings in force for no book in particular.
        choice: The model of books that name none.
        order: What a command asks.
        tell: Hears of each book that begins (None) or whose run has ended.
        tell_lost: Hears that the database does not answer.

    Returns:
        Whether it was the deadline that ended it.

    Raises:
        LibriScribeError: The database cannot be used.
    """
    terms = replace(terms_of(settings, order, tell), passing=ELSEWHERE)
    pace, writers = pace_of(settings), dict[str, BookWriter]()

    def writer(batch: str) -> BookWriter:
        if batch not in writers:
            writers[batch] = writer_of(settings, Bookshelf(settings, batch), choice, order)
        return writers[batch]

    exchange = Exchange(database, terms, pace, order.batches or None)
    await Worker(exchange, writer, terms, pace, drain=order.drain, tell_lost=tell_lost).run()
    return terms.over
