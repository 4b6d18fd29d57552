"""Bar 19: workers are killed at random, and every book is finished, the same as ever."""

import signal
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import psycopg
import pytest
from tests.support.bars import Bar, pause
from tests.support.batches import FAST_PACE, WorkerProcess, add_books, alone, paid_twice, states
from tests.support.desk import Desk

BAR: Final = Bar(19, seed=19, file="test_bar_19_chaos.py")
SLOTS: Final = 2
CALLS_AT_ONCE: Final = 4
OPEN: Final = "select count(*) from libriscribe2_jobs"

pytestmark = pytest.mark.postgres


def test_bar_19_no_book_is_lost_when_workers_are_killed(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = survive(dsn, tmp_path, books=4, workers=2, kills=2, rest=0.5)
    BAR.tell(capsys, told)


@pytest.mark.soak
def test_bar_19_no_book_of_a_hundred_is_lost(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = survive(dsn, tmp_path, books=100, workers=3, kills=20, rest=4.0)
    BAR.tell(capsys, told, soak=True)


def survive(dsn: str, folder: Path, *, books: int, workers: int, kills: int, rest: float) -> str:
    """Have books written while workers are killed and started again; return what came of it."""
    rng = BAR.rng(books)
    names = [f"book-{number}" for number in range(books)]
    desk = Desk(folder / "desk")
    desk.folder.mkdir()
    desk.environment |= {**FAST_PACE, "LIBRISCRIBE2_BATCH__DSN": dsn}
    add_books(desk, names)
    with ExitStack() as stack:

        def start() -> WorkerProcess:
            return stack.enter_context(WorkerProcess(desk, "--books", str(SLOTS), "--drain"))

        running = [start() for _ in range(workers)]
        watch = threading.Timer(60 + 20 * books, stack.close)
        watch.start()
        stack.callback(watch.cancel)
        for _ in range(kills):
            while not any(one.is_writing() for one in running):
                assert not all(one.is_over() for one in running), "too few books for the kills"
                pause(0.01)
            pause(rng.uniform(0.0, rest))
            place = rng.choice([n for n, one in enumerate(running) if one.is_writing()] or [0])
            # A program that crashes leaves its books' processes; a machine that crashes does not.
            running[place].signal(signal.SIGKILL, books_too=rng.random() < 0.5)
            running[place] = start()
        assert [one.wait() for one in running] == [0] * workers
    assert set(states(desk).values()) == {"done"}
    with psycopg.connect(dsn) as connection:
        assert connection.execute(OPEN).fetchall() == [(0,)]
    repeats = sum(paid_twice(desk, name) for name in names)
    assert repeats <= SLOTS * CALLS_AT_ONCE * kills
    for name in names:
        assert desk.project(name).contents() == alone(folder, name)
    return f"{books} of {books} books after {kills} kills, {repeats} calls repeated, 0 jobs stuck"
