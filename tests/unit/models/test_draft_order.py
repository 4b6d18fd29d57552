"""Tests of the order in which chapters are drafted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.models.draft_order import Drafting, DraftOrder, fitting
from libriscribe2.models.kind import Kind
from libriscribe2.settings import PipelineConfig

MODES = st.sampled_from(["sequential", "redblack", "parallel"])


@given(MODES, st.integers(1, 40))
def test_T2_no_two_chapters_are_written_from_each_other(mode: Drafting, chapters: int) -> None:
    order = DraftOrder(mode, chapters)
    for number in range(1, chapters + 1):
        assert all(1 <= other <= chapters for other in order.known(number))
        assert not any(number in order.known(other) for other in order.known(number))
        assert set(order.recorded(number)) <= set(order.known(number))


@given(st.sampled_from(["sequential", "redblack"]), st.integers(2, 60))
def test_T7_of_two_neighbours_one_is_written_from_the_other(mode: Drafting, chapters: int) -> None:
    order = DraftOrder(mode, chapters)
    for number in range(1, chapters):
        assert order.after(number) == number + 1 or order.before(number + 1) == number


def test_T2_in_two_waves_the_even_chapters_see_all_odd_ones_and_the_odd_ones_none() -> None:
    order = DraftOrder("redblack", 6)
    assert [order.known(n) for n in (1, 3, 5)] == [(), (), ()]
    assert [order.known(n) for n in (2, 4, 6)] == [(1, 3, 5)] * 3
    assert (order.before(4), order.after(4)) == (3, 5)
    assert order.after(6) is None


def test_T3_in_sequence_the_facts_of_the_chapter_just_before_are_still_being_read() -> None:
    assert DraftOrder("sequential", 5).recorded(4) == (1, 2)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_T2_in_parallel_no_chapter_is_known_to_another(number: int) -> None:
    assert DraftOrder("parallel", 3).known(number) == ()


@pytest.mark.parametrize("kind", ["fiction", "non-fiction"])
def test_QU_whoever_sets_nothing_gets_the_chapters_one_after_the_other(kind: Kind) -> None:
    assert fitting(kind, PipelineConfig().max_concurrency) == "sequential"


@pytest.mark.parametrize(("kind", "mode"), [("fiction", "redblack"), ("non-fiction", "parallel")])
def test_QU_with_many_calls_at_once_chapters_are_drafted_at_once(
    kind: Kind, mode: Drafting
) -> None:
    assert [fitting(kind, calls) for calls in (1, 4, 5, 64)] == [*["sequential"] * 2, mode, mode]
