"""Quotes are found again after copying, and never after a change of words or numbers."""

import itertools
import re
import tracemalloc
from collections.abc import Sequence

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from libriscribe2.research.quotes import SHORTEST_QUOTE, Found, find_in_source, find_quote

WORDS = st.sampled_from(
    [
        "Salt",
        "was",
        "traded",
        "along",
        "the",
        "coast",
        "from",
        "1420",
        "on;",
        "a",
        "barrel",
        "cost",
        "3.5",
        "ducats,",
        "and",
        "the",
        "first",
        "office",
        "of",
        "the",
        "company’s",
        "“new”",
        "quay—well-known—burned",
        "in",
        "café",
        "1797",
        "−",
        "5",
        "1,000",
        "naïve",
        "straße",
        "fluffy",
        "Efficient",
        "it's",
        "non-toxic",
    ]
)
CHOICES = st.lists(st.integers(0, 30), min_size=7, max_size=7)
TEXTS = st.lists(WORDS, min_size=12, max_size=40).map(" ".join)

COPYING = {
    " ": [" ", "  ", "\n", "\u00a0", " \n ", "\u202f", "\u200b "],
    "'": ["'", "\u2019", "\u2018"],
    "\u2019": ["'", "\u2019"],
    '"': ['"', "\u201c", "\u00ab"],
    "\u201c": ['"', "\u201e"],
    "\u201d": ['"', "\u00bb"],
    "-": ["-", "\u2010", "\u2011", "\u2013"],
    "\u2014": ["\u2014", "--", "\u2013"],
    "\u2212": ["-", "\u2212"],
    "\u00e9": ["\u00e9", "e\u0301"],
    "\u00ef": ["\u00ef", "i\u0308"],
}


def pick(data: st.DataObject, text: str) -> str:
    """A passage of whole words."""
    words = text.split(" ")
    first = data.draw(st.integers(0, len(words) - 6))
    last = data.draw(st.integers(first + 6, len(words)))
    return " ".join(words[first:last])


def copied(text: str, choices: list[int]) -> str:
    """The text as copying may change it; the choices are gone through in turn."""
    choose = itertools.cycle(choices)

    def one_of(options: Sequence[str]) -> str:
        return options[next(choose) % len(options)]

    changed = "".join(one_of(COPYING.get(one, [one])) for one in text)
    for plain, ligature in (("ffi", "\ufb03"), ("fl", "\ufb02"), ("ff", "\ufb00")):
        changed = changed.replace(plain, one_of([plain, ligature]))
    inside = [match.start() + 1 for match in re.finditer(r"[a-z](?=[a-z])", changed)]
    place = inside[next(choose) % len(inside)]
    return f"{changed[:place]}{one_of(['', chr(0xAD)])}{changed[place:]}"


@given(TEXTS, st.data(), CHOICES, CHOICES)
@settings(max_examples=150, deadline=None)
def test_a_passage_is_found_after_copying(
    text: str, data: st.DataObject, once: list[int], twice: list[int]
) -> None:
    passage = pick(data, text)
    assert find_quote(copied(passage, once), copied(text, twice)) is not None


@given(TEXTS, st.data(), CHOICES)
@settings(max_examples=100, deadline=None)
def test_where_a_passage_is_found_is_where_it_is(
    text: str, data: st.DataObject, choices: list[int]
) -> None:
    passage = pick(data, text)
    source = copied(text, choices)
    found = find_quote(passage, source)
    if found is not None:
        again = find_quote(source[found.start : found.end], passage)
        assert again == Found(0, len(passage), exact=source[found.start : found.end] == passage)


@given(TEXTS, st.data())
@settings(max_examples=150, deadline=None)
def test_a_changed_word_or_number_is_never_found(text: str, data: st.DataObject) -> None:
    passage = pick(data, text)
    places = [match.start() for match in re.finditer(r"\w", passage)]
    place = data.draw(st.sampled_from(places))
    other = data.draw(st.sampled_from("abxyzABXYZ0123456789\u00e4\u00b2"))
    changed = passage[:place] + other + passage[place + 1 :]
    assume(changed not in text)
    assert find_quote(changed, text) is None


@given(TEXTS, st.data())
@settings(max_examples=100, deadline=None)
def test_a_word_more_or_less_is_never_found(text: str, data: st.DataObject) -> None:
    words = pick(data, text).split(" ")
    place = data.draw(st.integers(1, len(words) - 2))
    less = " ".join(words[:place] + words[place + 1 :])
    more = " ".join([*words[:place], "never", *words[place:]])
    assert find_quote(more, text) is None
    assume(less not in text)
    assert find_quote(less, text) is None


TEXT = (
    "He said: \u201cThe cost was 3.5 million \u2014 in 1912.\u201d It is non-toxic to humans. "
    "Exam-\nple of ex\u00ad\nact words. In all, 10\u202f000 people died. The \ufb01re. "
    "Word\u2014next thing here. Cafe\u0301 society. It was \u22125 degrees out. Area: 10\u00b2 m. "
    "A well-\nknown case. Their number was 1,000,000 souls. "
    "It leaves at 10:30 and holds 3/4 of the mail."
)


@pytest.mark.parametrize(
    "quote",
    [
        '"The cost was 3.5 million - in 1912."',
        "  The cost was 3.5 million ",
        "Example of exact words.",
        "Exam-ple of ex\u00adact words.",
        "10 000 people died",
        "The fire. Word--next thing",
        "The fire. Word",
        "Caf\u00e9 society",
        "It was -5 degrees out",
        "Area: 10\u00b2 m",
        "A well-known case",
        "1,000,000 souls",
    ],
)
def test_what_copying_makes_of_a_quote_is_found(quote: str) -> None:
    assert find_quote(quote, TEXT) is not None


@pytest.mark.parametrize(
    "quote",
    [
        "The cost was 3",
        "the cost was 3.5 million",
        "toxic to humans",
        "000 people died",
        "In all, 10",
        "In all, 10 people died",
        "5 degrees out",
        "Area: 102 m",
        "Area: 10 m",
        "000,000 souls.",
        "It is non-toxic to human",
        "t is non-toxic to humans",
        "The cost was 3.5 million in 1912",
        "The cost was 35 million",
        "It was \u2212 5 degrees out",
        "",
        "   ",
        "1912.",
        "words. In",
        "It leaves at 10",
        "30 and holds 3",
        "It leaves at 10:30 and holds 3",
        "4 of the mail",
    ],
)
def test_what_changes_the_meaning_is_not_found(quote: str) -> None:
    assert find_quote(quote, TEXT) is None


def test_a_quote_of_a_script_without_spaces_is_found_across_lines() -> None:
    text = "\u4ed6\u8bf4\uff1a\u4f60\u597d\n\u4e16\u754c\u3002"
    assert find_quote("\u4f60\u597d\u4e16\u754c", text) == Found(3, 8, exact=False)
    assert find_quote("\u4f60\u597d", text) is None


def test_the_first_clean_place_counts() -> None:
    text = "Unlike salted fish, salted fish keeps; presalted fish keepsake."
    found = find_quote("salted fish keeps", text)
    assert found == Found(20, 37, exact=True)
    assert text[20:37] == "salted fish keeps"


def test_a_short_quote_proves_nothing() -> None:
    assert find_quote("x" * (SHORTEST_QUOTE - 1), "x" * (SHORTEST_QUOTE - 1)) is None
    assert find_quote("x" * SHORTEST_QUOTE, "x" * SHORTEST_QUOTE) is not None


@given(st.text(max_size=40), st.text(max_size=80))
@example("\u00ad" * 20, "\u00ad" * 20)
def test_any_text_is_searched(quote: str, text: str) -> None:
    found = find_quote(quote, text)
    assert found is None or 0 <= found.start < found.end <= len(text)


def test_a_text_of_nothing_but_marks_is_searched_in_little_memory() -> None:
    text = "a\u2019b" * 30_000 + ". The coast was quiet."
    tracemalloc.start()
    try:
        found = find_quote("The coast was quiet.", text)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found is not None
    assert text[found.start : found.end] == "The coast was quiet."
    assert most < 50 * len(text)


COPIED = (
    "# On speed\n\nfor the **first** time, [zlib](https://example.org/z) and `gzip -9` met; "
    "the block has 32 KiB.\n\n| Compressor | Ratio |\n| --- | --- |\n| **zstd 1.5.1 -1** | 2.887 |\n\n"
    "It computes N -bit sums, as Guido van Rossum6 wrote. A fold[2] is created in time, when the "
    "clocks of every town, village and farm go back. It has a well-known cost, an \u201copen\u201d one; "
    "LZMA2 adds multi-\nthreading to the e\ufb03cient coder. "
    "The off\u00ad\nset is \u22125 hours. It took 10 2 days.\n\n6 A remark at the foot.\n"
)


@pytest.mark.parametrize(
    "quote",
    [
        "For the first time",
        "N-bit sums",
        "as Guido van Rossum wrote",
        "as Guido van Rossum",
        "A fold is created in time",
        "the first time, zlib and",
        "zlib and gzip -9 met",
        "zstd 1.5.1 -1 | 2.887",
        "**zstd 1.5.1 -1** | 2.887",
        "the block has 32KiB",
        "A fold is created in time ... village and farm go back",
        "It has a well known cost",
        "an open one; LZMA2 adds multithreading to the efficient coder",
        "The offset is -5 hours.",
        "on speed for the first time",
    ],
)
def test_XC_07_what_a_model_makes_of_a_quote_is_found_in_its_source(quote: str) -> None:
    found = find_in_source(quote, COPIED)
    assert found is not None
    assert 0 <= found.start < found.end <= len(COPIED)


@pytest.mark.parametrize(
    "quote",
    [
        "LZMA adds multithreading",
        "for the First time",
        "the block has 33 KiB",
        "the offset is 5 hours",
        "It took 102 days",
        "zstd 1.5.1 1 | 2.887",
        "zstd 1.5.1 -1 | 2887",
        "computes N-bit sum",
        "It computes ... A remark at the foot, which never was there",
        "go back ... A fold is created in time",
        "a known cost, an open one",
        "nown cost, an open one",
        "...",
        "",
    ],
)
def test_what_a_quote_changes_is_not_found_in_its_source(quote: str) -> None:
    assert find_in_source(quote, COPIED) is None


@given(TEXTS, st.data())
@settings(max_examples=150, deadline=None)
def test_a_changed_letter_digit_or_word_is_not_found_in_a_source(
    text: str, data: st.DataObject
) -> None:
    passage = pick(data, text)
    places = [match.start() for match in re.finditer(r"\w", passage)][1:]
    place = data.draw(st.sampled_from(places))
    other = data.draw(st.sampled_from("abxyzABXYZ0123456789\u00e4\u00b2"))
    changed = passage[:place] + other + passage[place + 1 :]
    bare = re.compile(r"[\s\u201c\u201d-]")
    assume(bare.sub("", changed) not in bare.sub("", text))
    assert find_in_source(changed, text) is None
    words = passage.split(" ")
    place = data.draw(st.integers(1, len(words) - 1))
    assert find_in_source(" ".join([*words[:place], "never", *words[place:]]), text) is None


@given(st.text(max_size=40), st.text(max_size=80))
@example("\u00ad" * 20, "\u00ad" * 20)
@example("... a ... b", "a b")
def test_any_text_is_searched_as_a_source(quote: str, text: str) -> None:
    found = find_in_source(quote, text)
    assert found is None or 0 <= found.start < found.end <= len(text)
