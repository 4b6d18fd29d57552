"""An edit is mended forward: one reading of what was changed, and patches where later text contradicts it."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.desk import Desk, ProjectFolder

from libriscribe2.llm.backend import BackendError, Completion, Request
from libriscribe2.llm.backends.demo import DemoAuthor

CHAPTERS = 30
SIZE = ("--chapters", str(CHAPTERS), "--scenes-per-chapter", "1", "--words", "6000")
FACT = "The window was shut with six nails."
EDITED = "The window was shut with four nails."
CONTRADICTING = {
    7: "He counted the six nails again.",
    19: "All six of the nails were bent.",
    30: "Of the six nails one was left.",
}
"""The sentences that contradict the edit, listed before anything was changed."""

OTHERS = {
    4: "She bought nails in the town.",
    12: "Six men stood at the quay.",
    25: "The nails of his left hand were black.",
}
"""Sentences that have a word of it and contradict nothing."""

CHANGE = {
    "was": "Six nails are in the window.",
    "now": "Four nails are in the window.",
    "about": ["window", "nails"],
    "words": ["nail", "six"],
}


class Editor(DemoAuthor):
    """Knows what a change is: the stand-in author writes all else."""

    def __init__(self, changes: list[dict[str, Any]], fails_at: str = "") -> None:
        super().__init__()
        self._fails_at = fails_at
        self.asked: list[Request] = []
        self._changes = changes

    async def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        if request.step == self._fails_at:
            raise BackendError("bad_request", "no answer")
        prompt = str(request.messages[1]["content"])
        if request.step.endswith("/change"):
            return Completion(json.dumps({"changes": self._changes, "gone": []}))
        if request.step.startswith("mend/find"):
            return Completion(json.dumps({"sentences": self._chosen(prompt)}))
        if request.step.startswith("mend/"):
            said = [one for one in CONTRADICTING.values() if one in prompt]
            patches = [{"find": one, "replace": one.replace("six", "four")} for one in said]
            return Completion(json.dumps({"patches": patches}))
        return await _AUTHOR(self, request)

    @property
    def steps(self) -> list[str]:
        return [one.step for one in self.asked]

    def _chosen(self, prompt: str) -> list[int]:
        block = prompt.partition("<sentences>\n")[2].partition("\n</sentences>")[0]
        told = [json.loads(line) for line in block.split("\n\n")]
        return [one["number"] for one in told if one["text"] in CONTRADICTING.values()]


_AUTHOR = DemoAuthor.complete


def add(book: ProjectFolder, number: int, sentence: str) -> None:
    """Put a sentence at the end of a chapter's text."""
    name = f"chapters/{number:02d}.md"
    book.write(name, f"{book.text(name).rstrip()}\n\n{sentence}\n")


def states(desk: Desk) -> Mapping[str, str]:
    return {
        one["unit"]: one["state"] for one in desk.run("status", "book", "--json").value["units"]
    }


@pytest.fixture(scope="module")
def novel(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A finished book of 30 chapters; sentences about some nails stand in seven of them."""
    desk = Desk(tmp_path_factory.mktemp("novel"))
    desk.written(size=SIZE)
    book = desk.project()
    told = {1: FACT, **CONTRADICTING, **OTHERS}
    for number, sentence in told.items():
        add(book, number, sentence)
    desk.run("resume", "book", "--refresh", backend=Editor([]))
    desk.run("adopt", "book", *(f"chapters/{number:02d}.md" for number in told))
    assert "stale" not in states(desk).values()
    return desk


@pytest.fixture
def desk(novel: Desk, tmp_path: Any) -> Desk:
    return novel.copied_to(tmp_path / "copy")


def changed(desk: Desk, old: str, new: str) -> ProjectFolder:
    book = desk.project()
    book.write("chapters/01.md", book.text("chapters/01.md").replace(old, new))
    return book


def test_finding_4_a_typo_costs_one_call_and_leaves_nothing_out_of_date(desk: Desk) -> None:
    book = changed(desk, "was shut", "was shutt")
    editor, before = Editor([]), book.chapters()
    ran = desk.run("resume", "book", "--refresh", backend=editor)
    assert ran.err.count("The stand-in author is not a language model") == 1
    assert editor.steps == ["canon/ch01/change"]
    assert "stale" not in states(desk).values()
    assert book.chapters() == before


@pytest.mark.slow
def test_finding_4_a_changed_fact_is_patched_where_it_is_contradicted_and_nowhere_else(
    desk: Desk,
) -> None:
    book = changed(desk, FACT, EDITED)
    editor, before = Editor([CHANGE]), book.chapters()
    ran = desk.run("resume", "book", "--refresh", "--yes", backend=editor)
    assert len(editor.asked) <= 3 + len(CONTRADICTING)
    assert editor.steps[0] == "canon/ch01/change"
    asked = [one for one in editor.steps if re.fullmatch(r"mend/ch\d\d", one)]
    assert asked == [f"mend/ch{number:02d}" for number in CONTRADICTING]
    after = book.chapters()
    others = [n for n in range(1, CHAPTERS + 1) if after[n - 1] != before[n - 1]]
    assert others == list(CONTRADICTING)
    for number, sentence in CONTRADICTING.items():
        mended = sentence.replace("six", "four")
        assert after[number - 1] == before[number - 1].replace(sentence, mended)
        assert f"-{sentence}" in ran.err
        assert f"+{mended}" in ran.err
        assert before[number - 1] in book.trash()
    assert "stale" not in states(desk).values()
    assert "four nails again" in book.text("manuscript.md")
    again = Editor([CHANGE])
    desk.run("resume", "book", "--refresh", backend=again)
    assert again.asked == []


@pytest.mark.slow
def test_a_dry_run_counts_what_mending_would_ask(desk: Desk) -> None:
    said = desk.run("resume", "book", "--refresh", "--dry-run").err.replace("\n", " ")
    assert "there is nothing to patch" in said
    book = changed(desk, FACT, EDITED)
    add(book, 12, "It rained.")
    sent = len(book.records("sent"))
    said = desk.run("resume", "book", "--refresh", "--dry-run").err.replace("\n", " ")
    assert "Besides, --refresh would read 2 chapters that you changed (a call each)" in said
    assert "at most 2 calls), and patch at most 29 later chapters" in said
    assert len(book.records("sent")) == sent


def test_a_chapter_that_was_deleted_is_made_again_and_is_no_edit(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    desk.folder.mkdir()
    desk.written()
    book = desk.project()
    before, paid = book.chapters(), len(book.records("sent"))
    book.path("chapters/02.md").unlink()
    said = desk.run("resume", "book", "--refresh", "--dry-run").err.replace("\n", " ")
    assert "there is nothing to patch" in said
    desk.run("resume", "book", "--refresh", "--yes")
    assert len(book.records("sent")) == paid
    assert book.chapters() == before


@pytest.mark.slow
def test_without_a_yes_nothing_is_changed_and_the_next_time_nothing_is_paid(desk: Desk) -> None:
    book = changed(desk, FACT, EDITED)
    before = book.chapters()
    ran = desk.run("resume", "book", "--refresh", backend=Editor([CHANGE]))
    assert "Nothing was changed" in ran.err
    assert book.chapters() == before
    again = Editor([CHANGE])
    desk.run("resume", "book", "--refresh", "--yes", backend=again)
    assert again.asked == []
    assert book.chapters()[6] != before[6]


@pytest.mark.slow
def test_what_the_author_edited_is_patched_only_with_replace_mine(desk: Desk) -> None:
    book = changed(desk, FACT, EDITED)
    add(book, 19, "I wrote this myself.")
    before = book.text("chapters/19.md")
    ran = desk.run("resume", "book", "--refresh", "--yes", backend=Editor([CHANGE]))
    assert "chapters/19.md is your own text" in ran.err
    assert book.text("chapters/19.md") == before
    options = ("--refresh", "--yes", "--replace-mine")
    desk.run("resume", "book", *options, backend=Editor([CHANGE]))
    assert book.text("chapters/19.md") == before.replace("six", "four")
    assert before in book.trash()
    assert states(desk)["chapters/19.md"] == "edited"


@pytest.mark.slow
def test_a_rewriting_asks_before_it_starts(desk: Desk) -> None:
    book = changed(desk, FACT, EDITED)
    before, sent = book.chapters(), len(book.records("sent"))
    ran = desk.run("resume", "book", "--rewrite", expect=2)
    assert "are then out of date" in ran.err
    assert "Add --yes" in ran.err
    assert (book.chapters(), len(book.records("sent"))) == (before, sent)


def test_a_mending_that_breaks_off_changes_nothing_and_goes_on_where_it_was(desk: Desk) -> None:
    book = changed(desk, FACT, EDITED)
    before, editor = book.chapters(), Editor([CHANGE], fails_at="mend/ch19")
    desk.run("resume", "book", "--refresh", "--yes", backend=editor, expect=7)
    assert book.chapters() == before
    again = Editor([CHANGE])
    desk.run("resume", "book", "--refresh", "--yes", backend=again)
    assert "mend/ch19" in again.steps
    assert not {"canon/ch01/change", "mend/find1", "mend/ch07"} & set(again.steps)
    assert book.chapters()[18] != before[18]


@pytest.mark.slow
def test_the_older_name_of_replace_mine_is_read(desk: Desk) -> None:
    ran = desk.run("redo", "book", "chapters", "--chapter", "2", "--force", "--dry-run")
    assert "chapters" in ran.out


SUMMARISED = [
    pytest.param(("--category", "Business"), id="facts"),
    pytest.param(("--no-story-bible",), id="no story bible"),
]
SMALL = ("--chapters", "8", "--scenes-per-chapter", "1", "--words", "1600", "--no-revision")


def summarised(desk: Desk, options: tuple[str, ...]) -> ProjectFolder:
    """A finished book without readings; sentences about the nails stand in chapters 1 and 7."""
    desk.written(*options, size=SMALL)
    book = desk.project()
    for number, sentence in ((1, FACT), (4, OTHERS[4]), (7, CONTRADICTING[7])):
        add(book, number, sentence)
    desk.run("resume", "book", "--refresh", backend=Editor([]))
    desk.run("adopt", "book", *(f"chapters/{number:02d}.md" for number in (1, 4, 7)))
    assert "stale" not in states(desk).values()
    return book


@pytest.fixture
def empty(tmp_path: Any) -> Desk:
    desk = Desk(tmp_path / "empty")
    desk.folder.mkdir()
    return desk


@pytest.mark.slow
@pytest.mark.parametrize("options", SUMMARISED)
def test_a_book_without_readings_is_mended_by_its_summaries(
    empty: Desk, options: tuple[str, ...]
) -> None:
    book = summarised(empty, options)
    changed(empty, FACT, EDITED)
    before, editor = book.chapters(), Editor([CHANGE])
    ran = empty.run("resume", "book", "--refresh", "--yes", backend=editor)
    assert editor.steps == ["mend/ch01/change", "mend/find1", "mend/ch07"]
    after = book.chapters()
    assert [n for n in range(1, 9) if after[n - 1] != before[n - 1]] == [7]
    assert "six" not in after[6]
    assert f"-{CONTRADICTING[7]}" in ran.err
    assert "stale" not in states(empty).values()
    rows = {row.partition("\t")[2] for row in empty.run("replay", "book").out.splitlines()[1:]}
    assert rows <= {"same", "kept", "older"}
    again = Editor([CHANGE])
    empty.run("resume", "book", "--refresh", backend=again)
    assert again.asked == []


@pytest.mark.parametrize("options", SUMMARISED)
def test_a_typo_in_a_book_without_readings_costs_one_call(
    empty: Desk, options: tuple[str, ...]
) -> None:
    summarised(empty, options)
    changed(empty, "was shut", "was shutt")
    editor = Editor([])
    empty.run("resume", "book", "--refresh", backend=editor)
    assert editor.steps == ["mend/ch01/change"]
    assert "stale" not in states(empty).values()


def test_patches_that_are_not_wanted_are_found_again_at_no_cost_without_readings(
    empty: Desk,
) -> None:
    book = summarised(empty, ("--no-story-bible",))
    changed(empty, FACT, EDITED)
    before = book.chapters()
    empty.run("resume", "book", "--refresh", backend=Editor([CHANGE]))
    assert book.chapters() == before
    again = Editor([CHANGE])
    empty.run("resume", "book", "--refresh", "--yes", backend=again)
    assert again.asked == []
    assert book.chapters()[6] != before[6]
