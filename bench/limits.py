"""A time limit on one call, so that a reader that hangs is counted and not waited for."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

Result = TypeVar("Result")


class OutOfTime(BaseException):
    """The call took longer than allowed; not an Exception, so no library can swallow it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` in the block after `seconds`; only in the main thread, only on POSIX."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def within(seconds: float, call: Callable[[], Result]) -> Result | None:
    """The result of `call`, or None when it ran out of time."""
    try:
        with time_limit(seconds):
            return call()
    except OutOfTime:
        return None
