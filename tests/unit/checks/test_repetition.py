"""What is said again."""

import pytest
from tests.unit.checks.prose import chapter, fresh

from libriscribe2.checks.text import (
    duplicate_paragraphs,
    ending_pairs,
    grams,
    opening_pairs,
    repeated_share,
    shares_seen_before,
    stock_phrases,
    windows,
    words,
)


def test_a_text_without_repetition_has_a_share_of_zero() -> None:
    assert repeated_share(words(fresh(1, 400))) == 0.0


def test_a_text_said_twice_repeats_about_half() -> None:
    once = words(fresh(2, 300))
    assert repeated_share(once + once) == pytest.approx(0.5, abs=0.01)


def test_phrases_of_ideographs_are_twice_as_long() -> None:
    assert len(grams(words("\u706f\u5854\u5b88\u62a4\u8005\u53d1\u73b0\u5730\u56fe"), 4)[0]) == 8
    assert len(grams(words("one two three four five"), 4)[0]) == 4


def test_windows_cover_the_text_and_none_is_short() -> None:
    tokens = [str(n) for n in range(2_300)]
    found = windows(tokens)
    assert [start for start, _ in found] == [0, 1_000]
    assert [token for _, window in found for token in window] == tokens
    assert [len(window) for _, window in windows(tokens[:300])] == [300]


def test_a_chapter_is_compared_with_the_earlier_ones_alone() -> None:
    said = fresh(3, 100)
    shares = shares_seen_before([chapter(1, said), chapter(2, fresh(4, 100)), chapter(3, said)])
    assert shares[:2] == [0.0, 0.0]
    assert shares[2] == 1.0


def test_a_stock_phrase_is_in_three_chapters_and_holds_no_name() -> None:
    habit = "the roof of her mouth"
    chapters = [chapter(n, fresh(n, 40), f"Then {habit}.", "Tilda Moss went home alone.")
                for n in range(1, 5)]  # fmt: skip
    found = {one.text: one for one in stock_phrases(chapters, names=["Tilda Moss"])}
    assert found["roof of her mouth"].chapters == 4
    assert found["roof of her mouth"].count == 4
    assert not any("tilda" in phrase or "moss" in phrase for phrase in found)


def test_a_phrase_of_function_words_is_nobodys_habit() -> None:
    chapters = [chapter(n, fresh(n, 30), "It was in the end all that there was.")
                for n in range(1, 5)]  # fmt: skip
    assert stock_phrases(chapters) == []


def test_a_paragraph_that_stands_twice_is_found_with_both_places() -> None:
    said = fresh(9, 40)
    changed = " ".join([*said.split()[:-2], "quite", "different"])
    (pair,) = duplicate_paragraphs([chapter(1, fresh(7, 40), said), chapter(2, changed)])
    assert pair.likeness > 0.8
    assert (pair.first[0], pair.first[1].line) == (0, 5)
    assert (pair.second[0], pair.second[1].line) == (1, 3)


def test_short_and_different_paragraphs_are_no_duplicates() -> None:
    assert duplicate_paragraphs([chapter(1, "He nodded.", "He nodded."), chapter(2, fresh(1, 60))]) \
        == []  # fmt: skip


def test_the_most_alike_openings_and_endings_come_first() -> None:
    end = "the lamp went out over the cold water and nobody saw it"
    chapters = [
        chapter(1, fresh(11, 90), fresh(12, 60), end),
        chapter(2, fresh(13, 90), fresh(14, 60), fresh(15, 12)),
        chapter(3, fresh(11, 90), fresh(16, 60), end),
    ]
    assert (opening_pairs(chapters)[0].first, opening_pairs(chapters)[0].second) == (0, 2)
    assert opening_pairs(chapters)[0].likeness == 1.0
    top = ending_pairs(chapters)[0]
    assert (top.first, top.second) == (0, 2)
    assert 0 < top.likeness < 0.2
    assert ending_pairs(chapters)[1].likeness < top.likeness
