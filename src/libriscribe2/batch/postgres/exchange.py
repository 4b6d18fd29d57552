"""The log of a batch in the database, and what a worker does there.

Each step of a worker is one transaction, and blocks for a moment.

A book has a claim exactly while it is `running`: both change together, in the batch's turn.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, Literal

from psycopg.types.json import Jsonb

from libriscribe2 import __version__
from libriscribe2.batch.grants import Wait, grant_for, reach, worth_another_run
from libriscribe2.batch.postgres.database import HOLDERS, NUMBER, Database, here, newer_schema
from libriscribe2.batch.progress import Batch, Book, Ended, ended, retried, started
from libriscribe2.batch.queue import LoggedBatch
from libriscribe2.batch.rows import PAYLOAD
from libriscribe2.batch.work import Terms, comes_late, next_try
from libriscribe2.project.records import Record
from libriscribe2.project.texts import iso_utc, utc_now

_QUEUE: Final = """
    insert into libriscribe2_jobs (batch, book, due, payload) select %s, book, due, payload
    from unnest(%s::text[], %s::timestamptz[], %s::integer[]) with ordinality
        as one (book, due, payload, place) order by place
    on conflict (batch, book) do update set due = excluded.due, payload = excluded.payload,
        not_before = '-infinity', worker = null, claim = null
"""
_CANCEL: Final = """
    delete from libriscribe2_jobs where batch = %s and book = any(%s) and worker is null
"""
_TURN: Final = "select 1 from libriscribe2_batches where name = %s for update"
_NEWS: Final = """
    select number, record from libriscribe2_log where batch = %s and number > %s order by number
"""
_ADD: Final = """
    insert into libriscribe2_log (batch, record)
    select %s, record from unnest(%s::jsonb[]) with ordinality as one (record, place) order by place
"""
_ELSEWHERE: Final = """
    select record ->> 'book' as book, batch from libriscribe2_log
    where record ->> 't' = 'add' and batch <> %s
        and lower(record ->> 'book') = any(select lower(name) from unnest(%s::text[]) as name)
"""
_BATCHES: Final = """
    select name from libriscribe2_batches
    where exists (select 1 from libriscribe2_log where batch = name) order by name
"""
_PAUSED: Final = "update libriscribe2_batches set paused = %s where name = %s"
_BEGIN: Final = "insert into libriscribe2_batches (name) values (%s) on conflict do nothing"


class DatabaseLog:
    """The log of one batch, read on from where the last reading ended.

    What was read inside a turn that failed has to be forgotten with the whole object.

    Args:
        database: Where it is.
        batch: The name of the batch, which need not be there yet.

    Attributes:
        damaged: Always 0: the database sees to that.
    """

    damaged: Final = 0

    def __init__(self, database: Database, batch: str) -> None:
        self._database = database
        self._batch = batch
        self._read = 0
        self._has_turn = False

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Keep others from adding while the block runs; all that it adds is added, or nothing.

        A turn inside a turn is the same one; a log is for one thread at a time.

        Raises:
            LibriScribeError: The database does not answer, or refuses.
        """
        if self._has_turn:
            yield
            return
        with self._database.transaction():
            if not self._database.rows(_TURN, (self._batch,)):
                self._database.rows(_BEGIN, (self._batch,))
                self._database.rows(_TURN, (self._batch,))
            self._has_turn = True
            try:
                yield
            finally:
                self._has_turn = False

    def news(self) -> tuple[Record, ...]:
        """The records that were added since the last reading, oldest first.

        Raises:
            LibriScribeError: The database does not answer.
        """
        rows = self._database.rows(_NEWS, (self._batch, self._read))
        if rows:
            self._read = rows[-1]["number"]
        return tuple(row["record"] for row in rows)

    def elsewhere(self, names: Sequence[str]) -> dict[str, str]:
        """Those of the names that a book of another batch has, capitals aside, with that batch.

        Raises:
            LibriScribeError: The database does not answer.
        """
        wanted = {name.casefold(): name for name in names}
        rows = self._database.rows(_ELSEWHERE, (self._batch, list(names)))
        return {wanted[row["book"].casefold()]: row["batch"] for row in rows}

    def append(self, records: Sequence[Record]) -> None:
        """Add records with the time, and change the jobs that they are about.

        Raises:
            LibriScribeError: The database does not answer, or refuses; nothing was added.
        """
        at = iso_utc(utc_now())
        rows = [Jsonb({**record, "at": at}) for record in records]
        with self.turn():
            self._database.rows(_ADD, (self._batch, rows))
            self._follow(records)

    def _follow(self, records: Sequence[Record]) -> None:
        """What the records mean for jobs and pauses; whoever still runs a job has lost it."""
        for kind in {one["t"] for one in records} & {"pause", "run"}:
            self._database.rows(_PAUSED, (kind == "pause", self._batch))
        cancelled = [record["book"] for record in records if record["t"] == "cancel"]
        if cancelled:
            self._database.rows(_CANCEL, (self._batch, cancelled))
        if queued := [record for record in records if record["t"] in {"add", "retry"}]:
            books = [record["book"] for record in queued]
            dues = [record.get("deadline") or "infinity" for record in queued]
            payloads = [record.get("payload", 1) for record in queued]
            self._database.rows(_QUEUE, (self._batch, books, dues, payloads))


_FORGET: Final = """
    with lines as (delete from libriscribe2_log where batch = %(name)s)
    delete from libriscribe2_batches where name = %(name)s
"""


def forget_batch(database: Database, name: str) -> None:
    """Delete all that the database holds of a batch in which no book waits or runs.

    Raises:
        LibriScribeError: The database does not answer, or refuses.
    """
    with DatabaseLog(database, name).turn():
        database.rows(_FORGET, {"name": name})


def batches(database: Database) -> list[str]:
    """The names of all batches that have a record, in order.

    Raises:
        LibriScribeError: The database does not answer.
    """
    return [row["name"] for row in database.rows(_BATCHES)]


WorkerState = Literal["working", "resting", "draining", "stopping"]

_NEXT: Final = """
    select name from libriscribe2_batches cross join lateral (
        select due, number from libriscribe2_jobs
        where batch = name and worker is null and not_before <= now() and payload <= %(payload)s
        order by due, number limit 1
    ) as first
    where not paused and (%(only)s::text[] is null or name = any(%(only)s)) order by due, number
"""
_TAKE: Final = """
    update libriscribe2_jobs set worker = %(worker)s, claim = nextval('libriscribe2_claims')
    where (batch, book) = (
        select batch, book from libriscribe2_jobs where batch = %(batch)s
            and worker is null and not_before <= now() and payload <= %(payload)s
        order by due, number limit 1 for update skip locked
    ) returning claim, batch, book
"""
_HELD: Final = "select claim, batch, book from libriscribe2_jobs where worker = %(worker)s"
_LEFT: Final = """
    select claim, batch, book from libriscribe2_jobs where worker is not null
        and (%(only)s::text[] is null or batch = any(%(only)s))
        and (worker = %(worker)s or worker not in (
            select id from libriscribe2_workers
            where state <> 'ended' and beat > now() - make_interval(secs => %(stalled)s)))
"""
_FINISH: Final = "delete from libriscribe2_jobs where claim = %(claim)s"
_AGAIN: Final = """
    update libriscribe2_jobs set worker = null, claim = null, not_before = now() + %(pause)s
    where claim = %(claim)s
"""
_OPEN: Final = """
    select 1 from libriscribe2_jobs join libriscribe2_batches on name = batch
    where (worker is not null or (not paused and payload <= %(payload)s))
        and (%(only)s::text[] is null or batch = any(%(only)s)) limit 1
"""
_ENLIST: Final = """
    with gone as (
        delete from libriscribe2_workers where beat < now() - interval '1 day'
            or (state = 'ended' and host = %(host)s)
    )
    insert into libriscribe2_workers (host, pid, program, payload, slots)
    values (%(host)s, %(pid)s, %(program)s, %(payload)s, %(slots)s) returning id
"""
_BEAT: Final = """
    update libriscribe2_workers set beat = now(), state = %(state)s, note = %(note)s
    where id = %(worker)s
    returning drain, (select number from libriscribe2_schema) as schema, exists (
        select from libriscribe2_jobs where worker is null and payload > %(payload)s
    ) as newer
"""
_END: Final = """
    update libriscribe2_workers set state = 'ended', note = %(note)s where id = %(worker)s
"""
_LEAVE: Final = "delete from libriscribe2_workers where id = %(worker)s"
_END_HOLDERS: Final = f"select pg_terminate_backend(pid) {HOLDERS} and pid <> pg_backend_pid()"


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
class Ticket:
    """The right to run a book.

    Attributes:
        claim: The number of this handing over; a book that is taken over gets another one.
        batch: The batch.
        book: The name of the book.
    """

    claim: int
    batch: str
    book: str


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


@dataclass(frozen=True, slots=True)
class Beat:
    """What a worker hears when it gives a sign of life.

    Attributes:
        drain: Whether it is to end once its books have ended.
        schema: The number of the tables.
        newer: Whether books wait that only a newer version can write.
    """

    drain: bool = False
    schema: int = NUMBER
    newer: bool = False


class Exchange:
    """One worker's dealings with the database; every method may block and may lose it.

    Args:
        database: The database.
        terms: How books are run.
        pace: How the worker keeps in touch.
        only: Batches whose books it runs; None means all.

    Attributes:
        terms: How books are run.
        pace: How the worker keeps in touch.
    """

    def __init__(
        self, database: Database, terms: Terms, pace: Pace, only: Sequence[str] | None
    ) -> None:
        self.terms = terms
        self.pace = pace
        self._database = database
        self._worker: int | None = None
        wanted = None if only is None else list(only)
        self._values = {"only": wanted, "payload": PAYLOAD, "stalled": pace.stalled}
        self._queues: dict[str, LoggedBatch] = {}

    def beat(self, state: WorkerState = "working", note: str = "") -> Beat:
        """Give a sign of life; a worker that was struck off is enlisted anew.

        Raises:
            NewerVersionError: A newer version has changed the tables meanwhile.
        """
        heard = self._rows(_BEAT, state=state, note=note)
        if not heard:
            about = {"host": here(), "pid": os.getpid(), "program": __version__}
            self._worker = int(self._rows(_ENLIST, **about, slots=self.terms.books)[0]["id"])
            self.terms.listener.enlisted(self._worker)
            heard = self._rows(_BEAT, state=state, note=note)
        beat = Beat(**heard[0])
        if beat.schema > NUMBER:
            raise newer_schema(self._database.dsn, beat.schema)
        return beat

    def lost(self, mine: Collection[Ticket]) -> set[Ticket]:
        """Jobs that this worker should end: cancelled, or given to somebody else meanwhile."""
        with self._whole():
            gone = set(mine) - self._tickets(_HELD)
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
            left = (self._tickets(_HELD) if own_only else self._tickets(_LEFT)) - set(mine)
            return [(one, book) for one in left if (book := self._book(one)) is not None]

    def take_over(self, ticket: Ticket, mine: Collection[Ticket], how: Ended) -> None:
        """Let a job wait again that nobody runs, unless somebody was faster.

        A book whose runs all ended with their worker is not run for ever.
        """
        with self._turn(ticket.batch) as queue:
            if ticket not in self._tickets(_LEFT) - set(mine):
                return
            book = queue.status().books[ticket.book]
            if book.state != "running":
                self._release(ticket)
                return
            if ticket in self._tickets(_HELD):  # nobody died: the answer to our claim was lost
                how = replace(how, cause="database", lost=False)
            else:
                self._rows(_END_HOLDERS, key=key_of(ticket.batch, ticket.book))
            how, _ = next_try(book, how, self.terms)
            if how.state == "failed":
                how = replace(how, what="Its worker died each time")
            queue.note([ended(ticket.book, how)])
            self._release(ticket, 0.0 if how.state == "queued" else None)

    def claim(self, room: int = 1) -> Claim | None:
        """The next book that this worker may run, with its grant held back.

        Args:
            room: How many more books may begin here, this one included.
        """
        for row in self._rows(_NEXT):
            with self._turn(row["name"]) as queue:
                claim = self._claim(queue, room)
            if claim is not None:
                return claim
        return None

    def settle(self, ticket: Ticket, how: Ended) -> Book | None:
        """Note how a run ended; None where the job was given to somebody else meanwhile."""
        with self._turn(ticket.batch) as queue:
            if ticket not in self._tickets(_HELD):
                return None
            how, pause = next_try(queue.status().books[ticket.book], how, self.terms)
            if how.what:
                how = replace(how, why=f"{how.why} (on {here()})".strip())
            queue.note([ended(ticket.book, how)])
            book = queue.status().books[ticket.book]
            self._release(ticket, pause if book.state == "queued" else None)
            batch: Batch = queue.status()
            if batch.cap is not None and not batch.within("queued", "running"):
                # What the last books left of it may be enough for one that was stopped.
                queue.note([retried(one) for one in worth_another_run(batch)])
            return book

    def is_drained(self) -> bool:
        """Whether no book runs anywhere, and none waits that may begin."""
        return not self._rows(_OPEN)

    def leave(self, note: str = "") -> None:
        """Strike this worker off; with a note, it stays listed as ended for a day."""
        self._rows(_END if note else _LEAVE, note=note)
        self._database.close()

    def _claim(self, queue: LoggedBatch, room: int) -> Claim | None:
        while not queue.status().paused and (taken := self._tickets(_TAKE, batch=queue.name)):
            (ticket,) = taken
            book = self._book(ticket)
            if book is None or book.state != "queued":  # of a batch that was forgotten, perhaps
                del self._queues[ticket.batch]
                queue, book = self._queue(ticket.batch), self._book(ticket)
            if book is None or book.state != "queued":
                self._release(ticket)
                continue
            batch = queue.status()
            short = reach(batch, book, self.terms.funding)
            if isinstance(short, Wait):
                self._release(ticket, self.pace.poll)
                return None
            if short is not None:
                queue.note([ended(ticket.book, short)])
                self._release(ticket)
                continue
            grant = grant_for(batch, book, room, self.terms.funding)
            late = comes_late(batch, book, self.terms.clock())
            queue.note([started(ticket.book, grant, late=late, journal=self.terms.journal)])
            return Claim(ticket, queue.status().books[ticket.book], grant)
        return None

    def _release(self, ticket: Ticket, seconds: float | None = None) -> None:
        """A job has ended; with seconds, it waits again, so long at least."""
        pause = timedelta(seconds=seconds or 0.0)
        self._rows(_FINISH if seconds is None else _AGAIN, claim=ticket.claim, pause=pause)

    def _tickets(self, query: str, **values: Any) -> set[Ticket]:
        return {Ticket(**row) for row in self._rows(query, **values)}

    def _rows(self, query: str, **values: Any) -> list[dict[str, Any]]:
        return self._database.rows(query, {**self._values, "worker": self._worker, **values})

    def _book(self, ticket: Ticket) -> Book | None:
        return self._queue(ticket.batch).status().books.get(ticket.book)

    def _queue(self, batch: str) -> LoggedBatch:
        log = DatabaseLog(self._database, batch)
        return self._queues.setdefault(batch, LoggedBatch(batch, log))

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


def key_of(batch: str, book: str) -> str:
    """What a book is called among all books of a database."""
    return f"{batch}/{book}"
