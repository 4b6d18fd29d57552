"""Writers of a batch that write no book, and a clock that passes when somebody waits."""

import asyncio
import threading
from collections.abc import Callable

from libriscribe2.batch.progress import Book, Ended, Sums

Act = Callable[[Book, float | None, int], Ended]
"""What comes of a run: of a book, with its grant, for the so manieth time."""


class Clock:
    """Time that passes when somebody waits."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds
        # Several turns of the loop: what is under way may come to its end first.
        for _ in range(5):
            await asyncio.get_running_loop().run_in_executor(None, lambda: None)

    @staticmethod
    def tick() -> None:
        """A hundredth of a second for other processes and threads."""
        threading.Event().wait(0.01)


class Writer:
    """Writes no book, and notes who was under way with whom.

    Attributes:
        runs: The books in the order of their runs.
        grants: What each was allowed to cost.
        most: The most books that were under way at once.
        held: While it is not set, no run ends.
    """

    def __init__(self, act: Act) -> None:
        self.runs: list[str] = []
        self.grants: list[float | None] = []
        self.most = 0
        self.held = asyncio.Event()
        self.held.set()
        self._act = act
        self._now = 0

    async def write(self, book: Book, grant: float | None) -> Ended:
        self.runs.append(book.row.name)
        self.grants.append(grant)
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            await asyncio.to_thread(lambda: None)
            await self.held.wait()
            return self._act(book, grant, self.runs.count(book.row.name))
        finally:
            self._now -= 1

    async def sums(self, book: Book) -> Sums:
        return book.last.sums


def done(usd: float = 0.0) -> Ended:
    """The end of a book that cost so many US dollars."""
    return Ended("done", sums=Sums(words=10, cost_usd=usd, possible_usd=usd))
