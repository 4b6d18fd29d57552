"""Rows of books, of workers, and lines of the log in the database."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from psycopg.types.json import Jsonb

from libriscribe2 import __version__
from libriscribe2.batch.postgres.database import Database, here
from libriscribe2.batch.rows import PAYLOAD
from libriscribe2.project.records import Record
from libriscribe2.project.texts import Clock, iso_utc, utc_now

_QUEUE: Final = """
    insert into libriscribe2_jobs (batch, book, due, payload)
    select %s, book, due, payload
    from unnest(%s::text[], %s::timestamptz[], %s::integer[]) with ordinality
        as one (book, due, payload, place) order by place
    on conflict (batch, book) do update set due = excluded.due, payload = excluded.payload,
        not_before = '-infinity', worker = null, claim = null
"""
_CANCEL: Final = """
    delete from libriscribe2_jobs where batch = %s and book = any(%s) and worker is null
"""
_NEXT: Final = """
    select name from libriscribe2_batches cross join lateral (
        select due, number from libriscribe2_jobs
        where batch = name and worker is null and not_before <= now() and payload <= %(payload)s
        order by due, number limit 1
    ) as first
    where not paused and (%(only)s::text[] is null or name = any(%(only)s)) order by due, number
"""
_TAKE: Final = """
    update libriscribe2_jobs set worker = %s, claim = nextval('libriscribe2_claims')
    where (batch, book) = (
        select batch, book from libriscribe2_jobs
        where batch = %s and worker is null and not_before <= now() and payload <= %s
        order by due, number limit 1 for update skip locked
    ) returning claim, batch, book
"""
_HELD: Final = "select claim, batch, book from libriscribe2_jobs where worker = %s"
_LEFT: Final = """
    select claim, batch, book from libriscribe2_jobs where worker is not null and worker not in (
        select id from libriscribe2_workers
        where state <> 'ended' and beat > now() - make_interval(secs => %s)
    )
"""
_FINISH: Final = "delete from libriscribe2_jobs where claim = %s"
_AGAIN: Final = """
    update libriscribe2_jobs set worker = null, claim = null, not_before = now() + %s
    where claim = %s
"""
_OPEN: Final = """
    select count(*) as open from libriscribe2_jobs join libriscribe2_batches on name = batch
    where (worker is not null or (not paused and payload <= %(payload)s))
        and (%(only)s::text[] is null or batch = any(%(only)s))
"""
_ENLIST: Final = """
    insert into libriscribe2_workers (host, pid, program, payload, slots)
    values (%s, %s, %s, %s, %s) returning id
"""
_PRUNE: Final = """
    delete from libriscribe2_workers where beat < now() - interval '1 day'
        or (state = 'ended' and host = %s)
"""
_BEAT: Final = """
    update libriscribe2_workers set beat = now(), state = %s, note = %s where id = %s
    returning drain, (select number from libriscribe2_schema) as schema, exists (
        select from libriscribe2_jobs where worker is null and payload > %s
    ) as newer
"""
_END: Final = "update libriscribe2_workers set state = 'ended', note = %s where id = %s"
_LEAVE: Final = "delete from libriscribe2_workers where id = %s"
_WORKERS: Final = """
    select id, host, pid, program, slots, note, drain,
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
_END_HOLDERS: Final = """
    select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and granted and objsubid = 1 and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) | objid::bigint = hashtextextended(%s, 0)
"""


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
class Beat:
    """What a worker hears when it gives a sign of life.

    Attributes:
        drain: Whether it is to end once its books have ended.
        schema: The number of the tables.
        newer: Whether books wait that only a newer version can write.
    """

    drain: bool
    schema: int
    newer: bool


class Jobs:
    """The books that wait or run, and the workers.

    Args:
        database: Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def queue(self, batch: str, records: Sequence[Record]) -> None:
        """Let the books of records `add` and `retry` wait; inside the batch's turn.

        Whoever still runs one of them has lost it.
        """
        if records:
            books = [record["book"] for record in records]
            dues = [record.get("deadline") or "infinity" for record in records]
            payloads = [record.get("payload", 1) for record in records]
            self._database.rows(_QUEUE, (batch, books, dues, payloads))

    def cancel(self, batch: str, books: Sequence[str]) -> None:
        """Take books out that nobody has begun."""
        if books:
            self._database.rows(_CANCEL, (batch, list(books)))

    def due(self, only: Sequence[str] | None) -> list[str]:
        """Batches with a book that may begin now, the most urgent first."""
        values = {"only": _names(only), "payload": PAYLOAD}
        return [row["name"] for row in self._database.rows(_NEXT, values)]

    def open(self, only: Sequence[str] | None) -> int:
        """How many books run anywhere, or wait for this version in a batch that is not paused."""
        values = {"only": _names(only), "payload": PAYLOAD}
        return int(self._database.rows(_OPEN, values)[0]["open"])

    def take(self, batch: str, worker: int) -> Ticket | None:
        """The next book of a batch, for a worker; inside the batch's turn."""
        return next(self._tickets(_TAKE, (worker, batch, PAYLOAD)), None)

    def held(self, worker: int) -> set[Ticket]:
        """The books that a worker runs, as the database knows it."""
        return set(self._tickets(_HELD, (worker,)))

    def left(self, stalled_seconds: float) -> list[Ticket]:
        """The books of workers that have given no sign of life for so long."""
        return list(self._tickets(_LEFT, (stalled_seconds,)))

    def finish(self, ticket: Ticket) -> None:
        """A book came to its end, whatever became of it."""
        self._database.rows(_FINISH, (ticket.claim,))

    def again(self, ticket: Ticket, seconds: float) -> None:
        """Let a book wait again, for so many seconds at least."""
        self._database.rows(_AGAIN, (timedelta(seconds=seconds), ticket.claim))

    def end_holders(self, ticket: Ticket) -> None:
        """End the sessions that hold the lock of a book whose worker is gone."""
        self._database.rows(_END_HOLDERS, (key_of(ticket.batch, ticket.book),))

    def enlist(self, slots: int) -> int:
        """A number for this worker; those that are long gone are struck off."""
        self._database.rows(_PRUNE, (here(),))
        about = (here(), os.getpid(), __version__, PAYLOAD, slots)
        return int(self._database.rows(_ENLIST, about)[0]["id"])

    def beat(self, worker: int, state: str, note: str) -> Beat | None:
        """A sign of life; None where the worker was struck off meanwhile."""
        rows = self._database.rows(_BEAT, (state, note, worker, PAYLOAD))
        return Beat(**rows[0]) if rows else None

    def leave(self, worker: int, note: str) -> None:
        """Strike a worker off; where there is a note it stays listed for a day, as ended."""
        if note:
            self._database.rows(_END, (note, worker))
        else:
            self._database.rows(_LEAVE, (worker,))

    def workers(self, stalled_seconds: float) -> list[dict[str, Any]]:
        """All workers, as they are listed; those that have ended with a note for a day."""
        return self._database.rows(_WORKERS, (stalled_seconds,))

    def drain(self, name: str) -> list[int]:
        """Have workers end once their books have ended, by number or host; their numbers."""
        return [row["id"] for row in self._database.rows(_DRAIN, {"name": name})]

    def anyone(self, stalled_seconds: float) -> bool:
        """Whether any worker is alive."""
        alive = (row["state"] not in {"silent", "ended"} for row in self.workers(stalled_seconds))
        return any(alive)

    def _tickets(self, query: str, values: Sequence[Any]) -> Iterator[Ticket]:
        for row in self._database.rows(query, values):
            yield Ticket(row["claim"], row["batch"], row["book"])


def key_of(batch: str, book: str) -> str:
    """What a book is called among all books of a database."""
    return f"{batch}/{book}"


def _names(only: Sequence[str] | None) -> list[str] | None:
    return None if only is None else list(only)


_TURN: Final = "select 1 from libriscribe2_batches where name = %s for update"
_NEWS: Final = """
    select number, record from libriscribe2_log
    where batch = %s and number > %s order by number
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

    def __init__(self, database: Database, batch: str, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._batch = batch
        self._jobs = Jobs(database)
        self._clock = clock
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
        at = iso_utc(self._clock())
        rows = [Jsonb({**record, "at": at}) for record in records]
        with self.turn():
            self._database.rows(_ADD, (self._batch, rows))
            self._follow(records)

    def _follow(self, records: Sequence[Record]) -> None:
        """What the records mean for jobs and pauses."""
        by_kind: dict[Any, list[str]] = {}
        for record in records:
            by_kind.setdefault(record["t"], []).append(str(record.get("book", "")))
        self._jobs.cancel(self._batch, by_kind.get("cancel", ()))
        self._jobs.queue(self._batch, [one for one in records if one["t"] in {"add", "retry"}])
        for kind in by_kind.keys() & {"pause", "run"}:
            self._database.rows(_PAUSED, (kind == "pause", self._batch))


_FORGET: Final = (
    "delete from libriscribe2_log where batch = %s",
    "delete from libriscribe2_batches where name = %s",
)


def forget_batch(database: Database, name: str) -> None:
    """Delete all that the database holds of a batch in which no book waits or runs.

    Raises:
        LibriScribeError: The database does not answer, or refuses.
    """
    with DatabaseLog(database, name).turn():
        for statement in _FORGET:
            database.rows(statement, (name,))


def batches(database: Database) -> list[str]:
    """The names of all batches that have a record, in order.

    Raises:
        LibriScribeError: The database does not answer.
    """
    rows = database.rows(_BATCHES)
    return [row["name"] for row in rows]
