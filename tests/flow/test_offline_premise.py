"""A book without a model is about its premise, and follows an outline that was changed by hand."""

import json
import re
from typing import Any

import pytest
from tests.support.desk import Desk

SIZE = ("--chapters", "3", "--scenes-per-chapter", "2", "--words", "4500")
ABOUT = {
    "A robot learns to paint": ("robot", "paint"),
    "An astronaut alone on Mars talks to a houseplant": ("astronaut", "houseplant"),
    "A dragon who is afraid of fire": ("dragon", "fire"),
    "How to brew coffee at home": ("coffee", "home"),
    "A lighthouse keeper on a drowned coast finds tomorrow's logbook": (
        *("keeper", "coast", "logbook", "tomorrow’s"),
    ),
}
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


def sentences(text: str) -> list[str]:
    """The longer sentences of a text."""
    return [one for one in re.split(r"(?<=[.!?])[”\s]+", text) if len(one.split()) > 8]


@pytest.mark.parametrize("premise", ABOUT)
def test_every_chapter_tells_of_what_the_premise_names(desk: Desk, premise: str) -> None:
    desk.run("create", premise, "--mock", "--project-name", "book", *SIZE)
    chapters = desk.project().chapters()
    for word in ABOUT[premise]:
        least = [len(re.findall(rf"\b{word}", text)) * 700 / len(text.split()) for text in chapters]
        assert min(least) >= 0.8, (word, least)
    told = [one for text in chapters for one in sentences(text)]
    about = [one for one in told if any(word in one for word in ABOUT[premise])]
    assert len(set(about)) == len(about)


def test_a_premise_in_another_language_is_named_in_every_chapter(desk: Desk) -> None:
    premise = "Der Leuchtturmwärter findet im Nebel das Logbuch von morgen"
    desk.run("create", premise, "--mock", "--project-name", "book", *SIZE)
    for text in desk.project().chapters():
        assert all(word in text for word in ("Leuchtturmwärter", "Logbuch"))


@pytest.mark.parametrize("kept", ["summary", "beats", ""])
def test_XC_04_a_chapter_follows_what_was_written_into_its_plan(desk: Desk, kept: str) -> None:
    """The plan of the scenes and the text tell of the people and things that the author gave."""
    desk.written("--until", "outline", size=SIZE)
    book = desk.project()
    outline = book.json("outline.json")
    entry = {key: value for key, value in BY_HAND.items() if key != kept}
    outline["chapters"][1] |= entry
    book.write("outline.json", json.dumps(outline, ensure_ascii=False))
    desk.run("resume", "book")
    scenes = json.dumps(book.json("scenes.json")["chapters"][1], ensure_ascii=False)
    text = book.chapters()[1].partition("\n")[2]
    for word in ("Ottoline", "whale", "stair"):
        assert word in scenes
        assert text.count(word) >= 3, word
    assert "Ottoline" not in book.chapters()[0] + book.chapters()[2]
    said = re.findall(r"\w+", text.lower())
    plan = re.findall(r"\w+", json.dumps(BY_HAND).lower())
    runs = {tuple(said[at : at + 14]) for at in range(len(said))}
    assert runs.isdisjoint(tuple(plan[at : at + 14]) for at in range(len(plan) - 13))
    plan = desk.run("check", "book", "--plan", "--json", expect=None).value["findings"]
    assert [one for one in plan if one["file"] == "scenes.json"] == []
