"""Text within a budget that holds for every script."""

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.prose import CUT, parts, room, shorten, tail, weigh

TEXTS = st.text(alphabet="ab .!\n\u00e9\u65e5\u3002", max_size=400)


def test_characters_weigh_by_their_script() -> None:
    assert weigh("word") == 4
    assert weigh("\u00e9t\u00e9") == 5
    assert weigh("\u65e5\u672c") == 8


@given(TEXTS, st.integers(0, 300))
def test_what_there_is_room_for_is_the_longest_beginning_that_fits(text: str, budget: int) -> None:
    fits = room(text, budget)
    assert weigh(text[:fits]) <= budget
    assert fits == len(text) or weigh(text[: fits + 1]) > budget


@given(TEXTS, st.integers(1, 300))
def test_a_shortened_text_is_a_beginning_within_the_budget(text: str, budget: int) -> None:
    short = shorten(text, budget)
    assert weigh(short) <= budget
    assert text.startswith(short.removesuffix(CUT))


def test_a_text_is_shortened_at_a_sentence_or_the_cut_is_marked() -> None:
    assert shorten("One two. Three four.", 12) == "One two."
    assert shorten("Onetwothree four five six", 23) == "Onetwothree four [\u2026]"


@given(TEXTS, st.integers(1, 300))
def test_a_tail_is_an_end_within_the_budget(text: str, budget: int) -> None:
    end = tail(text, budget)
    assert weigh(end) <= budget
    assert text.rstrip().endswith(end.rstrip()) or text.endswith(end)


def test_a_tail_begins_at_a_paragraph_or_a_word() -> None:
    assert tail("first part\n\nsecond part goes on and on", 33) == "second part goes on and on"
    assert tail("alpha beta gamma", 9) == "gamma"


@given(TEXTS, st.integers(5, 120))
def test_parts_hold_the_whole_text(text: str, budget: int) -> None:
    found = parts(text, budget)
    assert all(weigh(part) <= max(budget, 4) for part in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_wide_characters_are_cut_by_their_weight() -> None:
    assert room("日本語", 9) == 2
    assert room("日a", 3) == 0
    assert tail("日本語", 0) == ""
    assert shorten("A short text.", 40) == "A short text."
    assert shorten("日本。語です", 16) == "日本。"
    assert tail("A short text.", 40) == "A short text."
    assert parts("one two\n\nthree four\n\nfive", 17) == ["one two", "three four\n\nfive"]
    assert parts("日本語", 9) == ["日本", "語"]


def test_a_text_that_fits_is_one_part() -> None:
    assert parts("a\n\nb", 100) == ["a\n\nb"]
