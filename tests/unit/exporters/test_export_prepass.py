"""What is taken out of a chapter before pandoc reads it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.exporters.export_checks import harmless, prepared, without_nested_notes

_FORBIDDEN_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
PIECES = [
    "[^1]",
    "[^1]: ",
    "\n",
    "\n\n",
    "    ",
    "> ",
    "- ",
    "text ",
    "```\n",
    "[^b]: see ",
    "[^b]",
    "[",
    "^1]",
]


@given(st.text(st.characters(), max_size=200))
def test_EX_3_nothing_is_left_that_xml_forbids(text: str) -> None:
    left = harmless(text)
    assert not _FORBIDDEN_IN_XML.search(left)
    left.encode("utf-8")


@given(st.text(st.characters(categories=["L", "N", "Zs"]), max_size=200))
def test_EX_3_letters_digits_and_spaces_stay(text: str) -> None:
    assert prepared(text) == text


@pytest.mark.parametrize("sign", ["\u200d", "\u200c", "\u00ad", "\u200f", "\u200e", "🏴"])
def test_EX_3_joiners_and_marks_of_scripts_stay(sign: str) -> None:
    assert prepared(f"a{sign}b") == f"a{sign}b"


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\u200b", "\ufeff", "\x1b", "\x9b", "\ufdd0"])
def test_EX_3_signs_that_turn_or_hide_text_go(sign: str) -> None:
    assert prepared(f"a{sign}b") == "ab"


def test_EX_3_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    assert prepared("a\ud83db") == "a\ufffdb"


def test_EX_3_every_line_end_is_a_line_feed() -> None:
    assert prepared("a\rb\r\nc\u2028d") == "a\nb\nc\nd"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("x[^1]\n\n[^1]: see [^1]", "x[^1]\n\n[^1]: see "),
        ("x[^1]\n\n[^1]: a [^2]\n[^2]: b [^1]", "x[^1]\n\n[^1]: a \n[^2]: b "),
        ("[^1]: a\nlazy [^1]\n\nfree [^1]", "[^1]: a\nlazy \n\nfree [^1]"),
        ("[^1]: a\n\n    more [^1]\n\nfree [^1]", "[^1]: a\n\n    more \n\nfree [^1]"),
        ("> [^1]: a [^1]\n\nfree [^1]", "> [^1]: a \n\nfree [^1]"),
        ("- [^1]: a [^1]", "- [^1]: a "),
        ("[^1]: a [[^2]^1] [[^3][^4]^1]", "[^1]: a [ ^1] [ ^1]"),
    ],
)
def test_EX_3_a_note_cites_no_note(text: str, left: str) -> None:
    assert without_nested_notes(text) == left


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_EX_3_taking_out_twice_is_taking_out_once(text: str) -> None:
    once = prepared(text)
    assert prepared(once) == once
    assert once.count("\n") == text.count("\n"), "places have to stay right"
