"""A batch's book on one machine or another, each with a folder of its own and one database."""

import signal
from collections.abc import Callable
from time import monotonic
from typing import Final

import psycopg
from tests.support.bars import Launched, Trial, Trials, pause

from libriscribe2.project.records import Record, encode_line

LONG: Final = ("--chapters", "4", "--scenes-per-chapter", "1", "--words", "200")
WRITE: Final = ("batch", "book", "book", "--batch", "spring", "--mock")
KEY: Final = "spring/book"
"""What the book of a trial is called in the database."""

_TABLE: Final = "select to_regclass('libriscribe2_journal')::text"
_POLL_SECONDS: Final = 0.005
_LONGEST_SECONDS: Final = 120.0


def machine(trials: Trials, dsn: str, *, beside: bool = False) -> Trial:
    """A machine on which a book has just been begun: there is only the brief.

    Args:
        trials: Where it goes.
        dsn: The database.
        beside: Whether the book's journal is in the database, too.
    """
    trial = trials.new(LONG)
    trial.desk.environment = {**trial.desk.environment, "LIBRISCRIBE2_BATCH__DSN": dsn}
    where = "database" if beside else "folder"
    trial.desk.environment["LIBRISCRIBE2_BATCH__JOURNAL"] = where
    trial.run("create", "--until", "concept")
    for name in ("concept.json", ".libriscribe/journal.jsonl"):
        trial.book.path(name).unlink()
    trial.ledger.unlink()
    return trial


def other_machine(trials: Trials, dsn: str, first: Trial) -> Trial:
    """A second machine of the same kind, which asks the same provider."""
    trial = machine(trials, dsn, beside=True)
    trial.ledger = first.ledger
    return trial


def end_session_of(process: Launched, dsn: str) -> None:
    """What the server does when a machine was silent for too long."""
    query = "select pg_terminate_backend(pid) from pg_stat_activity where application_name like %s"
    with psycopg.connect(dsn, autocommit=True) as connection:
        ended = connection.execute(query, (f"% pid {process.pid} on %",)).fetchall()
    assert ended == [(True,)]


def die(process: Launched) -> None:
    """What a power failure does to a machine; the server hears of it at once."""
    process.signal(signal.SIGKILL)
    assert process.wait().code == -signal.SIGKILL


def kept_lines(dsn: str, key: str = KEY) -> list[bytes]:
    """The lines of a book's journal in the database; none where it has no tables yet."""
    query = "select line from libriscribe2_journal where project = %s order by seq"
    with psycopg.connect(dsn) as connection:
        if connection.execute(_TABLE).fetchone() == (None,):
            return []
        return [bytes(line) for (line,) in connection.execute(query, (key,))]


def keep_line(dsn: str, record: Record, key: str = KEY) -> None:
    """Add a record to a book's journal in the database."""
    line = encode_line(record)[:-1]
    statement = "insert into libriscribe2_journal values (%s, %s, %s)"
    with psycopg.connect(dsn) as connection:
        connection.execute(statement, (key, len(kept_lines(dsn, key)) + 1, line))


def journal_lines(trial: Trial) -> list[bytes]:
    """The lines of a book's journal in its folder."""
    return trial.book.path(".libriscribe/journal.jsonl").read_bytes().split(b"\n")[:-1]


def until(true: Callable[[], bool]) -> None:
    """Let other processes run until something is true, two minutes at most."""
    end = monotonic() + _LONGEST_SECONDS
    while not true():
        assert monotonic() < end, "it never came true"
        pause(_POLL_SECONDS)
