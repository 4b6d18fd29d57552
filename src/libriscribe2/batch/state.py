"""The state of a batch: the fold of its log."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from libriscribe2.batch.figures import RunTimes, Sums
from libriscribe2.batch.rows import Row
from libriscribe2.project.records import Record

BookState = Literal["queued", "running", "done", "failed", "stopped", "cancelled"]
STATES: Final[tuple[BookState, ...]] = (
    "queued",
    "running",
    "done",
    "failed",
    "stopped",
    "cancelled",
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run of a book ended.

    Attributes:
        state: The book's state from now on; `queued` has it tried again.
        code: Exit code of the run.
        what: What went wrong, or "".
        why: Why.
        fix: The command that mends it.
        times: How long it took.
        sums: What the book has come to.
    """

    state: BookState
    code: int = 0
    what: str = ""
    why: str = ""
    fix: str = ""
    times: RunTimes = field(default_factory=RunTimes)
    sums: Sums = field(default_factory=Sums)


@dataclass(frozen=True, slots=True)
class Book:
    """One book of a batch.

    Attributes:
        row: What was asked for.
        state: How it stands.
        tries: Runs since it was queued by a person.
        grant: The most that its last run was allowed to bring the book's cost to, in US dollars.
        last: How its last run ended.
        times: How long all its runs took.
        late: Whether it was expected to miss its deadline when it began, or was done after it.
    """

    row: Row
    state: BookState = "queued"
    tries: int = 0
    grant: float | None = None
    last: Ended = field(default_factory=lambda: Ended("queued"))
    times: RunTimes = field(default_factory=RunTimes)
    late: bool = False

    @property
    def committed_usd(self) -> float:
        """What counts for the batch's cap: the grant while it runs, then what it came to."""
        spent = self.last.sums.possible_usd
        return max(spent, self.grant or 0.0) if self.state == "running" else spent


class Batch:
    """A batch as its log tells it.

    Attributes:
        books: The books by name, in the order in which they were queued.
        paused: Whether no further book may begin.
        cap: The most that all books together may cost, in US dollars; None is no cap.
    """

    def __init__(self) -> None:
        self.books: dict[str, Book] = {}
        self.paused = False
        self.cap: float | None = None

    def apply(self, records: Iterable[Record]) -> None:
        """Take in what the log says next; a record of a kind from later versions is left out."""
        for record in records:
            change = _CHANGES.get(record["t"])
            if change is not None:
                change(self, record)

    def within(self, *states: BookState) -> list[Book]:
        """The books in any of the states, in order."""
        return [book for book in self.books.values() if book.state in states]

    def counts(self) -> dict[str, int]:
        """How many books are in each state."""
        return {state: len(self.within(state)) for state in STATES}

    def named(self, name: str) -> Book | None:
        """The book of a name, capitals aside."""
        exact = self.books.get(name)
        folded = name.casefold()
        return exact or next((b for n, b in self.books.items() if n.casefold() == folded), None)


def added(row: Row) -> Record:
    """The record of a row that is queued."""
    about = {"place": row.place, "brief": row.brief, "settings": row.settings}
    return {"t": "add", "book": row.name, **about, "deadline": row.deadline}


def retried(book: Book) -> Record:
    """The record of a book that is queued again."""
    return {"t": "retry", "book": book.row.name, "deadline": book.row.deadline}


def started(name: str, grant: float | None, *, late: bool = False) -> Record:
    """The record of a run that begins; `late` where it is expected to miss its deadline."""
    return {"t": "start", "book": name, "grant": grant, "late": late}


def ended(name: str, how: Ended) -> Record:
    """The record of a run that has ended."""
    told = {"state": how.state, "code": how.code, "what": how.what, "why": how.why, "fix": how.fix}
    figures = {"times": how.times.model_dump(), "sums": how.sums.model_dump()}
    return {"t": "end", "book": name, **told, **figures}


def _add(batch: Batch, record: Record) -> None:
    deadline = record.get("deadline", "")
    row = Row(record["book"], record["place"], record["brief"], record["settings"], deadline)
    batch.books.setdefault(row.name, Book(row))


def _run(batch: Batch, record: Record) -> None:
    batch.paused = False
    batch.cap = record["cap"]
    for book in batch.within("queued", "running"):
        batch.books[book.row.name] = replace(book, tries=0)


def _cap(batch: Batch, record: Record) -> None:
    batch.cap = record["cap"]


def _pause(batch: Batch, record: Record) -> None:
    del record
    batch.paused = True


def _start(batch: Batch, record: Record) -> None:
    _change(
        batch,
        record,
        lambda book: {
            "state": "running",
            "tries": book.tries + 1,
            "grant": record["grant"],
            "late": record.get("late", False),
        },
    )


def _end(batch: Batch, record: Record) -> None:
    how = Ended(
        state=record["state"],
        code=record["code"],
        what=record["what"],
        why=record["why"],
        fix=record["fix"],
        times=RunTimes.model_validate(record["times"]),
        sums=Sums.model_validate(record["sums"]),
    )

    def change(book: Book) -> Mapping[str, Any]:
        # Who cancels a running book does not wait for the end of its run.
        kept = book.state == "cancelled" and how.state != "done"
        state = book.state if kept else how.state
        late = _missed(book, record) if state == "done" else book.late
        return {"state": state, "last": how, "times": book.times.plus(how.times), "late": late}

    _change(batch, record, change)


def _missed(book: Book, record: Record) -> bool:
    """Whether a book is done after its deadline; both are ISO 8601 in UTC, to the second."""
    return bool(book.row.deadline) and record.get("at", "") > book.row.deadline


def _cancel(batch: Batch, record: Record) -> None:
    _change(batch, record, lambda _book: {"state": "cancelled"})


def _retry(batch: Batch, record: Record) -> None:
    _change(batch, record, lambda _book: {"state": "queued", "tries": 0})


def _change(batch: Batch, record: Record, change: Callable[[Book], Mapping[str, Any]]) -> None:
    book = batch.books.get(record["book"])
    if book is not None:
        batch.books[book.row.name] = replace(book, **change(book))


_CHANGES: Final[Mapping[str, Callable[[Batch, Record], None]]] = {
    "add": _add,
    "run": _run,
    "cap": _cap,
    "pause": _pause,
    "start": _start,
    "end": _end,
    "cancel": _cancel,
    "retry": _retry,
}
