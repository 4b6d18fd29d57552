"""What a worker does with the database; each step is one transaction, and blocks for a moment.

A book has a claim exactly while it is `running`: both change together, in the batch's turn.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from libriscribe2.batch.grants import Wait, grant_for, reach, worth_another_run
from libriscribe2.batch.postgres.database import NUMBER, Database, here, newer_schema
from libriscribe2.batch.postgres.jobs import Beat, DatabaseLog, Jobs, Ticket
from libriscribe2.batch.progress import Batch, Book, Ended, ended, retried, started
from libriscribe2.batch.queue import LoggedBatch
from libriscribe2.batch.work import Terms, comes_late, next_try

WorkerState = Literal["working", "resting", "draining", "stopping"]


@dataclass(frozen=True, slots=True)
class Pace:
    """How a worker keeps in touch, in seconds.

    Attributes:
        heartbeat: Between two signs of life.
        stalled: Without a sign of life, after which a worker counts as dead.
        poll: Between two looks at the queue, where nothing else happens.
    """

    heartbeat: float = 10.0
    stalled: float = 30.0
    poll: float = 1.0


@dataclass(frozen=True, slots=True)
class Claim:
    """A book that this worker is to run.

    Attributes:
        ticket: The right to run it.
        book: The book.
        grant: The most that its cost may come to, in US dollars.
    """

    ticket: Ticket
    book: Book
    grant: float | None


class Exchange:
    """One worker's dealings with the database; every method may block and may lose it.

    Args:
        database: The database.
        terms: How books are run.
        pace: How the worker keeps in touch.
        only: Batches whose books it runs; None means all.
    """

    def __init__(
        self, database: Database, terms: Terms, pace: Pace, only: Sequence[str] | None
    ) -> None:
        self._database = database
        self._jobs = Jobs(database)
        self._terms = terms
        self._pace = pace
        self._only = only
        self._worker: int | None = None
        self._queues: dict[str, LoggedBatch] = {}

    def beat(self, state: WorkerState = "working", note: str = "") -> Beat:
        """Give a sign of life; a worker that was struck off is enlisted anew.

        Raises:
            NewerVersionError: A newer version has changed the tables meanwhile.
        """
        heard = None if self._worker is None else self._jobs.beat(self._worker, state, note)
        if heard is None:
            self._worker = self._jobs.enlist(self._terms.books)
            heard = self._jobs.beat(self._worker, state, note)
        assert heard is not None  # it was enlisted this moment
        if heard.schema > NUMBER:
            raise newer_schema(self._database.dsn, heard.schema)
        return heard

    def lost(self, mine: Collection[Ticket]) -> set[Ticket]:
        """Jobs that this worker should end: cancelled, or given to somebody else meanwhile."""
        with self._whole():
            gone = set(mine) - self._held()
            states = {ticket: self._book(ticket) for ticket in mine}
            return gone | {t for t, book in states.items() if book and book.state == "cancelled"}

    def left(
        self, mine: Collection[Ticket], *, own_only: bool = False
    ) -> list[tuple[Ticket, Book]]:
        """Jobs that nobody runs: begun here when the connection broke, or of dead workers.

        Args:
            mine: Jobs that this worker runs.
            own_only: Whether only those are wanted that this worker once began.
        """
        with self._whole():
            left = self._held() - set(mine) if own_only else self._left(mine)
            found = [(ticket, self._book(ticket)) for ticket in left]
            return [(ticket, book) for ticket, book in found if book is not None]

    def take_over(self, ticket: Ticket, mine: Collection[Ticket], how: Ended) -> None:
        """Let a job wait again that nobody runs, unless somebody was faster.

        A book whose runs all ended with their worker is not run for ever.
        """
        with self._turn(ticket.batch) as queue:
            if ticket not in self._left(mine):
                return
            book = queue.status().books[ticket.book]
            if book.state != "running":
                self._jobs.finish(ticket)
                return
            if ticket in self._held():  # nobody died: the answer to our claim was lost
                how = replace(how, cause="database", lost=False)
            else:
                self._jobs.end_holders(ticket)
            how, _ = next_try(book, how, self._terms)
            if how.state == "failed":
                how = replace(how, what="Its worker died each time")
            queue.note([ended(ticket.book, how)])
            if how.state == "queued":
                self._jobs.again(ticket, 0.0)
            else:
                self._jobs.finish(ticket)

    def claim(self, room: int = 1) -> Claim | None:
        """The next book that this worker may run, with its grant held back.

        Args:
            room: How many more books may begin here, this one included.
        """
        for batch in self._jobs.due(self._only):
            with self._turn(batch) as queue:
                claim = self._claim(queue, room)
            if claim is not None:
                return claim
        return None

    def settle(self, ticket: Ticket, how: Ended) -> Book | None:
        """Note how a run ended; None where the job was given to somebody else meanwhile."""
        with self._turn(ticket.batch) as queue:
            if ticket not in self._held():
                return None
            book = queue.status().books[ticket.book]
            how, pause = next_try(book, how, self._terms)
            if how.what:
                how = replace(how, why=f"{how.why} (on {here()})".strip())
            queue.note([ended(ticket.book, how)])
            book = queue.status().books[ticket.book]
            if book.state == "queued":
                self._jobs.again(ticket, pause)
            else:
                self._jobs.finish(ticket)
            _let_others_go_on(queue)
            return book

    def is_drained(self) -> bool:
        """Whether no book runs anywhere, and none waits that may begin."""
        return not self._jobs.open(self._only)

    def leave(self, note: str = "") -> None:
        """Strike this worker off; with a note, it stays listed as ended."""
        if self._worker is not None:
            self._jobs.leave(self._worker, note)
        self._database.close()

    def _claim(self, queue: LoggedBatch, room: int) -> Claim | None:
        assert self._worker is not None  # a heart beats before anything is claimed
        while not queue.status().paused:
            ticket = self._jobs.take(queue.name, self._worker)
            if ticket is None:
                return None
            batch = queue.status()
            book = batch.books.get(ticket.book)
            if book is None or book.state != "queued":  # of a batch that was forgotten, perhaps
                del self._queues[ticket.batch]
                queue = self._queue(ticket.batch)
                batch = queue.status()
                book = batch.books.get(ticket.book)
            if book is not None and book.state == "queued":
                short = reach(batch, book, self._terms.funding)
                if isinstance(short, Wait):
                    self._jobs.again(ticket, self._pace.poll)
                    return None
                if short is not None:
                    queue.note([ended(ticket.book, short)])
                    self._jobs.finish(ticket)
                    continue
                grant = grant_for(batch, book, room, self._terms.funding)
                late = comes_late(batch, book, self._terms.clock())
                journal = self._terms.journal
                queue.note([started(ticket.book, grant, late=late, journal=journal)])
                return Claim(ticket, queue.status().books[ticket.book], grant)
            self._jobs.finish(ticket)
        return None

    def _left(self, mine: Collection[Ticket]) -> set[Ticket]:
        """Jobs of dead workers, and our own that no process of ours runs."""
        found = {*self._jobs.left(self._pace.stalled), *self._held()} - set(mine)
        return {one for one in found if self._only is None or one.batch in self._only}

    def _held(self) -> set[Ticket]:
        return set() if self._worker is None else self._jobs.held(self._worker)

    def _book(self, ticket: Ticket) -> Book | None:
        return self._queue(ticket.batch).status().books.get(ticket.book)

    def _queue(self, batch: str) -> LoggedBatch:
        return self._queues.setdefault(
            batch, LoggedBatch(batch, DatabaseLog(self._database, batch))
        )

    @contextmanager
    def _turn(self, batch: str) -> Iterator[LoggedBatch]:
        with self._whole():
            queue = self._queue(batch)
            with queue.turn():
                yield queue

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """Forget what was read where the block fails: it may never have been stored."""
        try:
            yield
        except BaseException:
            self._queues.clear()
            raise


def _let_others_go_on(queue: LoggedBatch) -> None:
    """What the last books left over of the budget may be enough for one that was stopped."""
    batch: Batch = queue.status()
    if batch.cap is not None and not batch.within("queued", "running"):
        queue.note([retried(one) for one in worth_another_run(batch)])
