from collections.abc import Callable
from typing import Any

import pytest

from libriscribe2.editing.splitting import Division
from libriscribe2.editing.structure import (
    Outlined,
    Slot,
    Slots,
    delete,
    insert,
    merge,
    move,
    rename,
    split,
)
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.project.paths import CHAPTER_FILES, SUMMARY_FILES


def slot(number: int, *scenes: str) -> Slot:
    entry = {"title": f"T{number}", "summary": f"S{number}.", "mine": number}
    plan: dict[str, Any] = {"chapter": number, "title": f"T{number}", "note": "x"}
    plan["scenes"] = [{"summary": scene} for scene in scenes or ("a", "b")]
    return Slot(entry, plan, (number,))


BOOK: Slots = tuple(slot(number) for number in range(1, 5))


def order(slots: Slots) -> list[tuple[int, ...]]:
    return [one.sources for one in slots]


@pytest.mark.parametrize("at", [1, 3, 5])
def test_a_new_chapter_gets_the_number_that_was_asked_for(at: int) -> None:
    slots = insert(BOOK, at, Outlined(" New  one ", "It\nhappens."))
    assert slots[at - 1].entry == {"title": "New one", "summary": "It happens."}
    assert (slots[at - 1].scenes, slots[at - 1].sources) == ([], ())
    assert order(slots[: at - 1] + slots[at:]) == [(1,), (2,), (3,), (4,)]


def test_the_author_may_plan_the_scenes_of_a_new_chapter() -> None:
    new = insert(BOOK, 1, Outlined("T", "S", ("First.", "Second.")))[0]
    assert [scene["summary"] for scene in new.scenes] == ["First.", "Second."]


def test_a_book_without_scene_plans_stays_without() -> None:
    assert (
        insert((Slot({"title": "T", "summary": "S"}, None, (1,)),), 1, Outlined("N", "S"))[0].plan
        is None
    )


@pytest.mark.parametrize(
    ("number", "to", "expected"),
    [(1, 4, [2, 3, 4, 1]), (4, 1, [4, 1, 2, 3]), (2, 3, [1, 3, 2, 4])],
)
def test_a_moved_chapter_gets_the_number_that_was_asked_for(
    number: int, to: int, expected: list[int]
) -> None:
    assert order(move(BOOK, number, to)) == [(number,) for number in expected]


def test_a_deleted_chapter_is_gone() -> None:
    assert order(delete(BOOK, 2)) == [(1,), (3,), (4,)]


def test_a_renamed_chapter_has_its_title_in_both_plans_and_in_its_heading() -> None:
    renamed = rename(BOOK, 2, "  New ", "# T2\n\nText.\n")[1]
    assert renamed.entry == {"title": "New", "summary": "S2.", "mine": 2}
    assert renamed.plan is not None
    assert renamed.plan["title"] == "New"
    assert renamed.texts == {CHAPTER_FILES: "# New\n\nText.\n"}
    assert renamed.keeps_files


@pytest.mark.parametrize("text", [None, "# My own\n\nText.\n"])
def test_a_text_that_stays_is_no_new_text(text: str | None) -> None:
    assert rename(BOOK, 2, "New", text)[1].texts == {}


def test_two_neighbours_become_one() -> None:
    texts = [
        {CHAPTER_FILES: f"# T{number}\n\nText {number}.\n", SUMMARY_FILES: f"Short {number}.\n"}
        for number in (2, 3)
    ]
    slots = merge(BOOK, 2, (texts[0], texts[1]), "Both")
    assert order(slots) == [(1,), (2, 3), (4,)]
    whole = slots[1]
    assert whole.entry == {"title": "Both", "summary": "S2. S3.", "mine": 2}
    assert [scene["summary"] for scene in whole.scenes] == ["a", "b", "a", "b"]
    assert whole.texts == {
        CHAPTER_FILES: "# Both\n\nText 2.\n\n* * *\n\nText 3.\n",
        SUMMARY_FILES: "Short 2.\n\nShort 3.\n",
    }


def test_chapters_that_are_not_written_merge_in_the_plans() -> None:
    whole = merge(BOOK, 1, ({}, {}))[0]
    assert (whole.title, whole.texts) == ("T1", {})


def test_a_summary_of_one_half_is_no_summary_of_both() -> None:
    texts = ({CHAPTER_FILES: "A", SUMMARY_FILES: "a"}, {CHAPTER_FILES: "B"})
    assert set(merge(BOOK, 1, texts)[0].texts) == {CHAPTER_FILES}


def test_a_chapter_that_waits_for_its_plan_waits_on_as_a_part() -> None:
    waiting = insert(BOOK, 2, Outlined("T", "S"))
    assert merge(waiting, 1, ({}, {}))[0].scenes == []


@pytest.mark.parametrize("texts", [({CHAPTER_FILES: "A"}, {}), ({}, {CHAPTER_FILES: "B"})])
def test_a_written_chapter_is_not_merged_with_an_unwritten_one(
    texts: tuple[dict[str, str], dict[str, str]],
) -> None:
    with pytest.raises(ProjectError, match="not written") as caught:
        merge(BOOK, 2, texts)
    assert str(3 if texts[0] else 2) in caught.value.what


@pytest.mark.parametrize(
    ("scene", "inside", "plans"),
    [
        (1, False, (["a"], ["b", "c"])),
        (2, False, (["a", "b"], ["c"])),
        (2, True, (["a", "b"], ["b", "c"])),
        (3, True, (["a", "b", "c"], ["c"])),
        (7, False, (["a", "b", "c"], ["c"])),
    ],
)
def test_each_part_of_a_split_chapter_keeps_the_plans_of_its_scenes(
    scene: int, inside: bool, plans: tuple[list[str], list[str]]
) -> None:
    book = (slot(1, "a", "b", "c"),)
    at = Division("# T1\n\nFirst.\n", "Second.", scene, inside)
    parts = split(book, 1, at, (Outlined(), Outlined("New")))
    assert tuple([one["summary"] for one in part.scenes] for part in parts) == plans
    assert [part.entry["summary"] for part in parts] == [" ".join(plan) for plan in plans]
    assert [part.title for part in parts] == ["T1", "New"]
    assert [part.texts[CHAPTER_FILES] for part in parts] == [
        "# T1\n\nFirst.\n",
        "# New\n\nSecond.\n",
    ]
    assert order(parts) == [(1,), (1,)]


def test_the_author_may_say_what_the_parts_of_a_split_chapter_tell() -> None:
    at = Division("First.\n", "Second.", 1, inside=True)
    said = (Outlined("Old", "One."), Outlined("New", "Two."))
    parts = split(BOOK, 1, at, said)
    assert [(part.title, part.entry["summary"]) for part in parts[:2]] == [
        ("Old", "One."),
        ("New", "Two."),
    ]


def test_a_chapter_without_a_plan_is_split_under_its_own_summary() -> None:
    book = (Slot({"title": "T", "summary": "S"}, None, (1,)),)
    parts = split(book, 1, Division("A\n", "B", 1, inside=True), (Outlined(), Outlined("N")))
    assert [(part.plan, part.entry["summary"]) for part in parts] == [(None, "S"), (None, "S")]


DIVISION = Division("A\n", "B", 1, inside=False)


WRONG: dict[str, Callable[[], object]] = {
    "insert before the first": lambda: insert(BOOK, 0, Outlined("T", "S")),
    "insert behind a gap": lambda: insert(BOOK, 6, Outlined("T", "S")),
    "insert without a title": lambda: insert(BOOK, 1, Outlined(" ", "S")),
    "insert without a summary": lambda: insert(BOOK, 1, Outlined("T", "\n")),
    "move what is not there": lambda: move(BOOK, 5, 1),
    "move to nowhere": lambda: move(BOOK, 1, 5),
    "move to the same place": lambda: move(BOOK, 2, 2),
    "delete what is not there": lambda: delete(BOOK, 5),
    "delete the only chapter": lambda: delete(BOOK[:1], 1),
    "rename what is not there": lambda: rename(BOOK, 0, "T", None),
    "rename to the same title": lambda: rename(BOOK, 1, "T1", None),
    "rename to nothing": lambda: rename(BOOK, 1, " ", None),
    "merge the last": lambda: merge(BOOK, 4, ({}, {})),
    "merge the only chapter": lambda: merge(BOOK[:1], 1, ({}, {})),
    "split what is not there": lambda: split(BOOK, 5, DIVISION, (Outlined(), Outlined("N"))),
    "split without a title": lambda: split(BOOK, 1, DIVISION, (Outlined(), Outlined())),
}


@pytest.mark.parametrize("wrong", list(WRONG))
def test_what_cannot_be_done_is_a_usage_error(wrong: str) -> None:
    with pytest.raises(UsageError):
        WRONG[wrong]()
