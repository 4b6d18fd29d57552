"""Keeping a spool while something else is done."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from libriscribe2.batch.provider.keeper import Keeper
from libriscribe2.batch.provider.spool import Spool


async def kept_meanwhile(
    spool: Spool, keeper_of: Callable[[], Keeper], work: Callable[[], Awaitable[None]]
) -> None:
    """Do work while the spool is kept; where that fails, the work is ended.

    Args:
        spool: The spool.
        keeper_of: Makes its keeper, once nobody else keeps it.
        work: The work.

    Raises:
        ProjectInUseError: Another process keeps it.
        StorageError: It cannot be written or read.
    """
    with spool.kept():
        keeping = asyncio.ensure_future(keeper_of().run())
        working = asyncio.ensure_future(work())
        try:
            await asyncio.wait({keeping, working}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (working, keeping):
                await _ended(task)
        if not keeping.cancelled():
            keeping.result()  # it never ends but by a failure
        working.result()


async def _ended(task: "asyncio.Future[None]") -> None:
    """End a task; what it raises is told by whoever asks for its result."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.wait({task})
