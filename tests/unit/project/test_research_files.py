"""The folder of research: saved texts, their records, and the author's own files."""

import re
from pathlib import Path

import pytest

from libriscribe2.errors import ProjectError
from libriscribe2.models.notes import NotesFile, Source, SourcesFile
from libriscribe2.project.paths import RESEARCH_FETCHED, RESEARCH_SOURCES, ProjectPaths
from libriscribe2.project.research_files import ResearchFolder, saved_text, source_id

SOURCE = Source(
    id=source_id("web", "http://a.example/"),
    kind="web",
    title="T",
    place="http://a.example/",
    sha256="0" * 64,
    retrieved="2026-03-31",
)


@pytest.fixture
def folder(tmp_path: Path) -> ResearchFolder:
    (tmp_path / "book").mkdir()
    return ResearchFolder(ProjectPaths(tmp_path / "book", tmp_path / "debug"))


def test_a_text_comes_back_as_it_was_saved(folder: ResearchFolder) -> None:
    document = saved_text(SOURCE, [("One", "First.\n\nSecond."), ("", " \n"), ("Two", "Third.")])
    folder.save(document)
    assert folder.load(SOURCE.id) == document
    assert folder.saved_ids() == (SOURCE.id,)
    assert document.text == "First.\n\nSecond.\n\nThird."


def test_every_place_has_a_locator(folder: ResearchFolder) -> None:
    document = saved_text(SOURCE, [("One", "First.\n\nSecond."), ("Two", "Third.")])
    assert [document.locator(document.text.index(word)) for word in ("Sec", "Th")] == ["One", "Two"]
    plain = saved_text(SOURCE, [("", "First.\n\nSecond.\n \n\nThird.")])
    assert plain.locator(0) == "paragraph 1, “First.”"
    assert plain.locator(plain.text.index("Third")) == "paragraph 3, “Third.”"


def test_an_edited_text_is_told(folder: ResearchFolder) -> None:
    folder.save(saved_text(SOURCE, [("", "First.")]))
    path = folder.paths.root / RESEARCH_FETCHED / f"{SOURCE.id}.md"
    path.write_text("Second.", encoding="utf-8")
    loaded = folder.load(SOURCE.id)
    assert loaded is not None
    assert not loaded.whole


@pytest.mark.parametrize("damage", ["", "{", '{"source": 1}'])
def test_a_damaged_record_is_as_good_as_none(folder: ResearchFolder, damage: str) -> None:
    folder.save(saved_text(SOURCE, [("", "First.")]))
    record = folder.paths.root / RESEARCH_FETCHED / f"{SOURCE.id}.json"
    record.write_text(damage, encoding="utf-8")
    assert folder.load(SOURCE.id) is None


def test_one_place_has_one_id() -> None:
    assert source_id("web", "http://a.example/") == SOURCE.id
    assert source_id("file", "http://a.example/") != SOURCE.id


def test_own_files_are_listed_in_order_without_hidden_ones(folder: ResearchFolder) -> None:
    assert folder.own_files() == ()
    root = folder.paths.root / RESEARCH_SOURCES
    for name in ("b10.md", "b9.md", ".hidden.md", "a/.git/x.md", "a/c.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x", encoding="utf-8")
    assert folder.own_files() == ("a/c.md", "b9.md", "b10.md")


@pytest.mark.parametrize("name", ["../book.toml", "a/../../b", "a\\b", "a:b"])
def test_a_name_that_leads_out_is_refused(folder: ResearchFolder, name: str) -> None:
    with pytest.raises(ProjectError):
        folder.own_path(name)


def test_a_changed_file_has_another_hash(folder: ResearchFolder) -> None:
    path = folder.paths.root / RESEARCH_SOURCES / "a.md"
    path.parent.mkdir(parents=True)
    path.write_text("one", encoding="utf-8")
    before = folder.own_sha("a.md")
    assert folder.own_sha("a.md") == before
    path.write_text("two and more", encoding="utf-8")
    assert folder.own_sha("a.md") != before
    assert folder.own_size("a.md") == 12


def test_empty_files_of_notes_and_sources_hold_none() -> None:
    assert NotesFile.model_validate({"notes": None}).notes == []
    assert SourcesFile.model_validate({}).sources == []


def test_a_source_of_very_many_parts_tells_every_place() -> None:
    document = saved_text(SOURCE, [(f"Part {number}", "Salt.") for number in range(20_000)])
    places = [section.start for section in document.saved.sections]
    assert [document.locator(place) for place in places] == [
        section.locator for section in document.saved.sections
    ]
    assert document.saved.locator(places[1] - 1) == ""
    plain = saved_text(SOURCE, [("", "Salt.\n \n\nOil.\n\n" * 10_000)])
    ends = [match.end() for match in re.finditer("[.]", plain.text)]
    assert [plain.locator(end) for end in ends] == [
        f"paragraph {number}, “{'Salt' if number % 2 else 'Oil'}.”" for number in range(1, 20_001)
    ]
