"""The calls of one book of a batch, sent together with those of the others."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from libriscribe2.batch.folders import BatchPaths, batch_of
from libriscribe2.batch.provider.spool import BookSpool, Spool
from libriscribe2.errors import ProjectError
from libriscribe2.llm.backend import Backend
from libriscribe2.llm.backends.provider_batches import BatchLines
from libriscribe2.llm.backends.routed import RoutedBackend
from libriscribe2.llm.backends.spooled import SpooledBackend, identity
from libriscribe2.llm.call_records import CallRecord, CallReport, Outbox
from libriscribe2.llm.limits.rates import account_name
from libriscribe2.project.paths import ProjectPaths


class BookCalls:
    """Leaves a book's calls to a spool (`app.SharedCalls`).

    Args:
        spool: Where they wait for others.
    """

    def __init__(self, spool: BookSpool) -> None:
        self._spool = spool

    def backend(
        self,
        inner: RoutedBackend,
        url_of: Callable[[str], str | None],
        wait: Callable[[float], Awaitable[None]],
    ) -> Backend:
        """Who answers: the batch of a model's provider, where it has one."""
        return SpooledBackend(
            inner,
            lambda model: BatchLines(inner.online(model)),
            self._spool,
            lambda model: account_name(model, url_of(model), os.environ),
            wait,
        )

    def outbox(self, inner: Outbox) -> Outbox:
        """An outbox that forgets the spool's record of each call that is answered."""
        return _Forgetting(inner, self._spool)


class _Forgetting:
    """Passes reports on; the journal has the reply by then, so no other record is wanted."""

    def __init__(self, inner: Outbox, spool: BookSpool) -> None:
        self._inner = inner
        self._spool = spool

    def put(self, item: CallReport) -> None:
        """Pass a report on."""
        if isinstance(item, CallRecord):
            self._spool.forget(identity(item.request))
        self._inner.put(item)


def calls_of(paths: ProjectPaths, spool: Path | None, batches: Path) -> BookCalls | None:
    """What sends the calls of a book; None for one whose calls are sent at once.

    Args:
        paths: The book.
        spool: Where its calls wait for others; None sends each at once.
        batches: The folder of all batches.

    Raises:
        ProjectError: Its batch submitted calls and does not run: asked here, they would be paid
            twice.
        StorageError: Nobody can say.
    """
    name = paths.root.name
    if spool is not None:
        return BookCalls(BookSpool(Spool(spool), name))
    batch = batch_of(paths)
    folder = BatchPaths(batches / batch).provider
    if batch and BookSpool(Spool(folder), name).is_used():
        raise ProjectError(
            f"Calls of {name!r} were sent together with others of its batch",
            why="sent again here, they would be paid for twice",
            fix=f"Continue with `libriscribe2 batch run --batch {batch}`, or discard them: "
            f"remove {folder}.",
        )
    return None
