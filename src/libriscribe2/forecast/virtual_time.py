"""An event loop whose clock jumps to the next timer: what a run would wait for passes in no time."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, TypeVarTuple

from typing_extensions import override

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class JumpingSelector(selectors.DefaultSelector):
    """Moves its clock instead of waiting for a timer.

    Attributes:
        now: Its clock, in seconds.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000.0

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:  # no timer at all, so only a signal or another process can come
            return super().select(None)
        found = super().select(0)
        if not found:
            self.now += max(0.0, timeout)
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop; what it is asked to do in a thread it does at once.

    Args:
        selector: Its clock.
    """

    def __init__(self, selector: JumpingSelector | None = None) -> None:
        self._jumping = selector if selector is not None else JumpingSelector()
        super().__init__(self._jumping)

    @override
    def time(self) -> float:
        return self._jumping.now

    @override
    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[[*Ts], T], *args: *Ts
    ) -> Awaitable[T]:
        del executor
        future: asyncio.Future[T] = self.create_future()
        future.set_result(func(*args))
        return future
