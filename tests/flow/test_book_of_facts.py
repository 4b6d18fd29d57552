"""What the book of facts from nine public documents shows of notes, references and alarms."""

import re
from typing import Any

import pytest
from tests.support.desk import Desk
from tests.support.recorded_books import played


@pytest.fixture
def really(desk: Desk) -> Desk:
    played(desk, "really")
    return desk


def shown(desk: Desk, step: str) -> str:
    """The last message of a step's request."""
    dumps = desk.project("really").dumps()
    return next(str(one["prompt"][-1]["content"]) for one in dumps if one["step"] == step)


def facts(desk: Desk) -> dict[str, dict[str, Any]]:
    notes = desk.project("really").json("research/notes.json")["notes"]
    return {one["id"]: one for one in notes if one["supported"] == "yes"}


def test_every_note_that_a_chapter_states_is_shown_with_its_quote(really: Desk) -> None:
    book, notes = really.project("really"), facts(really)
    for number, chapter in enumerate(book.json("outline.json")["chapters"], start=1):
        prompt = shown(really, f"chapters/ch{number:02d}/whole")
        own = [one for one in chapter["plants"] if one in notes]
        lines = {one: re.search(rf"\[@{one}\][^\n]*", prompt) for one in own}
        missing = [one for one, line in lines.items() if not (line and '(quote: "' in line[0])]
        assert missing == [], number
        assert len(own) >= 9


def test_what_the_outline_left_out_is_offered_to_no_chapter(really: Desk) -> None:
    out = [one["id"] for one in really.project("really").json("outline.json")["left_out"]]
    assert len(out) == 10
    for number in (1, 2, 3):
        prompt = shown(really, f"chapters/ch{number:02d}/whole")
        assert [one for one in out if one in prompt] == []


def test_references_tell_what_a_reader_can_find(really: Desk) -> None:
    text = really.project("really").text("manuscript.md").partition("# References")[2]
    assert len(re.findall(r"(?m)^\d+\. ", text)) >= 20
    assert re.findall(r"\.(?:docx|epub|pdf|html)\b", text) == []
    assert "sec. \u201cby Bill Seymour\u201d" not in text
    assert "Bill Seymour, *How to Read the tz Database*, par. " in text
    assert "sec. \u201cLEAP SECOND\u201d" in text
    assert "Victor Stinner, *PEP 418" in text
    assert "(August 2, 2015)" in text


def test_a_true_book_raises_no_alarm_over_numbers_names_and_quotations(really: Desk) -> None:
    told = really.run("check", "really", "--story", "--json").value["findings"]
    assert [one["message"] for one in told if one["rule"] == "F1"] == []


def test_numbers_names_and_quotations_that_were_changed_are_found(really: Desk) -> None:
    book = really.project("really")
    changes = (
        (
            1,
            "fold set to 0 even if the original datetime instance had fold=1",
            "fold set to 1 even",
        ),
        (1, "an episode of Da Vinci's Inquest", "an episode of Inspector Morse"),
        (2, "From 1891 to 1911", "From 1871 to 1911"),
        (3, "discontinue them by 2035", "discontinue them by 2030"),
    )
    for chapter, true, false in changes:
        name = f"chapters/{chapter:02d}.md"
        assert book.text(name).count(true) == 1
        book.write(name, book.text(name).replace(true, false))
    found = really.run("check", "really", "--story", "--json", expect=5).value["findings"]
    quotes = [one["place"]["quote"] for one in found if one["rule"] == "F1"]
    assert len(quotes) == len(changes)
    assert all(any(false in quote for quote in quotes) for _, _, false in changes)
