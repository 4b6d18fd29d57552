"""Our own clocks over a request: a provider that keeps a connection alive must not hold the run.

HTTP read timeouts do not help: keep-alive comments and a trickle of pieces reset them for ever.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from typing import Final, TypeVar

from libriscribe2.llm.backend import BackendError

T = TypeVar("T")

_STOOD_STILL: Final = 1.0
"""A timer that fires so many seconds late says that the process did not run meanwhile."""

_TO_READ: Final = 5.0
"""Most seconds in which a process that stood still may read what came."""

_LAST_LOOK: Final = 0.25
"""Seconds of every last look: one that stood still to the very end of a wait notices nothing."""

_LATE_SECONDS = 0.05
"""How late a wait may be found too long that began after its deadline had passed."""


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """How long to wait, in positive seconds; each is the limit of silence that it names.

    Attributes:
        first_piece: From the request to the first piece of a streamed reply; generous, because
            reasoning models think before they write.
        between_pieces: From one piece to the next.
        whole_call: From the request to the end of the reply, streamed or not.
    """

    first_piece: float = 180.0
    between_pieces: float = 60.0
    whole_call: float = 900.0


async def within(awaitable: Awaitable[T], deadline: float, what: str) -> T:
    """The result of an awaitable that comes before the loop's clock shows `deadline`.

    Raises:
        BackendError: Of kind `timeout`; `what` says which silence was too long.
    """
    watch = _Watch(deadline)
    try:
        return await watch.over(awaitable, what)
    finally:
        watch.stop()


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
    end = started + limits.whole_call
    watch = _Watch(min(started + limits.first_piece, end))
    what = f"no piece of the reply within {limits.first_piece:g} seconds"
    try:
        while True:
            whole = watch.deadline >= end
            reason = f"the reply took over {limits.whole_call:g} seconds" if whole else what
            try:
                piece = await watch.over(anext(pieces), reason)
            except StopAsyncIteration:
                return
            yield piece
            end = max(end, watch.granted)
            watch.until(min(watch.now() + limits.between_pieces, end))
            what = f"no further piece of the reply for {limits.between_pieces:g} seconds"
    finally:
        watch.stop()


class _Watch:
    """One timer for many waits in a row.

    A process that stood still (Ctrl-Z, a paused container) finds its clock ahead, and what came
    meanwhile unread in the socket: so no wait ends without a last look, which is the longer the
    later it is.

    Attributes:
        deadline: When the present wait has lasted too long, on the loop's clock.
        granted: The end of the latest last look.
    """

    def __init__(self, deadline: float) -> None:
        loop = asyncio.get_running_loop()
        self.deadline = deadline
        self.granted = 0.0
        self.now = loop.time
        self._at = loop.call_at
        self._waiting: asyncio.Task[object] | None = None
        self._expired = False
        self._looks_at = deadline
        self._timer = loop.call_at(deadline, self._look)

    def until(self, deadline: float) -> None:
        """Set the next wait's deadline; only one that comes earlier needs the timer moved."""
        self.deadline = deadline
        if deadline < self._looks_at:
            self._timer.cancel()
            self._arm(deadline)

    async def over(self, awaitable: Awaitable[T], reason: str) -> T:
        """The awaitable's result.

        Raises:
            BackendError: Of kind `timeout`, with `reason`: the deadline passed.
        """
        task = self._waiting = asyncio.current_task()
        try:
            return await awaitable
        except asyncio.CancelledError:
            if not self._expired or task is None or task.uncancel():
                raise
            raise BackendError("timeout", reason) from None
        finally:
            self._waiting = None

    def stop(self) -> None:
        """Watch no longer."""
        self._timer.cancel()

    def _look(self) -> None:
        """End a wait that has lasted too long, or look again when the present one may have."""
        now = self.now()
        late = now - self._looks_at
        if now >= self.deadline and (self.deadline != self.granted or late > _STOOD_STILL):
            self.deadline = self.granted = now + min(max(late, _LAST_LOOK), _TO_READ)
        if now < self.deadline:
            self._arm(self.deadline)
        elif self._waiting is None:  # the consumer's own time; its next wait is looked at then
            self._arm(now + _LATE_SECONDS)
        else:
            self._expired = True
            self._waiting.cancel()

    def _arm(self, when: float) -> None:
        self._looks_at = when
        self._timer = self._at(when, self._look)
