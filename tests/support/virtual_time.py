"""An event loop whose clock jumps to the next timer: minutes of waiting pass in no time."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar, TypeVarTuple

from typing_extensions import override

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class _Jumping(selectors.DefaultSelector):
    """Instead of waiting for a timer it moves the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000.0

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if not found:
            assert timeout is not None, "every task waits for something that never comes"
            self.now += max(0.0, timeout)
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop; what it is asked to do in a thread it does at once."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
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


def run_virtually(work: Callable[[VirtualLoop], Coroutine[Any, Any, T]]) -> T:
    """The result of a coroutine that is given the loop it runs in."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(work(loop))
    finally:
        loop.close()
