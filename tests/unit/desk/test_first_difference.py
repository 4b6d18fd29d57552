"""The first place where two values differ."""

from typing import Any

import pytest

from libriscribe2.commands.reply_replay import Difference, first_difference

LONG = "the same words again and " * 20


@pytest.mark.parametrize(
    ("then", "now", "path", "sides"),
    [
        ("error", "success", "x", ("'error'", "'success'")),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, "x.b", ("2", "3")),
        ({"a": 1}, {"a": 1, "b": None}, "x.b", ("nothing", "None")),
        (
            {"a": [{"t": "p"}, {"t": "q"}]},
            {"a": [{"t": "p"}, {"t": "r"}]},
            "x.a[1].t",
            ("'q'", "'r'"),
        ),
        (["a", "b"], ["a"], "x[1]", ("'b'", "nothing")),
        ({}, [], "x", ("{}", "[]")),
        ({"a": True}, {"a": 1}, "x.a", ("True", "1")),
        ({"a": []}, {"a": [1]}, "x.a[0]", ("nothing", "1")),
    ],
)
def test_the_first_place_is_named_with_both_sides(
    then: Any, now: Any, path: str, sides: tuple[str, str]
) -> None:
    assert first_difference("x", then, now) == Difference(path, *sides)


def test_long_texts_are_shown_where_they_begin_to_differ() -> None:
    found = first_difference("x", f"{LONG}before{LONG}", f"{LONG}after{LONG}")
    assert "and before" in found.then
    assert "and after" in found.now
    assert max(len(found.then), len(found.now)) <= 130


def test_a_text_that_goes_on_is_shown_where_the_other_ends() -> None:
    found = first_difference("x", LONG, f"{LONG}and more")
    assert found.then.endswith("again and '")
    assert found.now.endswith("again and and more'")
