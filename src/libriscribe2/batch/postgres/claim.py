"""The right to write a book, beside the lock of its folder: a lock of the database.

It belongs to one connection. When that is gone, so is the right, and whoever has it next may have
paid for replies already: nothing may be sent any more.
"""

import os
from types import TracebackType
from typing import Any, Final, Self

import psycopg
from psycopg.rows import DictRow

from libriscribe2.batch.postgres.database import (
    APPLICATION,
    DatabaseLostError,
    Dsn,
    Values,
    connect,
    here,
)
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
    """The right to write a book, from `take` to `release`; a context manager.

    Attributes:
        dsn: The database.
        key: What the book is called among all books of the database.
    """

    def __init__(
        self, dsn: Dsn, key: str, connection: "psycopg.Connection[DictRow]", session: int
    ) -> None:
        self.dsn = dsn
        self.key = key
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
        (row,) = self.rows(_CHECK)
        if row["session"] != self._session:
            raise self._gone("another session answered, so a pooler stands in between")

    def rows(self, query: str, values: Values | None = None) -> list[dict[str, Any]]:
        """The rows that a statement gives, carried out only while this process has the right.

        Raises:
            ProjectInUseError: The database does not do it, and the right is gone with that.
            ProjectError: The database refuses the statement.
        """
        try:
            with self.dsn.errors():
                cursor = self._connection.execute(query.encode(), values)
                return cursor.fetchall() if cursor.description is not None else []
        except DatabaseLostError as error:
            self._connection.close()  # it may still stand, with a server that has no room left
            raise self._gone(error.why) from error

    def _gone(self, why: str) -> ProjectInUseError:
        return ProjectInUseError(
            f"The book {self.key!r} is no longer held by this process",
            why=f"its connection to {self.dsn.shown} is gone: {why}",
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
