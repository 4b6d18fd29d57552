"""Parts of the book as text of a bounded size."""

import json

from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.models.brief import Brief
from libriscribe2.models.excerpts import (
    book_lines,
    cards,
    chapter_block,
    parts,
    shorten,
    tail,
    to_json,
)
from libriscribe2.models.story import Character, Entry, OutlineChapter

TEXTS = st.text(alphabet="ab .!\n", max_size=400)


def test_the_brief_is_shown_without_what_was_not_said() -> None:
    lines = book_lines(Brief(premise="x", title="T", language="Deutsch")).splitlines()
    assert lines[0] == "title: T"
    assert "language: Deutsch" in lines
    assert not any(line.startswith(("tone", "genre")) for line in lines)


def test_empty_fields_are_left_out_of_json() -> None:
    shown = json.loads(to_json(Character(name="Ada", role="keeper")))
    assert shown == {"name": "Ada", "role": "keeper"}


def test_a_chapter_is_shown_with_its_number() -> None:
    shown = json.loads(chapter_block(OutlineChapter(title="T", summary="S"), 2, 9))
    assert shown == {"number": 2, "of": 9, "title": "T", "summary": "S"}


@given(TEXTS, st.integers(1, 300))
def test_a_shortened_text_is_a_beginning_within_the_budget(text: str, budget: int) -> None:
    short = shorten(text, budget)
    assert len(short) <= budget
    assert text.startswith(short)


def test_a_text_is_shortened_at_a_sentence_or_a_word() -> None:
    assert shorten("One two. Three four.", 12) == "One two."
    assert shorten("Onetwothree four five", 17) == "Onetwothree four"


@given(TEXTS, st.integers(1, 300))
def test_a_tail_is_an_end_within_the_budget(text: str, budget: int) -> None:
    end = tail(text, budget)
    assert len(end) <= budget
    assert text.rstrip().endswith(end.rstrip()) or text.endswith(end)


def test_a_tail_begins_at_a_paragraph_or_a_word() -> None:
    assert tail("first part\n\nsecond part goes on and on", 33) == "second part goes on and on"
    assert tail("alpha beta gamma", 9) == "gamma"


@given(st.lists(TEXTS, max_size=6), st.integers(8, 1500))
def test_cards_keep_to_their_budget(texts: list[str], budget: int) -> None:
    entries = [
        Entry(name=f"N{n}", description=text or "d") for n, text in enumerate(texts) if text.strip()
    ]
    shown = cards(entries, ("name", "description"), budget)
    assert [row["name"] for row in json.loads(shown)] == [entry.name for entry in entries]
    assert len(shown) <= max(budget, 2 + 26 * len(entries))


def test_the_last_fields_go_first() -> None:
    entries = [Entry(name="Harbour", description="d" * 200)]
    assert json.loads(cards(entries, ("name", "description"), 60)) == [{"name": "Harbour"}]


@given(TEXTS, st.integers(5, 120))
def test_parts_hold_the_whole_text(text: str, budget: int) -> None:
    found = parts(text, budget)
    assert all(len(part) <= budget for part in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_a_text_that_fits_is_one_part() -> None:
    assert parts("a\n\nb", 100) == ["a\n\nb"]
