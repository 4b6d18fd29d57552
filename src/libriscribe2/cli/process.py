"""The process of a command: its standard streams, its signals, its end."""

import asyncio
import os
import shlex
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeVar

import typer

from libriscribe2.errors import EXIT_INTERRUPTED, LibriScribeError
from libriscribe2.wording import clean, one_line, redact, secrets_in


@dataclass(frozen=True, slots=True)
class Invocation:
    """What was said before the command's own name.

    Attributes:
        quiet: Leave out all talk but errors and warnings.
        debug: Show the traceback of an error.
        command: The command's name, as it was typed.
    """

    quiet: bool = False
    debug: bool = False
    command: str = ""

    @classmethod
    def of(cls, ctx: typer.Context) -> "Invocation":
        """The object of the running command; without a root command there is an empty one."""
        return ctx.find_object(cls) or cls()

    @classmethod
    def current(cls) -> "Invocation":
        """The same for the boundaries, which outlive the command or were not given its context."""
        return _current.get(cls())

    def keep(self) -> None:
        """Make this the current one."""
        _current.set(self)


_current: ContextVar[Invocation] = ContextVar("cli_invocation")

_OF_ROOT: Final = frozenset({"--quiet", "-q", "--debug"})


_RESUME: Final = "libriscribe2 resume"
_ANSWER: Final = "libriscribe2 answer"


def interrupted(called: str) -> str:
    """What is said after Ctrl-C of a project that there is, by its name for a shell."""
    return f"Interrupted. Continue with `{_RESUME} {called}`."


def with_next_step(fix: str, called: str) -> str:
    """Advice after which the reader knows how to go on with the project.

    Args:
        fix: What mends the fault; "" where nothing has to be mended. Advice that names
            `resume` or `answer` already is kept as it is.
        called: The project's name for a shell.
    """
    if _RESUME in fix or _ANSWER in fix:
        return fix
    then = f"continue with `{_RESUME} {called}`"
    if not fix:
        return then
    return f"{fix} Then {then}." if fix.endswith(".") else f"{fix}; then {then}"


def typed_to_resume(words: Sequence[str]) -> str:
    """What a command line of `resume` says after that word, ready for a shell; "" for any other."""
    own = [word for word in words if word not in _OF_ROOT]
    return shlex.join(own[1:]) if own[:1] == ["resume"] else ""


EXIT_CLOSED_PIPE: Final = 141
"""What a shell reports of a program that SIGPIPE ended: 128 + 13."""


def open_closed() -> None:
    """Give the process the standard streams that it was started without, as from some daemons.

    A file of a book would otherwise get the number of one of them, and what is printed with it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(nowhere, mode, encoding="utf-8"))


def reader_gone(error: BaseException) -> bool:
    """Whether an error says that nobody reads stdout or stderr any more.

    Typer and rich turn the broken pipe into a `SystemExit(1)`; it is then its context.
    """
    return isinstance(error, BrokenPipeError) or (
        isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError)
    )


def stop_writing() -> None:
    """Send what is still to be written nowhere, so that the interpreter's end is silent too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def leave(code: int) -> NoReturn:
    """End the process at once.

    What has to last is on the disk by now. The interpreter would spend seconds on taking down
    LiteLLM's modules, and would wait for threads that hang in a connection.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody listens any more
            stream.flush()
    os._exit(code)


def traceback_of(error: Exception) -> str:
    """Where an error comes from, without the values of variables and without a key."""
    return clean(redact("".join(traceback.format_exception(error)), secrets_in(os.environ)))


def bug_of(error: Exception) -> str:
    """An error that nobody expected in one line, without a key."""
    return one_line(redact(f"{type(error).__name__}: {error}", secrets_in(os.environ)))


T = TypeVar("T")

GRACE_SECONDS: Final = 1.2
"""How long calls under way may take to end; a reply that comes in time is kept."""


@dataclass(frozen=True, slots=True)
class Stop:
    """How a signal ends a process.

    Attributes:
        seconds: How long what is under way may take to end after the first one. Where that is
            longer than usual, a second signal leaves it the usual time, and a third one none.
        ask: Lets what is under way end at SIGTERM; None cancels the work.
        code: The exit code after SIGTERM.
    """

    seconds: float = GRACE_SECONDS
    ask: Callable[[], None] | None = None
    code: int = EXIT_INTERRUPTED


_AT_ONCE: Final = Stop()


class _Interrupt:
    """The end of the program, once a signal has come.

    Args:
        warn: Says how to go on.
        stop: How it ends.

    Attributes:
        has_begun: Whether a signal has come.
        code: The exit code after it.
    """

    def __init__(self, warn: Callable[[], None], stop: Stop) -> None:
        self._warn = warn
        self._stop = stop
        self._warned = threading.Lock()
        self._signals = 0
        self.has_begun = False
        self.code = EXIT_INTERRUPTED
        self._work: asyncio.Task[Any] | None = None

    def make_task(
        self,
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
        /,
        **more: Any,
    ) -> asyncio.Task[Any]:
        """Make the loop's first task (as its task factory), which is the one that is cancelled."""
        loop.set_task_factory(None)
        self._work = asyncio.Task(work, loop=loop, **more)
        return self._work

    def begin(self, number: int) -> None:
        """Let the work end, but not for long; the last time ends the process at once."""
        patient = self._stop.seconds > GRACE_SECONDS
        if self._stop.ask is not None and self._signals and number == signal.SIGTERM:
            return  # of a whole group of processes, and then of the one that waits for this one
        if self._signals > patient:
            self._exit()
        gently = number == signal.SIGTERM and not self._signals
        seconds = GRACE_SECONDS if self._signals else self._stop.seconds
        self._signals += 1
        self.has_begun = True
        self.code = self._stop.code if number == signal.SIGTERM else EXIT_INTERRUPTED
        watchdog = threading.Timer(seconds, self._exit)
        watchdog.daemon = True
        watchdog.start()
        if self._work is not None and not self._work.done():
            ask = self._stop.ask if gently and self._stop.ask is not None else self._cancel
            self._work.get_loop().call_soon_threadsafe(ask)

    def warn(self) -> None:
        """Say how to go on, once."""
        if self._warned.acquire(blocking=False):
            self._warn()

    def _cancel(self) -> None:
        self.warn()
        if self._work is not None:
            self._work.cancel()

    def _exit(self) -> None:
        """End the process without waiting for threads that hang in a connection."""
        self.warn()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(EXIT_INTERRUPTED)


@contextmanager
def interruptible(
    on_interrupt: Callable[[], None],
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
    stop: Stop = _AT_ONCE,
) -> Iterator[asyncio.Runner]:
    """A runner whose first work ends at SIGINT or SIGTERM.

    Everything durable is written and synced as it happens, so the process may end at any time.
    The second signal ends it at once.

    Args:
        on_interrupt: Tells the user how to go on; called once, after the first signal.
        loop_factory: Makes the loop; None makes the usual one.
        stop: How a signal ends it.

    Raises:
        typer.Exit: With code 130, after a signal.
    """
    interrupt = _Interrupt(on_interrupt, stop)
    try:
        with _handled(interrupt.begin), asyncio.Runner(loop_factory=loop_factory) as runner:
            runner.get_loop().set_task_factory(interrupt.make_task)
            yield runner
    except asyncio.CancelledError as error:
        interrupt.warn()
        raise typer.Exit(interrupt.code) from error
    except LibriScribeError as error:
        if stop.ask is None or not interrupt.has_begun:
            raise
        interrupt.warn()
        raise typer.Exit(interrupt.code) from error


def run_async(
    work: Coroutine[Any, Any, T],
    on_interrupt: Callable[[], None],
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
    stop: Stop = _AT_ONCE,
) -> T:
    """Run `work` to its end, or until SIGINT or SIGTERM (`interruptible`).

    Raises:
        typer.Exit: With code 130, after a signal.
    """
    with interruptible(on_interrupt, loop_factory, stop) as runner:
        return runner.run(work)


@contextmanager
def _handled(begin: Callable[[int], None]) -> Iterator[None]:
    """Call `begin` at each SIGINT and SIGTERM while the block runs.

    The loop's own handlers would wait for the loop's next turn, and a provider's client that is
    used for the first time keeps the loop busy with imports for seconds.
    """
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda number, _: begin(number)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
