"""Many books: what the queue itself takes, what a second worker brings, what an idle one holds.

`python -m bench.batch` prints it; PostgreSQL has to be installed.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, mkdtemp
from typing import Final

from tests.support.batches import add_books, alone, states
from tests.support.desk import Desk
from tests.support.postgres import Cluster, running_cluster

from bench.slow_book import SECONDS
from libriscribe2.batch.folders import BatchPaths
from libriscribe2.batch.postgres.database import Database, Dsn, ensure_schema
from libriscribe2.batch.postgres.exchange import Exchange, Pace
from libriscribe2.batch.postgres.worker import DatabaseQueue
from libriscribe2.batch.progress import Book, Ended, Sums
from libriscribe2.batch.queue import BookQueue, LocalQueue
from libriscribe2.batch.rows import Row
from libriscribe2.batch.work import BookWriter, Terms

TITLE: Final = "Batches"
SMALL: Final = {"chapters": 2, "scenes_per_chapter": 1, "words": 200}
EMPTY_RUNS: Final = 200
LISTED: Final = 1_000
ROWS: Final = (2_000, 20_000)
CLAIMS: Final = 100
SHORT_BOOKS: Final = 100
SLOW_BOOKS: Final = 6
CALLS: Final = 16
CALL_SECONDS: Final = 0.2


class Instant:
    """Writes nothing, in no time."""

    async def write(self, book: Book, grant: float | None) -> Ended:
        del book, grant
        return Ended("done", sums=Sums(words=1))

    async def sums(self, book: Book) -> Sums:
        del book
        return Sums()


class Waiting:
    """Writes books in this process that only wait for their model."""

    async def write(self, book: Book, grant: float | None) -> Ended:
        del book, grant
        for _ in range(CALLS):
            await asyncio.sleep(CALL_SECONDS)  # noqa: TID251 - that is what is measured
        return Ended("done", sums=Sums(words=1))

    async def sums(self, book: Book) -> Sums:
        del book
        return Sums()


class SlowBooks:
    """Writes books in processes whose model takes a while.

    Args:
        folder: Where the projects come up.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def write(self, book: Book, grant: float | None) -> Ended:
        del grant
        words = ("create", str(book.row.brief["premise"]), "--mock", "-p", book.row.name)
        size = ("--chapters", "2", "--scenes-per-chapter", "1", "--words", "200")
        program = (sys.executable, "-m", "bench.slow_book", *words, *size, "--max-concurrency", "1")
        process = await asyncio.create_subprocess_exec(
            *program,
            cwd=mkdtemp(dir=self._folder),
            env={**os.environ, "PYTHONPATH": str(Path.cwd()), SECONDS: str(CALL_SECONDS)},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        code = await process.wait()
        return Ended("done" if code == 0 else "failed", code)

    async def sums(self, book: Book) -> Sums:
        del book
        return Sums()


def measure() -> Iterator[str]:
    """The figures, a line of the table each."""
    yield "| what | folder | PostgreSQL |"
    yield "|---|---|---|"
    with TemporaryDirectory() as name, running_cluster() as cluster:
        folder = Path(name)
        overheads = [per_book(queue) for queue in queues(folder / "o", cluster)]
        told = [f"{wall:.1f} ms, of which {cpu:.1f} ms of our CPU" for wall, cpu in overheads]
        yield f"| queue overhead per book, {EMPTY_RUNS} books | {' | '.join(told)} |"
        lists = [listed(queue) for queue in queues(folder / "l", cluster)]
        yield f"| {LISTED:,} books queued | {' | '.join(f'{one:.2f} s' for one, _ in lists)} |"
        yield f"| then `status` folded | {' | '.join(f'{two:.2f} s' for _, two in lists)} |"
        for count in ROWS:
            added, listing, claim = rows_of(cluster, count)
            times = f"{added:.2f} s, {listing:.2f} s, {claim * 1000:.1f} ms"
            yield f"| {count:,} rows added, listed, one of them claimed | - | {times} |"
        for what, writer in (("waiting", Waiting()), ("processes", SlowBooks(folder))):
            rates = [
                [
                    throughput(writer, queue, workers)
                    for queue in queues(folder / what / str(workers), cluster)
                ]
                for workers in (1, 2)
            ]
            ratios = [
                f"{two / one:.2f} ({one:.1f} to {two:.1f} a minute)"
                for one, two in zip(*rates, strict=True)
            ]
            yield f"| 2 books at once over 1, {CALL_SECONDS * 1000:.0f} ms a call, {what} | {' | '.join(ratios)} |"
        yield f"| memory of an idle worker | - | {idle_megabytes(folder, cluster):.0f} MB |"
        yield f"| {SHORT_BOOKS} short books, stand-in author, 2 at once | {short_books(folder)} | - |"


def queues(folder: Path, cluster: Cluster) -> list[BookQueue]:
    """A new and empty queue of each kind."""
    database = Database(Dsn(cluster.new_database()))
    ensure_schema(database)
    pace = Pace(poll=0.05)
    return [LocalQueue(BatchPaths(folder / "batch")), DatabaseQueue(database, "batch", pace)]


def add(queue: BookQueue, count: int) -> None:
    rows = [
        Row(f"book-{n}", f"row {n}", {"premise": f"A keeper {n}", **SMALL}) for n in range(count)
    ]
    queue.enqueue(rows, lambda _name: False)


def per_book(queue: BookQueue) -> tuple[float, float]:
    """Milliseconds that the queue takes for a book that takes none: in all, and of our CPU."""
    with closing(queue):
        add(queue, EMPTY_RUNS)
        wall, cpu = time.perf_counter(), time.process_time()
        asyncio.run(queue.work(Instant(), Terms(books=1)))
        spent = (time.perf_counter() - wall, time.process_time() - cpu)
        return spent[0] / EMPTY_RUNS * 1000, spent[1] / EMPTY_RUNS * 1000


def listed(queue: BookQueue) -> tuple[float, float]:
    """Seconds to queue many books, and to list them, which nobody has read before."""
    with closing(queue):
        began = time.perf_counter()
        add(queue, LISTED)
        queued = time.perf_counter() - began
        began = time.perf_counter()
        assert queue.status().counts()["queued"] == LISTED
        return queued, time.perf_counter() - began


def rows_of(cluster: Cluster, count: int) -> tuple[float, float, float]:
    """Seconds to add so many rows, to list them, and to claim one (the median)."""
    with closing(Database(Dsn(cluster.new_database()))) as database:
        ensure_schema(database)
        began = time.perf_counter()
        add(DatabaseQueue(database, "batch"), count)
        added = time.perf_counter() - began
        began = time.perf_counter()
        assert len(DatabaseQueue(database, "batch").status().books) == count
        listing = time.perf_counter() - began
        exchange = Exchange(database, Terms(), Pace(), None)
        exchange.beat()
        exchange.claim()  # the first one reads the log
        times = []
        for _ in range(CLAIMS):
            began = time.perf_counter()
            assert exchange.claim() is not None
            times.append(time.perf_counter() - began)
        return added, listing, median(times)


def throughput(writer: BookWriter, queue: BookQueue, at_once: int) -> float:
    """Books a minute, with so many at once."""
    with closing(queue):
        add(queue, SLOW_BOOKS)
        began = time.perf_counter()
        asyncio.run(queue.work(writer, Terms(books=at_once)))
        assert queue.status().counts()["done"] == SLOW_BOOKS
        return SLOW_BOOKS / (time.perf_counter() - began) * 60


def short_books(folder: Path) -> str:
    """How many of a batch's books on this machine are done, and are what single runs make."""
    desk = Desk(folder / "short")
    desk.folder.mkdir()
    names = [f"book-{number}" for number in range(SHORT_BOOKS)]
    add_books(desk, names)
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "libriscribe2", "batch", "run", "--mock", "--books", "2"],
        cwd=desk.folder,
        env=desk.whole_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    seconds = time.perf_counter() - began
    done = [name for name, state in states(desk).items() if state == "done"]
    same = [name for name in done if desk.project(name).contents() == alone(folder, name)]
    return f"{len(done)} done in {seconds:.0f} s, {len(same)} byte for byte as alone"


def idle_megabytes(folder: Path, cluster: Cluster) -> float:
    """Resident memory of a worker that has nothing to do."""
    environment = {**os.environ, "LIBRISCRIBE2_BATCH__DSN": cluster.new_database()}
    command = [sys.executable, "-m", "libriscribe2", "batch", "worker", "--mock"]
    with ExitStack() as stack:
        process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE)
        stack.callback(process.communicate)
        stack.callback(process.terminate)
        assert process.stderr is not None
        process.stderr.readline()
        time.sleep(2)  # noqa: TID251 - until it has settled
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    for told in measure():
        print(told)
