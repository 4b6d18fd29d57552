"""A worker on a queue in the database."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, ParamSpec, Protocol, TypeVar

from typing_extensions import override

from libriscribe2.batch.postgres.database import NUMBER, Database, DatabaseLostError, Dsn
from libriscribe2.batch.postgres.exchange import Claim, Exchange, Pace, WorkerState
from libriscribe2.batch.postgres.jobs import Beat, DatabaseLog, Jobs, Ticket
from libriscribe2.batch.progress import Book, Cause, Ended
from libriscribe2.batch.queue import BookQueue
from libriscribe2.batch.work import BookWriter, Fitness, Terms, not_begun
from libriscribe2.errors import EXIT_INTERRUPTED, LibriScribeError, NewerVersionError

P = ParamSpec("P")
T = TypeVar("T")

_LONGEST_SILENCE: Final = 10.0
_NEWER: Final = "books wait that only a newer version of libriscribe2 can write"


class Listener(Protocol):
    """Hears what a person at the worker should know."""

    def lost(self, error: DatabaseLostError) -> None:
        """The database has stopped to answer."""

    def note(self, text: str) -> None:
        """Something else."""

    def alive(self, *, ready: bool, state: str, books: int) -> None:
        """The worker is not stuck; `ready` where it can write books just now."""


class Nobody:
    """Hears it and says nothing."""

    def lost(self, error: DatabaseLostError) -> None:
        """The database has stopped to answer."""

    def note(self, text: str) -> None:
        """Something else."""

    def alive(self, *, ready: bool, state: str, books: int) -> None:
        """The worker is not stuck; `ready` where it can write books just now."""


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
        listener: Hears what a person should know.
    """

    def __init__(
        self,
        exchange: Exchange,
        writer_of: Callable[[str], BookWriter],
        terms: Terms,
        pace: Pace,
        *,
        drain: bool,
        listener: Listener,
    ) -> None:
        self._exchange = exchange
        self._writer_of = writer_of
        self._terms = terms
        self._pace = pace
        self._drain = drain
        self._listener = listener
        self._under_way: dict[Ticket, asyncio.Task[Ended]] = {}
        self._books: dict[Ticket, Book] = {}
        self._fitness = Fitness(terms)
        self._next_beat = 0.0
        self._next_look = 0.0
        self._next_sign = 0.0
        self._judges_from = 0.0
        self._silences = 0
        self._heard = Beat(drain=False, schema=NUMBER, newer=False)

    async def run(self) -> None:
        """Run books.

        Raises:
            LibriScribeError: The database refuses, a newer version has changed it, or this machine
                cannot write books (`Fitness`); books that ran are stopped resumably.
        """
        last = ""
        try:
            while await self._goes_on():
                await self._wait()
        except LibriScribeError as error:
            last = f"{error.what}: {error.fix}" if error.fix else error.what
            raise
        finally:
            await self._stop(last)

    async def _goes_on(self) -> bool:
        """One look at everything; whether there is another one."""
        try:
            await self._keep_in_touch()
            await self._settle()
            await self._begin()
            over = not self._under_way and (
                self._terms.over
                or self._heard.drain
                or (self._drain and await _aside(self._exchange.is_drained))
            )
        except DatabaseLostError as error:
            if not self._silences:
                self._listener.lost(error)
            self._silences += 1
            # The others were cut off, too: they have to have had time for a sign of life.
            self._judges_from = self._terms.now() + self._pace.stalled
            return True
        self._silences = 0
        return not over

    async def _keep_in_touch(self) -> None:
        """Give signs of life, end what is not ours any more, take over what nobody runs."""
        now = self._terms.now()
        if now >= self._next_beat:
            await self._beat()
            self._next_beat = now + self._pace.heartbeat
            for ticket, book in await self._left(now):
                # Its worker died, and it may be the book that killed it.
                how = replace(await self._outside(ticket, book, "book"), lost=True)
                await _aside(self._exchange.take_over, ticket, set(self._under_way), how)
        if self._under_way and now >= self._next_look:
            self._next_look = now + self._pace.poll
            for ticket in await _aside(self._exchange.lost, set(self._under_way)):
                if not self._under_way[ticket].cancelling():
                    self._under_way[ticket].cancel()

    async def _left(self, now: float) -> list[tuple[Ticket, Book]]:
        return await _aside(
            self._exchange.left, set(self._under_way), own_only=now < self._judges_from
        )

    async def _beat(self, state: WorkerState | None = None) -> None:
        """Give a sign of life that says how this worker is."""
        fault, newer = self._fitness.fault, self._heard.newer
        note = f"{fault.what}: {fault.fix}" if fault is not None else _NEWER if newer else ""
        self._heard = await _aside(self._exchange.beat, state or self._state(), note)
        if self._heard.newer and not newer:
            self._listener.note(f"{_NEWER[0].upper()}{_NEWER[1:]}; this one leaves them alone.")

    def _state(self) -> WorkerState:
        if self._heard.drain:
            return "draining"
        return "resting" if self._terms.now() < self._fitness.rests_until else "working"

    async def _settle(self) -> None:
        """Note how the runs ended that have ended."""
        for ticket in [ticket for ticket, task in self._under_way.items() if task.done()]:
            how = await self._outcome(ticket)
            book = await _aside(self._exchange.settle, ticket, how)
            self._forget(ticket)
            if book is not None:
                self._terms.tell(book, book.last)
                self._next_beat = 0.0 if book.last.cause == "machine" else self._next_beat
                self._fitness.heed(book.last)

    async def _begin(self) -> None:
        """Begin as many books as there are and as there is room for."""
        while (room := self._terms.books - len(self._under_way)) > 0 and self._may_begin():
            claim = await _aside(self._exchange.claim, room)
            if claim is None:
                return
            self._start(claim)

    def _may_begin(self) -> bool:
        leaves = self._terms.over or self._heard.drain
        return not leaves and self._terms.now() >= self._fitness.rests_until

    def _start(self, claim: Claim) -> None:
        self._books[claim.ticket] = claim.book
        self._terms.tell(claim.book, None)
        writer = self._writer_of(claim.ticket.batch)
        writing = writer.write(claim.book, claim.grant)
        self._under_way[claim.ticket] = asyncio.create_task(writing)

    async def _wait(self) -> None:
        """Until a book's run has ended, or it is time to look at the queue."""
        now = self._terms.now()
        if now >= self._next_sign:
            self._next_sign = now + self._pace.heartbeat
            state = "waiting for the database" if self._silences else self._state()
            books = len(self._under_way)
            self._listener.alive(ready=state == "working", state=state, books=books)
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

    async def _stop(self, last: str) -> None:
        """End the runs that are under way, and leave their books to others.

        Args:
            last: What stays listed of this worker; nothing where all is well.
        """
        for task in self._under_way.values():
            if not task.cancelling():
                task.cancel()
        with suppress(asyncio.CancelledError):  # a second signal: there is no more time
            await self._let_end()
        # A process that has not ended yet holds its book's lock, so nobody pays beside it. Where
        # the database is gone or of a newer version, others find out by the missing heartbeat.
        with suppress(LibriScribeError):
            for ticket in list(self._under_way):
                over = self._under_way[ticket].done()
                how = await (
                    self._outcome(ticket) if over else self._outside(ticket, self._books[ticket])
                )
                await _aside(self._exchange.settle, ticket, how)
                self._forget(ticket)
            await _aside(self._exchange.leave, last)

    async def _let_end(self) -> None:
        """Wait for the runs as long as they may take, and stay alive for the others meanwhile."""
        until = self._terms.now() + self._terms.stop_seconds
        while (left := until - self._terms.now()) > 0 and (runs := self._running()):
            await asyncio.wait(runs, timeout=min(left, self._pace.heartbeat))
            if self._running():
                with suppress(DatabaseLostError, NewerVersionError):
                    await self._beat("stopping")

    def _running(self) -> list[asyncio.Task[Ended]]:
        return [task for task in self._under_way.values() if not task.done()]

    def _forget(self, ticket: Ticket) -> None:
        del self._under_way[ticket], self._books[ticket]


async def _aside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do what blocks without keeping the loop."""
    return await asyncio.to_thread(work, *args, **kwargs)


class DatabaseQueue(BookQueue):
    """A batch that several machines work on.

    Args:
        database: Where it is, with its tables (`ensure_schema`).
        name: The name of the batch, which need not be there yet.
        pace: How workers keep in touch.
        listener: Hears what a person should know while books are run.
    """

    def __init__(
        self,
        database: Database,
        name: str,
        pace: Pace | None = None,
        listener: Listener | None = None,
    ) -> None:
        super().__init__(name, DatabaseLog(database, name))
        self._database = database
        self._pace = pace if pace is not None else Pace()
        self._listener = listener if listener is not None else Nobody()

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
            listener=self._listener,
        ).run()

    @override
    def is_running(self) -> bool:
        """Whether any worker of the database is alive."""
        return Jobs(self._database).anyone(self._pace.stalled)

    @override
    def close(self) -> None:
        """Let go of the connection; it is made again when it is wanted."""
        self._database.close()
