"""Questions of one unit that are asked at once."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from typing import Any, TypeVar

from libriscribe2.errors import LibriScribeError
from libriscribe2.llm.session import RunStoppedError

T = TypeVar("T")


async def all_of(work: Iterable[Coroutine[Any, Any, T]], stop: Callable[[], None]) -> list[T]:
    """The results of all, in order.

    After a failure nothing new is sent, but what is under way is waited for: a request that is
    already paid for must not be lost to a sibling's failure.

    Args:
        work: What is done; none of it has begun.
        stop: Called at a failure; ends the sending of requests.

    Raises:
        Exception: One failed; a failure of its own is preferred to having been stopped.
    """

    async def one(part: Coroutine[Any, Any, T]) -> T:
        try:
            return await part
        except LibriScribeError:
            stop()
            raise

    parts = tuple(work)
    # The first one begins at once: its request has left before the others are put together.
    rest = asyncio.gather(*map(one, parts[1:]), return_exceptions=True)
    results: list[T | BaseException] = []
    try:
        if parts:
            results.append(await _outcome(one(parts[0])))
        results += await rest
    finally:
        if rest.cancel():
            with suppress(asyncio.CancelledError):
                await rest
        for part in parts:  # Ctrl-C may come before one has begun, and Python warns of such
            part.close()
    failed = [result for result in results if isinstance(result, BaseException)]
    if failed:
        raise next((f for f in failed if not isinstance(f, RunStoppedError)), failed[0])
    return [result for result in results if not isinstance(result, BaseException)]


async def _outcome(work: Coroutine[Any, Any, T]) -> T | BaseException:
    """What comes of it, be it an error."""
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - the caller chooses which failure is told
        return error
