"""Numbers as people read them."""

import pytest

from libriscribe2.wording import cost, counted, duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0.0s"),
        (0.44, "0.4s"),
        (0.97, "1s"),
        (12.4, "12s"),
        (59.6, "1m 00s"),
        (72, "1m 12s"),
        (3599.7, "1h 00m"),
        (7500, "2h 05m"),
        (90_000, "25h 00m"),
    ],
)
def test_a_time_is_humanised_plainly(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("usd", "text"),
    [
        (None, "cost unknown"),
        (0, "$0.00"),
        (0.0042, "$0.0042"),
        (0.00001, "under $0.0001"),
        (1.255, "$1.25"),
        (1234.5, "$1,234.50"),
    ],
)
def test_XC_13_an_unknown_cost_is_never_zero(usd: float | None, text: str) -> None:
    assert cost(usd) == text


def test_a_count_agrees_with_its_noun() -> None:
    assert counted(1, "word") == "1 word"
    assert counted(0, "word") == "0 words"
    assert counted(2550, "word") == "2,550 words"
    assert counted(2, "reply", "replies") == "2 replies"
