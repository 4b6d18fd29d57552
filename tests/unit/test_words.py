"""Words in every script."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.prose import count_words, prose_words

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
        ("Łódź ma sto lat", 4),
        ("snake_case", 2),
    ],
)
def test_words_are_counted_in_every_script(text: str, words: int) -> None:
    assert count_words(text) == words


@given(st.text(alphabet="ab1éł_-'’“ \n.…日한я\u0301", max_size=60))
def test_the_fast_way_counts_what_the_general_one_counts(text: str) -> None:
    assert count_words(text) == len(WORD.findall(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# One\n\nIt rained.\n\n## Later\n\nIt snowed.", 4),
        ("#1 was late.", 3),
        ("It rained [@n-0123456789ab], they say [@n-0123456789ab][@n-ba9876543210].", 4),
        ("An [aside] counts.", 3),
        ("It rained.\n<!-- libriscribe2: allow R1 -->\nIt snowed.", 4),
    ],
)
def test_prose_is_what_a_reader_reads_of_a_chapter_without_its_headings(
    text: str, words: int
) -> None:
    assert prose_words(text) == words
