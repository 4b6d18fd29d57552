"""Bar 21: the database crashes, is away, or is cut off; books finish, and no cap is passed."""

import asyncio
import math
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
from tests.support.bars import Bar, pause
from tests.support.batches import FAST_PACE, WorkerProcess, add_books, alone, paid_twice, states
from tests.support.desk import Desk
from tests.support.postgres import Cluster, Wire, running_cluster

from libriscribe2.batch.postgres.database import Database, Dsn, ensure_schema
from libriscribe2.batch.postgres.exchange import Pace
from libriscribe2.batch.postgres.worker import DatabaseQueue
from libriscribe2.batch.progress import Book, Ended, Sums
from libriscribe2.batch.rows import Row
from libriscribe2.batch.work import Terms

BAR: Final = Bar(21, seed=21, file="test_bar_21_database_outage.py")
BOOKS: Final = 20
CAP: Final = 10.0
PACE: Final = Pace(heartbeat=0.2, stalled=1.0, poll=0.05)
CUT_SECONDS: Final = 2.0

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def own() -> Iterator[Cluster]:
    """A server that may be killed: nobody else's tests are on it."""
    with running_cluster() as found:
        yield found


class Spender:
    """Writes books that cost money, each all that it is granted or what it needs.

    Attributes:
        spent: What was paid for each book, whatever the database knows of it.
    """

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    async def write(self, book: Book, grant: float | None) -> Ended:
        assert grant is not None
        name = book.row.name
        need = 0.2 + 0.02 * int(name)
        for _ in range(10):
            await asyncio.to_thread(pause, 0.02)
            step = min(need / 10, max(0.0, min(grant, need) - self.spent.get(name, 0.0)))
            self.spent[name] = self.spent.get(name, 0.0) + step
        done = self.spent[name] >= need - 1e-9
        sums = await self.sums(book)
        return Ended("done", sums=sums) if done else Ended("stopped", 8, "budget", sums=sums)

    async def sums(self, book: Book) -> Sums:
        usd = self.spent.get(book.row.name, 0.0)
        return Sums(words=1, cost_usd=usd, possible_usd=usd)


def test_bar_21_two_workers_outlive_a_crash_and_never_pass_the_cap(
    own: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    def crash() -> None:
        own.stop("immediate")
        pause(1.0)
        own.start()

    spender, seen = asyncio.run(through(own.new_database(), crash))
    total = math.fsum(spender.spent.values())
    assert total <= CAP
    BAR.tell(capsys, f"{seen} of {BOOKS} books done after a crash, {total:.2f} of {CAP:.2f} USD")


def test_bar_21_a_cut_cable_only_delays(own: Cluster, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(Wire(own.port)) as wire:
        dsn = own.new_database().replace(f":{own.port}/", f":{wire.port}/")

        def cut() -> None:
            wire.cut()
            pause(CUT_SECONDS)
            wire.mend()

        spender, seen = asyncio.run(through(dsn, cut))
    assert math.fsum(spender.spent.values()) <= CAP
    BAR.tell(capsys, f"{seen} of {BOOKS} books done after a cut of {CUT_SECONDS:.0f} s")


def test_bar_21_books_of_real_workers_finish_after_an_outage(
    own: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outage(own, tmp_path, capsys, books=3, seconds=2.0)


@pytest.mark.soak
def test_bar_21_twenty_books_of_real_workers_finish_after_ten_seconds_without(
    own: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outage(own, tmp_path, capsys, books=BOOKS, seconds=10.0)


def outage(
    own: Cluster,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    *,
    books: int,
    seconds: float,
) -> None:
    desk = Desk(folder / "desk")
    desk.folder.mkdir()
    desk.environment |= {**FAST_PACE, "LIBRISCRIBE2_BATCH__DSN": own.new_database()}
    names = [f"book-{number}" for number in range(books)]
    add_books(desk, names)
    with WorkerProcess(desk, "--drain") as one, WorkerProcess(desk, "--drain") as other:
        journal = desk.project(names[0]).path(".libriscribe/journal.jsonl")
        while not journal.exists() or not desk.project(names[0]).records("done"):
            pause(0.01)
        own.stop("immediate")
        pause(seconds)
        own.start()
        assert (one.wait(), other.wait()) == (0, 0)
    assert set(states(desk).values()) == {"done"}
    assert sum(paid_twice(desk, name) for name in names) == 0
    for name in names:
        assert desk.project(name).contents() == alone(folder, name)
    BAR.tell(capsys, f"{books} of {books} books done after {seconds:.0f} s without, 0 paid twice")


async def through(dsn: str, trouble: Callable[[], None]) -> tuple[Spender, int]:
    """Have two workers run priced books through trouble; return what was spent, and books done."""
    spender = Spender()
    with closing(queue_on(dsn)) as one, closing(queue_on(dsn)) as other:
        rows = [Row(str(number), "row", {"premise": "x"}) for number in range(BOOKS)]
        one.enqueue(rows, lambda _name: False)
        terms = Terms(books=3, cap=CAP, tries=20, retry_seconds=0.1)
        working = [asyncio.ensure_future(queue.work(spender, terms)) for queue in (one, other)]
        while len(spender.spent) < 3:
            await asyncio.to_thread(pause, 0.01)
        await asyncio.to_thread(trouble)
        await asyncio.wait_for(asyncio.gather(*working), 60)
        batch = one.status()
    assert len(batch.within("done")) == BOOKS
    return spender, len(batch.within("done"))


def queue_on(dsn: str) -> DatabaseQueue:
    database = Database(Dsn(dsn))
    ensure_schema(database)
    return DatabaseQueue(database, "batch", PACE)
