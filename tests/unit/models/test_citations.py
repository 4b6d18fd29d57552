"""Marks of notes in prose, numbers in books, and notes in prompts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.models.citations import cited, ids_known, mark_of, with_known_ids
from libriscribe2.models.notes import MOST_LISTED, Note, Source, question_name, request_text

SHA = "0" * 64


def note(number: int, **fields: Any) -> Note:
    told = {
        "id": f"n-{number:012x}",
        "claim": f"Fact {number}.",
        "quote": f"the words of fact {number}",
        "source": "s-salt",
        "locator": f"page {number}",
        "verified": True,
        **fields,
    }
    return Note.model_validate(told)


def source(identifier: str = "s-salt", **fields: Any) -> Source:
    told = {"id": identifier, "kind": "file", "title": "Salt", "place": "salt.pdf", "sha256": SHA}
    return Source.model_validate({**told, **fields})


ONE, TWO, THREE = note(1), note(2), note(3, locator="page 1")
NOTES = (ONE, TWO, THREE, note(4, verified=False))


def test_XC_07_marks_are_numbered_in_the_order_of_the_book() -> None:
    texts = (f"Salt {mark_of(TWO)}. More {mark_of(ONE)}.", f"Again {mark_of(TWO)}.")
    found = cited(texts, NOTES, [source()])
    assert found.texts == ("Salt [1]. More [2].", "Again [1].")
    assert found.references == "1. *Salt*, p. 2.\n2. *Salt*, p. 1."
    assert found.used == {ONE.id, TWO.id}
    assert found.bad == ()


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (f"A {mark_of(TWO)}{mark_of(ONE)}.", "A [1, 2]."),
        (f"A {mark_of(TWO)} {mark_of(ONE)} b.", "A [1, 2] b."),
        (f"A [@{TWO.id}; @{ONE.id}].", "A [1, 2]."),
        (f"A [@{TWO.id}, {ONE.id}].", "A [1, 2]."),
        (f"A [{TWO.id}].", "A [1]."),
        (f"A{mark_of(ONE)}{mark_of(THREE)}.", "A[1]."),
        (f"A {mark_of(ONE)}(b).", "A \\[1\\](b)."),
        (f"A {mark_of(ONE)}: b.", "A \\[1\\]: b."),
        ("An [n-gram] and [1] and [@someone].", "An [n-gram] and [1] and [@someone]."),
        (f"*{mark_of(ONE)}*", "*[1]*"),
    ],
)
def test_XC_07_every_spelling_of_a_mark_becomes_a_number(text: str, made: str) -> None:
    found = cited([text], NOTES, [source()])
    assert found.texts == (made,)
    assert found.bad == ()


@pytest.mark.parametrize(
    ("mark", "reason"),
    [
        ("[@n-0000000000ff]", "there is no such note"),
        (mark_of(NOTES[3]), "the note is not verified"),
        ("[@n-12]", "it names no note"),
        ("[@n-0000000000010]", "it names no note"),
    ],
)
def test_XC_07_a_mark_without_a_usable_note_is_told_and_gone(mark: str, reason: str) -> None:
    found = cited(["x", f"It is so {mark}. And {mark_of(ONE)}."], NOTES, [source()])
    assert found.texts[1] == "It is so. And [1]."
    assert [(one.text, one.mark, one.reason) for one in found.bad] == [(1, mark, reason)]


def test_XC_07_a_page_is_listed_with_its_address_and_the_day() -> None:
    web = source(
        kind="web", title="*Salt* [x](y)\n<b>", place="https://a.example/x", retrieved="2026-03-31"
    )
    found = cited([mark_of(ONE)], NOTES, [web])
    assert found.references == (
        "1. “\\*Salt\\* \\[x\\](y) \\<b\\>,” p. 1, accessed March 31, 2026, <https://a.example/x>."
    )
    bad = web.model_copy(update={"place": "https://a.example/> <script>"})
    assert "<script>" not in cited([mark_of(ONE)], NOTES, [bad]).references
    assert cited([mark_of(ONE)], NOTES, []).references == "1. *s-salt*, p. 1."


PIECES = (
    *map(mark_of, NOTES),
    *(one.id for one in NOTES),
    *"[](:;, \n",
    "[@",
    "@n-",
    "word",
    "[@n-",
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_XC_07_no_mark_is_ever_printed_raw(text: str) -> None:
    (made,) = cited([text], NOTES, [source()]).texts
    assert not any(mark_of(one) in made for one in NOTES)


@pytest.mark.parametrize("depth", [1, 3, 40])
def test_XC_07_marks_inside_marks_go_as_well(depth: int) -> None:
    inside = "[@n-000000000004]"
    text = "[@" * depth + inside + "n-000000000001]" * depth
    (made,) = cited([text], NOTES, [source()]).texts
    assert mark_of(ONE) not in made
    assert "[@n-" not in made


def test_XC_07_text_without_marks_stays_as_it_is() -> None:
    text = "  A   b\n\n[x]: y  \n"
    assert cited([text], NOTES, []).texts == (text,)


def test_XC_07_a_long_run_of_blanks_costs_nothing() -> None:
    text = " " * 200_000 + "[n-" + "\t" * 200_000
    assert cited([text], NOTES, []).texts == (text,)


def test_XC_07_a_request_names_questions_and_files_and_stays_short() -> None:
    text = request_text(["What\nis salt?"], [f"{number}.md" for number in range(1_000)])
    assert "1. What is salt?" in text
    assert f"and {1_000 - MOST_LISTED} more" in text
    assert text == request_text(["What is  salt?"], [f"{number}.md" for number in range(1_000)])
    assert question_name("What  IS it?") == question_name("what is it?")
    assert question_name("a") != question_name("b")


def test_a_mark_with_one_wrong_character_means_the_one_note_that_is_so_near() -> None:
    ids = {"n-31e2b2ab3b56", "n-41c818cd37ce", "n-41c818cd37cf"}
    text = "So [@n-31e2b2ab3b57]. And [@n-31e2b2ab3b5; @n-41c818cd37ce], n-gram [n-2]."
    assert with_known_ids(text, ids) == (
        "So [@n-31e2b2ab3b56]. And [@n-31e2b2ab3b56; @n-41c818cd37ce], n-gram [n-2]."
    )
    unclear = "[@n-41c818cd37c0] [@n-31e2b2ab3000] n-31e2b2ab3b57"
    assert with_known_ids(unclear, ids) == unclear
    assert ids_known("n-31e2b2ab3b566: salt", ids) == "n-31e2b2ab3b56: salt"
