"""The log of a batch as rows of a table; a record that queues a book makes its job, too."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from psycopg.types.json import Jsonb

from libriscribe2.batch.postgres.database import Database
from libriscribe2.batch.postgres.jobs import Jobs
from libriscribe2.project.clock import Clock, iso_utc, utc_now
from libriscribe2.project.records import Record

_TURN: Final = "select 1 from libriscribe2_batches where name = %s for update"
_NEWS: Final = """
    select number, record from libriscribe2_log
    where batch = %s and number > %s order by number
"""
_ADD: Final = """
    insert into libriscribe2_log (batch, record)
    select %s, record from unnest(%s::jsonb[]) with ordinality as one (record, place) order by place
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
        queued = [record for record in records if record["t"] in {"add", "retry"}]
        self._jobs.queue(self._batch, {r["book"]: r.get("deadline", "") for r in queued})
        for kind in by_kind.keys() & {"pause", "run"}:
            self._database.rows(_PAUSED, (kind == "pause", self._batch))


def batches(database: Database) -> list[str]:
    """The names of all batches that have a record, in order.

    Raises:
        LibriScribeError: The database does not answer.
    """
    rows = database.rows(_BATCHES)
    return [row["name"] for row in rows]
