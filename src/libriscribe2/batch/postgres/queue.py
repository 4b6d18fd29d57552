"""The queue of a batch in a database."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from typing_extensions import override

from libriscribe2.batch.postgres.database import Database, DatabaseLostError
from libriscribe2.batch.postgres.exchange import Exchange, Pace
from libriscribe2.batch.postgres.jobs import Jobs
from libriscribe2.batch.postgres.log import DatabaseLog
from libriscribe2.batch.postgres.worker import Worker
from libriscribe2.batch.queue import BookQueue
from libriscribe2.batch.work import PASSING, BookWriter, Terms
from libriscribe2.errors import StorageError

ELSEWHERE: Final = (*PASSING, StorageError.exit_code)
"""Exit codes of reasons that pass: a disk that is full here may not be full elsewhere."""


def no_lost(_error: DatabaseLostError) -> None:
    """Nobody is told."""


class DatabaseQueue(BookQueue):
    """A batch that several machines work on.

    Args:
        database: Where it is, with its tables (`ensure_schema`).
        name: The name of the batch, which need not be there yet.
        pace: How workers keep in touch.
        tell_lost: Hears when the database stops to answer while books are run.
    """

    def __init__(
        self,
        database: Database,
        name: str,
        pace: Pace | None = None,
        tell_lost: Callable[[DatabaseLostError], None] = no_lost,
    ) -> None:
        super().__init__(name, DatabaseLog(database, name))
        self._database = database
        self._pace = pace if pace is not None else Pace()
        self._tell_lost = tell_lost

    @override
    async def work(self, writer: BookWriter, terms: Terms) -> None:
        """Run books until none of the batch runs anywhere and none waits, or it is paused.

        Raises:
            LibriScribeError: The database refuses.
        """
        self.go(terms)
        terms = replace(terms, passing=ELSEWHERE)
        exchange = Exchange(self._database, terms, self._pace, [self.name])
        await Worker(
            exchange,
            lambda _batch: writer,
            terms,
            self._pace,
            drain=True,
            tell_lost=self._tell_lost,
        ).run()

    @override
    def is_running(self) -> bool:
        """Whether any worker of the database is alive."""
        return Jobs(self._database).anyone(self._pace.stalled)

    @override
    def close(self) -> None:
        """Let go of the connection; it is made again when it is wanted."""
        self._database.close()
