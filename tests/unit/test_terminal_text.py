"""No character of a model's text steers a terminal."""

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.wording import clean, clean_json, one_line

ANY_TEXT = st.text(st.characters())
BIDI_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def test_control_characters_go_and_their_remains_stay_as_text() -> None:
    assert clean("\x1b]52;c;ZXZpbA==\x07a\x9b31mb\x7f\r") == "]52;c;ZXZpbA==a31mb"


def test_line_ends_and_tabs_stay() -> None:
    assert clean("a\n\tb") == "a\n\tb"


def test_bidi_controls_go() -> None:
    assert clean(f"a{BIDI_CONTROLS}b") == "ab"


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    assert clean("a\ud800b") == "a\ufffdb"


def test_ordinary_text_of_any_script_stays() -> None:
    text = "Ça va? 日本語 עברית 🦊 [bold]"
    assert clean(text) == text


def test_a_control_in_serialised_json_is_written_as_an_escape() -> None:
    assert clean_json('"a\u202eb"') == '"a\\u202eb"'


def test_one_line_has_single_spaces_only() -> None:
    assert one_line(" a\r\n\n b\tc\u2028d ") == "a b c d"


def test_one_line_leaves_no_gap_where_a_control_stood() -> None:
    assert one_line("a \x1b b") == "a b"


@given(ANY_TEXT)
def test_cleaning_leaves_nothing_unsafe_and_is_idempotent(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert not any(
        unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t"
        for character in cleaned
    )
    cleaned.encode("utf-8")


@given(st.recursive(ANY_TEXT, lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner)))
def test_cleaned_json_keeps_its_value_and_holds_nothing_unsafe(value: object) -> None:
    text = clean_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value
    assert clean(text) == text
