"""The database: connections, schema, and rates shared by all workers."""

import socket
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from importlib import resources
from threading import RLock
from time import monotonic
from typing import Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, dict_row
from typing_extensions import override

from libriscribe2.errors import ConfigError, NewerVersionError, ProjectError, ProviderError
from libriscribe2.llm.limits.rate_store import RateLimits

T = TypeVar("T")
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
"""A server that is gone without a word is noticed."""

HOLDERS: Final = """
    from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and objsubid = 1 and datname = current_database()
        and (classid::bigint << 32) | objid::bigint = hashtextextended(%(key)s, 0)
"""
"""The sessions that hold the lock of a key."""

PATIENCE: Final = 30.0
"""Seconds that a statement, a lock or a pause within a transaction may take."""

_SESSION: Final = """
    set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3;
    set tcp_user_timeout = '60s'; set statement_timeout = '{ms}ms'; set lock_timeout = '{ms}ms';
    set idle_in_transaction_session_timeout = '{ms}ms'
"""
"""So the server ends the session of a host that is gone, and with it its locks and transactions."""

_LATE: Final = 1.2
"""How many times as long as the server may take we wait for its answer: the way may be cut."""


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
                fix="Make sure that it runs and accepts this machine, and that its address is right; "
                "then run the same command again.",
            ) from None
        except psycopg.Error as error:
            raise ProjectError(
                f"The database {self.shown} refused: {self.without_secret(str(error))}",
                why=type(error).__name__,
                fix="Make sure that it is the database of libriscribe2 and that its user may write.",
            ) from None


class PatientConnection(psycopg.Connection[DictRow]):
    """A connection that gives a statement up whose answer does not come.

    Attributes:
        patience: Seconds that it waits; longer than the server, which says why.
    """

    patience = _LATE * PATIENCE

    @override
    def wait(
        self, gen: Generator[Any, Any, T], interval: float = 0.1, timeout: float | None = None
    ) -> T:
        """The result of an exchange with the server.

        Raises:
            psycopg.OperationalError: No answer came in time; the connection is closed.
        """
        del timeout  # not every version of psycopg has one
        return super().wait(self._in_time(gen), interval)

    def _in_time(self, exchange: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        until, wanted = monotonic() + self.patience, next(exchange)
        while True:
            ready = yield wanted
            if not ready and monotonic() > until:
                self.close()
                raise psycopg.OperationalError(f"no answer within {self.patience:.0f} seconds")
            try:
                wanted = exchange.send(ready)
            except StopIteration as end:
                result: T = end.value
                return result


class Database:
    """One connection; several threads may use it in turn.

    Args:
        dsn: The address.
        patience: Seconds after which a statement is given up.
    """

    def __init__(self, dsn: Dsn, patience: float = PATIENCE) -> None:
        self.dsn = dsn
        self._patience = patience
        self._connection: PatientConnection | None = None
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

    def _open(self) -> PatientConnection:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self.dsn, self._patience)
        return self._connection


def connect(dsn: Dsn, patience: float = PATIENCE, name: str = "") -> PatientConnection:
    """A new connection, on which every statement outside a transaction stands for itself.

    Args:
        dsn: The database.
        patience: Seconds after which a statement is given up.
        name: What the session is called in the server's lists; none is that of the address.

    Raises:
        LibriScribeError: The database does not answer, or does not let us in.
    """
    with dsn.errors():
        text = make_conninfo(dsn.text, application_name=name) if name else dsn.text
        connection = PatientConnection.connect(text, autocommit=True, row_factory=dict_row)
        connection.patience = _LATE * patience
        connection.execute(_SESSION.format(ms=round(1000 * patience)).encode())
        return connection


def here() -> str:
    """The name of this machine, for messages."""
    return socket.gethostname()


def _shown(parts: Mapping[str, Any]) -> str:
    user = str(parts.get("user") or "")
    secret = f":{MASK}" if parts.get("password") else ""
    host = str(parts.get("host") or parts.get("hostaddr") or "localhost")
    port = f":{parts['port']}" if parts.get("port") else ""
    return f"postgresql://{user}{secret}{'@' if user else ''}{host}{port}/{parts.get('dbname', '')}"


_PARTS: Final = ("schema.sql", "schema_2.sql", "schema_3.sql")
"""What makes the tables: each part brings them to the next number, the first one to 1."""

NUMBER: Final = len(_PARTS)
"""The number of the schema that this version reads and writes."""

_TURN: Final = "select pg_advisory_xact_lock(hashtextextended('libriscribe2 schema', 0))"
_FIND: Final = """
    select 1 from pg_class where relname = 'libriscribe2_schema' and pg_table_is_visible(oid)
"""
"""Unlike `to_regclass`, it sees what another session has made since this one looked first."""


def ensure_schema(database: Database) -> None:
    """Make the tables where they are missing; those of an older version are added to.

    Raises:
        NewerVersionError: A newer version made them.
        ProjectError: The database refuses.
        DatabaseLostError: The database does not answer.
    """
    number = _number(database)
    if number < NUMBER:
        with database.transaction():
            database.rows(_TURN)
            number = _number(database)  # somebody else may have done so meanwhile
            database.rows("set local statement_timeout = 0")  # old tables may be long
            for part in _PARTS[number:]:
                text = resources.files("libriscribe2.batch.postgres") / part
                database.rows(text.read_text("utf-8"))
            number = max(number, NUMBER)
            database.rows("delete from libriscribe2_schema")
            database.rows("insert into libriscribe2_schema (number) values (%s)", (number,))
    if number > NUMBER:
        raise newer_schema(database.dsn, number)


def newer_schema(dsn: Dsn, number: int) -> NewerVersionError:
    """The error for tables that a newer version made."""
    return NewerVersionError(
        f"The database {dsn.shown} is of schema {number}; this version knows {NUMBER}",
        why="a newer version of libriscribe2 made its tables",
        fix="Install that version on this machine as well.",
    )


def _number(database: Database) -> int:
    """The number of the tables that are there; 0 for none."""
    found = database.rows(_FIND) and database.rows("select number from libriscribe2_schema")
    return int(found[0]["number"]) if found else 0


_TAKE: Final = "select libriscribe2_take(%s, %s, %s, %s, %s) as seconds"
_PAUSE: Final = """
    insert into libriscribe2_accounts as known (account, not_before)
    values (%(account)s, clock_timestamp() + %(span)s)
    on conflict (account) do update set not_before = greatest(known.not_before, excluded.not_before)
"""


@dataclass(frozen=True)
class DatabaseRates:
    """Takes requests' shares; it fits `SharedRates`, and every method may block.

    Attributes:
        database: Where the limits are kept.
        limits: What may be sent.
    """

    database: Database
    limits: RateLimits

    def take(self, account: str, kilo_tokens: int) -> float:
        """Take a share of both limits, or of neither.

        Returns:
            0.0, or the seconds after which it is worth asking again.

        Raises:
            DatabaseLostError: The database does not answer; nothing may be sent without it.
        """
        limits = self.limits
        span = timedelta(milliseconds=limits.interval_ms)
        values = (account, limits.requests, limits.kilo_tokens, kilo_tokens, span)
        return float(self.database.rows(_TAKE, values)[0]["seconds"])

    def pause(self, account: str, seconds: float) -> None:
        """Let nobody ask for so long.

        Raises:
            DatabaseLostError: The database does not answer.
        """
        self.database.rows(_PAUSE, {"account": account, "span": timedelta(seconds=seconds)})

    def close(self) -> None:
        """Let go of the connection."""
        self.database.close()
