"""A process per book: started, watched, stopped."""

import asyncio
import json
import math
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, Protocol

from pydantic import ValidationError

from libriscribe2.batch.folders import is_taken
from libriscribe2.batch.progress import (
    Book,
    BookState,
    Cause,
    Ended,
    ModelTime,
    RunTimes,
    Sums,
    sums_of,
)
from libriscribe2.errors import (
    EXIT_INTERRUPTED,
    BudgetError,
    ConfigError,
    ModelError,
    NewerVersionError,
    ProjectInUseError,
    StorageError,
    UsageError,
)
from libriscribe2.observe.events import Event
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.paths import ProjectPaths

LONGEST_LINE: Final = 4 * 2**20
_KEPT_TALK: Final = 16_384
STOP_VARIABLE: Final = "LIBRISCRIBE2_BATCH__BOOK_STOP_SECONDS"
"""Tells a book's process how long its calls under way may take to end."""

GRACE_SECONDS: Final = 5.0
"""How long a process may take to end after it was told to."""


@dataclass(slots=True)
class Digest:
    """What is kept of a run's events.

    Attributes:
        words: Words of the finished book; 0 where it was not finished.
        tell: Hears of each event; None is nobody.
    """

    words: int = 0
    tell: Callable[[Event], None] | None = None
    _seconds: float = 0.0
    _waited: float = 0.0
    _stages: dict[str, float] = field(default_factory=dict)
    _models: dict[str, ModelTime] = field(default_factory=dict)

    def hear(self, line: bytes) -> None:
        """Take in a line of stdout; one that is no event is left out."""
        with suppress(ValueError, ValidationError):
            self._take(Event.model_validate(json.loads(line)))

    def times(self) -> RunTimes:
        """The times so far."""
        return RunTimes(
            seconds=self._seconds, waited=self._waited, stages=self._stages, models=self._models
        )

    def _take(self, event: Event) -> None:
        if self.tell is not None:
            self.tell(event)
        if event.event == "stage.end":
            self._stages[event.stage] = self._stages.get(event.stage, 0.0) + event.seconds
        elif event.event == "llm.call" and event.calls:
            before = self._models.get(event.model, ModelTime())
            self._models[event.model] = before.plus(ModelTime(calls=1, seconds=event.seconds))
        elif event.event == "llm.wait":
            self._waited += event.seconds
        elif event.event.startswith("run.") and event.event != "run.start":
            self._seconds, self.words = event.seconds, event.words


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """How a process ended.

    Attributes:
        code: Its exit code; negative is the signal that killed it.
        digest: What its events told.
        error: The error that it told, or nothing.
        talk: The last line that it said on stderr.
    """

    code: int
    digest: Digest
    error: dict[str, Any]
    talk: str


class Process(Protocol):
    """A process that writes a book, with its words to be read."""

    @property
    def stdout(self) -> asyncio.StreamReader | None:
        """Its events."""

    @property
    def stderr(self) -> asyncio.StreamReader | None:
        """What it says."""

    async def wait(self) -> int:
        """Its exit code, once it has ended; negative is the signal that killed it.

        Raises:
            StorageError: It could not be started.
        """
        ...

    def terminate(self) -> None:
        """Tell it to end.

        Raises:
            ProcessLookupError: It has ended.
        """

    def kill(self) -> None:
        """End it at once.

        Raises:
            ProcessLookupError: It has ended.
        """


Start = Callable[[Sequence[str], Mapping[str, str]], Awaitable[Process]]
"""Starts a command of this program, by the words after `libriscribe2` and its environment."""


async def start_anew(words: Sequence[str], environment: Mapping[str, str]) -> Process:
    """Start a command in a process that shares nothing.

    Raises:
        StorageError: It cannot be started.
    """
    pipe = asyncio.subprocess.PIPE
    with storage_errors("start", Path(sys.executable)):
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # a json.py in the working folder is not ours
            "-m",
            "libriscribe2",
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            env=environment,
            limit=LONGEST_LINE,
            # Ctrl-C is for the batch, which then ends its books.
            start_new_session=os.name == "posix",
        )


async def run_child(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    start: Start = start_anew,
    stop_seconds: float = GRACE_SECONDS,
    tell: Callable[[Event], None] | None = None,
) -> ChildEnd:
    """Run a command of this program to its end; cancelled, the process is ended first.

    Args:
        arguments: The words after `libriscribe2`.
        environment: Variables that the process has beside those of this one.
        start: Starts the process.
        stop_seconds: How long it may take to end after it was told to.
        tell: Hears of its events; None is nobody.

    Raises:
        StorageError: The process cannot be started.
    """
    process = await start(arguments, {**os.environ, **environment})
    digest = Digest(tell=tell)
    hearing = asyncio.gather(_hear(process, digest), _last_words(process), process.wait())
    try:
        _, talk, code = await asyncio.shield(hearing)
    except asyncio.CancelledError:
        await _end(process, hearing, stop_seconds)
        raise
    line = talk.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return ChildEnd(code, digest, _error(line), line)


async def _hear(process: Process, digest: Digest) -> None:
    """Follow stdout to its end."""
    out = _stream(process.stdout)
    while True:
        try:
            line = await out.readline()
        except ValueError:  # a line that is too long; what was read of it is gone
            continue
        if not line:
            return
        digest.hear(line)


async def _last_words(process: Process) -> bytes:
    """The end of what it says on stderr."""
    talk = b""
    while piece := await _stream(process.stderr).read(_KEPT_TALK):
        talk = (talk + piece)[-_KEPT_TALK:]
    return talk


async def _end(process: Process, hearing: "asyncio.Future[Any]", seconds: float) -> None:
    """End a process and wait until it is gone; cancelled, it is killed."""
    with suppress(ProcessLookupError):
        process.terminate()
    with suppress(asyncio.CancelledError):  # told again: there is no more time
        await asyncio.wait({hearing}, timeout=seconds)
    if not hearing.done():
        with suppress(ProcessLookupError):
            process.kill()
        await asyncio.wait({hearing})


def _stream(stream: asyncio.StreamReader | None) -> asyncio.StreamReader:
    assert stream is not None  # both were asked for as pipes
    return stream


def _error(line: str) -> dict[str, Any]:
    """The error record in a line of stderr, if it is one."""
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) and "error" in record else {}


_STATE_OF: Final[dict[int, BookState]] = {
    0: "done",
    BudgetError.exit_code: "stopped",
    EXIT_INTERRUPTED: "queued",
}


@dataclass(frozen=True)
class RunCommand:
    """The command that writes a book.

    Attributes:
        words: Its words, before the name of the book.
        options: Its options.
        environment: Variables that its process has beside those of this one.
        start: Starts its process.
        stop_seconds: How long its calls under way may take to end when it is stopped.
        told: Hears of the events of each book.
    """

    words: Sequence[str]
    options: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    start: Start = start_anew
    stop_seconds: float = 0.0
    told: Callable[[str, Event], None] = lambda _book, _event: None


@dataclass(eq=False)
class BookProcess:
    """Writes books, each by a command in a process of its own.

    Args:
        batch: The name of the batch.
        paths_of: The project of a name.
        begin: Makes the project of a book, where it is not there yet.
        how: The command that writes a book.
        unknown_usd: What a million tokens without a known price count as.
        minutes_of: The most minutes that a book's run may last; None is no limit.
    """

    _batch: str
    _paths_of: Callable[[str], ProjectPaths]
    _begin: Callable[[Book], None]
    _how: RunCommand
    _unknown_usd: float
    _minutes_of: Callable[[Book], float | None] = lambda _book: None

    async def write(self, book: Book, grant: float | None) -> Ended:
        """Run a book to an end; cancelled, it ends resumably.

        Raises:
            LibriScribeError: It cannot be begun.
        """
        await asyncio.to_thread(self._begin, book)
        name = book.row.name
        minutes = self._minutes_of(book)
        limits = {"--max-cost": grant, "--max-minutes": minutes}
        given = ((option, _plain(most)) for option, most in limits.items() if most is not None)
        words = (*self._how.words, name, *self._how.options, *chain.from_iterable(given))
        how, seconds = self._how, self._how.stop_seconds
        environment = {**how.environment, STOP_VARIABLE: str(seconds)}
        tell = partial(how.told, name)
        end = await run_child(words, environment, how.start, seconds + GRACE_SECONDS, tell)
        sums = await self._sums(name, end.digest.words or book.last.sums.words)
        return _ended(end, sums, cause_of(end.error, end.code, book, self._paths_of(name)))

    async def sums(self, book: Book) -> Sums:
        """What a book has come to, by its own journal.

        Raises:
            LibriScribeError: The project cannot be read.
        """
        return await self._sums(book.row.name, book.last.sums.words)

    async def _sums(self, name: str, words: int) -> Sums:
        paths = self._paths_of(name)
        if await asyncio.to_thread(is_taken, paths, self._batch):
            return Sums()  # what somebody else's project cost is not the batch's
        return await asyncio.to_thread(sums_of, paths, words, self._unknown_usd)


_OF_MACHINE: Final = frozenset(
    one.slug for one in (UsageError, ConfigError, ModelError, StorageError, NewerVersionError)
)


def cause_of(
    error: Mapping[str, Any], code: int, book: Book, paths: ProjectPaths | None = None
) -> Cause:
    """Whose doing an end is.

    Args:
        error: The error as a record, or nothing.
        code: The exit code.
        book: The book.
        paths: Its project: a configuration that lies there is its own. None before it is begun.
    """
    slug = error.get("error", "")
    if code == EXIT_INTERRUPTED or slug == ProjectInUseError.slug:
        return "operator"
    if slug == "database":
        return "database"
    if slug not in _OF_MACHINE and code != UsageError.exit_code:
        return "book"
    if slug == ModelError.slug and "lacks" not in error:
        return "book" if book.row.settings.get("models") else "machine"
    about = " ".join(str(error.get(key, "")) for key in ("message", "why"))
    roots = () if paths is None else (paths.root, paths.root.resolve())
    own = slug == ConfigError.slug and any(str(root) in about for root in roots)
    return "book" if own else "machine"


def _ended(end: ChildEnd, sums: Sums, cause: Cause) -> Ended:
    """How a process's end is to be taken."""
    killed = end.code < 0
    state: BookState = "queued" if killed else _STATE_OF.get(end.code, "failed")
    told = {key: str(end.error.get(key, "")) for key in ("message", "why", "fix")}
    if state != "done" and not told["message"]:
        how = f"was killed by signal {-end.code}" if killed else f"ended with code {end.code}"
        told = {"message": f"The book's process {how}", "why": end.talk, "fix": ""}
    texts = (told["message"], told["why"], told["fix"])
    return Ended(state, end.code, *texts, end.digest.times(), sums, cause)


def _plain(amount: float) -> str:
    """An amount as an option takes it, never rounded up."""
    return f"{math.floor(amount * 1_000_000) / 1_000_000:.6f}"
