"""The budget of a batch: what each book may cost, so that all together never pass the cap.

Before a book runs, a grant is held back for it: what it has cost so far, and an even share of
what is free. The run gets the grant as its own cap, which no request may pass. When the run has
ended, what it left over is free for the others.
"""

import math
from collections.abc import Sequence
from typing import Final

from libriscribe2.batch.state import Batch, Book

_WORTH_WHILE: Final = 1.25
"""How many times as large a new grant has to be before a book that used up its own goes on."""

_MICROS: Final = 1_000_000


def own_cap(book: Book) -> float | None:
    """The cap that the row itself sets, in US dollars."""
    budget = book.row.settings.get("budget", {})
    cap = budget.get("max_cost") if isinstance(budget, dict) else None
    return None if cap is None else float(cap)


def free_usd(batch: Batch) -> float:
    """What the cap leaves for grants; endless where there is no cap, never below 0."""
    if batch.cap is None:
        return math.inf
    committed = math.fsum(book.committed_usd for book in batch.books.values())
    return max(0.0, batch.cap - committed)


def grant_for(batch: Batch, book: Book, sharers: int) -> float | None:
    """The most that a book's cost may come to; None where nothing caps it.

    Args:
        batch: The batch; the book does not run yet.
        book: The book.
        sharers: Books that what is free has to last for, this one included.
    """
    cap = own_cap(book)
    if batch.cap is None:
        return cap
    share = free_usd(batch) / max(1, sharers)
    # Rounded down, so that the grants together are not above the cap by rounding.
    grant = math.floor((book.committed_usd + share) * _MICROS) / _MICROS
    return grant if cap is None else min(cap, grant)


def worth_another_run(batch: Batch) -> Sequence[Book]:
    """Books that used up their grant and could now get a much larger one."""
    if batch.cap is None:
        return ()
    out = [book for book in batch.within("stopped") if book.grant is not None]
    for_each = free_usd(batch) / max(1, len(out))
    return [
        book
        for book in out
        if book.grant is not None
        and _possible(book, for_each) > max(_WORTH_WHILE * book.grant, 1 / _MICROS)
    ]


def _possible(book: Book, share: float) -> float:
    cap = own_cap(book)
    grant = book.committed_usd + share
    return grant if cap is None else min(cap, grant)
