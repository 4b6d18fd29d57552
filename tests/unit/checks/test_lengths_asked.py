"""How many words are asked for, by what the book has been given so far."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.checks.text_lengths import Wanted, habit_at
from libriscribe2.models.draft_order import DraftOrder


def test_more_is_asked_of_who_gives_less() -> None:
    assert Wanted(900).asked == 900
    assert Wanted(900, 0.6).asked == 1_500
    assert Wanted(900, 1.5).asked == 600
    assert Wanted(1_000, 0.8).missing(600) == 500
    assert (Wanted(1_000).is_short(499), Wanted(1_000).is_short(500)) == (True, False)


def test_a_model_that_always_gives_nine_tenths_is_asked_for_more_and_stays_there() -> None:
    order = DraftOrder("sequential", 12)
    wanted = dict.fromkeys(range(1, 13), 1_000)
    actual: dict[int, int] = {}
    for number in range(1, 13):
        asked = Wanted(1_000, habit_at(number, actual, wanted, order.known)).asked
        actual[number] = round(0.9 * asked)
    assert actual[1] == 900
    assert all(actual[n] == pytest.approx(1_000, rel=0.01) for n in range(2, 13))


def test_the_next_chapters_do_not_pay_for_one_that_came_far_too_long() -> None:
    order = DraftOrder("sequential", 10)
    wanted = dict.fromkeys(range(1, 11), 950)
    actual = {1: 1_500}
    for number in range(2, 11):
        asked = Wanted(950, habit_at(number, actual, wanted, order.known)).asked
        assert asked >= 0.8 * 950
        actual[number] = asked


def test_chapters_written_at_once_know_of_no_habit_and_the_even_ones_of_all_odd_ones() -> None:
    order = DraftOrder("redblack", 6)
    wanted = dict.fromkeys(range(1, 7), 1_000)
    actual = {1: 800, 3: 700, 5: 900}
    assert habit_at(3, actual, wanted, order.known) == 1.0
    assert habit_at(4, actual, wanted, order.known) == pytest.approx(0.8)


def test_a_chapter_that_is_not_written_says_nothing() -> None:
    order = DraftOrder("sequential", 9)
    assert habit_at(9, {2: 500}, {2: 1_000}, order.known) == 0.8
    assert habit_at(1, {1: 500}, {1: 1_000}, order.known) == 1.0


@settings(deadline=None)
@given(st.dictionaries(st.integers(1, 400), st.integers(0, 5_000), max_size=9), st.integers(1, 400))
def test_a_habit_stays_within_its_bounds_however_long_the_book(
    actual: dict[int, int], number: int
) -> None:
    wanted = dict.fromkeys(range(1, 401), 900)
    found = habit_at(number, actual, wanted, DraftOrder("sequential", 400).known)
    assert 0.8 <= found <= 1.25
