"""Bar 5: a system call that fails is one line on stderr, and the next run goes on.

Again: .venv/bin/pytest -m soak tests/reliability/test_bar_05_syscall_errors.py
"""

from collections import Counter
from typing import Final

import pytest
from tests.support.bars import Bar, Trials
from tests.support.syscalls import moments, under_strace, why_not

BAR: Final = Bar(5, 5, "test_bar_05_syscall_errors.py")
SIZE: Final = ("--chapters", "3", "--scenes-per-chapter", "1", "--words", "300")
CREATE: Final = ("create", "--max-concurrency", "1")
CALLS: Final = {
    "ENOSPC": ("openat", "write", "fsync", "rename", "mkdir"),
    "EIO": ("write", "fsync", "rename", "ftruncate", "unlink"),
    "EACCES": ("openat", "rename", "unlink", "mkdir"),
    "EMFILE": ("openat",),
}
PARTS: Final = 4
ERRORS: Final = 25
"""In each part, so that several processors share the work."""

STORAGE: Final = 6
"""Exit code; 0 where the call was for a log that no book depends on."""

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("error", CALLS)
def test_bar_05_a_failed_call_is_one_line_and_the_next_run_goes_on(
    trials: Trials, capsys: pytest.CaptureFixture[str], error: str, part: int
) -> None:
    if reason := why_not():
        pytest.skip(reason)
    whole = trials.new(SIZE)
    found = [one for one in moments(whole, *CREATE) if one.name in CALLS[error]]
    rng, codes = BAR.rng((error, part)), Counter[int]()
    for moment in (rng.choice(found) for _ in range(ERRORS)):
        trial = trials.new(SIZE)
        ran = under_strace(trial, CREATE, f"trace={moment.name}", moment.inject(f"error={error}"))
        codes[ran.code] += 1
        case = f"{error} at {moment}: {ran}"
        assert ran.code in (0, STORAGE), case
        assert "Traceback" not in ran.err, case
        told = [line for line in ran.err.splitlines() if line.startswith("error: ")]
        assert len(told) == (ran.code == STORAGE), case
        trial.go_on()
        assert trial.repaid() == 0, case
        assert trial.book.contents() == whole.book.contents(), case
        trial.clear()
    figure = f"{ERRORS} times {error} at one of {len(found)} calls: exit codes {dict(codes)}"
    BAR.tell(capsys, figure, soak=True)
