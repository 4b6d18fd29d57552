"""Comparisons: nothing is lost, and what is marked is what changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.commands.reply_replay import (
    MOST_CHARACTERS,
    Piece,
    character_diff,
    json_like,
    word_diff,
)

TEXT = st.text(alphabet=st.sampled_from('ab {}"\n,é中'), max_size=40)


def side(pieces: list[Piece], without: str) -> str:
    return "".join(piece.text for piece in pieces if piece.kind != without)


@given(TEXT, TEXT)
def test_both_texts_come_back_out_of_the_pieces(before: str, after: str) -> None:
    for pieces in (character_diff(before, after), word_diff(before, after)):
        assert side(pieces, "new") == before
        assert side(pieces, "gone") == after
        assert all(piece.text for piece in pieces)


@given(TEXT)
def test_a_text_is_like_itself(text: str) -> None:
    assert all(piece.kind == "same" for piece in character_diff(text, text))


def test_words_are_changed_whole() -> None:
    pieces = word_diff("The old lamp burns.", "The new lamp burns.")
    assert pieces == [
        Piece("same", "The "),
        Piece("gone", "old"),
        Piece("new", "new"),
        Piece("same", " lamp burns."),
    ]


def test_chance_likenesses_inside_a_change_are_not_kept() -> None:
    pieces = character_diff("x: 'salt and water', y", "x: 'honeycomb', y")
    assert [piece.kind for piece in pieces] == ["same", "gone", "new", "same"]


def test_very_long_texts_are_compared_by_lines() -> None:
    lines = [f"line {number}\n" for number in range(MOST_CHARACTERS // 4)]
    changed = ["start\n", *lines[:5], "new\n", *lines[6:], "end\n"]
    pieces = character_diff("".join(["begin\n", *lines, "stop\n"]), "".join(changed))
    assert Piece("gone", "line 5\n") in pieces
    assert Piece("new", "new\n") in pieces


@pytest.mark.parametrize(
    "sample",
    [
        '{\n  "a": [\n    1,\n    2\n  ]\n}',
        '{\n\t"a": [\n\t\t1,\n\t\t2\n\t]\n}',
        '{"a":[1,2]}',
        '{"a": [1, 2]}',
    ],
)
def test_a_value_is_laid_out_like_the_reply(sample: str) -> None:
    assert json_like({"a": [1, 2]}, sample) == sample
