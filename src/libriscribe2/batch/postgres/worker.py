"""A worker on a queue in the database."""

import asyncio
from asyncio import to_thread
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from typing_extensions import override

from libriscribe2.batch.postgres.database import Database, DatabaseLostError
from libriscribe2.batch.postgres.exchange import (
    Beat,
    DatabaseLog,
    Exchange,
    Pace,
    Ticket,
    WorkerState,
)
from libriscribe2.batch.progress import Book, Ended
from libriscribe2.batch.queue import BookQueue
from libriscribe2.batch.work import BookWriter, Fitness, Terms, outcome, outside, until_one_ends
from libriscribe2.errors import LibriScribeError, NewerVersionError
from libriscribe2.project.texts import iso_utc

_LONGEST_SILENCE: Final = 10.0
_NEWER: Final = "books wait that only a newer version of libriscribe2 can write"


class Worker:
    """Runs books until it is cancelled, or until nothing is left to be run.

    A database that is gone for a while ends nothing: the worker asks again until it answers, and
    then notes what ended meanwhile.

    Args:
        exchange: The way to the database.
        writer_of: Who writes the books of a batch.
        drain: Whether to end once no book runs anywhere and none waits.
    """

    def __init__(
        self, exchange: Exchange, writer_of: Callable[[str], BookWriter], *, drain: bool
    ) -> None:
        self._exchange = exchange
        self._writer_of = writer_of
        self._terms = exchange.terms
        self._pace = exchange.pace
        self._drain = drain
        self._listener = exchange.terms.listener
        self._under_way: dict[Ticket, tuple[Book, asyncio.Task[Ended]]] = {}
        self._fitness = Fitness(exchange.terms)
        self._next_beat = self._next_look = self._next_sign = self._judges_from = 0.0
        self._silences = 0
        self._heard = Beat()

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
                self._leaves() or (self._drain and await to_thread(self._exchange.is_drained))
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

    def _leaves(self) -> bool:
        """Whether no further book begins here."""
        return self._terms.over or self._heard.drain

    async def _keep_in_touch(self) -> None:
        """Give signs of life, end what is not ours any more, take over what nobody runs."""
        now, mine = self._terms.now(), set(self._under_way)
        if now >= self._next_beat:
            await self._beat()
            self._next_beat = now + self._pace.heartbeat
            own_only = now < self._judges_from
            for ticket, book in await to_thread(self._exchange.left, mine, own_only=own_only):
                # Its worker died, and it may be the book that killed it.
                how = await outside(self._writer_of(ticket.batch), book, "book")
                await to_thread(self._exchange.take_over, ticket, mine, replace(how, lost=True))
        if mine and now >= self._next_look:
            self._next_look = now + self._pace.poll
            for ticket in await to_thread(self._exchange.lost, mine):
                _end(self._under_way[ticket][1])

    async def _beat(self, state: WorkerState | None = None) -> None:
        """Give a sign of life that says how this worker is."""
        fault, newer = self._fitness.fault, self._heard.newer
        note = f"{fault.what}: {fault.fix}" if fault is not None else _NEWER if newer else ""
        self._heard = await to_thread(self._exchange.beat, state or self._state(), note)
        if self._heard.newer and not newer:
            self._listener.note(f"{_NEWER[0].upper()}{_NEWER[1:]}; this one leaves them alone.")

    def _state(self) -> WorkerState:
        if self._heard.drain:
            return "draining"
        return "resting" if self._terms.now() < self._fitness.rests_until else "working"

    async def _settle(self) -> None:
        """Note how the runs ended that have ended."""
        for ticket, (begun, task) in list(self._under_way.items()):
            if not task.done():
                continue
            how = await outcome(task, self._writer_of(ticket.batch), begun)
            book = await to_thread(self._exchange.settle, ticket, how)
            del self._under_way[ticket]
            if book is None:
                self._listener.note(f"{ticket.book}: it is no longer this worker's book")
            else:
                self._terms.tell(book, book.last)
                self._next_beat = 0.0 if book.last.cause == "machine" else self._next_beat
                self._fitness.heed(book.last)

    async def _begin(self) -> None:
        """Begin as many books as there are and as there is room for."""
        while (room := self._terms.books - len(self._under_way)) > 0:
            if self._leaves() or self._terms.now() < self._fitness.rests_until:
                return
            claim = await to_thread(self._exchange.claim, room)
            if claim is None:
                return
            self._terms.tell(claim.book, None)
            writing = self._writer_of(claim.ticket.batch).write(claim.book, claim.grant)
            self._under_way[claim.ticket] = claim.book, asyncio.create_task(writing)

    async def _wait(self) -> None:
        """Until a book's run has ended, or it is time to look at the queue."""
        now = self._terms.now()
        if now >= self._next_sign:
            self._next_sign = now + self._pace.heartbeat
            state = "waiting for the database" if self._silences else self._state()
            books = len(self._under_way)
            self._listener.alive(ready=state == "working", state=state, books=books)
        silence = min(_LONGEST_SILENCE, self._pace.poll * 2**self._silences)
        await until_one_ends(() if self._silences else self._tasks(), self._terms.sleep, silence)

    async def _stop(self, last: str) -> None:
        """End the runs that are under way, and leave their books to others.

        Args:
            last: What stays listed of this worker; nothing where all is well.
        """
        for task in self._tasks():
            _end(task)
        try:
            await self._let_end()
        except asyncio.CancelledError:  # a second signal: there is no more time
            for task in (runs := self._tasks()):
                task.cancel()
            if runs:
                await asyncio.wait(runs)
        # A process that has not ended yet holds its book's lock, so nobody pays beside it. Where
        # the database is gone or of a newer version, others find out by the missing heartbeat.
        with suppress(LibriScribeError):
            while self._under_way:
                ticket, (book, task) = self._under_way.popitem()
                writer = self._writer_of(ticket.batch)
                ends = outcome(task, writer, book) if task.done() else outside(writer, book)
                await to_thread(self._exchange.settle, ticket, await ends)
            await to_thread(self._exchange.leave, last)

    async def _let_end(self) -> None:
        """Wait for the runs as long as they may take, and stay alive for the others meanwhile."""
        until = self._terms.now() + self._terms.stop_seconds
        runs = self._tasks()
        while runs and (left := until - self._terms.now()) > 0:
            _, runs = await asyncio.wait(runs, timeout=min(left, self._pace.heartbeat))
            with suppress(DatabaseLostError, NewerVersionError):
                await self._beat("stopping")

    def _tasks(self) -> set[asyncio.Task[Ended]]:
        return {task for _, task in self._under_way.values()}


def _end(task: asyncio.Task[Ended]) -> None:
    """Have a run end; it must not be told twice."""
    if not task.cancelling():
        task.cancel()


class DatabaseQueue(BookQueue):
    """A batch that several machines work on.

    Args:
        database: Where it is, with its tables (`ensure_schema`).
        name: The name of the batch, which need not be there yet.
        pace: How workers keep in touch.
    """

    def __init__(self, database: Database, name: str, pace: Pace | None = None) -> None:
        super().__init__(name, DatabaseLog(database, name))
        self._database = database
        self._pace = pace if pace is not None else Pace()

    @override
    async def work(self, writer: BookWriter, terms: Terms) -> None:
        """Run books until none of the batch runs anywhere and none waits, or it is paused.

        Raises:
            LibriScribeError: The database refuses.
        """
        self.go(terms)
        exchange = Exchange(self._database, terms, self._pace, [self.name])
        await Worker(exchange, lambda _batch: writer, drain=True).run()

    @override
    def is_running(self) -> bool:
        """Whether any worker of the database is alive."""
        found = workers(self._database, self._pace.stalled)
        return any(one["state"] not in {"silent", "ended"} for one in found)

    @override
    def close(self) -> None:
        """Let go of the connection; it is made again when it is wanted."""
        self._database.close()


_WORKERS: Final = """
    select id, host, pid, program, slots, note, drain, began as started,
        extract(epoch from now() - began)::float8 as age,
        extract(epoch from now() - beat)::float8 as silent, case
            when state <> 'ended' and beat < now() - make_interval(secs => %s) then 'silent'
            else state end as state,
        (select count(*) from libriscribe2_jobs where worker = id) as books
    from libriscribe2_workers where beat > '-infinity' order by id
"""
_DRAIN: Final = """
    update libriscribe2_workers set drain = true
    where state <> 'ended' and (id::text = %(name)s or host = %(name)s) returning id
"""


def workers(database: Database, stalled_seconds: float) -> list[dict[str, Any]]:
    """All workers, as they are listed; those that have ended with a note for a day."""
    found = database.rows(_WORKERS, (stalled_seconds,))
    return [{**row, "started": iso_utc(row["started"])} for row in found]


def drain(database: Database, name: str) -> list[int]:
    """Have workers end once their books have ended, by number or host; their numbers."""
    return [row["id"] for row in database.rows(_DRAIN, {"name": name})]
