"""The contract of a chapter as models write it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.models.draft_order import ENDING_MOVES, OPENING_MOVES
from libriscribe2.models.excerpts import MOST_CHAPTERS, MendedOutline, outline_lines
from libriscribe2.models.story import OutlineChapter, OutlineFile


def chapter(**fields: Any) -> OutlineChapter:
    return OutlineChapter.model_validate({"title": "T", "summary": "S", **fields})


@pytest.mark.parametrize(
    ("said", "move"),
    [("Time skip", "time-skip"), ("DIALOGUE ", "dialogue"), ("bang", ""), (None, ""), (7, "")],
)
def test_a_move_is_read_as_it_is_called_here_or_not_at_all(said: Any, move: str) -> None:
    assert chapter(opening_move=said).opening_move == move


@pytest.mark.parametrize(
    ("said", "tension"),
    [
        (7, 7),
        ("7/10", 7),
        (6.5, 6),
        ("10", 10),
        (70, None),
        (-1, None),
        ("high", None),
        (True, None),
    ],
)
def test_a_tension_is_a_number_up_to_ten_or_unknown(said: Any, tension: int | None) -> None:
    assert chapter(tension=said).tension == tension


@pytest.mark.parametrize(
    ("said", "words"), [("900", 900), (None, 0), (-3, 0), (1e30, 0), (True, 0)]
)
def test_a_length_that_is_none_is_an_even_share(said: Any, words: int) -> None:
    assert chapter(target_words=said).target_words == words


def test_every_move_keeps_its_name() -> None:
    assert [chapter(opening_move=one).opening_move for one in OPENING_MOVES] == [*OPENING_MOVES]
    assert [chapter(ending_move=one).ending_move for one in ENDING_MOVES] == [*ENDING_MOVES]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)


@given(JSON, JSON, JSON, JSON)
def test_no_value_of_these_fields_is_refused(a: Any, b: Any, c: Any, d: Any) -> None:
    made = chapter(opening_move=a, ending_move=b, tension=c, target_words=d)
    assert made == chapter(**made.model_dump(exclude={"title", "summary"}))


def test_what_is_empty_stays_as_it_is_and_lists_are_taken() -> None:
    outline = OutlineFile(
        summary="S",
        chapters=[chapter(opening_move="image", tension=4, plants=["a"], exit_state="X")],
    )
    mend = MendedOutline.model_validate({"chapters": [{"number": 1, "tension": 6}, {"number": 2}]})
    changed = mend.applied_to(outline).chapters[0]
    assert (changed.tension, changed.plants, changed.summary) == (6, [], "S")
    assert (changed.opening_move, changed.exit_state) == ("image", "X")
    assert outline.chapters[0].tension == 4


@pytest.mark.parametrize("count", [3, 30, 400])
def test_of_a_long_outline_the_chapters_around_a_fault_are_shown(count: int) -> None:
    outline = OutlineFile(summary="S", chapters=[chapter(summary="word " * 900)] * count)
    shown = outline_lines(outline, [count, 1]).splitlines()
    assert len(shown) == min(count, 6)
    assert f'"number":{count},' in shown[-1]
    assert len(outline_lines(outline, [0]).splitlines()) == min(count, MOST_CHAPTERS)
    assert sum(map(len, outline_lines(outline, [0]).splitlines())) < 20_000
