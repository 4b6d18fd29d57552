"""The journal of a book beside its folder: line by line in the database, for other machines.

It is written on the connection that has the right to the book, so nobody adds a line who may have
lost that right.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from libriscribe2.batch.postgres.claim import ProjectClaim
from libriscribe2.errors import ProjectError
from libriscribe2.project.atomic import atomic_write
from libriscribe2.project.format_version import FORMAT
from libriscribe2.project.machine import Machine
from libriscribe2.project.paths import BOOK_TOML, ProjectPaths
from libriscribe2.project.storage_errors import storage_errors
from libriscribe2.project.trash import put_in_trash

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


class DatabaseJournal:
    """The lines of one book's journal in the database; it fits `JournalMirror`.

    Args:
        claim: The right to write the book.
        paths: The book's folder on this machine; it has a `book.toml`, and whoever opens the
            journal holds its lock.
    """

    def __init__(self, claim: ProjectClaim, paths: ProjectPaths) -> None:
        self._claim = claim
        self._paths = paths
        self._stored = 0

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
        known = self._known_request()
        stored = [row["sha"] for row in self._claim.rows(_DIGESTS, (self._claim.key,))]
        self._check_same(lines, stored)
        self._stored = len(stored)
        if len(stored) > len(lines):
            if known is not None:
                self._take_request(known)
            beyond = self._claim.rows(_BEYOND, (self._claim.key, len(lines)))
            return [row["line"] for row in beyond]
        self._give_request(known)
        for first in range(len(stored), len(lines), AT_ONCE):
            self.add(lines[first : first + AT_ONCE])
        return ()

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
                    fix="Move the folder away to go on from the database, or drop what that has by "
                    f"`libriscribe2 batch forget {name}`; then `libriscribe2 batch retry {name}`.",
                )

    def _known_request(self) -> bytes | None:
        rows = self._claim.rows(_BOOK, (self._claim.key,))
        if not rows:
            return None
        check_kept_format(rows[0]["format"], self._claim.key)
        return bytes(rows[0]["request"])

    def _take_request(self, known: bytes) -> None:
        """Put the request of who is further into the folder; another one goes to the trash."""
        with storage_errors("write", self._paths.book_toml):
            present = self._paths.book_toml.read_bytes()
            if present != known:
                put_in_trash(self._paths, BOOK_TOML, present, Machine())
                atomic_write(self._paths.book_toml, known)

    def _give_request(self, known: bytes | None) -> None:
        with storage_errors("read", self._paths.book_toml):
            present = self._paths.book_toml.read_bytes()
        if present != known:
            self._claim.rows(_KEEP_BOOK, (self._claim.key, FORMAT, present))


def is_kept(claim: ProjectClaim) -> bool:
    """Whether the journal of a book is in the database.

    Raises:
        ProjectInUseError: The right to the book is gone.
    """
    return bool(claim.rows(_BOOK, (claim.key,)))


def check_kept_format(number: int, key: str) -> None:
    """Make sure that this version can read the records of a book in the database.

    Raises:
        ProjectError: A newer version wrote them.
    """
    if number > FORMAT:
        raise ProjectError(
            f"The book {key!r} was written by a newer version of libriscribe2",
            why=f"its records have format {number}; this version reads up to {FORMAT}",
            fix="Upgrade libriscribe2 on this machine.",
        )
