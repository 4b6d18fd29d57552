"""Books whose journals are in the database, for who only looks at them or lets them go."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.batch.postgres.claim import ProjectClaim
from libriscribe2.batch.postgres.database import Database
from libriscribe2.batch.postgres.journal import check_kept_format

_BOOK: Final = "select format, request from libriscribe2_books where project = %s"
_LINES: Final = "select line from libriscribe2_journal where project = %s order by seq"
_DROP: Final = (
    "delete from libriscribe2_journal where project = %s",
    "delete from libriscribe2_books where project = %s",
)


@dataclass(frozen=True, slots=True)
class KeptBook:
    """What the database holds of a book.

    Attributes:
        request: Its `book.toml`.
        lines: The lines of its journal, without their line feeds.
    """

    request: bytes
    lines: Sequence[bytes]

    @property
    def journal(self) -> bytes:
        """The journal as a file."""
        return b"".join(line + b"\n" for line in self.lines)


def kept_book(database: Database, key: str) -> KeptBook | None:
    """What the database holds of a book; None where its journal is not there.

    Raises:
        ProjectError: A newer version wrote it.
        LibriScribeError: The database does not answer, or refuses.
    """
    with database.transaction():
        found = database.rows(_BOOK, (key,))
        lines = database.rows(_LINES, (key,))
    if not found:
        return None
    check_kept_format(found[0]["format"], key)
    return KeptBook(bytes(found[0]["request"]), [row["line"] for row in lines])


def forget(database: Database, key: str) -> bool:
    """Delete what the database holds of a book; whether there was anything.

    Raises:
        ProjectInUseError: A process writes the book.
        LibriScribeError: The database does not answer, or refuses.
    """
    with ProjectClaim.take(database.dsn, key), database.transaction():
        found = bool(database.rows(_BOOK, (key,)))
        for statement in _DROP:
            database.rows(statement, (key,))
    return found
