"""Bar 7: where it may not write or read, the program says so before the first paid call.

Again: .venv/bin/pytest tests/reliability/test_bar_07_rights.py
"""

import os
from pathlib import Path
from typing import Final

import pytest
from tests.support.bars import Bar, Trials
from tests.support.desk import SMALL

BAR: Final = Bar(7, 7, "test_bar_07_rights.py")
SIZE: Final = (*SMALL, "--no-revision")
AFTER_ONE: Final = 12
"""Number of a call that comes after the first chapter and before the second."""
REFUSED: Final = 6
"""Exit code."""

BAD_SETTINGS: Final = 3
"""Exit code where it is the settings of the book that cannot be read."""

NOTHING: Final = 0
NO_WRITING: Final = 0o555
FAULTS: Final = {
    "projects/book": (NO_WRITING, REFUSED),
    "projects/book/.libriscribe": (NO_WRITING, REFUSED),
    "projects/book/.libriscribe/journal.jsonl": (0o444, REFUSED),
    "projects/book/chapters/01.md": (NOTHING, REFUSED),
    "projects/book/chapters": (NOTHING, REFUSED),
    "projects/book/concept.json": (NOTHING, REFUSED),
    "projects/book/book.toml": (NOTHING, BAD_SETTINGS),
}
LATER: Final = ("debug/book", "projects/book/chapters")
"""Folders of which only the first write tells that it is refused."""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")


def spoil(path: Path, mode: int) -> None:
    """Take rights away; what is in a folder that may not be written may not be written either."""
    path.chmod(mode)
    if path.is_dir() and mode == NO_WRITING:
        for below in path.rglob("*"):
            below.chmod(NO_WRITING if below.is_dir() else 0o444)


def mend(folder: Path) -> None:
    """Give all rights back."""
    folder.chmod(0o755)
    for path in folder.iterdir():
        if path.is_dir():
            mend(path)
        else:
            path.chmod(0o644)


def test_bar_07_missing_rights_are_told_before_anything_is_paid_for(
    trials: Trials, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = trials.new(SIZE)
    begun.run("create", dies_at=AFTER_ONE, expect=-9)
    for name, (mode, code) in FAULTS.items():
        trial = trials.like(begun)
        spoil(trial.desk.folder / name, mode)
        before = trial.answered()
        ran = trial.run("resume", "book", expect=code, obeys_rights=True)
        assert len([line for line in ran.err.splitlines() if line.startswith("error: ")]) == 1, name
        assert "Traceback" not in ran.err
        assert "ermission" in ran.err, name
        assert trial.answered() == before, name
        mend(trial.desk.folder)
        trial.run("resume", "book")
    BAR.tell(capsys, f"{len(FAULTS)} refusals, 0 calls, each resumed after")


@pytest.mark.parametrize("name", LATER)
def test_bar_07_a_reply_that_finds_a_folder_shut_is_kept(trials: Trials, name: str) -> None:
    trial = trials.new(SIZE)
    trial.run("create", dies_at=AFTER_ONE, expect=-9)
    spoil(trial.desk.folder / name, NO_WRITING)
    ran = trial.run("resume", "book", expect=REFUSED, obeys_rights=True)
    assert "ermission" in ran.err
    assert set(trial.answered()) == trial.recorded()
    mend(trial.desk.folder)
    trial.run("resume", "book")
    assert trial.repaid() == 0


def test_bar_07_a_folder_for_projects_that_may_not_be_written_is_told_by_create(
    trials: Trials,
) -> None:
    trial = trials.new()
    trial.desk.folder.chmod(NO_WRITING)
    ran = trial.run("create", expect=REFUSED, obeys_rights=True)
    assert "ermission" in ran.err
    assert trial.answered() == {}
    trial.desk.folder.chmod(0o755)
