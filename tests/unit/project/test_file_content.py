"""What a view tells of a file is what the file holds now."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from libriscribe2.errors import ProjectError, StorageError
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.project_view import FileContent, ProjectView

CHAPTER = "chapters/01.md"


@pytest.fixture
def view(tmp_path: Path) -> ProjectView:
    (tmp_path / "chapters").mkdir()
    (tmp_path / CHAPTER).write_bytes(b"The lamp.\n")
    return ProjectView(ProjectPaths(tmp_path, tmp_path / "debug"), Manifest())


def replaced(path: Path) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(b"The dark.\n")
    other.replace(path)


def written_over(path: Path) -> None:
    path.write_bytes(b"The dark.\n")


def given_its_old_time(path: Path) -> None:
    times = path.stat()
    path.write_bytes(b"The dark.\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.mark.parametrize("edit", [replaced, written_over, given_its_old_time])
def test_XC_04_an_edit_of_the_same_length_is_seen_at_once(
    view: ProjectView, edit: Callable[[Path], None]
) -> None:
    before = view.sha(CHAPTER)
    assert view.read_text(CHAPTER) == "The lamp.\n"
    edit(view.paths.root / CHAPTER)
    assert view.read_text(CHAPTER) == "The dark.\n"
    assert view.sha(CHAPTER) != before


def test_a_file_that_is_gone_is_none(view: ProjectView) -> None:
    assert view.find(CHAPTER) is not None
    (view.paths.root / CHAPTER).unlink()
    assert view.find(CHAPTER) is None
    assert view.find("chapters") is None


def test_a_file_that_cannot_be_looked_at_is_an_error(view: ProjectView) -> None:
    with pytest.raises(StorageError):
        view.find("x" * 300)


def test_a_text_is_decoded_and_its_fault_told_each_time() -> None:
    assert FileContent(CHAPTER, b"\xef\xbb\xbfThe lamp.\r\n").text == "The lamp.\n"
    broken = FileContent(CHAPTER, b"\xff")
    for _ in range(2):
        with pytest.raises(ProjectError, match="UTF-8"):
            _ = broken.text
