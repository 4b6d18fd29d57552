"""Bar 28: what operators do every day fails no book and pays for nothing twice.

A book is stopped again and again, one of two workers has no key or a wrong one, a worker's way to
the database stalls or is cut for good, three workers are updated twice, the money is for three of
six books, and one of two machines without a common folder dies.

Again: .venv/bin/pytest -m "postgres and not soak" tests/reliability/test_bar_28_operation.py
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import psycopg
import pytest
from tests.support.bars import Bar, pause
from tests.support.batches import (
    FAST_PACE,
    JOURNAL,
    ROW,
    Sent,
    WorkerProcess,
    add_books,
    earlier_version,
    paid_twice,
    premise,
    sent_by,
    states,
)
from tests.support.desk import Desk
from tests.support.machines import kept_lines, until
from tests.support.openai_replies import Fault
from tests.support.openai_server import Handler, OpenAIServer
from tests.support.postgres import Cluster, Wire, running_cluster
from typing_extensions import override

BAR: Final = Bar(28, seed=28, file="test_bar_28_operation.py")
VARIABLE: Final = "LIBRISCRIBE2_BATCH__DSN"
CALLS_AT_ONCE: Final = 4
LONGEST_SECONDS: Final = 120.0
STUCK_SECONDS: Final = 300.0
BETWEEN_CALLS_SECONDS: Final = 2.0
SESSIONS: Final = "select count(*) from pg_stat_activity where client_addr = %s::inet"
CUT: Final = ["one", "two"]
RIGHT: Final = "sk-right"
OF_SERVER: Final = {
    "LIBRISCRIBE2_MODELS__DEFAULT": "openai/test-model",
    "OPENAI_API_KEY": "sk-none",
}
COMMITS: Final = (
    ("bfad8777", "2d333647") if find_spec("procrastinate") else ("2d333647", "6b4beba2")
)
"""Two commits whose programs came before; one that kept its jobs in Procrastinate's tables runs where
Procrastinate is installed, which no version since needs."""

NAMES: Final = [f"book-{number}" for number in range(6)]
NEWER: Final = [f"newer-{number}" for number in range(3)]

pytestmark = pytest.mark.postgres


class HeldServer(OpenAIServer):
    """A server that can hold its replies back.

    Attributes:
        asked: Released by every question.
        answering: While it is not set, no question is answered.
        under_way: Questions without an answer as yet.
    """

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.answering = threading.Event()
        self.answering.set()
        self.under_way = 0
        self._counting = threading.Lock()
        super().__init__()

    @override
    def answer(self, body: Mapping[str, Any], fault: Fault) -> str:
        with self._counting:
            self.under_way += 1
        self.asked.release()
        self.answering.wait()
        with self._counting:
            self.under_way -= 1
        return super().answer(body, fault)


@pytest.fixture
def server() -> Iterator[HeldServer]:
    with HeldServer() as found:
        yield found
        found.answering.set()


def sent_for(dsn: str, names: Sequence[str]) -> Sent:
    """What left for some books, by their journals in the database."""
    lines = (kept_lines(dsn, f"books/{name}") for name in names)
    return sent_by(b"\n".join([*one, b""]) for one in lines)


def held(server: HeldServer, dsn: str, names: Sequence[str]) -> list[str]:
    """Hold all answers back; the stages of the requests that are under way then, of each book one."""
    server.answering.clear()
    found: list[str] = []

    def is_still() -> bool:
        before = len(server.posts)
        # A book that is between two calls has none under way for a moment, and then sends the next.
        pause(BETWEEN_CALLS_SECONDS)
        found[:] = sent_for(dsn, names).open
        return 0 < len(found) == server.under_way and len(server.posts) == before

    until(is_still)
    return found


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
    desk: Desk, dsn: str, server: HeldServer, capsys: pytest.CaptureFixture[str], stops: int
) -> None:
    desk.environment |= {
        "LIBRISCRIBE2_BATCH__MAX_TRIES": "1",
        "LIBRISCRIBE2_MODELS__DEFAULT": "openai/test-model",
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": "sk-none",
    }
    # Each start has its calls under way answered, four at most, and sends no other.
    add_books(desk, ["one"], row={**ROW, "chapters": 2 * stops, "revision": False})
    longest = 0.0
    for number in range(stops):
        server.answering.clear()
        while server.asked.acquire(blocking=False):
            pass
        with WorkerProcess(desk, mock=False) as worker:
            assert server.asked.acquire(timeout=LONGEST_SECONDS)
            # Every second time as systemd does: to all processes of the worker.
            worker.signal(signal.SIGTERM, books_too=number % 2 == 1)
            until(lambda: any(one["state"] == "stopping" for one in listed(desk)))
            began = perf_counter()
            server.answering.set()
            assert worker.wait() == 0, worker.said
            longest = max(longest, perf_counter() - began)
        assert states(desk) == {"one": "queued"}
    with WorkerProcess(desk, "--drain", mock=False) as worker:
        assert worker.wait() == 0
    (book,) = runs(desk)
    assert (book["state"], book["runs"]) == ("done", stops + 1)
    assert paid_twice(desk, "one") == 0
    assert len(server.posts) == sent_for(dsn, ["one"]).count
    figure = (
        f"{stops} SIGTERMs, {len(server.posts)} calls, 0 paid twice, gone {longest:.1f} s after"
        " the last answer"
    )
    BAR.tell(capsys, figure, soak=stops > 3)


def test_bar_28_a_second_signal_does_not_wait_for_a_call_that_hangs(
    desk: Desk, dsn: str, server: HeldServer, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.environment |= {**OF_SERVER, "OPENAI_BASE_URL": server.url}
    add_books(desk, ["one"])
    server.answering.clear()
    with WorkerProcess(desk, mock=False) as worker:
        assert server.asked.acquire(timeout=LONGEST_SECONDS)
        worker.signal(signal.SIGTERM, books_too=False)
        until(lambda: any(one["state"] == "stopping" for one in listed(desk)))
        assert not worker.is_over()
        worker.signal(signal.SIGTERM, books_too=False)
        assert worker.wait(STUCK_SECONDS) == 0
    assert listed(desk) == []
    assert states(desk) == {"one": "queued"}
    server.answering.set()
    with WorkerProcess(desk, "--drain", mock=False) as worker:
        assert worker.wait() == 0
    sent = sent_for(dsn, ["one"])
    assert states(desk) == {"one": "done"}
    assert (len(sent.lost), sent.wrong) == (1, [])
    BAR.tell(capsys, f"a second SIGTERM while a call hangs: paid twice that call, {sent.lost}")


class OneKey(Handler):
    """Answers who has the right key."""

    @override
    def do_POST(self) -> None:
        if self.headers["Authorization"] == f"Bearer {RIGHT}":
            super().do_POST()
        else:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_json({"error": {"message": "Incorrect API key provided"}}, status=401)


class KeyedServer(OpenAIServer):
    """A server that knows one key."""

    @override
    def handler(self) -> type[Handler]:
        return OneKey


@pytest.fixture
def keyed() -> Iterator[KeyedServer]:
    with KeyedServer() as found:
        yield found


def test_bar_28_a_worker_with_a_wrong_key_beside_a_good_one_fails_no_book(
    desk: Desk, keyed: KeyedServer, tmp_path: Path, dsn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, add = machine(tmp_path / "bad", dsn), {**OF_SERVER, "OPENAI_BASE_URL": keyed.url}
    desk.environment |= {**add, "OPENAI_API_KEY": RIGHT}
    bad.environment |= {**add, "OPENAI_API_KEY": "sk-wrong"}
    add_books(desk, NAMES, row={**ROW, "chapters": 1, "revision": False})
    with WorkerProcess(bad, "--books", "1", mock=False) as first:
        until(lambda: any(book["cause"] == "machine" for book in runs(desk)))
        with WorkerProcess(desk, "--drain", mock=False) as second:
            assert first.wait(STUCK_SECONDS) == 4
            assert second.wait(STUCK_SECONDS) == 0
    assert "This machine cannot write books" in first.said
    assert set(states(desk).values()) == {"done"}
    BAR.tell(capsys, f"{len(NAMES)} of {len(NAMES)} books done beside a worker with a wrong key")


def test_bar_28_a_cap_for_three_of_six_books_finishes_three(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {**ROW, "chapters": 1, "revision": False}
    with OpenAIServer(cost=0.001) as server:
        desk.environment |= {**OF_SERVER, "OPENAI_BASE_URL": server.url}
        desk.environment["LIBRISCRIBE2_BUDGET__UNKNOWN_USD_PER_MILLION"] = "0.02"
        add_books(desk, ["measure"], "--batch", "measure", row=row)
        with WorkerProcess(desk, "--drain", mock=False) as worker:
            assert worker.wait() == 0
        one = len(server.posts) * 0.001
        cap = 3.6 * one
        add_books(desk, NAMES, "--batch", "books", "--max-cost", f"{cap:.4f}", row=row)
        with WorkerProcess(desk, "--drain", mock=False) as worker:
            assert worker.wait() == 0
        paid = len(server.posts) * 0.001 - one
    books = desk.run("batch", "status", "--batch", "books", "--json").value["books"]
    found = Counter(book["state"] for book in books)
    assert found == {"done": 3, "stopped": 3}, books
    assert paid <= cap
    BAR.tell(capsys, f"3 of 6 books done with {cap:.4f} US dollars, {paid:.4f} of it paid")


def test_bar_28_three_workers_are_updated_twice_and_no_book_fails(
    desk: Desk, dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = [earlier_version(commit, tmp_path / "versions") for commit in COMMITS]
    names = [f"book-{number}" for number in range(18)]
    rows = [{"name": name, "premise": premise(name), **ROW, "chapters": 6} for name in names]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (desk.folder / "books.jsonl").write_text(text, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "libriscribe2", "batch", "add", "books.jsonl"],
        cwd=desk.folder,
        env=desk.whole_environment({"PYTHONPATH": str(places[0])}),
        check=True,
    )
    with ExitStack() as stack:

        def start(source: Path | None) -> WorkerProcess:
            return stack.enter_context(WorkerProcess(desk, "--books", "1", source=source))

        fleet = [start(places[0]) for _ in range(3)]
        for source in (places[1], None):
            if source is None:
                # Rows of this version wait beside those of the first one; older workers say so.
                row = {**ROW, "edition": "First edition"}
                add_books(desk, NEWER, "--batch", "books", row=row)
                until(lambda: any("newer version" in one["note"] for one in listed(desk)))
            for place, worker in enumerate(fleet):
                until(lambda: any(one.is_writing() for one in fleet))
                worker.signal(signal.SIGTERM, books_too=False)
                worker.wait()
                fleet[place] = start(source)
        with WorkerProcess(desk, "--drain") as last:
            assert last.wait() == 0
        for worker in fleet:
            worker.signal(signal.SIGTERM, books_too=False)
            assert worker.wait() == 0
    names += NEWER
    assert states(desk) == dict.fromkeys(names, "done")
    sent = sent_for(dsn, names)
    assert not sent.wrong
    told = (
        f"{len(names)} of {len(names)} books done over three versions, {len(NEWER)} of the newest"
    )
    BAR.tell(capsys, f"{told}, paid twice: {sent.lost or 'none'}")


def test_bar_28_two_machines_by_the_unit_file_of_the_docs(
    server: HeldServer, tmp_path: Path, dsn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[2] / "docs/scaling.md").read_text("utf-8")
    (line,) = re.findall(r"^ExecStart=libriscribe2 batch worker (.*)$", page, re.MULTILINE)
    machines = [machine(tmp_path / name, dsn) for name in ("near", "far")]
    for one in machines:
        one.environment |= {**OF_SERVER, "OPENAI_BASE_URL": server.url}
    near, far = machines
    add_books(near, NAMES, row={**ROW, "revision": False})
    with WorkerProcess(far, *line.split(), mock=False) as first:
        until(lambda: sum(len(kept_lines(dsn, f"books/{name}")) for name in NAMES) > 30)
        under_way = held(server, dsn, NAMES)
        first.signal(signal.SIGKILL)
        first.wait()
    server.answering.set()
    with WorkerProcess(near, *line.split(), mock=False) as second:
        # It runs until it is stopped, as a service does.
        until_done(near)
        second.signal(signal.SIGTERM, books_too=False)
        assert second.wait() == 0
    sent = sent_for(dsn, NAMES)
    assert not sent.wrong
    assert sorted(sent.lost) == sorted(under_way)
    assert len(server.posts) == sent.count
    near.run("batch", "fetch")
    assert all(near.project(name).path("manuscript.md").exists() for name in NAMES)
    told = f"{len(NAMES)} books on two machines by the unit file, {len(server.posts)} calls"
    BAR.tell(capsys, f"{told}, paid twice those under way when one died: {sent.lost}")


def until_done(desk: Desk) -> None:
    """Wait until all books are done."""
    for _ in range(600):
        if set(states(desk).values()) == {"done"}:
            return
        pause(0.5)
    raise AssertionError(states(desk))


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


NEAR, FAR = "10.213.77.1", "10.213.77.2"


@pytest.fixture
def net() -> Iterator[str]:
    """A network of its own with one link to this machine; without the right to make one, skip."""
    name = f"bar28-{os.getpid()}"
    near, far = f"b28a{os.getpid()}", f"b28b{os.getpid()}"
    if os.geteuid() != 0 or shutil.which("ip") is None or not ip("netns", "add", name):
        pytest.skip("no network namespace can be made here")
    try:
        assert ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", name)
        assert ip("addr", "add", f"{NEAR}/30", "dev", near)
        assert ip("link", "set", near, "up")
        assert ip("-n", name, "addr", "add", f"{FAR}/30", "dev", far)
        assert ip("-n", name, "link", "set", far, "up")
        assert ip("-n", name, "link", "set", "lo", "up")
        yield name
    finally:
        ip("link", "del", near)
        ip("netns", "del", name)


def ip(*words: str) -> bool:
    """Change the network; whether that could be done."""
    return subprocess.run(["ip", *words], capture_output=True, check=False).returncode == 0


@pytest.mark.soak
def test_bar_28_a_host_whose_link_is_down_loses_its_books_within_two_minutes(
    net: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = dict.fromkeys(FAST_PACE)  # the figures are those of the defaults
    with running_cluster("listen_addresses=*") as cluster:
        dsn = cluster.new_database()
        near = machine(tmp_path / "near", dsn)
        far = machine(tmp_path / "far", dsn.replace("127.0.0.1", NEAR))
        near.environment |= slow
        far.environment |= slow
        add_books(near, CUT, row={**ROW, "chapters": 8})
        with WorkerProcess(far, within=("ip", "netns", "exec", net)) as lost:
            until(lambda: all(len(kept_lines(dsn, f"books/{name}")) >= 5 for name in CUT))
            assert ip("link", "set", f"b28a{os.getpid()}", "down")
            began = perf_counter()
            with WorkerProcess(near, "--drain") as worker:
                assert worker.wait() == 0
            took = perf_counter() - began
            assert set(states(near).values()) == {"done"}
            with psycopg.connect(dsn) as connection:
                while connection.execute(SESSIONS, (FAR,)).fetchone() != (0,):
                    connection.rollback()
                    assert perf_counter() - began < LONGEST_SECONDS
                    pause(1.0)
            gone = perf_counter() - began
            lost.signal(signal.SIGKILL)
            lost.wait()
    assert took <= LONGEST_SECONDS
    sent = sent_by(near.project(name).path(JOURNAL).read_bytes() for name in CUT)
    assert not sent.wrong
    assert len(sent.lost) <= 2 * CALLS_AT_ONCE
    told = (
        f"2 of 2 books done {took:.0f} s after the link was down, sessions gone after {gone:.0f} s"
    )
    BAR.tell(capsys, f"{told}, paid twice: {sent.lost or 'none'}", soak=True)


def listed(desk: Desk) -> list[dict[str, Any]]:
    return list(desk.run("batch", "workers", "--json").value["workers"])


def test_bar_28_a_worker_that_is_cut_off_loses_its_books_and_says_so(
    server: HeldServer,
    tmp_path: Path,
    cluster: Cluster,
    dsn: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    health = tmp_path / "health.json"
    with closing(Wire(cluster.port)) as wire:
        near = machine(tmp_path / "near", dsn)
        far = machine(tmp_path / "far", dsn.replace(f":{cluster.port}/", f":{wire.port}/"))
        for one in (near, far):
            one.environment |= {**OF_SERVER, "OPENAI_BASE_URL": server.url}
        near.environment["LIBRISCRIBE2_BATCH__MAX_TRIES"] = "2"
        add_books(near, CUT, row={**ROW, "chapters": 8})
        options = ("--books", "2", "--health", str(health))
        with WorkerProcess(far, *options, mock=False) as lost:
            until(lambda: all(len(kept_lines(dsn, f"books/{name}")) >= 5 for name in CUT))
            under_way = held(server, dsn, CUT)
            wire.cut()
            server.answering.set()
            began = perf_counter()
            with WorkerProcess(near, "--drain", "--books", "2", mock=False) as worker:
                assert worker.wait(STUCK_SECONDS) == 0
            took = perf_counter() - began
            ends = [(book["state"], book["runs"]) for book in runs(near)]
            assert ends == [("done", 2)] * 2
            until(lambda: '"waiting for the database"' in health.read_text("utf-8"))
            lost.signal(signal.SIGKILL)
            lost.wait()
        assert "does not answer" in lost.said
    sent = sent_for(dsn, CUT)
    assert not sent.wrong
    assert sorted(sent.lost) == sorted(under_way)
    assert len(server.posts) == sent.count
    told = f"2 of 2 books done {took:.1f} s after the cut, {len(server.posts)} calls"
    BAR.tell(capsys, f"{told}, paid twice those under way at the cut: {sent.lost}")
