"""Bar 1: killed at any system call, a book of twelve chapters comes out the same.

Again: .venv/bin/pytest -m soak tests/reliability/test_bar_01_syscall_kills.py
"""

import signal
from typing import Final

import pytest
from tests.support.bars import Bar, Trials
from tests.support.syscalls import moments, under_strace, why_not

BAR: Final = Bar(1, 1, "test_bar_01_syscall_kills.py")
SIZE: Final = ("--chapters", "12", "--scenes-per-chapter", "1", "--words", "1200")
CREATE: Final = ("create", "--max-concurrency", "1")
PARTS: Final = 8
KILLS: Final = 25
"""In each part, so that several processors share the work."""

pytestmark = pytest.mark.soak


@pytest.mark.parametrize("part", range(PARTS))
def test_bar_01_killed_at_any_system_call_a_book_comes_out_the_same(
    trials: Trials, capsys: pytest.CaptureFixture[str], part: int
) -> None:
    if reason := why_not():
        pytest.skip(reason)
    whole = trials.new(SIZE)
    found, rng, repaid = moments(whole, *CREATE), BAR.rng(part), []
    died = 0
    for moment in (rng.choice(found) for _ in range(KILLS)):
        trial = trials.new(SIZE)
        ran = under_strace(trial, CREATE, f"trace={moment.name}", moment.inject("signal=KILL"))
        assert ran.code in (0, -signal.SIGKILL), ran
        died += ran.code != 0
        stored, answered = trial.recorded(), trial.answered()
        trial.go_on()
        assert not stored & set(trial.answered() - answered), moment
        repaid.append(trial.repaid())
        assert repaid[-1] <= 1, moment
        assert trial.book.contents() == whole.book.contents(), moment
        trial.clear()
    assert died > KILLS * 0.9
    figure = f"{died} kills at one of {len(found)} calls; repaid {sum(repaid)}, at most 1 each"
    BAR.tell(capsys, figure, soak=True)
