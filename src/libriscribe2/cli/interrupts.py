"""Running the event loop so that Ctrl-C ends the program within two seconds, resumably."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, TypeVar

import typer

from libriscribe2.cli.leaving import leave
from libriscribe2.errors import EXIT_INTERRUPTED

T = TypeVar("T")

GRACE_SECONDS: Final = 1.2
"""How long calls under way may take to end; a reply that comes in time is kept."""


def run_async(work: Coroutine[Any, Any, T], on_interrupt: Callable[[], None]) -> T:
    """Run `work` to its end, or until SIGINT or SIGTERM.

    Everything durable is written and synced as it happens, so the process may end at any time.
    The second signal ends it at once.

    Args:
        work: What to run.
        on_interrupt: Tells the user how to go on; called once, at the first signal.

    Raises:
        typer.Exit: With code 130, after a signal.
    """
    told = threading.Event()

    def interrupted() -> None:
        if told.is_set():
            leave(EXIT_INTERRUPTED)
        told.set()
        on_interrupt()
        watchdog = threading.Timer(GRACE_SECONDS, leave, (EXIT_INTERRUPTED,))
        watchdog.daemon = True
        watchdog.start()

    async def guarded() -> T:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()

        def stop() -> None:
            interrupted()
            task.cancel()

        with suppress(NotImplementedError):  # Windows: KeyboardInterrupt does it there
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, stop)
        return await task

    try:
        return asyncio.run(guarded())
    except (asyncio.CancelledError, KeyboardInterrupt) as error:
        if not told.is_set():
            interrupted()
        raise typer.Exit(EXIT_INTERRUPTED) from error
