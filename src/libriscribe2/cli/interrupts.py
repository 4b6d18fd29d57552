"""Running the event loop so that Ctrl-C ends the program within two seconds, resumably."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

import typer

from libriscribe2.errors import EXIT_INTERRUPTED

T = TypeVar("T")

GRACE_SECONDS: Final = 1.2
"""How long calls under way may take to end; a reply that comes in time is kept."""


class _Ending:
    """The end of the program, once a signal has come.

    Attributes:
        cancel: Ends the work; does nothing while there is none.
    """

    def __init__(self, tell: Callable[[], None]) -> None:
        self.cancel: Callable[[], object] = _nothing
        self._tell = tell
        self._told = threading.Lock()
        self._begun = False

    def begin(self) -> None:
        """Let the work end, but not for long; a second time ends the process at once."""
        if self._begun:
            self._now()
        self._begun = True
        watchdog = threading.Timer(GRACE_SECONDS, self._now)
        watchdog.daemon = True
        watchdog.start()
        self.cancel()

    def tell(self) -> None:
        """Tell the user how to go on, once."""
        if self._told.acquire(blocking=False):
            self._tell()

    def _now(self) -> None:
        """End the process without waiting for threads that hang in a connection."""
        self.tell()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(EXIT_INTERRUPTED)


def run_async(
    work: Coroutine[Any, Any, T],
    on_interrupt: Callable[[], None],
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> T:
    """Run `work` to its end, or until SIGINT or SIGTERM.

    Everything durable is written and synced as it happens, so the process may end at any time.
    The second signal ends it at once.

    Args:
        work: What to run.
        on_interrupt: Tells the user how to go on; called once, after the first signal.
        loop_factory: Makes the loop; None makes the usual one.

    Raises:
        typer.Exit: With code 130, after a signal.
    """
    ending = _Ending(on_interrupt)

    async def guarded() -> T:
        task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()

        def stop() -> None:
            ending.tell()
            task.cancel()

        ending.cancel = lambda: loop.call_soon_threadsafe(stop)
        try:
            return await task
        finally:
            ending.cancel = _nothing

    try:
        with _handled(ending.begin), asyncio.Runner(loop_factory=loop_factory) as runner:
            return runner.run(guarded())
    except asyncio.CancelledError as error:
        ending.tell()
        raise typer.Exit(EXIT_INTERRUPTED) from error


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


def _nothing() -> None:
    """There is nothing to be ended."""
