"""`check --plan` on a book that is being written: where the text and the plan have parted."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.desk import Desk
from tests.support.series_books import SeriesAuthor

TOLD = {
    1: [("Ivo Brandt", "alive", "dead", "Ivo Brandt was dead before noon")],
    2: [("Ada", "job", "pilot", "Ada was the pilot as before")],
}
PARTED = {"P23", "P24", "P25", "P26"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with a book of two chapters; no test changes it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.create(name="book", backend=SeriesAuthor(TOLD))
    return desk


@pytest.fixture
def desk(written: Desk, tmp_path: Path) -> Desk:
    """The same book, to be changed."""
    return written.copied_to(tmp_path)


def edit(desk: Desk, name: str, chapter: int, **fields: Any) -> None:
    """Change a chapter of a plan, as an author would."""
    plan = desk.project().json(name)
    plan["chapters"][chapter - 1].update(fields)
    desk.project().write(name, json.dumps(plan, indent=4))


def parted(desk: Desk) -> dict[str, dict[str, Any]]:
    """The findings that compare text and plan, by rule."""
    found = desk.run("check", "book", "--plan", "--json", expect=None).value["findings"]
    return {one["rule"]: one for one in found if one["rule"] in PARTED}


def test_QU_what_the_text_lacks_is_told_with_both_ways_back(desk: Desk) -> None:
    text = desk.project().text("chapters/02.md")
    desk.project().write("chapters/02.md", f"{text}\n{'And so it went on and on. ' * 40}\n")
    found = parted(desk)["P26"]
    assert (found["severity"], found["place"]) == ("note", "outline.json chapter 2")
    assert "redo book chapters --chapter 2" in found["fix"]
    assert "libriscribe2 resume book" in found["fix"]
    lines = desk.project().text("outline.json").splitlines()
    assert "Part 2" in lines[found["line"] - 1]


def test_QU_a_dead_person_in_a_later_scene_is_told(desk: Desk) -> None:
    scenes = desk.project().json("scenes.json")["chapters"][1]["scenes"]
    scenes[0]["characters"] = ["Ivo"]
    edit(desk, "scenes.json", 2, scenes=scenes)
    assert parted(desk)["P24"]["place"] == "scenes.json chapter 2 scene 1"
    scenes[0]["characters"] = ["Ada"]
    edit(desk, "scenes.json", 2, scenes=scenes)
    assert "P24" not in parted(desk)


def test_QU_lengths_and_strangers_are_notes_and_stop_nothing(desk: Desk) -> None:
    text = desk.project().text("chapters/01.md")
    more = "He asked for Tolliver, and they brought Tolliver, and there Tolliver sat. " * 20
    desk.project().write("chapters/01.md", f"{text}\n{more}\n")
    found = parted(desk)
    assert {found[rule]["severity"] for rule in ("P23", "P26")} == {"note"}
    assert "Tolliver (60 times)" in found["P23"]["message"]
    assert "Ivo" not in found["P23"]["message"]


def test_QU_what_may_stand_is_let_stand(desk: Desk) -> None:
    text = desk.project().text("chapters/02.md")
    desk.project().write("chapters/02.md", f"{text}\n{'And so it went on and on. ' * 40}\n")
    brief = desk.project().text("book.toml")
    desk.project().write("book.toml", brief.replace("allow = []", 'allow = ["P26 chapter 2"]'))
    assert parted(desk)["P26"]["allowed"] is True


def test_QU_a_plan_without_text_has_parted_from_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.create("--until", "plan", name="book", backend=SeriesAuthor(TOLD))
    assert parted(desk) == {}
