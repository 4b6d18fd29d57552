"""Bar 29: forty faults of twelve kinds, and two versions of the program side by side.

Three machines without a common folder write three rounds of books over a real connection to a
provider that counts, each through a proxy to the database, while things break by chance. The seed
is printed; `LIBRISCRIBE2_TEST_SEED` names another one. Books have two chapters, so a run takes
minutes.

Again: .venv/bin/pytest -m soak tests/reliability/test_bar_29_all_at_once.py
"""

import json
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from psycopg import sql
from tests.support.bars import Bar, pause
from tests.support.batches import WorkerProcess, earlier_version, premise
from tests.support.desk import Desk
from tests.support.machines import kept_lines
from tests.support.openai_replies import Fault
from tests.support.openai_server import Handler, OpenAIServer
from tests.support.postgres import Cluster, Wire, running_cluster
from typing_extensions import override

from libriscribe2.batch.rows import PAYLOAD
from libriscribe2.project.records import scan

BAR: Final = Bar(
    29, seed=int(os.environ.get("LIBRISCRIBE2_TEST_SEED", "29")), file="test_bar_29_all_at_once.py"
)
EARLIER: Final = "984f2e2f"
"""A commit whose program has the tables and rows of today, and counts a minute's requests alike."""

ROUNDS: Final = (14, 13, 13)
"""Faults of each round."""

GOOD, CAPPED, SLOTS, CALLS_AT_ONCE = 15, 4, 2, 2
STALLED: Final = 5.0
CALL_SECONDS: Final = 0.4
COST: Final = 0.001
CAP: Final = 0.06
PER_MINUTE: Final = 150
WINDOW: Final = 60.0
LONGEST_ROUND: Final = 900.0
ROW: Final = {"chapters": 2, "scenes_per_chapter": 1, "words": 150, "revision": False}
REFUSED: Final = "the unwritable one"
END_SESSIONS: Final = """
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name like 'libriscribe2%' and random() < 0.5
"""
PAGE: Final = 8_192
TABLES: Final = ("jobs", "log", "batches", "journal", "books")
SESSIONS: Final = "select pid from pg_stat_activity where application_name like 'libriscribe2%'"
LOCKS: Final = """
    select count(*) from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())
"""
PACE: Final = {
    "LIBRISCRIBE2_BATCH__HEARTBEAT_SECONDS": "1",
    "LIBRISCRIBE2_BATCH__STALLED_SECONDS": str(STALLED),
    "LIBRISCRIBE2_BATCH__POLL_SECONDS": "0.3",
    "LIBRISCRIBE2_BATCH__RETRY_SECONDS": "2",
    "LIBRISCRIBE2_BATCH__STOP_SECONDS": "10",
    "LIBRISCRIBE2_BATCH__MAX_TRIES": "12",
    "LIBRISCRIBE2_LLM__REQUESTS_PER_MINUTE": str(PER_MINUTE),
    "LIBRISCRIBE2_BUDGET__UNKNOWN_USD_PER_MILLION": "0.2",
    "LIBRISCRIBE2_MODELS__DEFAULT": "openai/test-model",
    "OPENAI_API_KEY": "sk-none",
}

pytestmark = [pytest.mark.postgres, pytest.mark.soak]


class Provider(OpenAIServer):
    """A provider that notes when each request came, and how many it has answered.

    Attributes:
        arrivals: When requests came, in seconds.
        under_way: Requests without an answer as yet.
        answered: Replies that it was paid for.
        stormy_until: Before that moment every request is refused with a 429.
    """

    def __init__(self) -> None:
        self.arrivals: list[float] = []
        self.under_way = self.answered = 0
        self.stormy_until = 0.0
        self._counting = threading.Lock()
        super().__init__(cost=COST)

    @override
    def handler(self) -> type[Handler]:
        return Asked

    @override
    def next_fault(self) -> Fault:
        if time.monotonic() < self.stormy_until:
            return Fault(status=429, headers={"Retry-After": "2"})
        return Fault("ok")

    def count(self, change: int) -> None:
        """Note that a request has come, or has its answer."""
        with self._counting:
            self.under_way += change
            if change > 0:
                self.arrivals.append(time.monotonic())

    @override
    def answer(self, body: Mapping[str, Any], fault: Fault) -> str:
        pause(CALL_SECONDS)
        with self._counting:
            self.answered += 1
        if REFUSED in json.dumps(body.get("messages", [])):
            return "I will not."
        return super().answer(body, fault)

    def fullest(self) -> int:
        """The most requests that came within any window."""
        most = begin = 0
        for end, at in enumerate(self.arrivals):
            while self.arrivals[begin] <= at - WINDOW:
                begin += 1
            most = max(most, end - begin + 1)
        return most


class Asked(Handler):
    """Counts what comes and what is answered."""

    owner: Provider

    @override
    def do_POST(self) -> None:
        self.owner.count(1)
        try:
            super().do_POST()
        finally:
            self.owner.count(-1)


class Machine:
    """One machine with a worker, which is started anew in either version.

    Attributes:
        worker: The worker.
        wire: Its way to the database.
    """

    def __init__(self, folder: Path, cluster: Cluster, dsn: str, url: str) -> None:
        self.wire = Wire(cluster.port)
        self.desk = Desk(folder)
        self.desk.folder.mkdir()
        there = dsn.replace(f":{cluster.port}/", f":{self.wire.port}/")
        self.desk.environment |= {
            **PACE,
            "LIBRISCRIBE2_BATCH__DSN": there,
            "OPENAI_BASE_URL": url,
        }
        self.worker: WorkerProcess

    def start(self, source: Path | None) -> None:
        """Start a worker."""
        options = ("--books", str(SLOTS), "--max-concurrency", str(CALLS_AT_ONCE))
        self.worker = WorkerProcess(self.desk, *options, mock=False, source=source)

    def close(self) -> None:
        """Stop it for good."""
        self.wire.mend()
        with self.worker:
            pass
        self.wire.close()


@dataclass(frozen=True)
class Round:
    """What came of a round.

    Attributes:
        twice: Replies that were paid for and that no journal has.
        size: Bytes of all tables after it.
    """

    twice: int
    size: int


class Chaos:
    """What breaks.

    Attributes:
        lost: Calls that were under way when something broke that may lose them.
        kinds: How often each kind of fault came.
    """

    def __init__(
        self,
        rng: random.Random,
        cluster: Cluster,
        dsn: str,
        provider: Provider,
        machines: Sequence[Machine],
        sources: Sequence[Path | None],
    ) -> None:
        self.lost = 0
        self.kinds: Counter[str] = Counter()
        self._rng = rng
        self._cluster = cluster
        self._dsn = dsn
        self._provider = provider
        self._machines = machines
        self._sources = sources
        self._faults: list[Callable[[Machine], None]] = [
            self.worker_killed,
            self.machine_killed,
            self.book_killed,
            self.stopped,
            self.stopped_twice,
            self.machine_frozen,
            self.worker_frozen,
            self.database_killed,
            self.sessions_ended,
            self.link_stalls,
            self.link_down,
            self.provider_refuses,
        ]
        self._next: list[Callable[[Machine], None]] = []

    def start(self, machine: Machine) -> None:
        """Start a worker in one version or the other."""
        machine.start(self._rng.choice(self._sources))

    def round(self, office: Desk, name: str, faults: int) -> "Round":
        """Have books written while things break, look at them, and tidy up."""
        add(office, name)
        before = self._provider.answered
        for _ in range(faults):
            pause(self._rng.uniform(1.0, 6.0))
            self.strike()
        settle(self._dsn)
        check_books(office, name)
        twice = self._provider.answered - before - sum(map(recorded, journals(self._dsn)))
        return Round(twice, tidied(office, self._dsn, name))

    def strike(self) -> None:
        """Break something; every kind comes as often as every other."""
        if not self._next:
            self._next = self._rng.sample(self._faults, len(self._faults))
        fault, machine = self._next.pop(), self._rng.choice(self._machines)
        self.kinds[fault.__name__] += 1
        if fault not in (self.stopped, self.provider_refuses):
            self.lost += self._provider.under_way
        fault(machine)
        if machine.worker.is_over():
            with machine.worker:
                machine.worker.wait()
            self.start(machine)

    def worker_killed(self, machine: Machine) -> None:
        machine.worker.signal(signal.SIGKILL, books_too=False)
        machine.worker.wait()

    def machine_killed(self, machine: Machine) -> None:
        machine.worker.signal(signal.SIGKILL)
        machine.worker.wait()

    def book_killed(self, machine: Machine) -> None:
        for pid in machine.worker.books()[:1]:
            os.kill(pid, signal.SIGKILL)

    def stopped(self, machine: Machine) -> None:
        machine.worker.signal(signal.SIGTERM, books_too=self._rng.random() < 0.5)
        # One that had only just been started had not begun anything.
        assert machine.worker.wait() in (0, -signal.SIGTERM), machine.worker.said

    def stopped_twice(self, machine: Machine) -> None:
        machine.worker.signal(signal.SIGTERM, books_too=False)
        pause(0.3)
        machine.worker.signal(signal.SIGTERM, books_too=False)
        machine.worker.wait()

    def machine_frozen(self, machine: Machine) -> None:
        self._freeze(machine, books_too=True)

    def worker_frozen(self, machine: Machine) -> None:
        self._freeze(machine, books_too=False)

    def _freeze(self, machine: Machine, *, books_too: bool) -> None:
        machine.worker.signal(signal.SIGSTOP, books_too=books_too)
        pause(self._rng.choice([0.5, 2.0]) * STALLED)
        machine.worker.signal(signal.SIGCONT, books_too=books_too)

    def database_killed(self, _machine: Machine) -> None:
        self._cluster.stop()
        pause(self._rng.uniform(1.0, 5.0))
        self._cluster.start()

    def sessions_ended(self, _machine: Machine) -> None:
        with psycopg.connect(self._dsn, autocommit=True) as connection:
            connection.execute(END_SESSIONS)

    def link_stalls(self, machine: Machine) -> None:
        machine.wire.cut()
        pause(self._rng.choice([0.5, 3.0]) * STALLED)
        machine.wire.mend()

    def link_down(self, machine: Machine) -> None:
        machine.wire.down()
        pause(self._rng.choice([0.5, 2.0]) * STALLED)
        machine.wire.mend()

    def provider_refuses(self, _machine: Machine) -> None:
        self._provider.stormy_until = time.monotonic() + 3.0


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """A server that nobody minds to be killed."""
    with running_cluster("fsync=on") as found:
        yield found


def test_bar_29_three_rounds_of_faults_lose_no_book(
    own_cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dsn, began = own_cluster.new_database(), time.monotonic()
    sources = (None, earlier_version(EARLIER, tmp_path / "earlier"))
    rows = (sources[1] / "libriscribe2" / "batch" / "rows.py").read_text("utf-8")
    assert f"PAYLOAD: Final = {PAYLOAD}\n" in rows, "its workers would leave every book alone"
    office = Desk(tmp_path / "office")
    office.folder.mkdir()
    office.environment |= {**PACE, "LIBRISCRIBE2_BATCH__DSN": dsn}
    with Provider() as provider, ExitStack() as stack:
        machines = [
            Machine(tmp_path / f"machine-{number}", own_cluster, dsn, provider.url)
            for number in range(3)
        ]
        chaos = Chaos(BAR.rng(), own_cluster, dsn, provider, machines, sources)
        for machine in machines:
            chaos.start(machine)
            stack.callback(machine.close)
        rounds = [chaos.round(office, f"round-{n}", faults) for n, faults in enumerate(ROUNDS)]
        for machine in machines:
            machine.worker.signal(signal.SIGTERM, books_too=False)
            assert machine.worker.wait() == 0, machine.worker.said
        check_nothing_is_left(dsn)
    twice, sizes = sum(one.twice for one in rounds), [one.size for one in rounds]
    told = (
        f"{len(ROUNDS) * (GOOD + CAPPED + 1)} books, {sum(ROUNDS)} faults of {len(chaos.kinds)} kinds,"
        f" two versions: {len(provider.arrivals)} calls, {twice} paid twice of {chaos.lost} under way"
        f" at faults, {provider.fullest()} of {PER_MINUTE} in the fullest minute,"
        f" tables {sizes} bytes, {time.monotonic() - began:.0f} s"
    )
    BAR.tell(capsys, told, soak=True)
    assert 0 <= twice <= chaos.lost
    assert provider.fullest() <= PER_MINUTE
    assert sizes[2] <= sizes[0] + 2 * PAGE  # workers that died are listed for a day
    assert sum(chaos.kinds.values()) == sum(ROUNDS)
    assert len(chaos.kinds) == 12


def add(desk: Desk, name: str) -> None:
    """Queue the books of a round: good ones, one that is always refused, and some with a cap."""
    good = [f"{name}-{number}" for number in range(GOOD)]
    rows = [{"name": one, "premise": premise(one), **ROW} for one in good]
    rows.append({"name": f"{name}-refused", "premise": f"A keeper: {REFUSED}", **ROW})
    capped = [f"{name}-capped-{number}" for number in range(CAPPED)]
    for batch, told, options in (
        (name, rows, ()),
        (
            f"{name}-capped",
            [{"name": one, "premise": premise(one), **ROW} for one in capped],
            ("--max-cost", str(CAP)),
        ),
    ):
        text = "".join(f"{json.dumps(row)}\n" for row in told)
        (desk.folder / f"{batch}.jsonl").write_text(text, encoding="utf-8")
        desk.run("batch", "add", f"{batch}.jsonl", "--batch", batch, *options)


def settle(dsn: str) -> None:
    """Wait until no book waits or runs."""
    until = time.monotonic() + LONGEST_ROUND
    with psycopg.connect(dsn, autocommit=True) as connection:
        count = "select count(*) from libriscribe2_jobs"
        while connection.execute(count).fetchone() != (0,):
            assert time.monotonic() < until, "books are stuck"
            pause(1.0)


def journals(dsn: str) -> list[list[bytes]]:
    """The journals of all books in the database."""
    with psycopg.connect(dsn) as connection:
        found = connection.execute("select project from libriscribe2_books").fetchall()
    return [kept_lines(dsn, key) for (key,) in found]


def recorded(lines: Sequence[bytes]) -> int:
    """How many different paid replies a journal holds."""
    records = scan(b"".join(line + b"\n" for line in lines)).records
    return len({record["k"] for record in records if record["t"] == "done"})


def check_books(desk: Desk, name: str) -> None:
    """All are done, or are not for a reason of their own."""
    books = status(desk, name)
    ends = {book["book"]: (book["state"], book["cause"], book["what"]) for book in books}
    refused = ends.pop(f"{name}-refused")
    assert refused[:2] == ("failed", "book"), refused
    assert {end[0] for end in ends.values()} == {"done"}, ends
    capped = status(desk, f"{name}-capped")
    assert {book["state"] for book in capped} <= {"done", "stopped"}, capped
    assert sum(book["cost_usd"] for book in capped) <= CAP
    assert any(book["state"] == "done" for book in capped), capped
    assert any(book["state"] == "stopped" for book in capped), capped


def status(desk: Desk, name: str) -> list[dict[str, Any]]:
    return list(desk.run("batch", "status", "--batch", name, "--json").value["books"])


def tidied(desk: Desk, dsn: str, name: str) -> int:
    """Delete what is over, as an operator does; the bytes that the rows of all tables take then."""
    for batch in (name, f"{name}-capped"):
        desk.run("batch", "cancel", "--batch", batch)
    desk.run("batch", "forget", "--older-than", "0s")
    with psycopg.connect(dsn, autocommit=True) as connection:
        for table in TABLES:
            counted = sql.SQL("select count(*) from {}")
            count = connection.execute(counted.format(sql.Identifier(f"libriscribe2_{table}")))
            assert count.fetchone() == (0,), table
        connection.execute("vacuum full")
        size = "select sum(pg_table_size(oid)) from pg_class where relname like 'libriscribe2%'"
        found = connection.execute(size).fetchone()
    assert found is not None
    return int(found[0])


def check_nothing_is_left(dsn: str) -> None:
    """No session, no lock."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        until = time.monotonic() + 3 * STALLED
        while connection.execute(SESSIONS).fetchall():
            assert time.monotonic() < until, "sessions are left"
            pause(0.5)
        assert connection.execute(LOCKS).fetchone() == (0,)
