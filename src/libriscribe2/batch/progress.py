"""How a batch stands: the fold of its log, with what each book cost."""

import socket
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from libriscribe2.batch.rows import Row
from libriscribe2.llm.limits.budget import UNKNOWN_USD_PER_MILLION, flat, price_of
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.records import Record
from libriscribe2.project.structure_change import peek


class ModelTime(BaseModel):
    """How long a model took.

    Attributes:
        calls: Requests that were answered.
        seconds: How long they took together.
    """

    model_config = ConfigDict(frozen=True)

    calls: int = 0
    seconds: float = 0.0

    def plus(self, other: "ModelTime") -> "ModelTime":
        """The sum of both."""
        return ModelTime(calls=self.calls + other.calls, seconds=self.seconds + other.seconds)


class RunTimes(BaseModel):
    """The times of one run of a book, or of several.

    Attributes:
        seconds: Wall time.
        waited: Seconds that requests waited for a provider or a rate limit.
        stages: Seconds of each stage, of all its units together.
        models: How long each model took.
    """

    model_config = ConfigDict(frozen=True)

    seconds: float = 0.0
    waited: float = 0.0
    stages: Mapping[str, float] = Field(default_factory=dict)
    models: Mapping[str, ModelTime] = Field(default_factory=dict)

    def plus(self, other: "RunTimes") -> "RunTimes":
        """The sum of both."""
        stages = {
            name: self.stages.get(name, 0.0) + other.stages.get(name, 0.0)
            for name in {**self.stages, **other.stages}
        }
        models = dict(self.models)
        for name, one in other.models.items():
            models[name] = models.get(name, ModelTime()).plus(one)
        return RunTimes(
            seconds=self.seconds + other.seconds,
            waited=self.waited + other.waited,
            stages=stages,
            models=models,
        )


class Sums(BaseModel):
    """What a book came to over all its life, by its own journal.

    Attributes:
        words: Words of its chapters.
        calls: Requests that left.
        answered: Those of them that brought a reply, which is kept.
        input_tokens: Tokens read, where the provider said.
        output_tokens: Tokens written, where the provider said.
        cost_usd: US dollars; None where a price is unknown.
        possible_usd: US dollars that were or may have been paid; what counts for a cap.
    """

    model_config = ConfigDict(frozen=True)

    words: int = 0
    calls: int = 0
    answered: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    possible_usd: float = 0.0


def sums_of(paths: ProjectPaths, words: int, unknown_usd: float = UNKNOWN_USD_PER_MILLION) -> Sums:
    """What a project's journal says that it came to.

    Args:
        paths: The project; one that is not there has come to nothing.
        words: Words of its chapters, as its run told them.
        unknown_usd: What a million tokens without a known price count as.

    Raises:
        LibriScribeError: The project cannot be read.
    """
    if not paths.state.is_dir():
        return Sums(words=words)
    return sums_in(peek(paths).manifest, words, unknown_usd)


def sums_in(manifest: Manifest, words: int, unknown_usd: float) -> Sums:
    """What the records of a journal add up to."""
    totals, ledger = manifest.totals, manifest.ledger
    unpriced = sum(
        (price_of(model) or flat(unknown_usd)).cost(*tokens)
        for model, tokens in ledger.unpriced().items()
    )
    return Sums(
        words=words,
        calls=ledger.sent,
        answered=totals.calls,
        input_tokens=totals.input_tokens,
        output_tokens=totals.output_tokens,
        cost_usd=None if totals.unknown_costs else totals.cost_usd,
        possible_usd=ledger.possible_usd() + unpriced,
    )


BookState = Literal["queued", "running", "done", "failed", "stopped", "cancelled"]
STATES: Final[tuple[BookState, ...]] = get_args(BookState)

Journal = Literal["folder", "database"]
"""Where the journal of a book is: in its folder alone, or in a database as well."""

Cause = Literal["book", "machine", "database", "operator"]
"""Whose doing the end of a run is: only what is the book's can count against it."""


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
        cause: Whose doing it is.
        counts: Whether it counts towards failing the book.
        lost: Whether nobody knows what it sent: its worker was gone.
    """

    state: BookState
    code: int = 0
    what: str = ""
    why: str = ""
    fix: str = ""
    times: RunTimes = field(default_factory=RunTimes)
    sums: Sums = field(default_factory=Sums)
    cause: Cause = "book"
    counts: bool = False
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Book:
    """One book of a batch.

    Attributes:
        row: What was asked for.
        state: How it stands.
        runs: Runs since it was queued by a person.
        tries: Those of them that count against it: it made no progress, by a fault of its own.
        bounces: Runs in a row that ended through no fault of its own, and without progress.
        grant: The most that its last run was allowed to bring the book's cost to, in US dollars.
        last: How its last run ended.
        times: How long all its runs took.
        late: Whether it was expected to miss its deadline when it began, or was done after it.
        journal: Where the journal of its last run is.
        machine: The machine of its last run; empty where its log does not say.
        is_elsewhere: Whether a run sent something, or may have, that only the folder on its
            machine knows.
        at: When it changed last, as ISO 8601 in UTC; empty where its log does not say.
    """

    row: Row
    state: BookState = "queued"
    runs: int = 0
    tries: int = 0
    bounces: int = 0
    grant: float | None = None
    last: Ended = field(default_factory=lambda: Ended("queued"))
    times: RunTimes = field(default_factory=RunTimes)
    late: bool = False
    journal: Journal = "folder"
    machine: str = ""
    is_elsewhere: bool = False
    at: str = ""

    @property
    def committed_usd(self) -> float:
        """What counts for the batch's cap: the grant while it runs, then what it came to."""
        spent = self.last.sums.possible_usd
        return max(spent, self.grant or 0.0) if self.state == "running" else spent

    def went_on(self, how: Ended) -> bool:
        """Whether a run that ended so brought replies that no run before had."""
        return how.sums.answered > self.last.sums.answered


class Batch:
    """A batch as its log tells it.

    Attributes:
        books: The books by name, in the order in which they were queued.
        paused: Whether no further book may begin.
        cap: The most that all books together may cost, in US dollars; None is no cap.
        ends: How many runs ended in each state, by whose doing.
    """

    def __init__(self) -> None:
        self.books: dict[str, Book] = {}
        self.paused = False
        self.cap: float | None = None
        self.ends: Counter[tuple[BookState, Cause]] = Counter()

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
    when = {"deadline": row.deadline, "payload": row.payload}
    return {"t": "add", "book": row.name, **about, **when}


def retried(book: Book) -> Record:
    """The record of a book that is queued again."""
    when = {"deadline": book.row.deadline, "payload": book.row.payload}
    return {"t": "retry", "book": book.row.name, **when}


def started(
    name: str, grant: float | None, *, late: bool = False, journal: Journal = "folder"
) -> Record:
    """The record of a run that begins here; `late` where it is expected to miss its deadline."""
    about = {"grant": grant, "late": late, "journal": journal, "tries": "by end"}
    return {"t": "start", "book": name, "machine": socket.gethostname(), **about}


_TOLD: Final = ("state", "code", "what", "why", "fix", "cause", "counts", "lost")


def ended(name: str, how: Ended) -> Record:
    """The record of a run that has ended."""
    told = {key: getattr(how, key) for key in _TOLD}
    figures = {"times": how.times.model_dump(), "sums": how.sums.model_dump()}
    return {"t": "end", "book": name, **told, **figures}


_ANEW: Final[Mapping[str, Any]] = {"runs": 0, "tries": 0, "bounces": 0}


def _add(batch: Batch, record: Record) -> None:
    what = (record["book"], record["place"], record["brief"], record["settings"])
    row = Row(*what, record.get("deadline", ""), record.get("payload", 1))
    batch.books.setdefault(row.name, Book(row, at=record.get("at", "")))


def _run(batch: Batch, record: Record) -> None:
    batch.paused = False
    batch.cap = record["cap"]
    for book in batch.within("queued", "running"):
        batch.books[book.row.name] = replace(book, **_ANEW)


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
            "runs": book.runs + 1,
            # An earlier version counted every run when it began.
            "tries": book.tries + ("tries" not in record),
            "grant": record["grant"],
            "late": record.get("late", False),
            "journal": record.get("journal", "folder"),
            "machine": record.get("machine", ""),
        },
    )


def _end(batch: Batch, record: Record) -> None:
    said = {key: record[key] for key in _TOLD if key in record}
    times, sums = RunTimes.model_validate(record["times"]), Sums.model_validate(record["sums"])
    how = Ended(**said, times=times, sums=sums)

    batch.ends[how.state, how.cause] += 1

    def change(book: Book) -> Mapping[str, Any]:
        # Who cancels a running book does not wait for the end of its run.
        kept = book.state == "cancelled" and how.state != "done"
        state = book.state if kept else how.state
        late = _missed(book, record) if state == "done" else book.late
        bounced = "cause" in record and not how.counts and not book.went_on(how)
        bounces = book.bounces + 1 if bounced else 0
        counted: dict[str, Any] = {"tries": book.tries + how.counts, "bounces": bounces}
        times = book.times.plus(how.times)
        sent = book.journal == "folder" and (how.lost or how.sums.calls > 0)
        counted |= {"late": late, "is_elsewhere": book.is_elsewhere or sent}
        return {"state": state, "last": how, "times": times, **counted}

    _change(batch, record, change)


def _missed(book: Book, record: Record) -> bool:
    """Whether a book is done after its deadline; both are ISO 8601 in UTC, to the second."""
    return bool(book.row.deadline) and record.get("at", "") > book.row.deadline


def _cancel(batch: Batch, record: Record) -> None:
    _change(batch, record, lambda _book: {"state": "cancelled"})


def _retry(batch: Batch, record: Record) -> None:
    _change(batch, record, lambda _book: {"state": "queued", "is_elsewhere": False, **_ANEW})


def _change(batch: Batch, record: Record, change: Callable[[Book], Mapping[str, Any]]) -> None:
    book = batch.books.get(record["book"])
    if book is not None:
        batch.books[book.row.name] = replace(book, at=record.get("at", ""), **change(book))


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
