"""A worker on a queue in the database."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, ParamSpec, TypeVar

from typing_extensions import override

from libriscribe2.batch.postgres.database import Database, DatabaseLostError, Dsn
from libriscribe2.batch.postgres.exchange import Claim, Exchange, Pace
from libriscribe2.batch.postgres.jobs import DatabaseLog, Jobs, Ticket
from libriscribe2.batch.progress import Book, Cause, Ended
from libriscribe2.batch.queue import BookQueue
from libriscribe2.batch.work import BookWriter, Fitness, Terms, not_begun
from libriscribe2.errors import EXIT_INTERRUPTED, LibriScribeError

P = ParamSpec("P")
T = TypeVar("T")

_LONGEST_SILENCE: Final = 10.0
_LONGEST_END: Final = 0.5
"""Seconds for which a worker that is stopped waits for its books: a signal leaves it little more."""


class Worker:
    """Runs books until it is cancelled, or until nothing is left to be run.

    A database that is gone for a while ends nothing: the worker asks again until it answers, and
    then notes what ended meanwhile.

    Args:
        exchange: The way to the database.
        writer_of: Who writes the books of a batch.
        terms: How.
        pace: How the worker keeps in touch.
        drain: Whether to end once no book runs anywhere and none waits.
        tell_lost: Hears of each time that the database stops to answer.
    """

    def __init__(
        self,
        exchange: Exchange,
        writer_of: Callable[[str], BookWriter],
        terms: Terms,
        pace: Pace,
        *,
        drain: bool,
        tell_lost: Callable[[DatabaseLostError], None],
    ) -> None:
        self._exchange = exchange
        self._writer_of = writer_of
        self._terms = terms
        self._pace = pace
        self._drain = drain
        self._tell_lost = tell_lost
        self._under_way: dict[Ticket, asyncio.Future[Ended]] = {}
        self._books: dict[Ticket, Book] = {}
        self._next_beat = 0.0
        self._next_look = 0.0
        self._fitness = Fitness(terms)
        self._silences = 0

    async def run(self) -> None:
        """Run books.

        Raises:
            LibriScribeError: The database refuses; books that ran are stopped resumably.
        """
        try:
            while await self._goes_on():
                await self._wait()
        finally:
            await self._stop()

    async def _goes_on(self) -> bool:
        """One look at everything; whether there is another one."""
        try:
            await self._keep_in_touch()
            await self._settle()
            await self._begin()
            over = not self._under_way and (
                self._terms.over or (self._drain and await _aside(self._exchange.is_drained))
            )
        except DatabaseLostError as error:
            if not self._silences:
                self._tell_lost(error)
            self._silences += 1
            return True
        self._silences = 0
        return not over

    async def _keep_in_touch(self) -> None:
        """Give signs of life, end what is not ours any more, take over what nobody runs."""
        now = self._terms.now()
        if now >= self._next_beat:
            await _aside(self._exchange.beat)
            self._next_beat = now + self._pace.heartbeat
            for ticket, book in await _aside(self._exchange.left, set(self._under_way)):
                # Its worker died, and it may be the book that killed it.
                how = replace(await self._outside(ticket, book, "book"), lost=True)
                await _aside(self._exchange.take_over, ticket, set(self._under_way), how)
        if self._under_way and now >= self._next_look:
            self._next_look = now + self._pace.poll
            for ticket in await _aside(self._exchange.lost, set(self._under_way)):
                self._under_way[ticket].cancel()

    async def _settle(self) -> None:
        """Note how the runs ended that have ended."""
        for ticket in [ticket for ticket, task in self._under_way.items() if task.done()]:
            how = await self._outcome(ticket)
            book = await _aside(self._exchange.settle, ticket, how)
            self._forget(ticket)
            if book is not None:
                self._terms.tell(book, book.last)
                self._fitness.heed(book.last)

    async def _begin(self) -> None:
        """Begin as many books as there are and as there is room for."""
        while (room := self._terms.books - len(self._under_way)) > 0 and self._may_begin():
            claim = await _aside(self._exchange.claim, room)
            if claim is None:
                return
            self._start(claim)

    def _may_begin(self) -> bool:
        return not self._terms.over and self._terms.now() >= self._fitness.rests_until

    def _start(self, claim: Claim) -> None:
        self._books[claim.ticket] = claim.book
        self._terms.tell(claim.book, None)
        writing = self._writer_of(claim.ticket.batch).write(claim.book, claim.grant)
        self._under_way[claim.ticket] = asyncio.ensure_future(writing)

    async def _wait(self) -> None:
        """Until a book's run has ended, or it is time to look at the queue."""
        silence = min(_LONGEST_SILENCE, self._pace.poll * 2**self._silences)
        tick = asyncio.ensure_future(self._terms.sleep(silence))
        runs = () if self._silences else self._under_way.values()
        waited: set[asyncio.Future[Any]] = {tick, *runs}
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            tick.cancel()

    async def _outcome(self, ticket: Ticket) -> Ended:
        """How a run ended that has ended, in whatever way."""
        task, book = self._under_way[ticket], self._books[ticket]
        if task.cancelled():
            return await self._outside(ticket, book)
        error = task.exception()
        if not isinstance(error, LibriScribeError):
            return task.result()
        return await not_begun(self._writer_of(ticket.batch), book, error)

    async def _outside(self, ticket: Ticket, book: Book, cause: Cause = "operator") -> Ended:
        """A run was ended from outside; the book goes on another time.

        Its cost is never taken for less than before: its folder may be on another machine.
        """
        sums = await self._writer_of(ticket.batch).sums(book)
        known = max(sums.possible_usd, book.last.sums.possible_usd)
        sums = sums.model_copy(update={"possible_usd": known})
        return Ended("queued", EXIT_INTERRUPTED, sums=sums, cause=cause)

    async def _stop(self) -> None:
        """End the runs that are under way, and leave their books to others."""
        for task in self._under_way.values():
            task.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way.values(), timeout=_LONGEST_END)
        # A process that has not ended yet holds its book's lock, so nobody pays beside it. Where
        # the database is gone, others find out by the missing heartbeat.
        with suppress(DatabaseLostError):
            for ticket in list(self._under_way):
                over = self._under_way[ticket].done()
                how = await (
                    self._outcome(ticket) if over else self._outside(ticket, self._books[ticket])
                )
                await _aside(self._exchange.settle, ticket, how)
                self._forget(ticket)
            await _aside(self._exchange.leave)

    def _forget(self, ticket: Ticket) -> None:
        del self._under_way[ticket], self._books[ticket]


async def _aside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do what blocks without keeping the loop."""
    return await asyncio.to_thread(work, *args, **kwargs)


def no_lost(_error: DatabaseLostError) -> None:
    """Nobody is told."""


class DatabaseQueue(BookQueue):
    """A batch that several machines work on.

    Args:
        database: Where it is, with its tables (`ensure_schema`).
        name: The name of the batch, which need not be there yet.
        pace: How workers keep in touch.
        tell_lost: Hears when the database stops to answer while books are run.
    """

    def __init__(
        self,
        database: Database,
        name: str,
        pace: Pace | None = None,
        tell_lost: Callable[[DatabaseLostError], None] = no_lost,
    ) -> None:
        super().__init__(name, DatabaseLog(database, name))
        self._database = database
        self._pace = pace if pace is not None else Pace()
        self._tell_lost = tell_lost

    @property
    def dsn(self) -> Dsn:
        """Where the batch is."""
        return self._database.dsn

    @override
    async def work(self, writer: BookWriter, terms: Terms) -> None:
        """Run books until none of the batch runs anywhere and none waits, or it is paused.

        Raises:
            LibriScribeError: The database refuses.
        """
        self.go(terms)
        exchange = Exchange(self._database, terms, self._pace, [self.name])
        await Worker(
            exchange,
            lambda _batch: writer,
            terms,
            self._pace,
            drain=True,
            tell_lost=self._tell_lost,
        ).run()

    @override
    def is_running(self) -> bool:
        """Whether any worker of the database is alive."""
        return Jobs(self._database).anyone(self._pace.stalled)

    @override
    def close(self) -> None:
        """Let go of the connection; it is made again when it is wanted."""
        self._database.close()
