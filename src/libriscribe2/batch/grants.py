"""Money: what each book of a batch may cost, so that all together stay below the cap.

Books are funded one after the other, each up to what the finished ones let expect, so that a cap
that does not reach for all is spent on books that are finished.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final, Literal

from libriscribe2.batch.progress import Batch, Book, Ended
from libriscribe2.errors import BudgetError
from libriscribe2.models.brief import Brief
from libriscribe2.wording import price

Funding = Literal["in_order", "even"]
"""Whether books are funded one after the other, or each gets an even share."""

_WORTH_WHILE: Final = 1.25
"""How many times as large a new grant has to be before a book that used up its own goes on."""

_ROOM: Final = 1.25
"""How much more than the dearest finished book, by its words, a book may cost."""

_MICROS: Final = 1_000_000


def own_cap(book: Book) -> float | None:
    """The cap that the row itself sets, in US dollars."""
    budget = book.row.settings.get("budget", {})
    cap = budget.get("max_cost") if isinstance(budget, dict) else None
    return None if cap is None else float(cap)


def words_of(book: Book) -> int:
    """How many words a book is to have."""
    known = {key: book.row.brief[key] for key in book.row.brief.keys() & Brief.model_fields}
    brief = Brief.model_validate(known)  # a newer version may have asked for more
    chapters = brief.chapter_range().middle()
    return brief.words_per_chapter(chapters) * chapters


class Wait:
    """Says that a book is to wait until another one has ended."""


WAIT: Final = Wait()


@dataclass(frozen=True, slots=True)
class Expected:
    """What a book is going to cost in all, by the finished ones, in US dollars.

    Attributes:
        likely: Half of them were cheaper, by their words.
        most: None was dearer, with some room.
    """

    likely: float
    most: float


def expected_usd(batch: Batch, book: Book) -> Expected | None:
    """What a book is going to cost; None while no book that cost anything is done."""
    done = [one for one in batch.within("done") if one.last.sums.possible_usd]
    if not done:
        return None
    # By the words that were asked for: models write more of them, or fewer, in all books alike.
    paces, words = [one.last.sums.possible_usd / words_of(one) for one in done], words_of(book)
    return Expected(median(paces) * words, max(paces) * words * _ROOM)


def free_usd(batch: Batch) -> float:
    """What the cap leaves for grants; endless where there is no cap, never below 0."""
    if batch.cap is None:
        return math.inf
    committed = math.fsum(book.committed_usd for book in batch.books.values())
    return max(0.0, batch.cap - committed)


def grant_for(batch: Batch, book: Book, slots: int, funding: Funding = "in_order") -> float | None:
    """The most that a book's cost may come to; None where nothing caps it.

    Args:
        batch: The batch; the book does not run yet.
        book: The book.
        slots: How many more books may begin here just now, this one included.
        funding: How books are funded.
    """
    cap = own_cap(book)
    if batch.cap is None:
        return cap
    free, waiting = free_usd(batch), len(batch.within("queued"))
    expected = expected_usd(batch, book)
    if funding == "even":
        share = free / max(1, waiting)
    elif expected is None or book.grant is not None:
        share = free / max(1, min(slots, waiting))
    else:
        share = min(free, max(0.0, expected.most - book.committed_usd))
    # Rounded down, so that the grants together are not above the cap by rounding.
    grant = math.floor((book.committed_usd + share) * _MICROS) / _MICROS
    return grant if cap is None else min(cap, grant)


def reach(batch: Batch, book: Book, funding: Funding = "in_order") -> Ended | Wait | None:
    """Whether what is left of the cap lets a book begin.

    Returns:
        None where it may begin; `WAIT` where books under way may leave something over; else the
        end of a book that would not be finished.
    """
    if batch.cap is None or funding == "even":
        return None
    expected, free = expected_usd(batch, book), free_usd(batch)
    unknown = expected is None or book.grant is not None
    need = 1 / _MICROS if expected is None or unknown else expected.likely - book.committed_usd
    if free >= need:
        return None
    if batch.within("running"):
        return WAIT
    why = f"{price(free)} of {price(batch.cap)} are left"
    if expected is not None:
        why = f"by the finished ones it costs about {price(expected.likely)}; {why}"
    what = "The budget does not reach for this book"
    return Ended("stopped", BudgetError.exit_code, what, why, sums=book.last.sums)


def worth_another_run(batch: Batch) -> Sequence[Book]:
    """Books that the budget stopped and that what others have left may now finish, in order."""
    if batch.cap is None:
        return ()
    free = free_usd(batch)
    found: list[Book] = []
    for book in batch.within("stopped"):
        need = _need(batch, book)
        if need is not None and need < free:
            found.append(book)
            free -= need
    return found


def _need(batch: Batch, book: Book) -> float | None:
    """What has to be free before a book that was stopped is worth a run; None if nothing helps."""
    if book.grant is None:
        expected = expected_usd(batch, book)
        wanted = None if expected is None else expected.likely
    else:
        wanted = max(_WORTH_WHILE * book.grant, 1 / _MICROS)
    cap = own_cap(book)
    if wanted is None or (cap is not None and wanted > cap):
        return None
    return wanted - book.committed_usd
