"""Tests of what is kept of a file before it is replaced."""

from pathlib import Path

import pytest
from tests.support.project_faults import Crash, DyingOps, QuickOps

from libriscribe2.project.lock import Machine, put_in_trash
from libriscribe2.project.paths import ProjectPaths


def paths_in(folder: Path) -> ProjectPaths:
    paths = ProjectPaths(root=folder / "book", debug=folder / "debug")
    paths.state.mkdir(parents=True)
    return paths


@pytest.mark.parametrize("step", range(1, 9))
def test_XC_04_a_death_leaves_no_half_copy_to_be_put_back(tmp_path: Path, step: int) -> None:
    paths = paths_in(tmp_path)
    ended = False
    try:
        put_in_trash(paths, "outline.json", b'{"a": 1}', Machine(ops=DyingOps(step)))
        ended = True
    except Crash:
        pass
    copies = [path for path in paths.trash.glob("*outline.json") if not path.name.startswith(".")]
    assert all(path.read_bytes() == b'{"a": 1}' for path in copies)
    assert copies or not ended


def test_XC_04_two_copies_of_one_second_are_both_kept(tmp_path: Path) -> None:
    paths = paths_in(tmp_path)
    machine = Machine(ops=QuickOps())
    names = {put_in_trash(paths, "chapters/03.md", text, machine) for text in (b"one", b"two")}
    assert {(paths.root / name).read_bytes() for name in names} == {b"one", b"two"}
