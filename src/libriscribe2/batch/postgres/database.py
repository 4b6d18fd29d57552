"""A connection to the database, made anew when it was lost; its address never shows a password."""

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, dict_row
from typing_extensions import override

from libriscribe2.errors import ConfigError, ProjectError, ProviderError

Values = Sequence[Any] | Mapping[str, Any]

APPLICATION: Final = "libriscribe2"
MASK: Final = "***"

_DEFAULTS: Final[Mapping[str, Any]] = {
    "application_name": APPLICATION,
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
"""Who is gone without a word is noticed: a dead host frees its locks after a minute."""


class DatabaseLostError(ProviderError):
    """The database does not answer just now."""

    slug = "database"


class Dsn:
    """The address of a database.

    Args:
        text: A `postgresql://` address, or libpq's `key=value` pairs.

    Attributes:
        shown: The address without its password.

    Raises:
        ConfigError: It is no such address.
    """

    def __init__(self, text: str) -> None:
        try:
            parts = conninfo_to_dict(text)
        except psycopg.ProgrammingError:
            # The parser's message may hold the password.
            raise ConfigError(
                "The address of the database cannot be read",
                why="it is not of the form postgresql://user:password@host:port/database",
                fix="Correct --dsn or LIBRISCRIBE2_BATCH__DSN.",
            ) from None
        self.text = make_conninfo(text, **{k: v for k, v in _DEFAULTS.items() if k not in parts})
        self._password = str(parts.get("password") or "")
        self.shown = _shown(parts)

    @override
    def __repr__(self) -> str:
        return f"Dsn({self.shown})"

    def without_secret(self, message: str) -> str:
        """A message of the database in one line, without the password."""
        line = " ".join(message.split())
        return line.replace(self._password, MASK) if self._password else line

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn the database's errors into ours while the block runs.

        Raises:
            DatabaseLostError: The database does not answer, or the connection broke.
            ProjectError: The database refuses what was asked of it.
        """
        try:
            yield
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise DatabaseLostError(
                f"The database {self.shown} does not answer",
                why=self.without_secret(str(error)),
                fix="See that it runs and lets this machine in, then run the same command again.",
            ) from None
        except psycopg.Error as error:
            raise ProjectError(
                f"The database {self.shown} refuses: {self.without_secret(str(error))}",
                why=type(error).__name__,
                fix="See that the database is that of libriscribe2 and its user may write.",
            ) from None


class Database:
    """One connection; several threads may use it in turn.

    Args:
        dsn: The address.
    """

    def __init__(self, dsn: Dsn) -> None:
        self.dsn = dsn
        self._connection: psycopg.Connection[DictRow] | None = None
        self._turn = RLock()

    def rows(self, query: str, values: Values | None = None) -> list[dict[str, Any]]:
        """The rows that a statement gives; empty for one that gives none.

        Raises:
            LibriScribeError: The database does not answer, or refuses.
        """
        with self._turn, self.dsn.errors():
            cursor = self._open().execute(query.encode(), values)
            return cursor.fetchall() if cursor.description is not None else []

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All statements of the block, or none; one inside another belongs to the outer one.

        Raises:
            LibriScribeError: The database does not answer, or refuses.
        """
        with self._turn, self.dsn.errors(), self._open().transaction():
            yield

    def close(self) -> None:
        """Let go of the connection; it is made again when it is wanted."""
        with self._turn:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> psycopg.Connection[DictRow]:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self.dsn)
        return self._connection


def connect(dsn: Dsn) -> psycopg.Connection[DictRow]:
    """A new connection, on which every statement outside a transaction stands for itself.

    Raises:
        LibriScribeError: The database does not answer, or does not let us in.
    """
    with dsn.errors():
        return psycopg.connect(dsn.text, autocommit=True, row_factory=dict_row)


def here() -> str:
    """The name of this machine, for messages."""
    return socket.gethostname()


def _shown(parts: Mapping[str, Any]) -> str:
    user = str(parts.get("user") or "")
    secret = f":{MASK}" if parts.get("password") else ""
    host = str(parts.get("host") or parts.get("hostaddr") or "localhost")
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{user}{secret}{'@' if user else ''}{host}{port}/{parts.get('dbname', '')}"
