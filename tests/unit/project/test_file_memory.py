"""What is remembered of files is never older than the files."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from libriscribe2.errors import ProjectError
from libriscribe2.project.project_view import MOST_BYTES, MOST_FILES, FileContent, FileMemory

LONG_AFTER = 10**10
"""Nanoseconds: ten seconds."""


class Clock:
    """The time as a file's own, and some more."""

    def __init__(self, path: Path, later: int = LONG_AFTER) -> None:
        self.path = path
        self.later = later

    def __call__(self) -> int:
        if not self.path.exists():
            return self.later
        found = self.path.stat()
        return max(found.st_mtime_ns, found.st_ctime_ns) + self.later


@pytest.fixture
def chapter(tmp_path: Path) -> Path:
    path = tmp_path / "01.md"
    path.write_bytes(b"The lamp.\n")
    return path


def data(content: FileContent | None) -> bytes | None:
    return None if content is None else content.data


def test_a_file_that_stays_is_read_once(chapter: Path) -> None:
    memory = FileMemory(Clock(chapter))
    first = memory.find("chapters/01.md", chapter)
    assert data(first) == b"The lamp.\n"
    assert memory.find("chapters/01.md", chapter) is first


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
def test_XC_04_an_edit_of_the_same_length_is_seen(
    chapter: Path, edit: Callable[[Path], None]
) -> None:
    memory = FileMemory(Clock(chapter))
    old = chapter.stat()
    assert data(memory.find("chapters/01.md", chapter)) == b"The lamp.\n"
    edit(chapter)
    while chapter.stat().st_ctime_ns == old.st_ctime_ns:  # the system's clock ticks
        edit(chapter)
    assert data(memory.find("chapters/01.md", chapter)) == b"The dark.\n"


@pytest.mark.parametrize("later", [0, 10**6, -LONG_AFTER])
def test_a_file_that_was_changed_just_now_is_read_again(chapter: Path, later: int) -> None:
    memory = FileMemory(Clock(chapter, later))
    first = memory.find("chapters/01.md", chapter)
    assert memory.find("chapters/01.md", chapter) is not first


def test_a_change_while_a_file_is_read_is_not_taken_for_what_was_read(chapter: Path) -> None:
    class Slow(type(Path())):  # type: ignore[misc]
        def read_bytes(self) -> bytes:
            clock.later = LONG_AFTER
            return bytes(super().read_bytes())

    clock = Clock(chapter, 0)
    memory, path = FileMemory(clock), Slow(chapter)
    first = memory.find("chapters/01.md", path)
    assert memory.find("chapters/01.md", path) is not first


class Coarse(type(Path())):  # type: ignore[misc]
    """A path on a file system that keeps whole seconds."""

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        found = super().stat(follow_symlinks=follow_symlinks)
        times = {"st_mtime_ns": 10**18, "st_ctime_ns": 10**18}
        return os.stat_result((*found[:7], 10**9, 10**9, 10**9), times)


@pytest.mark.parametrize(("later", "is_kept"), [(2 * 10**9, False), (4 * 10**9, True)])
def test_whole_seconds_are_trusted_later(chapter: Path, later: int, is_kept: bool) -> None:
    path = Coarse(chapter)
    memory = FileMemory(lambda: 10**18 + later)
    first = memory.find("chapters/01.md", path)
    assert (memory.find("chapters/01.md", path) is first) == is_kept


def test_a_file_that_is_gone_is_none(chapter: Path) -> None:
    memory = FileMemory(Clock(chapter))
    assert memory.find("chapters/01.md", chapter) is not None
    chapter.unlink()
    assert memory.find("chapters/01.md", chapter) is None
    assert memory.find("chapters", chapter.parent) is None
    assert memory.find("chapters/01.md/x", chapter / "x") is None


def test_a_file_that_cannot_be_looked_at_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="name"):
        FileMemory().find("x", tmp_path / ("x" * 300))


def test_a_long_file_is_not_kept(chapter: Path) -> None:
    memory = FileMemory(Clock(chapter))
    chapter.write_bytes(b"x" * (MOST_BYTES + 1))
    first = memory.find("chapters/01.md", chapter)
    assert memory.find("chapters/01.md", chapter) is not first


def test_only_so_many_are_kept(chapter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_FILES > 3 * 1_000, "a book of a thousand chapters has three files for each"
    monkeypatch.setattr("libriscribe2.project.project_view.MOST_FILES", 1)
    memory, other = FileMemory(Clock(chapter)), chapter.with_name("02.md")
    other.write_bytes(b"Night.\n")
    first = memory.find("chapters/01.md", chapter)
    assert data(memory.find("chapters/02.md", other)) == b"Night.\n"
    assert memory.find("chapters/01.md", chapter) is not first


def test_a_text_is_decoded_once_and_its_fault_told_each_time() -> None:
    content = FileContent("chapters/01.md", b"\xef\xbb\xbfThe lamp.\r\n")
    assert content.text == "The lamp.\n"
    assert content.text is content.text
    broken = FileContent("chapters/01.md", b"\xff")
    for _ in range(2):
        with pytest.raises(ProjectError, match="UTF-8"):
            _ = broken.text
