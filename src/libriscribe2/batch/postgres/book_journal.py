"""A book's journal in the database: its lock, its copy beside the folder, its cost elsewhere."""

import asyncio
import hashlib
import logging
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from libriscribe2.batch.postgres.database import (
    APPLICATION,
    HOLDERS,
    PATIENCE,
    Database,
    DatabaseLostError,
    Dsn,
    PatientConnection,
    Values,
    connect,
    here,
)
from libriscribe2.batch.postgres.exchange import key_of
from libriscribe2.batch.progress import Book, Ended, Sums, sums_in
from libriscribe2.batch.work import BookWriter
from libriscribe2.errors import LibriScribeError, NewerVersionError, ProjectError, ProjectInUseError
from libriscribe2.project.atomic import atomic_write, storage_errors
from libriscribe2.project.lock import Machine, put_in_trash
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import BOOK_TOML, ProjectPaths
from libriscribe2.project.records import FORMAT, scan_journal

_TAKE: Final = """
    select pg_try_advisory_lock(hashtextextended(%s, 0)) as taken, pg_backend_pid() as session
"""
_CHECK: Final = "select pg_backend_pid() as session"
_HOLDER: Final = f"select application_name as who {HOLDERS}"


@dataclass(eq=False)
class ProjectClaim:
    """The right to write a book, from `take` to `release`; a context manager.

    Attributes:
        dsn: The database.
        key: What the book is called among all books of the database.
    """

    dsn: Dsn
    key: str
    _connection: PatientConnection
    _session: int

    @classmethod
    def take(cls, dsn: Dsn, key: str, patience: float = PATIENCE) -> Self:
        """Take the right at once or not at all.

        Args:
            dsn: The database.
            key: What the book is called among all books of the database.
            patience: Seconds after which a statement is given up.

        Raises:
            ProjectInUseError: Another process has it.
            DatabaseLostError: The database does not answer.
        """
        connection = connect(dsn, patience, f"{APPLICATION} pid {os.getpid()} on {here()}")
        with dsn.errors():
            row = connection.execute(_TAKE, (key,)).fetchone()
            assert row is not None  # the statement always gives one row
            if row["taken"]:
                return cls(dsn, key, connection, row["session"])
            holder = connection.execute(_HOLDER.encode(), {"key": key}).fetchone()
            connection.close()
        raise ProjectInUseError(
            f"The book {key!r} is being written by another process",
            why=holder["who"] if holder is not None else "it has just released it",
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
            raise self._gone("another session answered, so there is a pooler in between")

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
            f"The book {self.key!r} is no longer locked by this process",
            why=f"its connection to {self.dsn.shown} is gone: {why}",
            fix="Another worker continues it; nothing more is sent from here.",
        )

    def release(self) -> None:
        """Let others in; a second time does nothing."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.release()


AT_ONCE: Final = 200
"""Most lines of one statement."""

_BOOK: Final = "select format, request from libriscribe2_books where project = %s"
_KEEP_BOOK: Final = """
    insert into libriscribe2_books as known (project, format, request) values (%s, %s, %s)
    on conflict (project) do update set format = excluded.format, request = excluded.request
"""
_DIGESTS: Final = """
    select sha256(line) as sha from libriscribe2_journal where project = %s order by seq
"""
_BEYOND: Final = """
    select line from libriscribe2_journal where project = %s and seq > %s order by seq
"""
_ADD: Final = """
    insert into libriscribe2_journal (project, seq, line)
    select %s, %s + place, line from unnest(%s::bytea[]) with ordinality as one (line, place)
"""


@dataclass(eq=False)
class DatabaseJournal:
    """The lines of one book's journal in the database; it fits `JournalMirror`.

    Args:
        claim: The right to write the book.
        paths: The book's folder on this machine; it has a `book.toml`, and whoever opens the
            journal holds its lock.
    """

    _claim: ProjectClaim
    _paths: ProjectPaths
    _stored: int = 0

    def meet(self, lines: Sequence[bytes]) -> Sequence[bytes]:
        """Make the folder and the database agree: the longer journal wins, and its request.

        Args:
            lines: The lines in the folder.

        Returns:
            The lines that the folder lacks.

        Raises:
            ProjectError: Neither journal begins with all of the other, and nothing was changed; or
                a newer version wrote the book.
            ProjectInUseError: The right to the book is gone.
            StorageError: The request cannot be put into the folder.
        """
        key = self._claim.key
        known = _request(self._claim, key)
        stored = [row["sha"] for row in self._claim.rows(_DIGESTS, (key,))]
        self._check_same(lines, stored)
        is_behind = len(stored) > len(lines)
        present = self._meet_request(known if is_behind else None)
        self._claim.rows(_KEEP_BOOK, (key, FORMAT, present))
        self._stored = len(stored)
        for first in range(len(stored), len(lines), AT_ONCE):
            self.add(lines[first : first + AT_ONCE])
        if not is_behind:
            return ()
        return [row["line"] for row in self._claim.rows(_BEYOND, (key, len(lines)))]

    def add(self, lines: Sequence[bytes]) -> None:
        """Keep lines after those that are there, in one statement.

        Raises:
            ProjectInUseError: The right to the book is gone; no line was kept.
        """
        self._claim.rows(_ADD, (self._claim.key, self._stored, list(lines)))
        self._stored += len(lines)

    def _check_same(self, lines: Sequence[bytes], stored: Sequence[bytes]) -> None:
        for number, (line, sha) in enumerate(zip(lines, stored, strict=False), 1):
            if hashlib.sha256(line).digest() != sha:
                name = self._paths.root.name
                raise ProjectError(
                    f"Two journals of {name} differ from line {number} on, so neither is written",
                    why=f"one is {self._paths.journal} ({len(lines):,} lines), the other is that of"
                    f" {self._claim.key!r} in {self._claim.dsn.shown} ({len(stored):,} lines)",
                    fix="Move the folder away to continue from the database, or delete its copy with "
                    f"`libriscribe2 batch forget {name}`; then `libriscribe2 batch retry {name}`.",
                )

    def _meet_request(self, known: bytes | None) -> bytes:
        """The request; that of who is further replaces the folder's, which goes to the trash."""
        with storage_errors("write", self._paths.book_toml):
            present = self._paths.book_toml.read_bytes()
            if known is None or present == known:
                return present
            put_in_trash(self._paths, BOOK_TOML, present, Machine())
            atomic_write(self._paths.book_toml, known)
            return known


def is_kept(claim: ProjectClaim) -> bool:
    """Whether the journal of a book is in the database.

    Raises:
        NewerVersionError: A newer version wrote it.
        ProjectInUseError: The right to the book is gone.
    """
    return _request(claim, claim.key) is not None


def _request(place: Database | ProjectClaim, key: str) -> bytes | None:
    """The `book.toml` of a book in the database; None where its journal is not there.

    Raises:
        NewerVersionError: A newer version wrote its records.
    """
    for row in place.rows(_BOOK, (key,)):
        if row["format"] <= FORMAT:
            return bytes(row["request"])
        raise NewerVersionError(
            f"The book {key!r} was written by a newer version of libriscribe2",
            why=f"its records have format {row['format']}; this version reads up to {FORMAT}",
            fix="Upgrade libriscribe2 on this machine.",
        )
    return None


_LINES: Final = "select line from libriscribe2_journal where project = %s order by seq"
_DROP: Final = """
    with lines as (delete from libriscribe2_journal where project = %(key)s)
    delete from libriscribe2_books where project = %(key)s returning project
"""


@dataclass(frozen=True, slots=True)
class StoredBook:
    """What the database holds of a book.

    Attributes:
        request: Its `book.toml`.
        journal: Its journal as a file.
    """

    request: bytes
    journal: bytes


def stored_book(database: Database, key: str) -> StoredBook | None:
    """What the database holds of a book; None where its journal is not there.

    Raises:
        ProjectError: A newer version wrote it.
        LibriScribeError: The database does not answer, or refuses.
    """
    with database.transaction():
        request = _request(database, key)
        lines = database.rows(_LINES, (key,))
    if request is None:
        return None
    return StoredBook(request, b"".join(row["line"] + b"\n" for row in lines))


def forget(database: Database, key: str) -> bool:
    """Delete what the database holds of a book; whether there was anything.

    Raises:
        ProjectInUseError: A process writes the book.
        LibriScribeError: The database does not answer, or refuses.
    """
    with ProjectClaim.take(database.dsn, key):
        return bool(database.rows(_DROP, {"key": key}))


logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class SyncedBooks:
    """Writes books as another writer does, and knows what they cost elsewhere.

    A worker that died elsewhere had paid for something, and what is free of a batch's budget must
    not count that again.

    Attributes:
        here: Writes the books on this machine.
        dsn: The database.
        batch: The name of the batch.
        paths_of: Where the folder of a book is on this machine.
        unknown_usd: What a million tokens without a known price count as.
    """

    here: BookWriter
    dsn: Dsn
    batch: str
    paths_of: Callable[[str], ProjectPaths]
    unknown_usd: float

    async def write(self, book: Book, grant: float | None) -> Ended:
        """Run a book to an end, within a grant in US dollars; cancelled, it ends resumably.

        What it came to is never told as less than was known before.

        Raises:
            LibriScribeError: It cannot be begun.
        """
        if book.is_elsewhere and await asyncio.to_thread(self._is_out_of_reach, book.row.name):
            return _elsewhere(book)
        how = await self.here.write(book, grant)
        return replace(how, sums=await self._all_known(book, how.sums))

    async def sums(self, book: Book) -> Sums:
        """What a book has come to, by its folder here or by the database, whichever knows more.

        Raises:
            LibriScribeError: The project cannot be read, or the database does not answer.
        """
        here = await self.here.sums(book)
        known = _dearest(here, await self._there(book, here.words))
        if known.calls or book.state != "running" or book.journal == "database":
            return known
        # Only its machine knows what the run cost: all that it was allowed to, for the cap.
        return known.model_copy(update={"possible_usd": max(known.possible_usd, book.grant or 0.0)})

    async def _all_known(self, book: Book, here: Sums) -> Sums:
        """What a book has come to after a run that may never have seen its journal.

        The lock may have been another's, the settings at fault, the database away: the folder here
        then lacks what the book cost elsewhere.
        """
        before = book.last.sums.model_copy(update={"words": here.words})
        try:
            there = await self._there(book, here.words)
        except LibriScribeError as error:
            # How the run ended is worth more than a figure that was noted before the run, too.
            logger.warning("what %s cost elsewhere is not known: %s", book.row.name, error.what)
            there = before
        known = _dearest(here, there)
        most = max(known.possible_usd, before.possible_usd)
        return known.model_copy(update={"possible_usd": most})

    def _is_out_of_reach(self, name: str) -> bool:
        """Whether the journal of a book is neither here nor in the database."""
        return not self.paths_of(name).journal.exists() and self._stored(name) is None

    async def _there(self, book: Book, words: int) -> Sums:
        return await asyncio.to_thread(self._by_database, book.row.name, words)

    def _by_database(self, name: str, words: int) -> Sums:
        stored = self._stored(name)
        if stored is None:
            return Sums(words=words)
        return sums_in(Manifest(scan_journal(stored.journal).records), words, self.unknown_usd)

    def _stored(self, name: str) -> StoredBook | None:
        with closing(Database(self.dsn)) as database:
            return stored_book(database, key_of(self.batch, name))


def _elsewhere(book: Book) -> Ended:
    """The end of a book that must not be begun a second time here."""
    name = book.row.name
    return Ended(
        "queued",
        ProjectError.exit_code,
        "Its folder is on another machine",
        "it was begun there with its journal in that folder alone; begun here again, all of it "
        "would be paid for again",
        f"Start a worker on that machine, or copy the folder here. To begin it again all the same: "
        f"`libriscribe2 batch cancel {name}`, then `libriscribe2 batch retry {name}`.",
        sums=book.last.sums,
        cause="operator",
    )


def _dearest(here: Sums, there: Sums) -> Sums:
    return max(here, there, key=lambda sums: (sums.possible_usd, sums.calls))
