"""Tests of the order in which chapters are drafted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.models.draft_order import ChapterRole, Drafting, DraftOrder, Kind, fitting
from libriscribe2.settings.schema import PipelineConfig

MODES = st.sampled_from(["sequential", "redblack", "parallel"])


ROLES = st.lists(st.sampled_from(["", "introduction", "conclusion"]), min_size=1, max_size=40)


@given(MODES, ROLES)
def test_T2_no_two_chapters_are_written_from_each_other(
    mode: Drafting, roles: list[ChapterRole]
) -> None:
    order, chapters = DraftOrder.planned(mode, "non-fiction", roles), len(roles)
    for number in range(1, chapters + 1):
        assert all(1 <= other <= chapters for other in order.known(number))
        assert not any(number in order.known(other) for other in order.known(number))


@given(st.sampled_from(["sequential", "redblack"]), ROLES)
def test_T7_of_two_neighbours_one_is_written_from_the_other(
    mode: Drafting, roles: list[ChapterRole]
) -> None:
    order = DraftOrder.planned(mode, "non-fiction", roles)
    for number in range(1, len(roles)):
        assert order.after(number) == number + 1 or order.before(number + 1) == number


def test_T2_in_two_waves_the_even_chapters_see_all_odd_ones_and_the_odd_ones_none() -> None:
    order = DraftOrder("redblack", 6)
    assert [order.known(n) for n in (1, 3, 5)] == [(), (), ()]
    assert [order.known(n) for n in (2, 4, 6)] == [(1, 3, 5)] * 3
    assert (order.before(4), order.after(4)) == (3, 5)
    assert order.after(6) is None


def test_T3_in_sequence_a_chapter_is_written_from_all_before_it() -> None:
    assert DraftOrder("sequential", 5).known(4) == (1, 2, 3)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_T2_in_parallel_no_chapter_is_known_to_another(number: int) -> None:
    assert DraftOrder("parallel", 3).known(number) == ()


FRAMED: list[ChapterRole] = ["introduction", "", "", "", "", "conclusion"]


@pytest.mark.parametrize("mode", ["sequential", "redblack", "parallel"])
def test_QU_an_introduction_and_a_conclusion_are_written_from_all_chapters_between(
    mode: Drafting,
) -> None:
    order = DraftOrder.planned(mode, "non-fiction", FRAMED)
    assert order.last == (1, 6)
    assert order.known(1) == order.known(6) == (2, 3, 4, 5)
    assert (order.after(1), order.before(6)) == (2, 5)
    assert (order.before(2), order.after(5)) == (None, None)
    assert order.drafts(1) == order.drafts(6) == ()


def test_T7_in_parallel_the_chapter_after_an_introduction_is_its_draft() -> None:
    order = DraftOrder.planned("parallel", "non-fiction", FRAMED)
    assert [order.drafts(n) for n in (2, 3, 5)] == [(2,), (2, 3), (4, 5)]
    assert DraftOrder("parallel", 3).drafts(1) == (1,)
    assert DraftOrder("redblack", 3).drafts(2) == ()


@pytest.mark.parametrize(
    ("roles", "last"),
    [
        (["introduction", "", ""], (1,)),
        (["", "", "conclusion"], (3,)),
        (["conclusion", "introduction", "", "introduction"], ()),
        (["introduction", "conclusion"], ()),
        (["introduction"], ()),
        ([], ()),
    ],
)
def test_QU_a_role_in_another_place_and_a_frame_around_nothing_are_none(
    roles: list[ChapterRole], last: tuple[int, ...]
) -> None:
    assert DraftOrder.planned("sequential", "non-fiction", roles).last == last


def test_QU_a_story_has_no_chapter_that_is_written_last() -> None:
    assert DraftOrder.planned("sequential", "fiction", FRAMED).last == ()


@pytest.mark.parametrize("kind", ["fiction", "non-fiction"])
def test_QU_whoever_sets_nothing_gets_the_chapters_one_after_the_other(kind: Kind) -> None:
    assert fitting(kind, PipelineConfig().max_concurrency) == "sequential"


@pytest.mark.parametrize(("kind", "mode"), [("fiction", "redblack"), ("non-fiction", "parallel")])
def test_QU_with_many_calls_at_once_chapters_are_drafted_at_once(
    kind: Kind, mode: Drafting
) -> None:
    assert [fitting(kind, calls) for calls in (1, 4, 5, 64)] == [*["sequential"] * 2, mode, mode]
