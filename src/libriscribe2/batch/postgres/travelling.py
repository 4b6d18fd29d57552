"""What a book came to whose folder may be on another machine."""

import asyncio
from contextlib import closing

from libriscribe2.batch.figures import Sums, sums_in
from libriscribe2.batch.postgres.database import Database, Dsn
from libriscribe2.batch.postgres.jobs import key_of
from libriscribe2.batch.postgres.kept_books import kept_book
from libriscribe2.batch.state import Book, Ended
from libriscribe2.batch.work import BookWriter
from libriscribe2.project.journal_lines import scan
from libriscribe2.project.manifest import Manifest


class TravellingBooks:
    """Writes books as another writer does, and knows what they cost elsewhere.

    A worker that died elsewhere had paid for something, and what is free of a batch's budget must
    not count that again.

    Args:
        here: Writes the books on this machine.
        dsn: The database.
        batch: The name of the batch.
        unknown_usd: What a million tokens without a known price count as.
    """

    def __init__(self, here: BookWriter, dsn: Dsn, batch: str, unknown_usd: float) -> None:
        self._here = here
        self._dsn = dsn
        self._batch = batch
        self._unknown_usd = unknown_usd

    async def write(self, book: Book, grant: float | None) -> Ended:
        """Run a book to an end, within a grant in US dollars; cancelled, it ends resumably.

        Raises:
            LibriScribeError: It cannot be begun.
        """
        return await self._here.write(book, grant)

    async def sums(self, book: Book) -> Sums:
        """What a book has come to, by its folder here or by the database, whichever knows more.

        Raises:
            LibriScribeError: The project cannot be read, or the database does not answer.
        """
        here = await self._here.sums(book)
        there = await asyncio.to_thread(self._by_database, book.row.name, here.words)
        return max(here, there, key=lambda sums: (sums.possible_usd, sums.calls))

    def _by_database(self, name: str, words: int) -> Sums:
        with closing(Database(self._dsn)) as database:
            kept = kept_book(database, key_of(self._batch, name))
        if kept is None:
            return Sums(words=words)
        return sums_in(Manifest(scan(kept.journal).records), words, self._unknown_usd)
