"""Who runs when: order, deadlines, what an end means, and whether this machine can write books."""

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from statistics import median
from time import monotonic
from typing import Any, Final, Protocol

from libriscribe2.batch.grants import Funding, Wait, grant_for, reach, words_of, worth_another_run
from libriscribe2.batch.processes import cause_of
from libriscribe2.batch.progress import (
    Batch,
    Book,
    BookState,
    Cause,
    Ended,
    Journal,
    Sums,
    ended,
    retried,
    started,
)
from libriscribe2.errors import (
    EXIT_INTERRUPTED,
    BudgetError,
    ConfigError,
    LibriScribeError,
    ModelError,
    ProviderError,
    StorageError,
    UsageError,
)
from libriscribe2.observe.events import Event
from libriscribe2.project.records import Record
from libriscribe2.project.texts import Clock, utc_now

_UNITS: Final = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}
_DURATION: Final = re.compile(r"(?:\d+(?:\.\d+)?[dhms])+", re.IGNORECASE)
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)([dhms])", re.IGNORECASE)
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_OPEN: Final = ("queued", "running", "failed", "stopped")


def moment_of(text: str, now: datetime) -> datetime:
    """The moment that a user names.

    Args:
        text: A time such as `2026-11-23T08:00` (of the local zone where it names none), or a
            duration from now such as `6h`, `90m` or `1d12h`.
        now: The present moment.

    Raises:
        ValueError: It is neither; the message says what is wanted.
    """
    wanted = text.strip()
    try:
        if _DURATION.fullmatch(wanted):
            parts = _PART.findall(wanted.lower())
            return now + timedelta(seconds=sum(float(n) * _UNITS[unit] for n, unit in parts))
        return datetime.fromisoformat(wanted).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"{text!r} is neither a time such as 2026-11-23T08:00 nor a duration such as 6h or 90m"
        ) from error


def due_of(book: Book) -> datetime | None:
    """When a book is to be done; None where its row does not say."""
    return datetime.fromisoformat(book.row.deadline) if book.row.deadline else None


def in_turn(books: Iterable[Book]) -> list[Book]:
    """Books in the order in which they begin: the earliest deadline first, then as they were."""
    return sorted(books, key=lambda book: due_of(book) or _NEVER)


def expected_seconds(batch: Batch, book: Book) -> float | None:
    """How long a book is going to take yet, by the books of its batch that are done.

    They give seconds for each word, and half of them took no longer; None while none is done.
    """
    done = [(one.times.seconds, one.last.sums.words) for one in batch.within("done")]
    paces = [seconds / words for seconds, words in done if words and seconds]
    if not paces:
        return None
    return max(0.0, median(paces) * words_of(book) - book.times.seconds)


def comes_late(batch: Batch, book: Book, now: datetime) -> bool:
    """Whether a book that begins now is not going to be done by its deadline."""
    due = due_of(book)
    if due is None:
        return False
    seconds = expected_seconds(batch, book) or 0.0
    return now >= due or seconds > (due - now).total_seconds()


def is_late(book: Book, now: datetime) -> bool:
    """Whether a book was done late, is expected to be, or is open after its deadline."""
    due = due_of(book)
    return book.late or (due is not None and book.state in _OPEN and now > due)


def minutes_for(
    book: Book, most: float | None, deadline: datetime | None, now: datetime
) -> float | None:
    """The most minutes that a book's run may last; None is no limit.

    Args:
        book: The book, whose row may have a limit of its own.
        most: The limit of every run.
        deadline: When every run stops; None is never.
        now: The present moment.
    """
    if deadline is None:
        return None  # the run knows the others by itself
    own = book.row.settings.get("budget", {}).get("max_minutes")
    left = max(0.0, (deadline - now).total_seconds() / 60)
    return min(float(limit) for limit in (own, most, left) if limit is not None)


Sleep = Callable[[float], Awaitable[None]]
Tell = Callable[[Book, Ended | None], None]
"""Hears that a book begins (None), or how its run ended."""

_TICK_SECONDS: Final = 0.2
"""How often the log is looked at for what others have added to it."""

_LONGEST_PAUSE: Final = 600.0


class BookWriter(Protocol):
    """Who writes a book."""

    async def write(self, book: Book, grant: float | None) -> Ended:
        """Run a book to an end, within a grant in US dollars.

        Cancelled, it lets calls under way end and ends resumably; it must not be cancelled twice.

        Raises:
            LibriScribeError: It cannot be begun.
        """
        ...

    async def sums(self, book: Book) -> Sums:
        """What a book has come to, by its own journal."""
        ...


def _silent(_book: Book, _how: Ended | None) -> None:
    """Nobody is told."""


class Listener:
    """Hears what a person at a worker should know; this one says nothing."""

    def lost(self, error: LibriScribeError) -> None:
        """The database has stopped to answer."""

    def note(self, text: str) -> None:
        """Something else."""

    def enlisted(self, number: int) -> None:
        """The worker is listed under a number."""

    def told(self, book: str, event: Event) -> None:
        """The run of a book has told of something."""

    def alive(self, *, ready: bool, state: str, books: int) -> None:
        """The worker is not stuck; `ready` where it can write books just now."""


@dataclass(frozen=True)
class Terms:
    """How the books are run.

    Attributes:
        books: How many at once.
        cap: The most that all books together may cost, in US dollars; None is no cap.
        funding: How the cap is divided among them.
        tries: Most runs of a book that made no progress for a passing reason of its own: the
            network, the provider, a process that was killed.
        stop_seconds: How long calls under way may take to end when the work is stopped.
        retry_seconds: Pause before the second run; each further one is twice as long. So long
            rests a machine that cannot write books.
        tell: Hears how it goes.
        sleep: Waits.
        now: A clock in seconds that never goes back.
        deadline: When no further book begins and those under way stop; None is never.
        journal: Where the journals of the books are.
        clock: The time of day.
        listener: Hears what a person at a worker should know.
    """

    books: int = 1
    cap: float | None = None
    funding: Funding = "in_order"
    tries: int = 3
    stop_seconds: float = 0.5
    retry_seconds: float = 30.0
    tell: Tell = _silent
    sleep: Sleep = asyncio.sleep  # noqa: TID251 - the real clock
    now: Callable[[], float] = field(default=monotonic)
    deadline: datetime | None = None
    journal: Journal = "folder"
    clock: Clock = utc_now
    listener: Listener = field(default_factory=Listener)

    @property
    def over(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and self.clock() >= self.deadline


def next_try(book: Book, how: Ended, terms: Terms) -> tuple[Ended, float]:
    """What an end means for a book, and for how many seconds it then waits.

    What is not the book's own fault, and what the deadline stopped, is queued again and does not
    count. A passing reason of its own counts unless the run made progress, and fails it in the end.
    """
    if book.state != "running":
        return how, 0.0
    if terms.over and how.code == BudgetError.exit_code:
        what = "The deadline was reached"
        return replace(how, state="queued", cause="operator", what=what, why="", fix=""), 0.0
    if how.cause != "book":
        stopped = how.code == EXIT_INTERRUPTED
        return replace(how, state="queued"), 0.0 if stopped else _pause(terms, book.bounces)
    if how.state != "queued" and how.code != ProviderError.exit_code:
        return how, 0.0
    counts = not book.went_on(how)
    tries = book.tries + counts
    state: BookState = "queued" if tries < terms.tries else "failed"
    return replace(how, state=state, counts=counts), _pause(terms, max(0, tries - 1))


def _pause(terms: Terms, before: int) -> float:
    """Seconds before a book is tried again that was so often before."""
    return min(_LONGEST_PAUSE, terms.retry_seconds * 2.0 ** min(before, 30))


_FAULTS: Final = (UsageError, ConfigError, ModelError, StorageError)
_MOST_FAULTS: Final = 2


class Fitness:
    """Whether this machine can write books, by how their runs end.

    Args:
        terms: How books are run.

    Attributes:
        fault: The latest fault of this machine; None where a run has ended without since.
        rests_until: Before that moment no book begins.
    """

    def __init__(self, terms: Terms) -> None:
        self.fault: Ended | None = None
        self.rests_until = -math.inf
        self._terms = terms
        self._faults = 0

    def heed(self, how: Ended) -> None:
        """Take in how a run ended: after a fault of the machine it rests.

        Raises:
            LibriScribeError: The second in a row, although it has rested: somebody has to mend it,
                and until then it must not take one book after another.
        """
        if how.cause == "book":
            self.fault, self._faults = None, 0
        now = self._terms.now()
        if how.cause != "machine" or now < self.rests_until:
            return  # what began before the rest says nothing new
        self.fault = how
        self._faults += 1
        self.rests_until = now + self._terms.retry_seconds
        if self._faults >= _MOST_FAULTS:
            kind = next((one for one in _FAULTS if one.exit_code == how.code), LibriScribeError)
            raise kind(f"This machine cannot write books: {how.what}", why=how.why, fix=how.fix)


async def outside(writer: BookWriter, book: Book, cause: Cause = "operator") -> Ended:
    """The end of a run that was ended from outside; the book goes on another time.

    Its cost is never taken for less than before: its folder may be on another machine.

    Raises:
        LibriScribeError: What it has come to cannot be read.
    """
    sums = await writer.sums(book)
    known = max(sums.possible_usd, book.last.sums.possible_usd)
    sums = sums.model_copy(update={"possible_usd": known})
    return Ended("queued", EXIT_INTERRUPTED, sums=sums, cause=cause)


async def outcome(task: "asyncio.Future[Ended]", writer: BookWriter, book: Book) -> Ended:
    """How a run ended that has ended, in whatever way.

    Raises:
        LibriScribeError: What it has come to cannot be read.
    """
    if task.cancelled():
        return await outside(writer, book)
    error = task.exception()
    if not isinstance(error, LibriScribeError):
        return task.result()
    texts = (error.what, error.why, error.fix)
    cause = cause_of(error.as_record(), error.exit_code, book)
    return Ended("failed", error.exit_code, *texts, sums=await writer.sums(book), cause=cause)


async def until_one_ends(
    tasks: Iterable["asyncio.Future[Ended]"], sleep: Sleep, seconds: float
) -> None:
    """Wait until one of the runs has ended, or so long."""
    tick = asyncio.ensure_future(sleep(seconds))
    waited: set[asyncio.Future[Any]] = {tick, *tasks}
    try:
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    finally:
        tick.cancel()


@dataclass(eq=False)
class Work:
    """One process's work on a batch.

    Args:
        look: Gives the batch as it is now.
        append: Adds to the log.
        writer: Writes the books.
        terms: How.
    """

    _look: Callable[[], Batch]
    _append: Callable[[Sequence[Record]], None]
    _writer: BookWriter
    _terms: Terms
    _under_way: dict[str, asyncio.Task[Ended]] = field(default_factory=dict)
    _not_before: dict[str, float] = field(default_factory=dict)
    _fitness: Fitness = field(init=False)

    def __post_init__(self) -> None:
        self._fitness = Fitness(self._terms)

    async def run(self) -> None:
        """Run books until nothing waits any more, or the batch is paused.

        Raises:
            StorageError: The log cannot be written; the books that ran are stopped resumably.
            LibriScribeError: This machine cannot write books (`Fitness`).
        """
        # Nobody else runs books of this batch, so these were left by a process that died.
        left = self._look().within("running")
        self._append([ended(book.row.name, await outside(self._writer, book)) for book in left])
        try:
            while self._goes_on(self._look()):
                await until_one_ends(self._under_way.values(), self._terms.sleep, _TICK_SECONDS)
                await self._settle()
        finally:
            await self._stop()

    def _goes_on(self, batch: Batch) -> bool:
        """Stop what is cancelled and begin what may begin; whether there is anything to do."""
        for name, task in self._under_way.items():
            if batch.books[name].state == "cancelled" and not task.cancelling():
                task.cancel()
        if batch.paused or self._terms.over:
            return bool(self._under_way)
        waiting = batch.within("queued")
        if not waiting and not self._under_way:
            more = worth_another_run(batch)
            self._append([retried(book) for book in more])
            batch = self._look()
            waiting = batch.within("queued")
        self._begin(waiting)
        return bool(waiting or self._under_way)

    def _begin(self, waiting: Sequence[Book]) -> None:
        """Begin as many books as there is room for."""
        now = self._terms.now()
        if now < self._fitness.rests_until:
            return
        due = [
            book
            for book in in_turn(waiting)
            if self._not_before.get(book.row.name, now) <= now
            and book.row.name not in self._under_way
        ]
        room = max(0, self._terms.books - len(self._under_way))
        for place, book in enumerate(due[:room]):
            name = book.row.name
            batch = self._look()
            short = reach(batch, book, self._terms.funding)
            if isinstance(short, Wait):
                return
            if short is not None:
                self._append([ended(name, short)])
                self._terms.tell(self._look().books[name], short)
                continue
            grant = grant_for(batch, book, room - place, self._terms.funding)
            late = comes_late(batch, book, self._terms.clock())
            self._append([started(name, grant, late=late)])
            begun = self._look().books[name]
            self._terms.tell(begun, None)
            self._under_way[name] = asyncio.create_task(self._writer.write(begun, grant))

    async def _settle(self) -> None:
        """Note how the runs ended that have ended."""
        for name in [name for name, task in self._under_way.items() if task.done()]:
            task = self._under_way.pop(name)
            how = await self._note_end(name, task)
            self._terms.tell(self._look().books[name], how)
            self._fitness.heed(how)

    async def _note_end(self, name: str, task: "asyncio.Future[Ended]") -> Ended:
        how = await outcome(task, self._writer, self._look().books[name])
        how, pause = next_try(self._look().books[name], how, self._terms)
        self._not_before[name] = self._terms.now() + pause
        self._append([ended(name, how)])
        return how

    async def _stop(self) -> None:
        """End the runs that are under way, and note that their books go on another time."""
        tasks = dict(self._under_way)
        self._under_way.clear()
        for task in tasks.values():
            task.cancel()
        if tasks:
            await asyncio.wait(tasks.values())
        for name, task in tasks.items():
            await self._note_end(name, task)
