"""Running the event loop so that Ctrl-C ends the program within two seconds, resumably."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import typer

from libriscribe2.errors import EXIT_INTERRUPTED

T = TypeVar("T")

GRACE_SECONDS: Final = 1.2
"""How long calls under way may take to end; a reply that comes in time is kept."""


class _Interrupt:
    """The end of the program, once a signal has come.

    Args:
        warn: Says how to go on.
    """

    def __init__(self, warn: Callable[[], None]) -> None:
        self._warn = warn
        self._warned = threading.Lock()
        self._begun = False
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

    def begin(self) -> None:
        """Let the work end, but not for long; a second time ends the process at once."""
        if self._begun:
            self._exit()
        self._begun = True
        watchdog = threading.Timer(GRACE_SECONDS, self._exit)
        watchdog.daemon = True
        watchdog.start()
        if self._work is not None and not self._work.done():
            self._work.get_loop().call_soon_threadsafe(self._cancel)

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
) -> Iterator[asyncio.Runner]:
    """A runner whose first work ends at SIGINT or SIGTERM.

    Everything durable is written and synced as it happens, so the process may end at any time.
    The second signal ends it at once.

    Args:
        on_interrupt: Tells the user how to go on; called once, after the first signal.
        loop_factory: Makes the loop; None makes the usual one.

    Raises:
        typer.Exit: With code 130, after a signal.
    """
    interrupt = _Interrupt(on_interrupt)
    try:
        with _handled(interrupt.begin), asyncio.Runner(loop_factory=loop_factory) as runner:
            runner.get_loop().set_task_factory(interrupt.make_task)
            yield runner
    except asyncio.CancelledError as error:
        interrupt.warn()
        raise typer.Exit(EXIT_INTERRUPTED) from error


def run_async(
    work: Coroutine[Any, Any, T],
    on_interrupt: Callable[[], None],
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> T:
    """Run `work` to its end, or until SIGINT or SIGTERM (`interruptible`).

    Raises:
        typer.Exit: With code 130, after a signal.
    """
    with interruptible(on_interrupt, loop_factory) as runner:
        return runner.run(work)


@contextmanager
def _handled(begin: Callable[[], None]) -> Iterator[None]:
    """Call `begin` at each SIGINT and SIGTERM while the block runs.

    The loop's own handlers would wait for the loop's next turn, and a provider's client that is
    used for the first time keeps the loop busy with imports for seconds.
    """
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: begin()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
