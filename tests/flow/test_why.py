"""From what a scene was written: parts, facts, chapters, model, prompt."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.desk import Desk
from tests.support.recorded_books import played

SIZE = ("--chapters", "4", "--scenes-per-chapter", "2", "--words", "1200")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with a book of four chapters of two scenes; no test changes it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.written(size=SIZE)
    return desk


@pytest.fixture
def book(written: Desk, tmp_path: Path) -> Desk:
    """The same book, to be changed."""
    return written.copied_to(tmp_path)


def scenes(book: Desk, place: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = book.run("why", "book", place, "--json").value["scenes"]
    return found


def test_a_chapter_that_was_asked_for_at_once_has_one_context(desk: Desk) -> None:
    desk.environment["LIBRISCRIBE2_PIPELINE__WHOLE_CHAPTERS"] = "true"
    desk.written(size=("--chapters", "2", "--scenes-per-chapter", "2", "--words", "800"))
    (whole,) = scenes(desk, "2")
    assert {"scenes", "story_so_far"} & {part["name"] for part in whole["parts"]}
    assert whole["size"] == sum(part["size"] for part in whole["parts"])


def test_a_scene_is_told_by_parts_facts_and_chapters(desk: Desk) -> None:
    book = played(desk, "locked-key")
    (scene,) = desk.run("why", "locked-key", "ch4.s1", "--json").value["scenes"]
    parts = {part["name"]: part for part in scene["parts"]}
    assert parts["text_before"]["chapters"] == [3]
    assert parts["story_so_far"]["chapters"] == [1, 2, 3]
    assert parts["scene"]["fit"] == "whole"
    assert scene["size"] == sum(part["size"] for part in scene["parts"]) <= scene["budget"]
    assert scene["facts"]
    for fact in scene["facts"]:
        lines = book.text(f"chapters/{fact['chapter']:02d}.md").splitlines()
        assert fact["chapter"] in {1, 2, 3}
        assert fact["quote"] in lines[fact["line"] - 1]


def test_the_key_leads_to_the_prompt(book: Desk) -> None:
    (scene,) = scenes(book, "4.2")
    (dump,) = [one for one in book.project().dumps() if one["key"] == scene["key"]]
    assert dump["step"] == "chapters/ch04/scene02"
    told = book.run("why", "book", "4.2", "--prompt").out
    assert all(turn["content"] in told for turn in dump["prompt"])
    asked = book.run("why", "book", "4.2", "--prompt", "--json").value["prompt"]
    assert asked == [{"role": turn["role"], "content": turn["content"]} for turn in dump["prompt"]]
    assert json.dumps(scene["dump"]).endswith('.json"')


def test_a_chapter_is_told_by_its_scenes(book: Desk) -> None:
    assert [one["scene"] for one in scenes(book, "ch02")] == [1, 2]
    ran = book.run("why", "book", "2")
    size = sum(one["size"] for one in scenes(book, "ch02"))
    assert "2 scenes: " in ran.err
    assert f"{size:,} characters" in ran.err
    table = ran.out
    assert "text_before" not in table
    assert "ch2.s1" in table
    assert "ch2.s2" in table
    shown = book.run("why", "book", "chapter 2.scene 1".replace(" ", "")).out
    assert all(part in shown for part in ("text before", "model", "demo", "key"))


def test_the_first_scene_is_written_from_its_plan(book: Desk) -> None:
    (scene,) = scenes(book, "1.1")
    assert not scene["facts"]
    assert not any(part["chapters"] for part in scene["parts"])
    assert "none: its plan" in book.run("why", "book", "1.1").out


@pytest.mark.parametrize(
    ("place", "code", "told"),
    [
        ("ch5", 2, "There is no chapter 5: the book has 4 chapters."),
        ("ch0", 2, "Choose one of 1 to 4; `libriscribe2 chapter insert` adds one."),
        ("ch2.s3", 2, "There is no scene 3"),
        ("last", 2, "not a chapter or scene"),
        ("ch2.s1.x", 2, "not a chapter or scene"),
    ],
)
def test_a_place_that_is_not_there(book: Desk, place: str, code: int, told: str) -> None:
    assert told in book.run("why", "book", place, expect=code).err


def test_a_prompt_belongs_to_a_scene_and_may_be_gone(book: Desk) -> None:
    assert "ch2.s1" in book.run("why", "book", "2", "--prompt", expect=2).err
    assert "no chapter 9" in book.run("why", "book", "9", "--prompt", expect=2).err
    for path in book.project().debug.glob("*.json"):
        path.unlink()
    assert scenes(book, "2.1")[0]["dump"] is None
    assert "is gone" in book.run("why", "book", "2.1", "--prompt", expect=3).err


def test_a_chapter_that_is_not_written(desk: Desk) -> None:
    desk.written("--until", "scenes", size=SIZE)
    assert "not written yet" in desk.run("why", "book", "ch1", expect=5).err


def test_an_edited_chapter_is_the_authors_own_and_stays_so_when_it_is_adopted(book: Desk) -> None:
    text = book.project().text("chapters/02.md")
    book.project().write("chapters/02.md", text.replace("the", "thy"))
    for _ in range(2):
        assert "edited by you since" in book.run("why", "book", "2.1").err
        book.run("adopt", "book", "chapters/02.md")
    assert "your own text" in book.run("redo", "book", "2", expect=3).err
    book.run("redo", "book", "chapters", "--chapter", "2", "--replace-mine")
    assert "edited by you" not in book.run("why", "book", "2.1").err


def test_a_chapter_that_was_moved_says_so(book: Desk) -> None:
    book.run("chapter", "move", "book", "4", "1")
    (scene,) = scenes(book, "1.1")
    assert scene["chapter"] == 4
    assert "written as chapter 4" in book.run("why", "book", "1.1").err


def test_what_is_left_of_a_chapter_that_was_split_is_not_told(book: Desk) -> None:
    book.run("chapter", "split", "book", "2", "--title", "The Rest", "--break", "1")
    for place in ("2.1", "3.1"):
        assert "no record of the context" in book.run("why", "book", place, expect=3).err
    assert scenes(book, "4.1")


@pytest.mark.parametrize("drafting", ["redblack", "parallel"])
def test_the_other_orders_are_told_too(desk: Desk, drafting: str) -> None:
    desk.written("--drafting", drafting, size=SIZE)
    (scene,) = scenes(desk, "2.1")
    assert scene["drafting"] == drafting
    seen = {number for part in scene["parts"] for number in part["chapters"]}
    assert seen == ({1, 3} if drafting == "redblack" else set())


@pytest.mark.slow
def test_each_part_of_a_context_says_what_keeps_the_rest_out(desk: Desk) -> None:
    size = (
        "--chapters",
        "14",
        "--scenes-per-chapter",
        "1",
        "--words",
        "9800",
        "--characters",
        "12",
    )
    desk.written(size=size)
    (scene,) = scenes(desk, "13.1")
    told = {one["name"]: one for one in scene["parts"]}
    rows = dict(line.split("\t")[0::2] for line in _table(desk.run("why", "book", "13.1").out))
    assert rows["scene"] == "whole"
    cut = {name: one for name, one in told.items() if one["fit"] == "cut"}
    assert cut
    for name, one in cut.items():
        called = {"habits": "overused phrases", "ahead": "later chapters"}.get(name, name)
        assert rows[called.replace("_", " ")] == f"shortened: it has at most {one['room']:,}"
        assert one["size"] <= one["room"]


def _table(out: str) -> list[str]:
    return out.split("\n\n")[0].splitlines()[1:]
