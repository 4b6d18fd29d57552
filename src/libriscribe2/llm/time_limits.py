"""Our own clocks over a request: a provider that keeps a connection alive must not hold the run.

HTTP read timeouts do not help: keep-alive comments and a trickle of pieces reset them for ever.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from typing import TypeVar

from libriscribe2.llm.backend import BackendError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """How long to wait, in seconds; each is the limit of silence that it names.

    Attributes:
        first_piece: From the request to the first piece of a streamed reply; generous, because
            reasoning models think before they write.
        between_pieces: From one piece to the next.
        whole_call: From the request to the end of the reply, streamed or not.
    """

    first_piece: float = 180.0
    between_pieces: float = 60.0
    whole_call: float = 900.0

    def __post_init__(self) -> None:
        if min(self.first_piece, self.between_pieces, self.whole_call) <= 0:
            raise ValueError("time limits must be positive")


async def within(awaitable: Awaitable[T], deadline: float, what: str) -> T:
    """The awaitable's result, if it comes before the loop's clock shows `deadline`.

    Raises:
        BackendError: Of kind `timeout`; `what` says which silence was too long.
    """
    clock = asyncio.timeout_at(deadline)
    try:
        async with clock:
            return await awaitable
    except TimeoutError as error:
        if not clock.expired():
            raise
        raise BackendError("timeout", what) from error


async def paced(
    pieces: AsyncIterator[T], limits: TimeLimits, *, started: float
) -> AsyncIterator[T]:
    """The same pieces, as long as they keep coming.

    The consumer's own time between two pieces counts only towards the whole call.

    Args:
        pieces: The pieces of a streamed reply.
        limits: The clocks.
        started: When the request left, on the loop's clock.

    Raises:
        BackendError: Of kind `timeout`.
    """
    loop = asyncio.get_running_loop()
    end = started + limits.whole_call
    quiet = started + limits.first_piece
    what = f"no piece of the reply within {limits.first_piece:g} seconds"
    while True:
        deadline = min(quiet, end)
        reason = what if quiet <= end else f"the reply took over {limits.whole_call:g} seconds"
        try:
            piece = await within(anext(pieces), deadline, reason)
        except StopAsyncIteration:
            return
        yield piece
        quiet = loop.time() + limits.between_pieces
        what = f"no further piece of the reply for {limits.between_pieces:g} seconds"
