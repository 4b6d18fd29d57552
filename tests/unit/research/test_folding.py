"""Spellings that a reader takes for the same become the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libriscribe2.research.passages import fold


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("STRASSE", "stra\u00dfe"),
        ("\u0399\u03a3", "\u03b9\u03c2"),
        ("Caf\u00e9", "cafe\u0301"),
        ("\uff2d\uff21\uff32\uff21", "Mara"),
        ("\ufb01re", "FIRE"),
        ("don\u2019t", "Don't"),
        ("half\u2011light", "half-light"),
        ("half\u2010light", "half-light"),
        ("light\u00adhouse", "Lighthouse"),
        ("log\u200bbook", "logbook"),
    ],
)
def test_spellings_of_one_word_fold_to_one_text(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_an_accent_is_a_difference() -> None:
    assert fold("Andr\u00e9") != fold("Andre")


@given(st.text())
@settings(max_examples=200)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
