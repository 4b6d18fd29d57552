"""Bar 9: of several processes at once exactly one works, and nothing is paid twice.

Again: .venv/bin/pytest tests/reliability/test_bar_09_processes.py
All of it: .venv/bin/pytest -m soak tests/reliability/test_bar_09_processes.py
"""

import signal
import socket
from time import perf_counter
from typing import Final

import pytest
from tests.support.bars import Bar, Trials, pause

BAR: Final = Bar(9, 9, "test_bar_09_processes.py")
PROCESSES: Final = 3
IN_USE: Final = 9
"""Exit code."""

LONGEST_SECONDS: Final = 1.0
PATIENCE: Final = 2_000
"""Looks at the processes, 5 ms apart, until all but one have to be gone."""

SLACK: Final = 10.0
"""A busy machine may take so much longer."""


@pytest.mark.parametrize("rounds", [4, pytest.param(20, marks=pytest.mark.soak)])
def test_bar_09_one_of_three_processes_works_and_names_itself_to_the_others(
    trials: Trials, capsys: pytest.CaptureFixture[str], rounds: int
) -> None:
    begun, longest, named = trials.new(), 0.0, 0
    begun.run("create", dies_at=8, expect=-9)
    for _ in range(rounds):
        trial = trials.like(begun)
        gate = trial.desk.folder / "gate"
        began = perf_counter()
        running = [trial.start("resume", "book", gate=str(gate)) for _ in range(PROCESSES)]
        refused = running.copy()
        for _ in range(PATIENCE):
            pause(0.005)
            refused = [one for one in running if one.is_over()]
            if len(refused) == PROCESSES - 1:
                break
        assert len(refused) == PROCESSES - 1, "not exactly one works"
        longest = max(longest, perf_counter() - began)
        (holder,) = [one for one in running if one not in refused]
        for one in refused:
            ran = one.wait()
            assert ran.code == IN_USE, ran
            told = f"pid {holder.pid} host {socket.gethostname()}" in ran.err
            assert told or "is unknown" in ran.err, ran
            named += told
        gate.touch()
        assert holder.wait().code == 0
        assert trial.repaid() == 0
        assert longest <= LONGEST_SECONDS * SLACK
    assert named >= rounds, "he who works writes his name at once"
    figure = f"{rounds} rounds of {PROCESSES}: 1 works, others gone within {longest:.2f} s"
    BAR.tell(capsys, figure, soak=rounds > 4)


def test_bar_09_the_lock_of_a_dead_process_never_blocks(trials: Trials) -> None:
    trial = trials.new()
    running = trial.start("create", silent_from=8)
    while len(trial.recorded()) < 7:
        pause(0.005)
    running.signal(signal.SIGKILL)
    running.wait()
    assert f"pid {running.pid}" in trial.book.text(".libriscribe/lock")
    trial.run("resume", "book")
    assert trial.repaid() == 0


@pytest.mark.slow
def test_bar_09_a_stolen_lock_stops_who_had_it_before_it_pays_again(trials: Trials) -> None:
    trial = trials.new()
    trial.run("create", dies_at=6, expect=-9)
    lock, gate = trial.book.path(".libriscribe/lock"), trial.desk.folder / "gate"
    begun = len(trial.book.records("sent"))
    robbed = trial.start("resume", "book", gate=str(gate))
    while len(trial.book.records("sent")) == begun:
        pause(0.005)
    lock.unlink()
    trial.run("resume", "book")
    answered = trial.answered()
    gate.touch()
    ran = robbed.wait()
    assert ran.code == IN_USE, ran
    assert "is no longer locked by this process" in ran.err
    assert "Traceback" not in ran.err
    assert sum((trial.answered() - answered).values()) <= 1, "only what was under way"
    before = trial.book.contents()
    trial.run("check", "book")
    trial.run("resume", "book")
    assert trial.book.contents() == before
