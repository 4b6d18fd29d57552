"""Journals beside their folders in a database: what a call waits for it, and what a book takes there.

`python -m bench.database_journal` prints it; PostgreSQL has to be installed.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.batches import add_books
from tests.support.desk import Desk
from tests.support.postgres import Cluster, running_cluster

from libriscribe2.batch.postgres.book_journal import DatabaseJournal, ProjectClaim
from libriscribe2.batch.postgres.database import Database, Dsn, ensure_schema
from libriscribe2.project.journal import Journal
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.records import done, sent

TITLE: Final = "Journals in a database"
CALLS: Final = 400
REPLY: Final = "The keeper read the line again, and the lamp went out. " * 120
"""A scene of some 1,300 words."""

DURABLE: Final = ("fsync=on", "full_page_writes=on")
_SIZE: Final = """
    select pg_total_relation_size('libriscribe2_journal') as there, count(*) as lines,
        sum(octet_length(line)) as whole, sum(pg_column_size(line)) as stored
    from libriscribe2_journal
"""


def measure() -> Iterator[str]:
    """The figures, a line of the table each."""
    yield "| what | figure |"
    yield "|---|---|"
    with TemporaryDirectory() as name:
        folder = Path(name)
        for told, settings in (("not durable, as in tests", ()), ("durable", DURABLE)):
            with running_cluster(*settings) as cluster:
                alone, beside = waits(folder / told.partition(",")[0], cluster)
                yield f"| a call's two records, database {told} | {beside}; folder alone {alone} |"
                if not settings:
                    yield f"| a book of 12 chapters in the database | {room(folder, cluster)} |"


def waits(folder: Path, cluster: Cluster) -> list[str]:
    """What the two records of a call take, in the folder and in both."""
    dsn = Dsn(cluster.new_database())
    with closing(Database(dsn)) as database:
        ensure_schema(database)
    paths = ProjectPaths(folder / "book", folder / "debug")
    paths.state.mkdir(parents=True)
    paths.book_toml.write_bytes(b"")
    with ProjectClaim.take(dsn, "bench/book") as claim:
        plain = Journal.open(folder / "plain.jsonl")
        mirrored = Journal.open(paths.journal, mirror=DatabaseJournal(claim, paths))
        with closing(plain), closing(mirrored):
            times = [[_call(journal, n) for journal in (plain, mirrored)] for n in range(CALLS)]
    return [_told(column) for column in zip(*times, strict=True)]


def _told(calls: Sequence[tuple[float, float]]) -> str:
    """The median and what the fastest tenth took, on a machine that has other work."""
    wall, cpu = ([one * 1000 for one in column] for column in zip(*calls, strict=True))
    fast = quantiles(wall, n=10)[0]
    return f"{median(wall):.2f} ms ({fast:.2f} at best, {median(cpu):.2f} of our CPU)"


def room(folder: Path, cluster: Cluster) -> str:
    """What a book takes in the database, with what its journal is as a file."""
    dsn = cluster.new_database()
    desk = Desk(folder / "desk")
    desk.folder.mkdir()
    desk.environment |= {"LIBRISCRIBE2_BATCH__DSN": dsn}
    add_books(desk, ["book"], row={"chapters": 12})
    options = ("--mock", "--drain", "--journal", "database")
    subprocess.run(
        [sys.executable, "-m", "libriscribe2", "batch", "worker", *options],
        cwd=desk.folder,
        env={**os.environ, **desk.whole_environment()},
        stderr=subprocess.DEVNULL,
        check=True,
    )
    calls = len(desk.project("book").records("sent"))
    with closing(Database(Dsn(dsn))) as database:
        database.rows("vacuum full libriscribe2_journal")
        (size,) = database.rows(_SIZE)
    return (
        f"{size['there'] / 1024:,.0f} kB for {size['lines']} lines of {calls} calls; "
        f"{size['whole'] / 1024:,.0f} kB as a file"
    )


def _call(journal: Journal, number: int) -> tuple[float, float]:
    """Seconds that the records of a call take: wall, and our CPU."""
    key = f"{number:064d}"
    completion = {"reply": f"{number} {REPLY}", "usage": {}, "cost_usd": 0.01}
    wall, cpu = time.perf_counter(), time.process_time()
    journal.append(sent(key, step="chapters/1", model="m", est_usd=0.1))
    journal.append(done(key, completion))
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    for told in measure():
        print(told)
