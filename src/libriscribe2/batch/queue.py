"""Where books wait: the protocol of a queue, and the one in a folder of this machine."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from typing_extensions import override

from libriscribe2.batch.folders import BatchLog, BatchPaths, held
from libriscribe2.batch.progress import Batch, Book, BookState, added, retried
from libriscribe2.batch.rows import Fault, Row
from libriscribe2.batch.work import BookWriter, Terms, Work
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.project.atomic import make_folder, storage_errors
from libriscribe2.project.lock import is_locked
from libriscribe2.project.records import Record
from libriscribe2.project.texts import Clock, utc_now

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


class Log(Protocol):
    """The log of a batch, to which several add in turn."""

    @property
    def damaged(self) -> int:
        """Lines that were read and cannot be believed."""
        ...

    def turn(self) -> AbstractContextManager[None]:
        """Keep others from adding while the block runs."""
        ...

    def news(self) -> tuple[Record, ...]:
        """The records that were added since the last reading, oldest first."""
        ...

    def append(self, records: Sequence[Record]) -> None:
        """Add records, with the time."""
        ...

    def elsewhere(self, names: Sequence[str]) -> Mapping[str, str]:
        """Those of the names that a book of another batch has, capitals aside, with that batch."""
        ...


class LoggedBatch:
    """A batch that is the fold of its log, wherever that is.

    Args:
        name: The name of the batch, which need not be there yet.
        log: Its log.
    """

    def __init__(self, name: str, log: Log) -> None:
        self.name = name
        self._log = log
        self._batch = Batch()

    @property
    def damaged(self) -> int:
        """Lines of the log that cannot be believed."""
        return self._log.damaged

    def status(self) -> Batch:
        """The batch as it is now; the same object each time, brought up to date.

        Raises:
            LibriScribeError: The log cannot be read.
        """
        self._batch.apply(self._log.news())
        return self._batch

    def turn(self) -> AbstractContextManager[None]:
        """Keep others from changing the batch while the block runs.

        Raises:
            LibriScribeError: The log cannot be written.
        """
        return self._log.turn()

    def note(self, records: Sequence[Record]) -> None:
        """Add records to the log.

        Raises:
            LibriScribeError: The log cannot be written.
        """
        if records:
            self._log.append(records)

    def enqueue(
        self, rows: Iterable[Row], taken: Callable[[str], bool], cap: float | None = None
    ) -> Enqueued:
        """Queue all rows, or none where one of them is at fault.

        Args:
            rows: The rows.
            taken: Whether there is a project of a name that this batch did not begin.
            cap: The most that all books may cost, in US dollars, before one can begin; None
                leaves it as it is.

        Raises:
            LibriScribeError: The log cannot be written.
        """
        with self.turn():
            batch, rows = self.status(), list(rows)
            elsewhere = self._log.elsewhere([row.name for row in rows])
            new: list[Row] = []
            known: list[str] = []
            faults: list[Fault] = []
            for row in rows:
                before = batch.named(row.name)
                if before is not None and before.row.same_book(row):
                    known.append(row.name)
                elif before is not None or row.name in elsewhere or taken(row.name):
                    faults.append(_name_is_taken(row, before, elsewhere.get(row.name)))
                else:
                    new.append(row)
            if faults:
                return Enqueued((), known, faults)
            if cap is not None:
                self.note([{"t": "cap", "cap": cap}])
            self.note([added(row) for row in new])
        return Enqueued([row.name for row in new], known)

    def pause(self) -> None:
        """Let no further book begin; those that run go on to their end."""
        self.note([{"t": "pause"}])

    def go(self, terms: Terms) -> None:
        """Let books begin; a cap holds until another one is named."""
        with self.turn():
            cap = terms.cap if terms.cap is not None else self.status().cap
            self.note([{"t": "run", "cap": cap, "books": terms.books}])

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

    def _mark(self, kind: str, names: Sequence[str], states: Sequence[BookState]) -> Sequence[str]:
        with self.turn():
            batch = self.status()
            books = [self._known(batch, name) for name in names] or list(batch.books.values())
            marked = [book.row.name for book in books if book.state in states]
            self.note([_marking(kind, batch.books[name]) for name in dict.fromkeys(marked)])
        return marked

    def _known(self, batch: Batch, name: str) -> Book:
        book = batch.named(name)
        if book is None:
            raise ProjectError(
                f"The batch {self.name!r} has no book {name!r}",
                fix="`libriscribe2 batch status` lists its books.",
            )
        return book


class BookQueue(LoggedBatch, ABC):
    """Where books wait for their turn; one job is one whole book."""

    @abstractmethod
    async def work(self, writer: BookWriter, terms: Terms) -> None:
        """Run books until nothing is left that this worker may do."""

    @abstractmethod
    def is_running(self) -> bool:
        """Whether anybody runs the books just now."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what the queue holds; it is taken again when it is wanted."""


def _marking(kind: str, book: Book) -> Record:
    return retried(book) if kind == "retry" else {"t": kind, "book": book.row.name}


def _name_is_taken(row: Row, before: Book | None, batch: str | None) -> Fault:
    if before is None and batch is not None:
        why = f"the batch {batch!r} has a book {row.name!r} already; give this one another `name`"
        return Fault(row.place, why)
    if before is None:
        return Fault(row.place, f"there is a project {row.name!r} already")
    place = before.row.place
    return Fault(row.place, f"the batch has another book {row.name!r} already, from {place}")


def one_of(known: Sequence[str], name: str | None, place: str) -> str:
    """The batch that is meant; without a name the only one.

    Args:
        known: All that are there.
        name: What the user typed, or None.
        place: Where they are, for messages.

    Raises:
        UsageError: No batch was named, and there are several.
        ProjectError: There is no such batch, or none at all.
    """
    names = ", ".join(known)
    if name is None and len(known) > 1:
        raise UsageError("Which batch?", why=f"there are: {names}", fix="Name one with --batch.")
    found = [batch for batch in known if name in (None, batch)]
    if not found:
        what = f"There is no batch {name!r}" if name else "There is no batch"
        add = "`libriscribe2 batch add FILE` makes one."
        fix = f"Choose from {names}; {add}" if known else add
        raise ProjectError(f"{what} in {place}", fix=fix)
    return found[0]


class LocalQueue(BookQueue):
    """A batch in a folder of this machine.

    Args:
        paths: The batch; its folder need not be there yet.
        clock: The time of day, for the log.
    """

    def __init__(self, paths: BatchPaths, *, clock: Clock = utc_now) -> None:
        super().__init__(paths.name, BatchLog(paths, clock=clock))
        self.paths = paths

    @override
    async def work(self, writer: BookWriter, terms: Terms) -> None:
        """Run books until nothing waits any more, or the batch is paused.

        Raises:
            ProjectInUseError: Another process runs the books of this batch.
            StorageError: The log cannot be written.
        """
        root, runner = self.paths.root, self.paths.runner
        with storage_errors("lock", runner):
            make_folder(root)
        what = f"The books of {root} are being written by another process"
        with held(
            runner, what, "Wait until it is done, or stop it with `libriscribe2 batch pause`."
        ):
            self.go(terms)
            await Work(self.status, self.note, writer, terms).run()

    @override
    def is_running(self) -> bool:
        """Whether a process runs the books of this batch just now."""
        if not self.paths.runner.exists():
            return False
        with storage_errors("lock", self.paths.runner):
            return is_locked(self.paths.runner)

    @override
    def close(self) -> None:
        """Nothing is held between two calls."""
