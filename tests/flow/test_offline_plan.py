"""The plans of the offline author keep the rules over plans, whatever the premise and the size."""

import json
from typing import Any

import pytest
from tests.support.desk import Desk

PREMISES = (
    "A lighthouse keeper on a drowned coast finds a logbook that is written ahead of time",
    "Two sisters inherit a bakery in Lagos and a debt that nobody mentions",
    "Er kommt nach Hause und niemand kennt ihn",
)

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


def test_QU_a_book_of_facts_has_a_home_for_every_term(desk: Desk) -> None:
    options = ("--chapters", "5", "--scenes-per-chapter", "2", "--category", "Business")
    told = planned(desk, *options, "--no-research", premise="How a bakery keeps its books")
    assert told["findings"] == []
    scenes = json.loads(desk.project().text("scenes.json"))["chapters"]
    assert scenes[0]["scenes"][0]["reveals"]


def test_QU_every_note_of_a_book_of_facts_has_one_home_section(desk: Desk) -> None:
    size = ("--chapters", "2", "--scenes-per-chapter", "2", "--words", "800")
    command = ("create", "A guide to salt", "--mock", "-c", "Business", "-p", "book", *size)
    desk.run(*command, "--until", "concept")
    source = desk.project().path("research/sources/salt.md")
    source.parent.mkdir(parents=True)
    source.write_text(SALT, encoding="utf-8")
    desk.run("resume", "book", "--until", "plan")
    assert desk.run("check", "book", "--plan", "--json").value["findings"] == []
    project = desk.project()
    notes = {note["id"] for note in json.loads(project.text("research/notes.json"))["notes"]}
    sections = [
        section
        for chapter in json.loads(project.text("scenes.json"))["chapters"]
        for section in chapter["scenes"]
    ]
    stated = [one for section in sections for one in section["reveals"] if one.startswith("n-")]
    assert len(notes) > 1
    assert sorted(stated) == sorted(notes)
