"""The log of a batch in the database, and the jobs that follow from it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from psycopg.types.json import Jsonb

from libriscribe2.batch.postgres.database import Database
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
