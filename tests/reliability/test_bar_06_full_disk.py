"""Bar 6: a disk that takes no more loses no reply that was paid for.

Again: .venv/bin/pytest -m "slow and not soak" tests/reliability/test_bar_06_full_disk.py
All of it: .venv/bin/pytest -m soak tests/reliability/test_bar_06_full_disk.py
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from tests.support.bars import Bar, Trial, Trials

from libriscribe2.project.lock import MIN_FREE_BYTES

BAR: Final = Bar(6, 6, "test_bar_06_full_disk.py")
SIZE: Final = ("--chapters", "3", "--scenes-per-chapter", "1", "--words", "300")
FULL: Final = 6
"""Exit code."""


def rescued(trial: Trial) -> list[Path]:
    """Replies that wait in the user's state folder."""
    home = trial.desk.environment["XDG_STATE_HOME"]
    return list(Path(str(home)).rglob("rescue/*.json"))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [9, pytest.param(20, marks=pytest.mark.soak)])
def test_bar_06_a_journal_that_cannot_grow_loses_no_paid_reply(
    trials: Trials, capsys: pytest.CaptureFixture[str], sizes: int
) -> None:
    whole, rng, saved = trials.new(SIZE), BAR.rng(), 0
    whole.run("create")
    largest = whole.book.path(".libriscribe/journal.jsonl").stat().st_size
    for number in range(sizes):
        trial = trials.new(SIZE)
        room = rng.randrange(largest // 20, largest)
        ran = trial.run("create", expect=FULL, room=room)
        assert [line for line in ran.err.splitlines() if line.startswith("error: ")]
        assert "Traceback" not in ran.err
        answered, stored = trial.answered(), trial.recorded()
        waiting = {path.stem.rpartition("-")[2] for path in rescued(trial)}
        assert set(answered) == stored | waiting, "a paid reply is nowhere"
        saved += len(waiting)
        trial.go_on()
        assert trial.repaid() == 0
        assert rescued(trial) == []
        assert trial.book.contents() == whole.book.contents(), number
    assert saved
    BAR.tell(capsys, f"{sizes} full disks; {saved} replies rescued, 0 lost", soak=sizes > 9)


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """A disk of so many bytes at `folder`; only root can make one."""
    mount = ("mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder))
    if os.name != "posix" or os.geteuid() != 0 or subprocess.run(mount, check=False).returncode:
        pytest.skip("mounting a small disk needs root and mount(8)")
    try:
        yield
    finally:
        subprocess.run(("umount", "-l", str(folder)), check=True)


@pytest.mark.soak
def test_bar_06_a_disk_without_room_for_a_reply_stops_the_run_before_it_pays(
    trials: Trials, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, trial = trials.new(SIZE), trials.new(SIZE)
    whole.run("create")
    with small_disk(trial.desk.folder, MIN_FREE_BYTES + 2**20):
        trial.run("create", "--until", "outline")
        paid = trial.answered()
        (trial.desk.folder / "film").write_bytes(bytes(2**20))
        ran = trial.run("resume", "book", expect=FULL)
        assert "almost full" in ran.err
        assert trial.answered() == paid
        (trial.desk.folder / "film").unlink()
        trial.go_on()
        assert trial.repaid() == 0
        assert trial.book.contents() == whole.book.contents()
    BAR.tell(capsys, "a full tmpfs: 0 calls, then the same book", soak=True)
