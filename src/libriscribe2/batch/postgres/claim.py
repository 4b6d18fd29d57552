"""The right to write a book, beside the lock of its folder: a lock of the database.

It belongs to one connection. When that is gone, so is the right, and whoever has it next may have
paid for replies already: nothing may be sent any more.
"""

import os
from types import TracebackType
from typing import Final, Self

import psycopg
from psycopg.rows import DictRow

from libriscribe2.batch.postgres.database import APPLICATION, DatabaseLostError, Dsn, connect, here
from libriscribe2.errors import ProjectInUseError

_SIGN: Final = "select set_config('application_name', %s, false)"
_TAKE: Final = """
    select pg_try_advisory_lock(hashtextextended(%s, 0)) as taken, pg_backend_pid() as session
"""
_CHECK: Final = "select pg_backend_pid() as session"
_HOLDER: Final = """
    select application_name as who from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted
        and (classid::bigint << 32) | objid::bigint = hashtextextended(%s, 0)
"""


class ProjectClaim:
    """The right to write a book, from `take` to `release`; a context manager."""

    def __init__(
        self, dsn: Dsn, key: str, connection: "psycopg.Connection[DictRow]", session: int
    ) -> None:
        self._dsn = dsn
        self._key = key
        self._connection = connection
        self._session = session

    @classmethod
    def take(cls, dsn: Dsn, key: str) -> Self:
        """Take the right at once or not at all.

        Args:
            dsn: The database.
            key: What the book is called among all books of the database.

        Raises:
            ProjectInUseError: Another process has it.
            DatabaseLostError: The database does not answer.
        """
        connection = connect(dsn)
        with dsn.errors():
            connection.execute(_SIGN, (f"{APPLICATION} pid {os.getpid()} on {here()}",))
            row = connection.execute(_TAKE, (key,)).fetchone()
            assert row is not None  # the statement always gives one row
            if row["taken"]:
                return cls(dsn, key, connection, row["session"])
            holder = connection.execute(_HOLDER, (key,)).fetchone()
            connection.close()
        raise ProjectInUseError(
            f"The book {key!r} is being written by another process",
            why=holder["who"] if holder is not None else "it has just let go",
            fix="Wait until it is done, or stop it, then run the same command again.",
        )

    def check(self) -> None:
        """Make sure that nobody else can have the right by now; cheap enough for every request.

        Raises:
            ProjectInUseError: The connection that had it is gone, or is another one: a pooler that
                hands connections round between statements cannot be used.
        """
        why = "another session answered, so a pooler stands in between"
        try:
            with self._dsn.errors():
                row = self._connection.execute(_CHECK).fetchone()
            if row is not None and row["session"] == self._session:
                return
        except DatabaseLostError as error:
            why = error.why
        raise ProjectInUseError(
            f"The book {self._key!r} is no longer held by this process",
            why=f"its connection to {self._dsn.shown} is gone: {why}",
            fix="Another worker goes on with it; nothing more is sent from here.",
        )

    def release(self) -> None:
        """Let others in; a second time does nothing."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
