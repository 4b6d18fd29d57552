"""Words in every script."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.utils.words import count_words

WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}\p{N}]+(?:['\u2019\-][\p{L}\p{M}\p{N}]+)*"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("* * *", 0),
        ("Don\u2019t stop, mother-in-law!", 3),
        ("\u201cAt 10:30,\u201d she said\u2026", 5),
        ("caf\u00e9 na\u00efve", 2),
        ("cafe\u0301 noir", 2),
        ("日本語です", 5),
        ("안녕하세요 세계", 2),
        ("Привет, мир", 2),
        ("snake_case", 2),
    ],
)
def test_words_are_counted_in_every_script(text: str, words: int) -> None:
    assert count_words(text) == words


@given(st.text(alphabet="ab1é_-'’“ \n.…日한я\u0301", max_size=60))
def test_the_fast_way_counts_what_the_general_one_counts(text: str) -> None:
    assert count_words(text) == len(WORD.findall(text))
