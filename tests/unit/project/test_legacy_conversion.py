import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.legacy_project import IDEA, PERSON, SCENE, OldFolder, without, wrapper

from libriscribe2.errors import ProjectError
from libriscribe2.project.book_file import read_book_toml
from libriscribe2.project.legacy import convert, is_legacy, read_legacy
from libriscribe2.project.lock import Machine
from libriscribe2.project.paths import CONCEPT, OUTLINE, SCENES, ProjectPaths, chapter_file
from libriscribe2.project.store import ProjectStore


def test_OV_44_the_outline_is_read_from_the_state(old: OldFolder) -> None:
    chapters = [
        {"title": "Tide", "summary": "It rises."},
        {"title": "Ebb", "summary": "It falls."},
    ]
    assert old.read(OUTLINE) == {"summary": "A long tale.", "chapters": chapters}


OUTLINE_MD = """# Book Summary

A summer.

# Chapter List
2 chapters:
**Chapter 1: Tide**
**Chapter 2: Ebb**

# Chapter Details

## Chapter 1: Tide
The water rises over the pier.

- Event one

## Chapter 2 - Ebb

The water falls.
"""


def test_OV_44_the_outline_is_read_from_its_markdown(old: OldFolder) -> None:
    old.state(**without("chapters"))
    assert old.read(OUTLINE) is None
    old.text("outline.md", OUTLINE_MD.replace("**Chapter 2: Ebb**", "Chapter 2: Ebb"))
    assert old.read(OUTLINE) == {
        "summary": "A summer.",
        "chapters": [
            {"title": "Tide", "summary": "The water rises over the pier.\n\n- Event one"},
            {"title": "Ebb", "summary": "The water falls."},
        ],
    }


def test_OV_44_an_outline_with_holes_is_filled_from_its_markdown_or_left(old: OldFolder) -> None:
    holes = {"1": {"title": ""}, "2": {"title": "Ebb", "summary": "It falls."}}
    old.state(**without("description", chapters=holes))
    assert old.read(OUTLINE) is None
    old.text("outline.md", "## Chapter 1\nIt rises.\n")
    assert old.read(OUTLINE) == {
        "summary": "It rises.",
        "chapters": [
            {"title": "Chapter 1", "summary": "It rises."},
            {"title": "Ebb", "summary": "It falls."},
        ],
    }


def test_OV_44_scenes_are_read_from_the_state_or_their_file(old: OldFolder) -> None:
    scene = {
        "summary": "They meet. Mood: dread",
        "goal": "To part",
        "conflict": "",
        "outcome": "",
        "characters": ["Ana", "Bo"],
        "place": "The pier",
    }
    planned = [
        {"chapter": 1, "title": "Tide", "scenes": [scene]},
        {"chapter": 2, "title": "Ebb", "scenes": [scene]},
    ]
    assert old.read(SCENES) == {"chapters": planned}
    bare = {"1": [SCENE], "2": [{"summary": "Alone."}], "10": [SCENE]}
    old.json("scenes.json", {key: bare[key] for key in ("2", "1")})
    alone = {**scene, "summary": "Alone.", "goal": "", "characters": [], "place": ""}
    assert old.read(SCENES)["chapters"][1] == {**planned[1], "scenes": [alone]}
    old.json("scenes.json", bare)
    assert old.read(SCENES) == {"chapters": planned}


@pytest.mark.parametrize("scenes", [[], None, [{"goal": "x"}], ["text"]])
def test_OV_44_a_chapter_without_scenes_leaves_the_plan_to_be_made(
    old: OldFolder, scenes: Any
) -> None:
    old.state(**without(chapters={"1": {"title": "Tide", "summary": "x", "scenes": scenes}}))
    assert old.read(SCENES) is None


def test_OV_44_chapters_are_taken_over_as_they_are(old: OldFolder) -> None:
    old.text("chapter_1.md", "# Chapter 1: Tide\r\n\r\nText.\r\n")
    old.text("chapter_12.md", "Twelve.\n")
    old.text("chapter_2.md", "")
    for name in ("chapter_01_scene_01.md", "review_chapter_1.md", "edited_chapter_1.md"):
        old.text(name, "not a chapter")
    found = read_legacy(old.paths.root).artifacts
    assert found[chapter_file(1)] == "# Chapter 1: Tide\n\nText.\n"
    assert found[chapter_file(12)] == "Twelve.\n"
    assert sum(name.startswith("chapters/") for name in found) == 2


def test_OV_44_nothing_of_the_original_is_lost(old: OldFolder, machine: Machine) -> None:
    old.json("concept.json", wrapper(json.dumps(IDEA)))
    old.json("scenes.json", {"1": [SCENE], "2": [SCENE]})
    old.text("chapter_1.md", "Text.\n")
    before = {path.name: path.read_bytes() for path in old.paths.root.iterdir()}
    assert is_legacy(old.paths)
    with ProjectStore.open(old.paths, machine) as store:
        convert(store)
        kept = [path.read_bytes() for path in store.paths.trash.iterdir()]
        assert sorted(kept) == sorted([before["concept.json"], before["scenes.json"]])
        for name in ("project_data.json", "chapter_1.md"):
            assert (store.paths.root / name).read_bytes() == before[name]
        assert store.read_json(CONCEPT)["concept"] == IDEA
        assert "été" in store.read_text(CONCEPT)
        assert store.state(CONCEPT, {}).kind == "edited"
        assert store.read_text(chapter_file(1)) == "Text.\n"
    assert read_book_toml(old.paths.book_toml)["book"]["title"] == "L'été"
    assert not is_legacy(old.paths)


def test_OV_44_an_interrupted_conversion_is_done_again(old: OldFolder, machine: Machine) -> None:
    old.state(**without("characters"))
    old.json("characters.json", {"Ana": PERSON})
    with ProjectStore.open(old.paths, machine) as store:
        first = convert(store)
        contents = {name: store.read_text(name) for name in first.artifacts}
        old.paths.book_toml.unlink()
        convert(store)
        assert {name: store.read_text(name) for name in first.artifacts} == contents
        assert len(list(store.paths.trash.iterdir())) == 1
    assert not is_legacy(old.paths)


def test_a_folder_of_this_program_is_not_old(paths: ProjectPaths, tmp_path: Path) -> None:
    assert not is_legacy(paths)
    with pytest.raises(ProjectError, match="not a project file"):
        read_legacy(tmp_path)


@pytest.mark.parametrize(
    ("text", "told"),
    [("{", "not valid JSON"), ("[]", "not a project file"), ("\udcff", "not UTF-8")],
)
def test_a_damaged_state_file_is_told_and_left(old: OldFolder, text: str, told: str) -> None:
    path = old.paths.root / "project_data.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ProjectError, match=told) as caught:
        read_legacy(old.paths.root)
    assert "project_data.json" in caught.value.what
    assert path.read_bytes() == text.encode("utf-8", "surrogateescape")


def test_a_link_that_leads_out_is_refused(old: OldFolder, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    (old.paths.root / "chapter_1.md").symlink_to(tmp_path / "secret")
    with pytest.raises(ProjectError, match="leads out"):
        read_legacy(old.paths.root)
