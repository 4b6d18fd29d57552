"""Tests of what answers in both orders come to."""

import pytest

from libriscribe2.checks.calibration import (
    HUMAN,
    Calibration,
    PairDecision,
    Side,
    by_people,
    calibrated,
    combined,
    votes,
)
from libriscribe2.checks.passage_pairs import SHORTEST, WINDOW


def said(*sides: Side) -> list[tuple[Side, str]]:
    return [(side, f"words of {side}") for side in sides]


def test_where_the_orders_disagree_it_is_a_tie_and_a_flip() -> None:
    found = combined("x", said("ours", "theirs", "tie"), said("ours", "ours", "theirs"))
    assert found.sides == ("ours", "tie", "tie")
    assert found.flips == 1
    assert found.quotes == ("words of ours", "", "")
    assert found.side == "ours"


def test_as_many_questions_on_both_sides_are_a_tie() -> None:
    sides = said("ours", "theirs", "tie")
    assert combined("x", sides, sides).side == "tie"


def verdict(side: Side, flips: int = 0) -> PairDecision:
    return PairDecision("x", (side,) * 6, flips, ("",) * 6)


@pytest.mark.parametrize(
    ("right", "flips", "passed"), [(8, 0, True), (7, 0, False), (10, 2, True), (10, 3, False)]
)
def test_a_judge_needs_eight_in_ten_and_few_flips(right: int, flips: int, passed: bool) -> None:
    verdicts = [verdict("ours" if n < right else "theirs", flips) for n in range(10)]
    found = calibrated(("padding", one) for one in verdicts)
    assert found.right == {"padding": (right, 10)}
    assert found.share == right / 10
    assert found.passed is passed


def test_a_judge_who_was_asked_nothing_has_not_passed() -> None:
    assert not Calibration({}, 0.0).passed


def decided(*sides: Side) -> list[PairDecision]:
    """A decision on a passage of one chapter after the other."""
    return [
        PairDecision(f"chapter {n} end", (side,) * 6, 0, ("",) * 6)
        for n, side in enumerate(sides, start=1)
    ]


def test_passages_of_one_chapter_have_one_vote() -> None:
    sides: tuple[Side, ...] = ("ours", "ours", "theirs")
    three = [
        PairDecision(f"chapter 1 {where}", (side,) * 6, 0, ("",) * 6)
        for where, side in zip(("beginning", "middle", "end"), sides, strict=True)
    ]
    found = votes([*three, *decided("tie", "tie")[1:]])
    assert (found.ours, found.theirs, found.ties) == (1, 0, 1)


@pytest.mark.parametrize(
    ("ours", "theirs", "better"),
    [(6, 3, "tie"), (5, 5, "tie"), (9, 1, "ours"), (1, 9, "theirs"), (3, 0, "tie"), (0, 0, "tie")],
)
def test_a_book_is_better_only_where_the_interval_says_so(
    ours: int, theirs: int, better: Side
) -> None:
    first: tuple[Side, ...] = ("ours",)
    second: tuple[Side, ...] = ("theirs",)
    found = votes(decided(*first * ours, *second * theirs))
    low, high = found.interval
    assert 0 <= low <= (ours / (ours + theirs) if ours + theirs else 0.5) <= high <= 1
    assert found.better == better


def test_who_prefers_a_model_to_people_is_not_heard() -> None:
    pairs = by_people()
    assert len(pairs) == 3
    assert all(SHORTEST < len(text) < WINDOW for one in pairs for text in (one.ours, one.theirs))
    spoiled = [("padding", verdict("ours", 0))] * 18
    for right, passed in ((3, True), (2, True), (1, False), (0, False)):
        people = [(HUMAN, verdict("ours" if n < right else "theirs", 0)) for n in range(3)]
        assert calibrated([*spoiled, *people]).passed is passed
