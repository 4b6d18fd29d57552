"""Bar 20: a worker that was frozen and wakes up pays for nothing that others have taken over."""

import json
import signal
from pathlib import Path
from typing import Final

import pytest
from tests.support import machines
from tests.support.bars import Bar, Trials, pause
from tests.support.batches import FAST_PACE, WorkerProcess, add_books, alone, paid_twice, states
from tests.support.desk import Desk
from tests.support.machines import end_session_of, machine, until

BAR: Final = Bar(20, seed=20, file="test_bar_20_frozen_worker.py")
WRITE: Final = (*machines.WRITE, "--max-concurrency", "1")
IN_FLIGHT: Final = 1

pytestmark = pytest.mark.postgres


def test_bar_20_a_machine_that_wakes_up_stops_before_its_next_call(
    dsn: str, trials: Trials, capsys: pytest.CaptureFixture[str]
) -> None:
    frozen = machine(trials, dsn)
    writing = frozen.start(*WRITE, pause=0.02)
    until(lambda: len(frozen.answered()) >= 12)
    writing.signal(signal.SIGSTOP)
    # Another machine, without a file system that both share, has a copy of what there is.
    other = trials.like(frozen)
    other.desk.environment = {**other.desk.environment, "LIBRISCRIBE2_BATCH__DSN": dsn}
    other.ledger = other.desk.folder.parent / "other.ledger"
    refused = other.run(*WRITE, expect=9)
    assert f"pid {writing.pid} on " in json.loads(refused.err.splitlines()[-1])["why"]
    assert not other.answered()
    end_session_of(writing, dsn)
    other.run(*WRITE)
    before = sum(frozen.answered().values())
    writing.signal(signal.SIGCONT)
    woken = writing.wait()
    again = sum(frozen.answered().values()) - before
    assert woken.code == 9
    assert "no longer locked" in woken.err
    assert again <= IN_FLIGHT
    BAR.tell(capsys, f"{before} calls, frozen, woken: {again} more (at most {IN_FLIGHT} in flight)")


def test_bar_20_in_a_folder_that_both_share_nothing_is_paid_twice(dsn: str, trials: Trials) -> None:
    frozen = machine(trials, dsn)
    writing = frozen.start(*WRITE, pause=0.02)
    until(lambda: len(frozen.answered()) >= 12)
    writing.signal(signal.SIGSTOP)
    frozen.run(*WRITE, expect=9)
    end_session_of(writing, dsn)
    frozen.run(*WRITE, expect=9)  # the folder is still held
    writing.signal(signal.SIGCONT)
    assert writing.wait().code == 9
    frozen.run(*WRITE)
    assert frozen.repaid() == 0


def test_bar_20_a_frozen_worker_is_taken_over_or_waited_for(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = Desk(tmp_path)
    desk.environment |= {**FAST_PACE, "LIBRISCRIBE2_BATCH__DSN": dsn}
    add_books(desk, ["one", "two"])
    with WorkerProcess(desk, "--books", "2") as first:
        until(lambda: sum(len(sent(desk, name)) for name in ("one", "two")) >= 4)
        first.signal(signal.SIGSTOP)
        with WorkerProcess(desk, "--books", "2", "--drain") as second:
            pause(2.0)  # longer than the limit after which a worker counts as dead
            first.signal(signal.SIGCONT)
            assert second.wait() == 0
    assert set(states(desk).values()) == {"done"}
    assert sum(paid_twice(desk, name) for name in ("one", "two")) == 0
    for name in ("one", "two"):
        assert desk.project(name).contents() == alone(tmp_path, name)
    BAR.tell(capsys, "frozen for two seconds: 2 of 2 books done, 0 calls paid twice")


def sent(desk: Desk, name: str) -> list[dict[str, object]]:
    journal = desk.project(name).path(".libriscribe/journal.jsonl")
    return desk.project(name).records("sent") if journal.exists() else []
