"""A loop whose clock jumps to the next timer, for tests: minutes of waiting pass in no time."""

import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from typing_extensions import override

from libriscribe2.forecast.model_time import JumpingSelector, VirtualLoop

T = TypeVar("T")


class _Impatient(JumpingSelector):
    """Where nothing is left to wait for, a test has gone wrong."""

    @override
    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "every task waits for something that never comes"
        return super().select(timeout)


def run_virtually(work: Callable[[VirtualLoop], Coroutine[Any, Any, T]]) -> T:
    """The result of a coroutine that is given the loop it runs in."""
    loop = VirtualLoop(_Impatient())
    try:
        return loop.run_until_complete(work(loop))
    finally:
        loop.close()
