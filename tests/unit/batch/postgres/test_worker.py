"""A worker's end: it waits for nobody, and leaves its books to others."""

import asyncio
from contextlib import closing

import pytest
from tests.support.book_writers import Writer, done
from typing_extensions import override

from libriscribe2.batch.postgres.database import Database, Dsn, ensure_schema
from libriscribe2.batch.postgres.exchange import Pace
from libriscribe2.batch.postgres.worker import DatabaseQueue
from libriscribe2.batch.progress import Book, Ended, Sums
from libriscribe2.batch.rows import Row
from libriscribe2.batch.work import Listener, Terms

PACE = Pace(heartbeat=0.1, stalled=30.0, poll=0.02)

pytestmark = pytest.mark.postgres


class Stubborn:
    """Begins a book, and does not end it when it is told to."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.ends = asyncio.Event()

    async def write(self, book: Book, grant: float | None) -> Ended:
        self.began.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await self.ends.wait()
        return Ended("queued", 130)

    async def sums(self, book: Book) -> Sums:
        return Sums(possible_usd=0.5)


class Notes(Listener):
    """Keeps what it hears."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    @override
    def note(self, text: str) -> None:
        self.texts.append(text)


def queue_on(dsn: str) -> DatabaseQueue:
    database = Database(Dsn(dsn))
    ensure_schema(database)
    return DatabaseQueue(database, "batch", PACE)


async def test_a_worker_that_is_stopped_gives_its_books_back_at_once(dsn: str) -> None:
    with closing(queue_on(dsn)) as queue, closing(queue_on(dsn)) as other:
        queue.enqueue([Row("a", "row", {"premise": "x"})], lambda _name: False)
        writer = Stubborn()
        working = asyncio.ensure_future(queue.work(writer, Terms()))
        await asyncio.wait_for(writer.began.wait(), 10)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(working, 10)
        book = other.status().books["a"]
        assert (book.state, book.last.sums.possible_usd) == ("queued", 0.5)
        assert not other.is_running()
        await other.work(Writer(lambda *_: done()), Terms())
        assert other.status().books["a"].state == "done"
        writer.ends.set()


async def test_a_worker_says_which_book_is_no_longer_its_own(dsn: str) -> None:
    with closing(queue_on(dsn)) as queue, closing(queue_on(dsn)) as other:
        queue.enqueue([Row("a", "row", {"premise": "x"})], lambda _name: False)
        writer, notes = Stubborn(), Notes()
        working = asyncio.ensure_future(queue.work(writer, Terms(listener=notes)))
        await asyncio.wait_for(writer.began.wait(), 10)
        writer.began.clear()
        writer.ends.set()
        other.cancel(["a"])
        other.retry(["a"])  # its next run is another one
        await asyncio.wait_for(writer.began.wait(), 10)
        assert notes.texts == ["a: it is no longer this worker's book"]
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(working, 10)
