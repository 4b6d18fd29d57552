"""Values that mean the same become the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.checks.continuity.fact_values import (
    Kinship,
    colour,
    colours_agree,
    kinship,
    number,
    side,
    weekday,
)

_ONES = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("a hundred and twelve", 112),
        ("one hundred and twelve", 112),
        ("two thousand three hundred", 2300),
        ("1,204 steps", 1204),
        ("nineteen", 19),
        ("many", None),
        ("3 or 4", None),
    ],
)
def test_numbers(value: str, wanted: int | None) -> None:
    assert number(value) == wanted


@given(st.integers(2, 9), st.integers(1, 9))
def test_numbers_in_words_and_digits_are_equal(tens: int, ones: int) -> None:
    assert number(f"{_TENS[tens - 2]}-{_ONES[ones]}") == number(str(10 * tens + ones))


@pytest.mark.parametrize(
    ("value", "wanted"),
    [("sea-green", "green"), ("Emerald", "green"), ("one blue, one brown", None), ("tired", None)],
)
def test_colours(value: str, wanted: str | None) -> None:
    assert colour(value) == wanted


def test_colours_that_observers_mix_up_agree_both_ways() -> None:
    assert colours_agree("hazel", "green")
    assert colours_agree("green", "hazel")
    assert colours_agree("blue", "blue")
    assert not colours_agree("blue", "green")


def test_weekdays_sides_and_kin() -> None:
    assert weekday("the Tuesday after") == 1
    assert weekday("Monday or Tuesday") is None
    assert side("the left hand") == "left"
    assert side("left and right") is None
    assert kinship("younger sister of Ada Moss.") == Kinship("sibling", "Ada Moss")
    assert kinship("friend of Ada") is None
    assert kinship("an orphan") is None
