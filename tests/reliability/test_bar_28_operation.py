"""Bar 28: what operators do every day fails no book and pays for nothing twice.

A book is stopped again and again, one of two workers has no key, a worker's way to the database is
cut for good.

Again: .venv/bin/pytest -m "postgres and not soak" tests/reliability/test_bar_28_operation.py
"""

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import pytest
from tests.support.bars import Bar
from tests.support.batches import FAST_PACE, ROW, WorkerProcess, add_books, paid_twice, states
from tests.support.desk import Desk
from tests.support.machines import kept_lines, until
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer
from tests.support.postgres import Cluster, Wire
from typing_extensions import override

BAR: Final = Bar(28, seed=28, file="test_bar_28_operation.py")
VARIABLE: Final = "LIBRISCRIBE2_BATCH__DSN"
CALL_SECONDS: Final = 0.4
CALLS_AT_ONCE: Final = 4
LONGEST_SECONDS: Final = 120.0
CUT: Final = ["one", "two"]
NAMES: Final = [f"book-{number}" for number in range(6)]

pytestmark = pytest.mark.postgres


class SlowServer(OpenAIServer):
    """A server whose replies take a while.

    Attributes:
        asked: Released by every question.
    """

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        super().__init__()

    @override
    def answer(self, body: Mapping[str, Any], fault: Fault) -> str:
        self.asked.release()
        threading.Event().wait(CALL_SECONDS)
        return super().answer(body, fault)


@pytest.fixture
def server() -> Iterator[SlowServer]:
    with SlowServer() as found:
        yield found


@pytest.fixture
def desk(tmp_path: Path, dsn: str) -> Desk:
    """A machine with a database."""
    return machine(tmp_path / "desk", dsn)


def machine(folder: Path, dsn: str) -> Desk:
    desk = Desk(folder)
    desk.folder.mkdir()
    desk.environment |= {**FAST_PACE, VARIABLE: dsn}
    return desk


def runs(desk: Desk) -> list[dict[str, Any]]:
    return list(desk.run("batch", "status", "--json").value["books"])


@pytest.mark.parametrize("stops", [3, pytest.param(10, marks=pytest.mark.soak)])
def test_bar_28_stops_in_a_row_pay_nothing_twice_and_fail_nothing(
    desk: Desk, server: SlowServer, capsys: pytest.CaptureFixture[str], stops: int
) -> None:
    desk.environment |= {
        "LIBRISCRIBE2_BATCH__MAX_TRIES": "1",
        "LIBRISCRIBE2_MODELS__DEFAULT": "openai/test-model",
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": "sk-none",
    }
    add_books(desk, ["one"], row={**ROW, "chapters": 4, "revision": False})
    longest = 0.0
    for number in range(stops):
        while server.asked.acquire(blocking=False):
            pass
        with WorkerProcess(desk, mock=False) as worker:
            assert server.asked.acquire(timeout=LONGEST_SECONDS)
            # Every second time as systemd does: to all processes of the worker.
            worker.signal(signal.SIGTERM, books_too=number % 2 == 1)
            began = perf_counter()
            assert worker.wait() == 0, worker.said
            longest = max(longest, perf_counter() - began)
        assert states(desk) == {"one": "queued"}
    with WorkerProcess(desk, "--drain", mock=False) as worker:
        assert worker.wait() == 0
    (book,) = runs(desk)
    assert (book["state"], book["runs"]) == ("done", stops + 1)
    assert paid_twice(desk, "one") == 0
    figure = f"{stops} SIGTERMs, {len(server.posts)} calls, 0 paid twice, gone in {longest:.1f} s"
    BAR.tell(capsys, figure, soak=stops > 3)


def test_bar_28_a_worker_without_a_key_beside_a_good_one_fails_no_book(
    desk: Desk, tmp_path: Path, dsn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = machine(tmp_path / "bad", dsn)
    bad.environment |= {
        "LIBRISCRIBE2_MODELS__DEFAULT": "demo",
        "LIBRISCRIBE2_MODELS__CONCEPT": "openai/of-mine",
    }
    add_books(desk, NAMES)
    with WorkerProcess(bad, "--books", "1", mock=False) as first:
        # Once it has failed for the first time, it takes another book before the good one can.
        until(lambda: any(book["cause"] == "machine" for book in runs(desk)))
        second = WorkerProcess(desk, "--drain")
        assert first.wait() == 4
        assert "This machine cannot write books: No key for 'openai/of-mine'" in first.said
        (ended,) = [one for one in listed(desk) if one["state"] == "ended"]
        assert "OPENAI_API_KEY" in ended["note"]
    with second:
        assert second.wait() == 0
    assert set(states(desk).values()) == {"done"}
    BAR.tell(capsys, f"{len(NAMES)} of {len(NAMES)} books done beside a worker without a key")


def listed(desk: Desk) -> list[dict[str, Any]]:
    return list(desk.run("batch", "workers", "--json").value["workers"])


def test_bar_28_a_worker_that_is_cut_off_loses_its_books_and_says_so(
    tmp_path: Path, cluster: Cluster, dsn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Wire(cluster.port)) as wire:
        near = machine(tmp_path / "near", dsn)
        far = machine(tmp_path / "far", dsn.replace(f":{cluster.port}/", f":{wire.port}/"))
        near.environment["LIBRISCRIBE2_BATCH__MAX_TRIES"] = "2"
        add_books(near, CUT, row={**ROW, "chapters": 8})
        with WorkerProcess(far, "--books", "2") as lost:
            until(lambda: all(book["state"] == "running" for book in runs(near)))
            until(lambda: all(len(kept_lines(dsn, f"books/{name}")) >= 5 for name in CUT))
            wire.cut()
            began = perf_counter()
            with WorkerProcess(near, "--drain", "--books", "2") as worker:
                assert worker.wait() == 0
            took = perf_counter() - began
            ends = [(book["state"], book["runs"]) for book in runs(near)]
            assert ends == [("done", 2)] * 2
            threading.Event().wait(max(0.0, 13.0 - took))
            lost.signal(signal.SIGKILL)
            lost.wait()
        assert "does not answer" in lost.said
    repeats = sum(paid_twice(near, name) for name in CUT)
    assert repeats <= 2 * CALLS_AT_ONCE
    BAR.tell(capsys, f"2 of 2 books done {took:.1f} s after the cut, {repeats} calls paid twice")
