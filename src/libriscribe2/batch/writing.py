"""Writing one book of a batch: its folder, a process, and how that ended."""

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from libriscribe2.batch.child import ChildEnd, run_child
from libriscribe2.batch.figures import Sums, sums_of
from libriscribe2.batch.state import Book, BookState, Ended
from libriscribe2.errors import EXIT_INTERRUPTED, BudgetError
from libriscribe2.project.paths import ProjectPaths

_STATE_OF: Final[dict[int, BookState]] = {
    0: "done",
    BudgetError.exit_code: "stopped",
    EXIT_INTERRUPTED: "queued",
}


@dataclass(frozen=True)
class RunCommand:
    """The command that writes a book.

    Attributes:
        words: Its words, before the name of the book.
        options: Its options.
        environment: Variables that its process has beside those of this one.
    """

    words: Sequence[str]
    options: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


class BookProcess:
    """Writes books, each by a command in a process of its own.

    Args:
        paths_of: The project of a name.
        begin: Makes the project of a book, where it is not there yet.
        how: The command that writes a book.
        unknown_usd: What a million tokens without a known price count as.
        minutes_of: The most minutes that a book's run may last; None is no limit.
    """

    def __init__(
        self,
        paths_of: Callable[[str], ProjectPaths],
        begin: Callable[[Book], None],
        how: RunCommand,
        unknown_usd: float,
        minutes_of: Callable[[Book], float | None] = lambda _book: None,
    ) -> None:
        self._paths_of = paths_of
        self._begin = begin
        self._how = how
        self._unknown_usd = unknown_usd
        self._minutes_of = minutes_of

    async def write(self, book: Book, grant: float | None) -> Ended:
        """Run a book to an end; cancelled, it ends resumably.

        Raises:
            LibriScribeError: It cannot be begun.
        """
        await asyncio.to_thread(self._begin, book)
        name = book.row.name
        minutes = self._minutes_of(book)
        limits = {"--max-cost": grant, "--max-minutes": minutes}
        given = ((option, _plain(most)) for option, most in limits.items() if most is not None)
        words = (*self._how.words, name, *self._how.options, *chain.from_iterable(given))
        end = await run_child(words, self._how.environment)
        sums = await self._sums(name, end.digest.words or book.last.sums.words)
        return _ended(end, sums)

    async def sums(self, book: Book) -> Sums:
        """What a book has come to, by its own journal.

        Raises:
            LibriScribeError: The project cannot be read.
        """
        return await self._sums(book.row.name, book.last.sums.words)

    async def _sums(self, name: str, words: int) -> Sums:
        return await asyncio.to_thread(sums_of, self._paths_of(name), words, self._unknown_usd)


def _ended(end: ChildEnd, sums: Sums) -> Ended:
    """How a process's end is to be taken."""
    killed = end.code < 0
    state: BookState = "queued" if killed else _STATE_OF.get(end.code, "failed")
    told = {key: str(end.error.get(key, "")) for key in ("message", "why", "fix")}
    if state != "done" and not told["message"]:
        how = f"was killed by signal {-end.code}" if killed else f"ended with code {end.code}"
        told = {"message": f"The book's process {how}", "why": end.talk, "fix": ""}
    return Ended(
        state, end.code, told["message"], told["why"], told["fix"], end.digest.times(), sums
    )


def _plain(amount: float) -> str:
    """An amount as an option takes it, never rounded up."""
    return f"{math.floor(amount * 1_000_000) / 1_000_000:.6f}"
