"""The queue of a batch, and the one on this machine: a folder, no server."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from filelock import FileLock, Timeout

from libriscribe2.batch.log import BatchLog
from libriscribe2.batch.paths import BatchPaths
from libriscribe2.batch.rows import Fault, Row
from libriscribe2.batch.state import Batch, Book, BookState, added
from libriscribe2.batch.work import BookWriter, Terms, Work
from libriscribe2.errors import ProjectError, ProjectInUseError
from libriscribe2.project.atomic import make_folder
from libriscribe2.project.lock import holder_of, sign
from libriscribe2.project.records import Record
from libriscribe2.project.storage_errors import storage_errors

_PATIENCE: Final = 0.5
_RETRIED: Final[tuple[BookState, ...]] = ("failed", "stopped", "cancelled")
_OPEN: Final[tuple[BookState, ...]] = ("queued", "running", "failed", "stopped")


@dataclass(frozen=True, slots=True)
class Enqueued:
    """What came of rows.

    Attributes:
        added: Names of the books that were queued.
        known: Names of the books that the batch had already, asked for in the same words.
        faults: What is wrong; nothing was queued then.
    """

    added: Sequence[str]
    known: Sequence[str] = ()
    faults: Sequence[Fault] = ()


class BookQueue(Protocol):
    """Where books wait for their turn; one job is one whole book."""

    def enqueue(self, rows: Iterable[Row], taken: Callable[[str], bool]) -> Enqueued:
        """Queue all rows, or none where one of them is at fault."""
        ...

    async def work(self, writer: BookWriter, terms: Terms) -> None:
        """Run books until nothing is left that this worker may do."""
        ...

    def status(self) -> Batch:
        """The batch as it is now."""
        ...


class LocalQueue:
    """A batch in a folder of this machine.

    Args:
        paths: The batch; its folder need not be there yet.
    """

    def __init__(self, paths: BatchPaths) -> None:
        self.paths = paths
        self._log = BatchLog(paths)
        self._batch = Batch()

    @property
    def damaged(self) -> int:
        """Lines of the log that cannot be believed."""
        return self._log.damaged

    def status(self) -> Batch:
        """The batch as it is now; the same object each time, brought up to date.

        Raises:
            StorageError: The log cannot be read.
        """
        self._batch.apply(self._log.news())
        return self._batch

    def enqueue(self, rows: Iterable[Row], taken: Callable[[str], bool]) -> Enqueued:
        """Queue all rows, or none where one of them is at fault.

        Args:
            rows: The rows.
            taken: Whether there is a project of a name that this batch did not begin.

        Raises:
            StorageError: The log cannot be written.
        """
        with self._log.turn():
            batch = self.status()
            new: list[Row] = []
            known: list[str] = []
            faults: list[Fault] = []
            for row in rows:
                before = batch.named(row.name)
                if before is not None and before.row.same_book(row):
                    known.append(row.name)
                elif before is not None or taken(row.name):
                    faults.append(_name_is_taken(row, before))
                else:
                    new.append(row)
            if faults:
                return Enqueued((), known, faults)
            self._append([added(row) for row in new])
        return Enqueued([row.name for row in new], known)

    def pause(self) -> None:
        """Let no further book begin; those that run go on to their end."""
        self._append([{"t": "pause"}])

    def cancel(self, names: Sequence[str] = ()) -> Sequence[str]:
        """Take books that are not done out of the queue, and stop those that run.

        Args:
            names: Which; empty means all.

        Returns:
            The names of the books that were cancelled.

        Raises:
            ProjectError: The batch has no book of a name.
        """
        return self._mark("cancel", names, _OPEN)

    def retry(self, names: Sequence[str] = ()) -> Sequence[str]:
        """Queue books again that failed or were stopped, and those cancelled that are named.

        Returns:
            The names of the books that were queued.

        Raises:
            ProjectError: The batch has no book of a name.
        """
        return self._mark("retry", names, _RETRIED if names else ("failed", "stopped"))

    async def work(self, writer: BookWriter, terms: Terms) -> None:
        """Run books until nothing waits any more, or the batch is paused.

        Raises:
            ProjectInUseError: Another process runs the books of this batch.
            StorageError: The log cannot be written.
        """
        with self._running():
            self._append([{"t": "run", "cap": terms.cap, "books": terms.books}])
            await Work(self.status, self._append, writer, terms).run()

    def is_running(self) -> bool:
        """Whether a process runs the books of this batch just now."""
        if not self.paths.runner.exists():
            return False
        lock = FileLock(self.paths.runner, timeout=0, thread_local=False)
        with storage_errors("lock", self.paths.runner):
            try:
                lock.acquire()
            except Timeout:
                return True
            lock.release()
        return False

    def _mark(self, kind: str, names: Sequence[str], states: Sequence[BookState]) -> Sequence[str]:
        with self._log.turn():
            batch = self.status()
            books = [self._known(batch, name) for name in names] or list(batch.books.values())
            marked = [book.row.name for book in books if book.state in states]
            self._append([{"t": kind, "book": name} for name in dict.fromkeys(marked)])
        return marked

    def _known(self, batch: Batch, name: str) -> Book:
        book = batch.named(name)
        if book is None:
            raise ProjectError(
                f"The batch {self.paths.name!r} has no book {name!r}",
                fix="`libriscribe2 batch status` lists its books.",
            )
        return book

    def _append(self, records: Sequence[Record]) -> None:
        if records:
            self._log.append(records)

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Be the one process that runs the books."""
        lock = FileLock(self.paths.runner, timeout=_PATIENCE, thread_local=False)
        with storage_errors("lock", self.paths.runner):
            make_folder(self.paths.root)
            try:
                lock.acquire()
            except Timeout as error:
                raise _in_use(self.paths) from error
        sign(self.paths.runner)
        try:
            yield
        finally:
            lock.release()


def _name_is_taken(row: Row, before: Book | None) -> Fault:
    if before is None:
        return Fault(row.place, f"there is a project {row.name!r} already")
    place = before.row.place
    return Fault(row.place, f"the batch has another book {row.name!r} already, from {place}")


def _in_use(paths: BatchPaths) -> ProjectInUseError:
    return ProjectInUseError(
        f"The books of {paths.root} are being written by another process",
        why=holder_of(paths.runner),
        fix="Wait until it is done, or end it with `libriscribe2 batch pause`.",
    )
