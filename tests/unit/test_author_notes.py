"""Notes to the program leave a text as if they had never been there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.prose import without_notes

NOTE = "<!-- libriscribe2: allow R1 -->"
PLAIN = "# One\n\nFirst line,\nsecond line.\n\n<!-- mine -->\n\nLast.\n"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("First", f"{NOTE}\nFirst"),
        PLAIN.replace("line,\n", f"line,\n{NOTE}\n"),
        PLAIN.replace("line.", f"line. {NOTE}"),
        PLAIN.replace("Last", f"{NOTE}\n\nLast"),
        f"{NOTE}\n\n{PLAIN}",
        PLAIN.replace("First", f"{NOTE} {NOTE}\n<!-- libriscribe2:\nallow R2 -->\nFirst"),
    ],
)
def test_a_note_leaves_no_trace(text: str) -> None:
    assert text != PLAIN
    assert without_notes(text) == PLAIN


@given(st.text())
def test_a_text_without_notes_is_as_it_was(text: str) -> None:
    assert without_notes(text) == text or "libriscribe2" in text


def test_no_text_takes_long() -> None:
    for hostile in (
        f"{NOTE} " * 3_000 + "end",
        "<!-- libriscribe2: " * 3_000,
        " " * 200_000 + NOTE,
    ):
        assert "allow R1" not in without_notes(hostile)
