"""What a book came to whose folder may be on another machine."""

import asyncio
import logging
from contextlib import closing
from dataclasses import replace

from libriscribe2.batch.figures import Sums, sums_in
from libriscribe2.batch.postgres.database import Database, Dsn
from libriscribe2.batch.postgres.jobs import key_of
from libriscribe2.batch.postgres.kept_books import kept_book
from libriscribe2.batch.state import Book, Ended
from libriscribe2.batch.work import BookWriter
from libriscribe2.errors import LibriScribeError
from libriscribe2.project.journal_lines import scan
from libriscribe2.project.manifest import Manifest

logger = logging.getLogger(__name__)


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

        What it came to is never told as less than was known before.

        Raises:
            LibriScribeError: It cannot be begun.
        """
        how = await self._here.write(book, grant)
        return replace(how, sums=await self._all_known(book, how.sums))

    async def sums(self, book: Book) -> Sums:
        """What a book has come to, by its folder here or by the database, whichever knows more.

        Raises:
            LibriScribeError: The project cannot be read, or the database does not answer.
        """
        here = await self._here.sums(book)
        return _dearest(here, await self._there(book, here.words))

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

    async def _there(self, book: Book, words: int) -> Sums:
        return await asyncio.to_thread(self._by_database, book.row.name, words)

    def _by_database(self, name: str, words: int) -> Sums:
        with closing(Database(self._dsn)) as database:
            kept = kept_book(database, key_of(self._batch, name))
        if kept is None:
            return Sums(words=words)
        return sums_in(Manifest(scan(kept.journal).records), words, self._unknown_usd)


def _dearest(here: Sums, there: Sums) -> Sums:
    return max(here, there, key=lambda sums: (sums.possible_usd, sums.calls))
