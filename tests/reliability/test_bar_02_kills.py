"""Bar 2: killed at random times with four requests at once, a book comes out the same.

Again: .venv/bin/pytest tests/reliability/test_bar_02_kills.py
All of it: .venv/bin/pytest -m soak tests/reliability/test_bar_02_kills.py
"""

import signal
from time import perf_counter
from typing import Final

import pytest
from tests.support.bars import Bar, Trial, Trials, pause

BAR: Final = Bar(2, 2, "test_bar_02_kills.py")
SIZE: Final = ("--chapters", "2", "--scenes-per-chapter", "4", "--words", "800")
AT_ONCE: Final = 4
FEW: Final = 6
PAUSE: Final = 0.004
"""Seconds that the provider takes, so that several requests are under way."""


def killed(trial: Trial, after: int, delay: float) -> None:
    """Begin a book, kill it `delay` seconds after so many answers of the provider, go on."""
    running = trial.start("create", "--max-concurrency", str(AT_ONCE), pause=PAUSE)
    while sum(trial.answered().values()) < after and not running.is_over():
        pause(PAUSE / 4)
    pause(delay)
    running.signal(signal.SIGKILL)
    assert running.wait().code in (0, -signal.SIGKILL)
    stored, answered = trial.recorded(), trial.answered()
    trial.go_on()
    sent_again = trial.answered() - answered
    assert not stored & set(sent_again), "a stored reply was asked for again"


@pytest.mark.parametrize("kills", [FEW, pytest.param(200, marks=pytest.mark.soak)])
def test_bar_02_killed_at_any_time_a_book_comes_out_the_same(
    trials: Trials, capsys: pytest.CaptureFixture[str], kills: int
) -> None:
    whole, rng = trials.new(SIZE), BAR.rng()
    began = perf_counter()
    whole.run("create", pause=PAUSE)
    longest, repaid = perf_counter() - began, []
    calls = sum(whole.answered().values())
    for number in range(kills):
        trial = trials.new(SIZE)
        # By answers, so that a busy machine is killed as late as an idle one.
        killed(trial, 1 + number * calls // kills, rng.uniform(0.0, 1.5) * longest / calls)
        repaid.append(trial.repaid())
        assert repaid[-1] <= AT_ONCE, number
        assert trial.book.contents() == whole.book.contents(), number
    figure = f"{kills} of {kills} kills survived; repaid {sum(repaid)}, at most {max(repaid)} each"
    BAR.tell(capsys, figure, soak=kills > FEW)
