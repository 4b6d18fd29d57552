"""What the desk has done that takes a while: runs in threads, estimates in a process of their own."""

import asyncio
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.pool import Pool
from typing import Any, Final, TypeVar

from libriscribe2.app import AppOptions
from libriscribe2.commands.actions import Action
from libriscribe2.commands.by_hand import asks_by_hand
from libriscribe2.commands.projects import look_at, read_brief, settings_of
from libriscribe2.commands.run_progress import FOLDED, Progress, Scale, scale_of
from libriscribe2.commands.runs import OpenBook, open_book
from libriscribe2.engine.engine import Engine, follow
from libriscribe2.errors import LibriScribeError, UsageError
from libriscribe2.forecast.quote import Quote
from libriscribe2.llm.call_records import Piece
from libriscribe2.llm.default_model import LocalServer, choose_model, find_local_servers
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.llm.session import ReplyAwaitedError, RunStoppedError
from libriscribe2.observe.events import Event
from libriscribe2.observe.run_files import recorders
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import clean, redact, secrets_in

T = TypeVar("T")

_PROSE: Final = re.compile(r"(?:chapters|drafts)/ch\d+(?!.*/(?:critique|patches))")
"""Steps whose replies are text of the book."""

MOST_QUOTES: Final = 200
"""Estimates that are remembered; an older one has to be asked for again."""

MOST_SECONDS: Final = 300.0
"""Longest time of what is worked out in another process."""


def servers() -> Sequence[LocalServer]:
    """The local servers whose model list answers."""
    return asyncio.run(find_local_servers())


def model_of(settings: Settings) -> ModelChoice:
    """The model of a run, and why it is the one.

    Raises:
        ModelError: There is none.
    """
    return choose_model(settings.models.default.model, os.environ, servers, lambda _server: True)


def fault_of(error: Exception) -> LibriScribeError:
    """An error that nobody expected, without a key."""
    what = redact(f"{type(error).__name__}: {error}", secrets_in(os.environ))
    return LibriScribeError("The program has a fault.", why=clean(what))


class Job:
    """An action that is under way or has ended; `desk` pages show it.

    Args:
        paths: The book.
        action: What is done.
        scale: What the whole book comes to; None reads it.

    Attributes:
        progress: How far it is.
        lines: A line for each part that was made.
        pieces: The prose as it came, each piece with its step.
        outcome: What its author has to decide.
        accepted: What of the outcome was carried out, where it is accepted one by one.
        error: Why it ended early; None where it did not.
        state: `running`, `paused` once a pause is asked for, `done`, `stopped`, `failed` or `waiting`.
    """

    def __init__(self, paths: ProjectPaths, action: Action, scale: Scale | None = None) -> None:
        self.paths = paths
        self.action = action
        self.begun = time.monotonic()
        self.progress = Progress(scale or scale_of(look_at(paths), read_brief(paths)))
        self.lines: list[str] = []
        self.pieces: list[Piece] = []
        self.outcome: object = None
        self.accepted: list[object] = []
        self.error: LibriScribeError | None = None
        self.state = "running"
        self._engine: Engine | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)

    @property
    def runs(self) -> bool:
        """Whether it is under way."""
        return self.state in ("running", "pausing")

    @property
    def seconds(self) -> float:
        """How long it has been under way."""
        return time.monotonic() - self.begun

    def start(self) -> None:
        """Begin, in a thread."""
        self._thread.start()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the end."""
        self._thread.join(seconds)

    def pause(self) -> None:
        """Ask nothing more, and let what is being written come to its end."""
        if self._engine is not None and self._loop is not None and self.runs:
            self.state = "pausing"
            self._loop.call_soon_threadsafe(self._engine.stop)

    def stop(self) -> None:
        """End at once; what is finished is kept."""
        if self._task is not None and self._loop is not None and self.runs:
            self._loop.call_soon_threadsafe(self._task.cancel)

    def receive(self, event: Event) -> None:
        """Take an event of the run."""
        self.progress.fold(event)
        if event.event == "stage.end" and event.stage not in FOLDED:
            self.lines.append(self.progress.finished(event))

    def receive_piece(self, piece: Piece) -> None:
        """Take a piece of prose."""
        text = clean(piece.text)
        self.progress.piece(piece.step, text)
        if _PROSE.match(piece.step):
            self.pieces.append(Piece(piece.step, text))

    def enter(self) -> None:
        """Note the loop and the task of the work, by which it is stopped."""
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()

    def _work(self) -> None:
        try:
            asyncio.run(self._run())
            self.state = "done"
        except ReplyAwaitedError:
            self.state = "waiting"
        except (RunStoppedError, asyncio.CancelledError):
            self.state = "stopped"
        except LibriScribeError as error:
            self.error, self.state = error, "failed"
        except Exception as error:  # noqa: BLE001 - a thread has nobody else to tell
            self.error, self.state = fault_of(error), "failed"

    async def _run(self) -> None:
        self.enter()
        self.action.note(self.paths)
        settings = settings_of(self.paths.root, {})
        with open_book(self.paths) as (store, brief):
            options = AppOptions(f"desk {self.action.kind}")
            book = OpenBook(store, brief, settings, model_of(settings), options)
            with recorders(self.paths, os.environ, lambda _said: None) as files:
                if self.action.asks:
                    self.outcome = await self.action.ask(book, (*files, self))
                    return
                request = self.action.prepare(self.paths)(store, brief)
                self._engine = book.engine()
                await follow(request.by(self._engine), *files, self, pieces=self)


@dataclass(frozen=True, slots=True)
class Quoted:
    """An estimate that was shown.

    Attributes:
        id: What the start of the action has to name.
        quote: What it takes.
        model: Who answers.
        by_hand: Whether a person pastes the replies.
        seconds: How long it takes; None is not known.
    """

    id: str
    quote: Quote
    model: str
    by_hand: bool = False
    seconds: float | None = None


@dataclass
class Workshop:
    """The jobs of a desk, and the estimates that it has shown.

    Attributes:
        jobs: The newest job of each book, by its folder.
    """

    jobs: dict[str, Job] = field(default_factory=dict)
    _shown: dict[str, tuple[object, ...]] = field(default_factory=dict)
    _pool: Pool | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def job_of(self, paths: ProjectPaths) -> Job | None:
        """The newest job of a book."""
        return self.jobs.get(str(paths.root))

    def running(self) -> Job | None:
        """The job that is under way."""
        return next((one for one in self.jobs.values() if one.runs), None)

    def quote(
        self,
        about: tuple[object, ...],
        settings: Settings,
        choice: ModelChoice,
        work: Callable[..., Quote],
        *given: object,
        drafting: str = "",
    ) -> Quoted:
        """What something takes, to be shown before it is started.

        Args:
            about: What is to be started; the start has to name the same.
            settings: The settings in force.
            choice: The model.
            work: Works it out, in another process.
            *given: What it is given.
            drafting: The order of drafting, where the time of a whole book is told.

        Raises:
            LibriScribeError: It cannot be carried out.
        """
        quote = self.aside(work, *given)
        id = secrets.token_urlsafe(12)
        self._shown[id] = about
        while len(self._shown) > MOST_QUOTES:
            del self._shown[next(iter(self._shown))]
        times = None if quote.times is None else {**quote.times.seconds}
        seconds = None if times is None else {str(k): v for k, v in times.items()}.get(drafting)
        return Quoted(id, quote, choice.model, asks_by_hand(settings), seconds)

    def check_shown(self, id: str, *about: object) -> None:
        """Make sure that what something takes was shown, and forget it: it is good for one start.

        Raises:
            UsageError: It was not.
        """
        if self._shown.pop(id, None) != about:
            raise UsageError(
                "Nothing was started: what it takes was not shown yet, or something was changed since.",
                fix="Look at the new estimate, and start from there.",
            )

    def start(self, job: Job, quote: str, *about: object) -> Job:
        """Start what was shown with an estimate.

        Raises:
            UsageError: It was not shown, or another book is at work.
        """
        with self._lock:
            self.check_free()
            self.check_shown(quote, *about)
            return self._begin(job)

    def go_on(self, job: Job) -> Job:
        """Start what spends nothing that was not shown, such as a run by pasted replies.

        Raises:
            UsageError: Another book is at work.
        """
        with self._lock:
            self.check_free()
            return self._begin(job)

    def check_free(self) -> None:
        """Make sure that no book is at work.

        Raises:
            UsageError: One is.
        """
        busy = self.running()
        if busy is not None:
            raise UsageError(
                f"{busy.paths.root.name} is being worked on.",
                fix="Pause it, or wait until it is done.",
            )

    def _begin(self, job: Job) -> Job:
        self.jobs[str(job.paths.root)] = job
        job.start()
        return job

    def aside(self, work: Callable[..., T], *given: Any) -> T:
        """What a function returns in a process of its own, which has no lock and no key in use.

        Raises:
            LibriScribeError: The function said so.
        """
        if self._pool is None:
            self._pool = get_context("spawn").Pool(1)
        found: T = self._pool.apply_async(work, given).get(MOST_SECONDS)
        return found

    def close(self) -> None:
        """End what is under way; what is finished is kept."""
        for job in self.jobs.values():
            job.stop()
        for job in self.jobs.values():
            if job.runs:
                job.wait(5)
        self.close_pool()

    def close_pool(self) -> None:
        """End the process of estimates; the next one begins another, with the variables of then."""
        if self._pool is not None:
            self._pool.terminate()
            self._pool = None
