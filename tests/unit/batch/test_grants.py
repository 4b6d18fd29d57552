"""The budget of a batch, over any order of beginnings and ends."""

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.batch.progress import Batch, Ended, Sums, added, ended, started
from libriscribe2.batch.rows import Row
from libriscribe2.batch.work import grant_for, own_cap

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
