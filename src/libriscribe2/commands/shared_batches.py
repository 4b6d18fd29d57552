"""From the settings to a batch in a database; imported only where an address of one is set."""

from collections.abc import Callable
from typing import Final

from libriscribe2.batch.postgres.book_journal import SyncedBooks
from libriscribe2.batch.postgres.database import PATIENCE, Database, Dsn, ensure_schema
from libriscribe2.batch.postgres.exchange import Pace, batches
from libriscribe2.batch.postgres.worker import DatabaseQueue
from libriscribe2.batch.queue import one_of
from libriscribe2.batch.work import BookWriter
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings.schema import Settings

DSN_VARIABLE: Final = "LIBRISCRIBE2_BATCH__DSN"
"""Carries the address to the books' processes: the words of a command can be seen by anyone."""

JOURNAL_VARIABLE: Final = "LIBRISCRIBE2_BATCH__JOURNAL"
"""Carries to them where their journals are."""


def dsn_of(settings: Settings) -> Dsn:
    """The address of the database.

    Raises:
        ConfigError: It is no such address.
    """
    return Dsn(settings.batch.dsn.get_secret_value())


def database_of(settings: Settings) -> Database:
    """The database, with its tables.

    Raises:
        ConfigError: The address cannot be read.
        ProjectError: A newer version made the tables.
        DatabaseLostError: It does not answer.
    """
    database = Database(dsn_of(settings), patience_of(settings))
    try:
        ensure_schema(database)
    except BaseException:
        database.close()
        raise
    return database


def patience_of(settings: Settings) -> float:
    """Seconds after which a statement of the database is given up."""
    return max(PATIENCE / 3, settings.batch.stalled_seconds)


def pace_of(settings: Settings) -> Pace:
    """How workers keep in touch."""
    batch = settings.batch
    return Pace(batch.heartbeat_seconds, batch.stalled_seconds, batch.poll_seconds)


def open_queue(settings: Settings, name: str) -> DatabaseQueue:
    """A batch, which need not be there yet.

    Raises:
        LibriScribeError: The database cannot be used.
    """
    return DatabaseQueue(database_of(settings), name, pace_of(settings))


def known_queue(settings: Settings, name: str | None) -> DatabaseQueue:
    """A batch that is there; without a name the only one.

    Raises:
        UsageError: No batch was named, and there are several.
        LibriScribeError: There is no such batch, or the database cannot be used.
    """
    database = database_of(settings)
    try:
        chosen = one_of(batches(database), name, database.dsn.shown)
    except BaseException:
        database.close()
        raise
    return DatabaseQueue(database, chosen, pace_of(settings))


def travelling(
    settings: Settings, here: BookWriter, batch: str, paths_of: Callable[[str], ProjectPaths]
) -> BookWriter:
    """A writer of books whose folders may be on other machines."""
    unknown = settings.budget.unknown_usd_per_million
    return SyncedBooks(here, dsn_of(settings), batch, paths_of, unknown)


def child_environment(settings: Settings) -> dict[str, str]:
    """What the process of a book has to know beside its words."""
    return {
        DSN_VARIABLE: settings.batch.dsn.get_secret_value(),
        JOURNAL_VARIABLE: settings.batch.journal,
    }
