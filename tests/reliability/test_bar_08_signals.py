"""Bar 8: SIGINT and SIGTERM end a run at once and resumably; a second Ctrl-C ends it now.

Again: .venv/bin/pytest tests/reliability/test_bar_08_signals.py
All of it: .venv/bin/pytest -m soak tests/reliability/test_bar_08_signals.py
"""

import signal
from time import perf_counter
from typing import Final

import pytest
from tests.support.bars import Bar, Launched, Trial, Trials, pause

from libriscribe2.cli.process import GRACE_SECONDS
from libriscribe2.errors import EXIT_INTERRUPTED

BAR: Final = Bar(8, 8, "test_bar_08_signals.py")
SIZE: Final = ("--chapters", "3", "--scenes-per-chapter", "1", "--words", "300")
AT_ONCE: Final = 4
PAUSE: Final = 0.004
LONGEST_SECONDS: Final = 2.0
SLACK: Final = 3.0
"""A busy machine may take so much longer."""

KINDS: Final = (signal.SIGINT, signal.SIGTERM)


def until(trial: Trial, calls: int) -> None:
    """Wait until the provider has answered so many calls."""
    while sum(trial.answered().values()) < calls:
        pause(0.002)


def ended(running: Launched, number: signal.Signals) -> float:
    """Send a signal; the seconds until the process is gone."""
    began = perf_counter()
    running.signal(number)
    ran = running.wait()
    took = perf_counter() - began
    assert "Traceback" not in ran.err
    assert ran.code in (0, EXIT_INTERRUPTED), ran
    if ran.code:
        assert "libriscribe2 resume book" in ran.err
    return took


@pytest.mark.parametrize("signals", [3, pytest.param(20, marks=pytest.mark.soak)])
def test_bar_08_a_signal_at_any_call_ends_the_run_and_loses_nothing(
    trials: Trials, capsys: pytest.CaptureFixture[str], signals: int
) -> None:
    whole, rng = trials.new(SIZE), BAR.rng()
    whole.run("create")
    calls, times, repaid = sum(whole.answered().values()), [], []
    for number in range(signals * len(KINDS)):
        trial = trials.new(SIZE)
        running = trial.start("create", "--max-concurrency", str(AT_ONCE), pause=PAUSE)
        until(trial, rng.randrange(1, calls))
        times.append(ended(running, KINDS[number % len(KINDS)]))
        assert times[-1] <= LONGEST_SECONDS * SLACK
        trial.go_on()
        repaid.append(trial.repaid())
        assert repaid[-1] <= AT_ONCE, number
        assert trial.book.contents() == whole.book.contents(), number
    figure = f"{len(times)} signals, {max(times):.2f} s at most; repaid {max(repaid)} at most"
    BAR.tell(capsys, figure, soak=signals > 3)


@pytest.mark.slow
@pytest.mark.parametrize("first", KINDS)
def test_bar_08_a_second_signal_ends_what_does_not_hear_the_first(
    trials: Trials, capsys: pytest.CaptureFixture[str], first: signal.Signals
) -> None:
    trial = trials.new(SIZE)
    running = trial.start("create", deaf_from=6)
    until(trial, 5)
    pause(0.05)
    running.signal(first)
    pause(0.05)
    took = ended(running, signal.SIGINT)
    assert took < GRACE_SECONDS
    trial.go_on()
    assert trial.repaid() == 0
    BAR.tell(capsys, f"gone {took:.2f} s after the second signal")
