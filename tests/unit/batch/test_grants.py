"""The budget of a batch, over any order of beginnings and ends."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.book_writers import Clock, Writer

from libriscribe2.batch.folders import BatchPaths
from libriscribe2.batch.grants import grant_for, own_cap
from libriscribe2.batch.progress import Batch, Book, Ended, Sums, added, ended, started
from libriscribe2.batch.queue import LocalQueue
from libriscribe2.batch.rows import Row
from libriscribe2.batch.work import Terms

WORDS = 450
BRIEF = {"premise": "x", "chapters": 2, "words": 200}
MOVES = st.lists(
    st.tuples(st.integers(0, 4), st.floats(0, 1), st.integers(1, 5)), min_size=1, max_size=40
)


def batch_of(cap: float | None, own: float | None) -> Batch:
    batch = Batch()
    budget = {} if own is None else {"budget": {"max_cost": own}}
    batch.apply([added(Row(f"b{n}", "row", {"premise": "x"}, budget)) for n in range(5)])
    batch.apply([{"t": "run", "cap": cap, "books": 3}])
    return batch


@given(st.floats(0, 100), st.one_of(st.none(), st.floats(0, 50)), MOVES)
def test_all_books_together_never_pass_the_cap(
    cap: float, own: float | None, moves: list[tuple[int, float, int]]
) -> None:
    batch = batch_of(cap, own)
    for number, part, sharers in moves:
        book = batch.books[f"b{number}"]
        if book.state == "running":
            spent = book.last.sums.possible_usd
            usd = spent + part * ((book.grant or 0.0) - spent)
            batch.apply([ended(f"b{number}", Ended("stopped", 8, sums=Sums(possible_usd=usd)))])
        else:
            grant = grant_for(batch, book, sharers)
            assert grant is not None
            batch.apply([started(f"b{number}", max(grant, book.last.sums.possible_usd))])
        together = sum(one.committed_usd for one in batch.books.values())
        assert together <= cap + 1e-6


def test_without_a_cap_the_row_decides() -> None:
    assert grant_for(batch_of(None, None), batch_of(None, None).books["b0"], 5) is None
    capped = batch_of(None, 3.0)
    assert grant_for(capped, capped.books["b0"], 5) == own_cap(capped.books["b0"]) == 3.0


class Prices:
    """Writes books of given prices, as far as their grants go on with what they came to."""

    def __init__(self, prices: Mapping[str, float]) -> None:
        self._prices = prices
        self.spent: dict[str, float] = {}

    def __call__(self, book: Book, grant: float | None, _count: int) -> Ended:
        name, price = book.row.name, self._prices[book.row.name]
        assert grant is not None
        self.spent[name] = max(self.spent.get(name, 0.0), min(grant, price))
        sums = Sums(words=WORDS, cost_usd=0.0, possible_usd=self.spent[name])
        if self.spent[name] < price:
            return Ended("stopped", 8, "budget", sums=sums)
        return Ended("done", sums=sums)


@pytest.mark.parametrize("books", [1, 2])
async def test_a_cap_for_three_of_six_books_finishes_three(tmp_path: Path, books: int) -> None:
    prices = {"a": 1.0, "b": 1.2, "c": 0.9, "d": 1.1, "e": 1.0, "f": 1.0}
    queue, clock = LocalQueue(BatchPaths(tmp_path / "batch")), Clock()
    queue.enqueue([Row(name, "row", BRIEF) for name in prices], lambda _name: False)
    told: list[tuple[str, str]] = []

    def tell(book: Book, how: Ended | None) -> None:
        if how is not None and not book.runs:
            told.append((book.row.name, how.what))

    writer = Writer(Prices(prices))
    terms = Terms(books=books, cap=3.6, sleep=clock.sleep, now=clock.now, tell=tell)
    await queue.work(writer, terms)
    batch = queue.status()
    assert len(batch.within("done")) == 3
    assert sum(book.committed_usd for book in batch.books.values()) <= 3.6
    unbegun = [name for name in prices if name not in writer.runs]
    assert told == [(name, "The budget does not reach for this book") for name in unbegun]
    assert len(unbegun) >= 2


async def test_an_even_share_is_an_option(tmp_path: Path) -> None:
    queue = LocalQueue(BatchPaths(tmp_path / "batch"))
    queue.enqueue([Row(name, "row", BRIEF) for name in "abcd"], lambda _name: False)
    writer = Writer(Prices(dict.fromkeys("abcd", 1.0)))
    await queue.work(writer, Terms(books=1, cap=4.0, funding="even"))
    assert writer.grants == [1.0, 1.0, 1.0, 1.0]
