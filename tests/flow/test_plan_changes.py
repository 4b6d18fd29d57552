"""A plan that the author changes names the scenes that it touches, and no other is written again."""

import json
from typing import Any, ClassVar

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder
from typing_extensions import override

from libriscribe2.llm.backend import Completion, Request

SIZE = ("--chapters", "2", "--scenes-per-chapter", "3", "--words", "600")
BREAK = "\n\n* * *\n\n"


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    desk.written("--no-revision", size=SIZE)
    return desk.project()


def replan(book: ProjectFolder, *scenes: int, **fields: Any) -> None:
    """Change the plan of scenes of chapter 2."""
    plans = book.json("scenes.json")
    for number in scenes:
        plans["chapters"][1]["scenes"][number - 1] |= fields or {"goal": f"Other {number}"}
    book.write("scenes.json", json.dumps(plans))


def reason(desk: Desk) -> str:
    rows = desk.run("status", "book", "--json").value["units"]
    return str({row["unit"]: row["reason"] for row in rows}["chapters/02.md"])


def rewritten(desk: Desk, book: ProjectFolder, *command: str) -> set[str]:
    """The prose that a command asks for."""
    before = len(book.records("sent"))
    desk.run(*command, backend=Author())
    return {one["step"] for one in book.records("sent")[before:] if "/scene" in one["step"]}


def test_status_names_the_scenes_that_a_changed_plan_touches(
    desk: Desk, book: ProjectFolder
) -> None:
    replan(book, 2)
    assert reason(desk) == "out of date: scenes.json changed (scene 2)"
    replan(book, 3)
    assert reason(desk) == "out of date: scenes.json changed (scenes 2, 3)"
    told = desk.run("why", "book", "2").err
    assert "plan of scene 1" not in told
    assert "The plan of scene 3 has changed since it was written." in told


def test_refresh_says_what_writes_the_touched_scenes_again(desk: Desk, book: ProjectFolder) -> None:
    replan(book, 2)
    for options in (("--refresh", "--dry-run"), ("--refresh",)):
        told = desk.run("resume", "book", *options).err.replace("\n", " ")
        assert "chapters/02.md: the plan of scene 2 was changed." in told
        assert "`libriscribe2 redo book 2.2` writes it again" in told


def test_only_touched_scenes_are_written_again(desk: Desk, book: ProjectFolder) -> None:
    before = book.text("chapters/02.md").split(BREAK)
    replan(book, 1, 3)
    asked = rewritten(desk, book, "resume", "book", "--rewrite", "--yes")
    assert asked == {"chapters/ch02/scene01", "chapters/ch02/scene03"}
    after = book.text("chapters/02.md").split(BREAK)
    assert [a == b for a, b in zip(after, before, strict=True)] == [False, True, False]
    assert reason(desk) == "up to date"


def test_redo_of_all_touched_scenes_brings_the_chapter_up_to_date(
    desk: Desk, book: ProjectFolder
) -> None:
    replan(book, 1, 3)
    assert rewritten(desk, book, "redo", "book", "2.1") == {"chapters/ch02/scene01"}
    assert reason(desk) == "out of date: scenes.json changed (scene 3)"
    rewritten(desk, book, "redo", "book", "2.3")
    assert reason(desk) == "up to date"


def test_a_plan_with_another_number_of_scenes_touches_the_whole_chapter(
    desk: Desk, book: ProjectFolder
) -> None:
    plans = book.json("scenes.json")
    del plans["chapters"][1]["scenes"][2]
    book.write("scenes.json", json.dumps(plans))
    assert reason(desk) == "out of date: scenes.json changed"
    asked = rewritten(desk, book, "resume", "book", "--rewrite", "--yes")
    assert asked == {"chapters/ch02/scene01", "chapters/ch02/scene02"}


class _Mender(Author):
    """Patches the last sentence of the excerpts of a plan that was changed."""

    prompts: ClassVar[list[str]] = []

    @override
    async def complete(self, request: Request) -> Completion:
        if not request.step.startswith("mend/"):
            return await super().complete(request)
        prompt = str(request.messages[1]["content"])
        self.prompts.append(prompt)
        shown = prompt.partition("<excerpts>\n")[2].partition("\n</excerpts>")[0]
        last = shown.split("\n\n")[-1]
        patch = {"issue": 1, "find": last, "replace": "It was morning on the quay."}
        return Completion(json.dumps({"patches": [patch], "facts": [], "summary": ""}))


def test_refresh_offers_patches_where_the_text_contradicts_a_changed_plan(
    desk: Desk, book: ProjectFolder
) -> None:
    before = book.text("chapters/02.md").split(BREAK)
    replan(book, 2, time="day 9, morning")
    refused = desk.run("resume", "book", "--refresh", backend=_Mender()).err
    assert "+It was morning on the quay." in refused
    assert "Nothing was changed." in refused
    assert book.text("chapters/02.md").split(BREAK) == before
    assert '"time":"day 9, morning"' in _Mender.prompts[-1]
    assert before[0].split("\n\n")[-1] not in _Mender.prompts[-1]
    desk.run("resume", "book", "--refresh", "--yes", backend=_Mender())
    after = book.text("chapters/02.md").split(BREAK)
    assert [a == b for a, b in zip(after, before, strict=True)] == [True, False, True]
    assert reason(desk) == "up to date"
