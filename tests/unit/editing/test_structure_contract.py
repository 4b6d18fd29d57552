"""Threads and contracts follow their chapters when the order changes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.editing.structure import joined_contract, renumbered_threads, split_contract

THREAD = {"id": "bell", "promise": "Who rang it?", "setup": 2, "payoff": 4, "due_by": 4, "x": 1}


def moved(*sources: tuple[int, ...], **thread: Any) -> tuple[Any, ...]:
    (one,) = renumbered_threads([THREAD | thread], sources)
    assert {key: one[key] for key in ("id", "promise", "x")} == {
        key: THREAD[key] for key in ("id", "promise", "x")
    }
    return one["setup"], one["payoff"], one["due_by"]


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (((1,), (2,), (3,), (4,)), (2, 4, 4)),
        (((), (1,), (2,), (3,), (4,)), (3, 5, 5)),
        (((1,), (2,), (4,), (3,)), (2, 3, 3)),
        (((1,), (3,), (4,)), (2, 3, 3)),
        (((1,), (2,), (3,)), (2, None, 3)),
        (((1, 2), (3,), (4,)), (1, 3, 3)),
        (((1,), (2,), (3,), (4,), (4,)), (2, 5, 5)),
        (((1,),), (1, None, 1)),
    ],
    ids=["same", "insert", "move", "setup goes", "payoff goes", "merge", "split", "all go"],
)
def test_a_thread_follows_its_chapters(
    sources: tuple[tuple[int, ...], ...], expected: tuple[int | None, ...]
) -> None:
    assert moved(*sources) == expected


def test_what_is_no_thread_is_left_alone() -> None:
    for odd in (None, "all", ["bell", {"setup": "two"}], []):
        assert renumbered_threads(odd, [(1,)]) == odd


@given(st.permutations([1, 2, 3, 4, 5]))
def test_every_move_can_be_taken_back(order: list[int]) -> None:
    there = renumbered_threads([THREAD | {"due_by": None}], [(old,) for old in order])
    back = [(order.index(old) + 1,) for old in sorted(order)]
    assert renumbered_threads(there, back) == [THREAD | {"due_by": None}]


FIRST = {"title": "A", "opening_move": "image", "ending_move": "line", "exit_state": "Out."}
SECOND = {"title": "B", "opening_move": "action", "ending_move": "cliff", "exit_state": "Up."}


def test_two_chapters_as_one_begin_as_the_first_and_end_as_the_second() -> None:
    joined = FIRST | joined_contract(
        FIRST | {"plants": ["a"], "tension": 3, "target_words": 900},
        SECOND | {"plants": ["a", "b"], "tension": 7, "target_words": 600},
    )
    assert joined == {
        "title": "A",
        "opening_move": "image",
        "ending_move": "cliff",
        "exit_state": "Up.",
        "plants": ["a", "b"],
        "tension": 7,
        "target_words": 1500,
    }
    assert joined_contract({"title": "A"}, {"title": "B"}) == {}


def test_the_parts_of_a_chapter_know_its_beginning_and_its_end() -> None:
    entry = FIRST | {"plants": ["a"], "payoffs": ["b"], "beats": ["x"], "target_words": 900}
    first, second = (entry | part for part in split_contract(entry))
    assert (first["opening_move"], first["ending_move"], first["plants"]) == ("image", "", ["a"])
    assert (second["opening_move"], second["ending_move"]) == ("", "line")
    assert (second["plants"], second["payoffs"]) == ([], ["b"])
    assert first["beats"] == second["beats"] == []
    assert split_contract({"title": "A"}) == ({}, {})
