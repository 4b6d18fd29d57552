"""Counts as authors write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.models.brief import MOST, CountRange, parse_counts


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("10", 10, 10), ("8-12", 8, 12), (" 5+ ", 5, None), ("8\u201312", 8, 12), ("1", 1, 1)],
)
def test_a_count_is_read(text: str, low: int, high: int | None) -> None:
    assert CountRange.parse(text) == CountRange(low, high)


@pytest.mark.parametrize("text", ["", "ten", "-3", "0", "0-5", "12-8", "3-", "1.5", "5++"])
def test_what_is_no_count_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"count|fewer|backwards"):
        CountRange.parse(text)


@pytest.mark.parametrize("text", ["1001", "100000", "8-1001", "1001+", "9" * 5_000])
def test_one_bound_holds_for_every_count(text: str) -> None:
    with pytest.raises(ValueError, match="at most 1,000"):
        CountRange.parse(text)


def test_zeros_before_a_count_add_nothing() -> None:
    assert CountRange.parse("0001000") == CountRange(MOST, MOST)


@given(st.integers(1, MOST), st.integers(0, 50))
def test_every_range_that_can_be_written_is_read(low: int, more: int) -> None:
    high = min(MOST, low + more)
    assert CountRange.parse(f"{low}-{high}") == CountRange(low, high)


def test_the_bounds_stand_in_a_schema() -> None:
    assert CountRange(3, 7).bounds() == {"minItems": 3, "maxItems": 7}
    assert CountRange(5, None).bounds() == {"minItems": 5}


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (CountRange(1, 1), "1 chapter"),
        (CountRange(4, 4), "4 chapters"),
        (CountRange(8, 12), "8 to 12 chapters"),
        (CountRange(5, None), "at least 5 chapters"),
    ],
)
def test_a_range_in_words(count: CountRange, words: str) -> None:
    assert count.wording("chapter") == words


def test_a_list_has_one_entry_per_chapter() -> None:
    assert parse_counts("3, 4-5,6+") == (CountRange(3, 3), CountRange(4, 5), CountRange(6, None))


def test_the_middle_is_a_guess_inside_the_range() -> None:
    assert CountRange(8, 12).middle() == 10
    assert CountRange(5, None).middle() == 5


@pytest.mark.parametrize(
    ("count", "most", "cut"),
    [
        (CountRange(4, 7), 9, CountRange(4, 7)),
        (CountRange(4, 7), 5, CountRange(4, 5)),
        (CountRange(4, 7), 2, CountRange(2, 2)),
        (CountRange(4, None), 6, CountRange(4, 6)),
        (CountRange(4, 7), 0, CountRange(1, 1)),
    ],
)
def test_a_range_can_be_cut_off_above(count: CountRange, most: int, cut: CountRange) -> None:
    assert count.at_most(most) == cut
