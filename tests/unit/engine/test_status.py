"""How a book stands, without running anything."""

import json
from pathlib import Path

import pytest
from tests.support.written_book import WrittenBook

from libriscribe2.engine.stages import book_status, check_artifacts, stages_of, units_of
from libriscribe2.errors import ProjectError
from libriscribe2.models.brief import Brief
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.project_view import ProjectView

BRIEF = Brief(premise="p")


@pytest.fixture
def book(tmp_path: Path) -> WrittenBook:
    return WrittenBook(tmp_path)


def view_of(book: WrittenBook) -> ProjectView:
    return ProjectView(book.paths, Manifest())


def test_XC_04_before_the_outline_chapters_are_one_line(book: WrittenBook) -> None:
    found = book_status(stages_of(BRIEF), BRIEF, view_of(book))
    assert [one.unit.output for one in found] == [
        "concept.json", "characters.json", "world.json", "outline.json", "style.json", "scenes.json",
        "chapters/*.md", ".libriscribe/canon/*.json", ".libriscribe/summaries/*.md",
        "manuscript.md",
    ]  # fmt: skip
    assert {one.state for one in found} == {"missing"}
    assert found[6].reason == "waits for outline.json"
    assert found[6].runs


def test_XC_04_after_the_outline_every_chapter_has_its_line(book: WrittenBook) -> None:
    book.chapters("# One\n", None)
    found = {one.unit.output: one for one in book_status(stages_of(BRIEF), BRIEF, view_of(book))}
    assert found["chapters/01.md"].state == "edited"
    assert found["chapters/02.md"].runs
    assert found["chapters/02.md"].unit.step == "chapters/ch02"


def test_XC_04_units_of_a_stage(book: WrittenBook) -> None:
    stages = {stage.name: stage for stage in stages_of(BRIEF)}
    outline, chapters = stages["outline"], stages["chapters"]
    assert units_of(chapters, view_of(book)) == []
    book.chapters(None, None)
    assert [unit.output for unit in units_of(outline, view_of(book))] == ["outline.json"]
    assert [unit.chapter for unit in units_of(chapters, view_of(book))] == [1, 2]


def test_XC_04_a_damaged_artifact_is_found_before_anything_runs(book: WrittenBook) -> None:
    book.chapters("# One\n")
    check_artifacts(stages_of(BRIEF), view_of(book))
    book.write("world.json", json.dumps({"overview": " "}))
    with pytest.raises(ProjectError, match=r"world\.json") as caught:
        check_artifacts(stages_of(BRIEF), view_of(book))
    assert caught.value.why.startswith("overview: ")
    book.write("world.json", json.dumps({"overview": "o"}))
    book.write("chapters/01.md", "  \n")
    with pytest.raises(ProjectError, match=r"chapters/01\.md is empty"):
        check_artifacts(stages_of(BRIEF), view_of(book))
