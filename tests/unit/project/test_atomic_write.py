import errno
import os
import stat
from pathlib import Path

import pytest
from tests.support.project_faults import FailingOps, QuickOps, RecordingOps, ShortOps
from typing_extensions import override

from libriscribe2.project.atomic import (
    PRIVATE,
    SYSTEM,
    atomic_create,
    atomic_write,
    leftovers,
    make_folder,
    replace_file,
    sync_folder,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    return path


def test_XC_05_the_new_content_is_there_and_nothing_else(file: Path) -> None:
    atomic_write(file, b"new")
    assert file.read_bytes() == b"new"
    assert list(file.parent.iterdir()) == [file]


def test_XC_05_a_write_in_parts_is_whole(file: Path) -> None:
    atomic_write(file, b"0123456789" * 10, ops=ShortOps())
    assert file.read_bytes() == b"0123456789" * 10


def test_XC_05_data_and_name_are_synced_in_that_order(file: Path) -> None:
    ops = RecordingOps(file.parent)
    atomic_write(file, b"new", ops=ops)
    assert ops.calls == ["open", "write", "fsync", "replace", "open", "fsync"]


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
def test_XC_05_a_refusal_leaves_the_old_content(file: Path, call: str) -> None:
    with pytest.raises(OSError, match="No space"):
        atomic_write(file, b"new", ops=FailingOps(1, code=errno.ENOSPC, names=(call,)))
    assert file.read_bytes() == b"old"
    assert list(file.parent.iterdir()) == [file]


def test_XC_05_the_first_refusal_is_told_when_cleaning_up_fails_too(file: Path) -> None:
    with pytest.raises(OSError, match="Input/output"):
        atomic_write(file, b"new", ops=FailingOps(1, 2, code=errno.EIO, names=("write", "unlink")))
    assert [path.name for path in leftovers(file.parent)] == [f".a.txt.{os.getpid()}.tmp"]


def test_XC_05_only_own_temporary_files_are_leftovers(tmp_path: Path) -> None:
    (tmp_path / "chapters").mkdir()
    for name in (".a.json.12.tmp", "chapters/.01.md.7.tmp", ".b.tmp", "c.1.tmp", ".d.txt"):
        (tmp_path / name).write_text("", encoding="utf-8")
    found = sorted(path.relative_to(tmp_path).as_posix() for path in leftovers(tmp_path))
    assert found == [".a.json.12.tmp", "chapters/.01.md.7.tmp"]


def test_create_never_replaces(file: Path) -> None:
    with pytest.raises(FileExistsError):
        atomic_create(file, b"new")
    assert file.read_bytes() == b"old"


def test_create_makes_a_private_file(tmp_path: Path) -> None:
    atomic_create(tmp_path / "b", b"new", mode=PRIVATE)
    assert (tmp_path / "b").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "b").stat().st_mode) == 0o600


def test_a_file_for_review_only_is_whole_but_not_waited_for(tmp_path: Path) -> None:
    ops = QuickOps()
    atomic_create(tmp_path / "b", b"new", ops=ops, durable=False)
    assert (tmp_path / "b").read_bytes() == b"new"
    assert "fsync" not in ops.calls


def test_create_gives_the_name_back_when_it_fails(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        atomic_create(tmp_path / "b", b"x", ops=FailingOps(1, code=errno.ENOSPC, names=("write",)))
    assert list(tmp_path.iterdir()) == []


def test_folders_are_made_and_each_name_is_synced(tmp_path: Path) -> None:
    ops = QuickOps()
    make_folder(tmp_path / "a" / "b", ops=ops)
    make_folder(tmp_path / "a" / "b", ops=ops)
    assert (tmp_path / "a" / "b").is_dir()
    assert ops.calls == ["open", "fsync"] * 2


def test_a_file_in_place_of_a_folder_is_an_error(file: Path) -> None:
    with pytest.raises(OSError, match="exists"):
        make_folder(file)


def test_windows_has_no_folders_to_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ops = QuickOps()
    with monkeypatch.context() as windows:
        windows.setattr(os, "name", "nt")
        sync_folder(tmp_path, ops)
    assert ops.calls == []


class HeldOps(QuickOps):
    """Another program holds the target open for the first attempts."""

    def __init__(self, attempts: int) -> None:
        super().__init__()
        self.attempts = attempts

    @override
    def replace(self, source: Path, target: Path, /) -> None:
        self.attempts -= 1
        if self.attempts >= 0:
            raise PermissionError(errno.EACCES, "held")
        super().replace(source, target)


def test_a_held_target_is_tried_again(file: Path) -> None:
    new, pauses = file.with_name("new"), list[float]()
    new.write_bytes(b"new")
    replace_file(new, file, ops=HeldOps(2), attempts=3, pause=pauses.append)
    assert file.read_bytes() == b"new"
    assert pauses == [0.05, 0.05]


def test_a_target_that_stays_held_is_an_error(file: Path) -> None:
    with pytest.raises(PermissionError):
        replace_file(file, file, ops=HeldOps(3), attempts=3, pause=lambda _: None)


def test_a_free_target_is_replaced_at_once(file: Path) -> None:
    new = file.with_name("new")
    new.write_bytes(b"new")
    replace_file(new, file, ops=SYSTEM, attempts=3, pause=lambda _: pytest.fail("it waited"))
    assert file.read_bytes() == b"new"


class TakenOps(QuickOps):
    """Git or a sync takes the new file away before it has its name, so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    @override
    def replace(self, source: Path, target: Path, /) -> None:
        self.times -= 1
        if self.times >= 0:
            source.unlink()
        super().replace(source, target)


def test_XC_05_a_new_file_that_is_taken_away_is_written_once_more(file: Path) -> None:
    atomic_write(file, b"new", ops=TakenOps(1))
    assert file.read_bytes() == b"new"
    with pytest.raises(FileNotFoundError):
        atomic_write(file, b"newer", ops=TakenOps(2))
    assert file.read_bytes() == b"new"
    assert list(file.parent.iterdir()) == [file]
