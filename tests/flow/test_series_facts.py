"""What a book states at its end reaches the scenes of the next one, and is compared with them."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.desk import Desk
from tests.support.series_books import FIRST_BOOK, SeriesAuthor, Told

QUIET: dict[int, Sequence[Told]] = {
    1: [("Ada", "job", "pilot", "Ada was the pilot as before")],
    2: [("Ada", "rank", "captain", "They made Ada a captain")],
}
"""A second book that keeps to the first."""


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with the first book; no test changes it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.create(name="first", backend=SeriesAuthor(FIRST_BOOK))
    return desk


@pytest.fixture(scope="module")
def both(first: Desk, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with a second book after it; no test changes it."""
    desk = first.copied_to(tmp_path_factory.mktemp("both"))
    desk.create("--after", "first", name="second", backend=SeriesAuthor(QUIET))
    return desk


def shown(desk: Desk, book: str, place: str) -> list[dict[str, Any]]:
    """The facts that a scene was written from."""
    (scene,) = desk.run("why", book, place, "--json").value["scenes"]
    found: list[dict[str, Any]] = scene["facts"]
    return found


def values(facts: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(one["attribute"], one["value"]) for one in facts}


def test_the_first_scene_of_the_second_book_is_written_from_the_end_of_the_first(
    both: Desk,
) -> None:
    facts = shown(both, "second", "ch1.s1")
    assert ("job", "pilot") in values(facts)
    assert ("job", "baker") not in values(facts)
    assert ("location", "the quay") not in values(facts)
    assert ("possession", "destroyed: brass lamp") in values(facts)
    for one in facts:
        assert one["chapter"] == 0
        lines = (both.folder / "projects/second" / one["file"]).read_text("utf-8").splitlines()
        assert one["quote"] in lines[one["line"] - 1]


def test_why_names_the_book_and_the_prompt_shows_its_facts(both: Desk) -> None:
    table = both.run("why", "second", "ch1.s1").out
    assert "../first/" in table
    prompt = both.run("why", "second", "ch1.s1", "--prompt").out
    assert "- Ada Quell, job: pilot (the book first)" in prompt
    assert "chapter 0" not in prompt
    assert "none: its plan" in table


def test_what_the_second_book_says_takes_the_place_of_what_was_given(
    first: Desk, tmp_path: Path
) -> None:
    told = {**QUIET, 1: [("Ada", "job", "keeper", "Ada was the keeper of the light")]}
    desk = first.copied_to(tmp_path)
    size = ("--chapters", "3", "--scenes-per-chapter", "1", "--words", "300")
    desk.create(
        "--after", "first", name="second", backend=SeriesAuthor({**told, 3: told[2]}), size=size
    )
    for scene in ("ch2.s1", "ch3.s1"):
        jobs = {value for kind, value in values(shown(desk, "second", scene)) if kind == "job"}
        assert jobs == {"keeper"}
    assert ("job", "pilot") in values(shown(desk, "second", "ch1.s1"))


def test_a_third_book_has_the_facts_of_both_with_the_way_to_each(
    both: Desk, tmp_path: Path
) -> None:
    desk = both.copied_to(tmp_path)
    desk.create("--after", "second", name="third", backend=SeriesAuthor(QUIET))
    facts = {one["value"]: one["file"] for one in shown(desk, "third", "ch1.s1")}
    assert facts["captain"] == "../second/chapters/02.md"
    assert facts["green"] == "../first/chapters/01.md"


def test_the_second_book_stands_without_the_first(both: Desk, tmp_path: Path) -> None:
    desk = both.copied_to(tmp_path)
    before = shown(desk, "second", "ch1.s1")
    shutil.rmtree(desk.folder / "projects/first")
    desk.run("redo", "second", "chapters", "--chapter", "1", backend=SeriesAuthor(QUIET))
    assert shown(desk, "second", "ch1.s1") == before


def test_a_book_after_none_is_shown_nothing_of_another(first: Desk) -> None:
    assert not shown(first, "first", "ch1.s1")
    assert "(the book " not in first.run("why", "first", "ch2.s1", "--prompt").out


@pytest.mark.parametrize(
    ("rule", "severity", "told", "there"),
    [
        ("R1", "error", ("Ada", "eyes", "brown", "Ada rubbed her brown eyes"), "green eyes"),
        ("R3", "warning", ("Ivo Brandt", "acts", "waves", "Ivo Brandt waved at them"), "was dead"),
        ("R6", "error", ("Bridge to fort", "distance", "nine miles", "Nine miles to the fort"), "two miles"),
        ("R8", "warning", ("Ada", "possession", "has: the brass lamp", "Ada lit the brass lamp"), "burst"),
        ("R9", "warning", ("Ada", "learns", "the name of the wrecker", "So that was his name"), "knew"),
        ("R11", "warning", ("Ada", "injury", "scar on the right hand", "The scar on her right hand"), "left hand"),
    ],
)  # fmt: skip
def test_T8_a_contradiction_between_two_books_is_told_with_both_quotes(
    first: Desk, tmp_path: Path, rule: str, severity: str, told: Told, there: str
) -> None:
    desk = first.copied_to(tmp_path)
    backend = SeriesAuthor({**QUIET, 1: [told]})
    desk.create("--after", "first", name="second", backend=backend)
    code = 5 if severity == "error" else 0
    record = desk.run("check", "second", "--story", "--json", expect=code).value
    (found,) = record["findings"]
    assert (found["rule"], found["severity"]) == (rule, severity)
    assert found["place"]["file"] == "chapters/01.md"
    assert told[3] in found["place"]["quote"]
    assert found["other"]["file"].startswith("../first/chapters/")
    assert there in found["other"]["quote"]
    assert "chapter 0" not in json.dumps(record)


def test_years_may_pass_between_two_books_and_none_within_one(desk: Desk) -> None:
    young = {**QUIET, 1: [("Ada", "age", "30", "Ada was thirty")]}
    old = {**QUIET, 1: [("Ada", "age", "52", "Ada was fifty-two")]}
    desk.create(name="first", backend=SeriesAuthor(young))
    desk.create("--after", "first", name="second", backend=SeriesAuthor(old))
    assert not desk.run("check", "second", "--story", "--json").value["findings"]
    desk.create("--after", "second", name="third", backend=SeriesAuthor(young))
    (found,) = desk.run("check", "third", "--story", "--json").value["findings"]
    assert (found["rule"], found["other"]["file"]) == ("R2", "../second/chapters/01.md")
