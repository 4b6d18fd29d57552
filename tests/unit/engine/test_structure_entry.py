import json
from pathlib import Path
from typing import Any

import pytest

from libriscribe2.engine.stages import input_sha
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import OUTLINE, SCENES, ProjectPaths
from libriscribe2.project.project_view import ProjectView


@pytest.fixture
def view(tmp_path: Path) -> ProjectView:
    return ProjectView(ProjectPaths(tmp_path, tmp_path / "debug"), Manifest())


def put(view: ProjectView, name: str, *entries: Any) -> None:
    whole = {"chapters": list(entries)}
    (view.paths.root / name).write_text(json.dumps(whole), encoding="utf-8")


def test_XC_04_a_chapter_works_from_its_own_entry_only(view: ProjectView) -> None:
    put(view, OUTLINE, {"title": "A"}, {"title": "B"})
    first, second, whole = (input_sha(OUTLINE, number, view) for number in (1, 2, None))
    put(view, OUTLINE, {"title": "A"}, {"title": "C"}, {"title": "D"})
    assert input_sha(OUTLINE, 1, view) == first
    assert input_sha(OUTLINE, 2, view) != second
    assert input_sha(OUTLINE, None, view) != whole


def test_XC_04_another_number_alone_is_no_change(view: ProjectView) -> None:
    put(view, SCENES, {"chapter": 1, "scenes": ["x"]}, {"chapter": 2, "scenes": ["y"]})
    before = input_sha(SCENES, 1, view)
    put(view, SCENES, {"chapter": 1, "scenes": ["z"]}, {"chapter": 2, "scenes": ["x"]})
    assert input_sha(SCENES, 2, view) == before
    assert input_sha(SCENES, 1, view) != before


def test_an_entry_that_is_not_there_is_none(view: ProjectView) -> None:
    assert input_sha(OUTLINE, 1, view) is None
    put(view, OUTLINE, {"title": "A"})
    assert input_sha(OUTLINE, 2, view) is None


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"chapters": 3}'])
def test_what_is_no_plan_counts_as_a_whole(view: ProjectView, text: str) -> None:
    (view.paths.root / OUTLINE).write_text(text, encoding="utf-8")
    assert input_sha(OUTLINE, 1, view) == view.sha(OUTLINE)


def test_an_entry_of_another_kind_is_hashed_as_it_is(view: ProjectView) -> None:
    put(view, OUTLINE, "A", "B")
    assert input_sha(OUTLINE, 1, view) != input_sha(OUTLINE, 2, view)


def test_other_files_count_as_a_whole(view: ProjectView) -> None:
    (view.paths.root / "concept.json").write_text("{}", encoding="utf-8")
    assert input_sha("concept.json", 1, view) == view.sha("concept.json")
