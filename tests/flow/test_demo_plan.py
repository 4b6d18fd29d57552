"""Plans and books of the stand-in author keep the rules, whatever the premise and the size."""

import json
import re
from typing import Any

import pytest
from tests.support.desk import Desk

PREMISES = (
    "A lighthouse keeper on a drowned coast finds a logbook that is written ahead of time",
    "Two sisters inherit a bakery in Lagos and a debt that nobody mentions",
    "Er kommt nach Hause und niemand kennt ihn",
)

SIZE = ("--chapters", "3", "--scenes-per-chapter", "2", "--words", "1800")
BY_HAND: dict[str, Any] = {
    "title": "The Breathing Stair",
    "summary": "Ottoline Frost finds a live whale under the stair.",
    "pov": "Ottoline Frost",
    "purpose": "It brings the whale into the house.",
    "beats": [
        "Ottoline hears breathing under the stair",
        "She lifts the boards and finds the whale",
    ],
}
SALT = (
    "# Salt\n\nCommon table salt is sodium chloride. Pure salt melts at about 801 degrees. "
    "The mine of Wieliczka was listed in 1978.\n"
)


def planned(desk: Desk, *options: str, premise: str = PREMISES[0]) -> dict[str, Any]:
    """What the check of a plan says."""
    desk.run("create", premise, "--mock", "--project-name", "book", "--until", "plan", *options)
    told: dict[str, Any] = desk.run("check", "book", "--plan", "--json").value
    return told


@pytest.mark.parametrize("chapters", ["1", "2", "3", "4", "7", "31"])
def test_QU_a_story_of_any_length_has_a_clean_plan(desk: Desk, chapters: str) -> None:
    told = planned(desk, "--chapters", chapters, "--scenes-per-chapter", "1")
    assert told["findings"] == []
    assert told["chapters"] == int(chapters)
    outline = json.loads(desk.project().text("outline.json"))
    assert len(outline["threads"]) == {"1": 0, "2": 2, "3": 2}.get(chapters, 3)


@pytest.mark.parametrize("premise", PREMISES)
def test_QU_any_premise_gets_a_clean_plan(desk: Desk, premise: str) -> None:
    told = planned(desk, "--chapters", "6-12", "--scenes-per-chapter", "2", premise=premise)
    assert told["findings"] == []


@pytest.mark.parametrize("chapters", ["2", "5", "17"])
def test_QU_a_book_of_facts_has_a_clean_plan(desk: Desk, chapters: str) -> None:
    options = ("--chapters", chapters, "--scenes-per-chapter", "2", "--category", "Business")
    told = planned(desk, *options, "--no-research", premise="How a bakery keeps its books")
    assert told["findings"] == []


def test_QU_so_has_one_with_notes_which_its_chapters_speak_of(desk: Desk) -> None:
    size = ("--chapters", "2", "--scenes-per-chapter", "2", "--words", "800")
    command = ("create", "A guide to salt", "--mock", "-c", "Business", "-p", "book", *size)
    desk.run(*command, "--until", "concept")
    source = desk.project().path("research/sources/salt.md")
    source.parent.mkdir(parents=True)
    source.write_text(SALT, encoding="utf-8")
    desk.run("resume", "book")
    assert desk.run("check", "book", "--plan", "--json").value["findings"] == []
    homes = [one["plants"] for one in desk.project().json("outline.json")["chapters"]]
    marks = ["[@n-" in text for text in desk.project().chapters()]
    assert marks == [bool(ids) for ids in homes]
    assert any(marks)


def test_a_book_is_revised_once_and_no_chapter_twice(desk: Desk) -> None:
    author = desk.written(size=("--chapters", "6", "--scenes-per-chapter", "2", "--words", "6000"))
    revisions = [step for step in author.steps if re.search("/(critique|patches)[0-9]", step)]
    parts = ("critique1", "patches1")
    assert revisions == [f"chapters/ch{n:02d}/{part}" for n in range(1, 7) for part in parts]
    assert not [step for step in author.steps if "lint" in step or "continue" in step]


@pytest.mark.parametrize("kept", ["summary", "beats", ""])
def test_XC_04_a_chapter_follows_what_was_written_into_its_plan(desk: Desk, kept: str) -> None:
    """The plan of the scenes and the text tell of the people and things that the author gave."""
    desk.written("--until", "outline", size=SIZE)
    book = desk.project()
    outline = book.json("outline.json")
    outline["chapters"][1] |= {key: value for key, value in BY_HAND.items() if key != kept}
    book.write("outline.json", json.dumps(outline, ensure_ascii=False))
    desk.run("resume", "book")
    scenes = json.dumps(book.json("scenes.json")["chapters"][1], ensure_ascii=False)
    for word in ("Ottoline", "whale", "stair"):
        assert word in scenes
        assert word in book.chapters()[1].partition("\n")[2]
    assert "Ottoline" not in book.chapters()[0] + book.chapters()[2]
    found = desk.run("check", "book", "--plan", "--json", expect=None).value["findings"]
    assert [one for one in found if one["file"] == "scenes.json"] == []
