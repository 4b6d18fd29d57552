"""Memory of a batch: what one book more at once takes, over HTTP to a server without latency.

`python -m bench.batch_memory` prints it; Linux alone. With `database`, the journals are in a PostgreSQL
of its own, which has to be installed; numbers name other counts of books at once.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.batches import add_books
from tests.support.desk import Desk
from tests.support.openai_server import OpenAIServer
from tests.support.postgres import running_cluster

TITLE: Final = "Memory of a batch"
AT_ONCE: Final = (1, 4, 8, 50)
ROW: Final = {"chapters": 6, "scenes_per_chapter": 3, "words": 6000}
LOOK_SECONDS: Final = 0.1


def measure() -> Iterator[str]:
    """The figures, a line of the table each."""
    yield "| books at once | all processes of the batch | a book more |"
    yield "|---|---|---|"
    first = 0.0
    counts = [int(word) for word in sys.argv[1:] if word.isdigit()] or AT_ONCE
    with OpenAIServer(cost=0.001) as server, ExitStack() as stack:
        shared = "database" in sys.argv
        cluster = stack.enter_context(running_cluster("max_connections=300")) if shared else None
        for count in counts:
            most = peak_megabytes(server, count, cluster.new_database() if cluster else "")
            first = first or most
            more = f"{(most - first) / (count - counts[0]):.1f} MB" if count > counts[0] else "-"
            yield f"| {count} | {most:.0f} MB | {more} |"


def peak_megabytes(server: OpenAIServer, count: int, dsn: str = "") -> float:
    """The most memory that a batch takes which writes so many books at once.

    Args:
        server: Answers.
        count: How many books.
        dsn: The database that has the journals, too; none keeps them in their folders alone.
    """
    with TemporaryDirectory() as name:
        desk = Desk(Path(name) / "desk")
        desk.folder.mkdir()
        desk.environment |= {"OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": server.url}
        desk.environment |= {"LIBRISCRIBE2_BATCH__DSN": dsn} if dsn else {}
        names = [f"book-{number}" for number in range(count)]
        add_books(desk, names, row=ROW)
        words = ("batch", "run", "--model", "openai/test-model", "--books", str(count))
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "libriscribe2", *words],
            cwd=desk.folder,
            env=desk.whole_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        most = 0.0
        while process.poll() is None:
            most = max(most, sum(map(megabytes, tree(process.pid))))
            time.sleep(LOOK_SECONDS)  # noqa: TID251 - between two looks
        assert process.returncode == 0, "not every book was written"
        return most


def tree(pid: int) -> Sequence[int]:
    """A process and all that descend from it."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    except OSError:  # it has ended
        return []
    return [pid, *(below for child in children for below in tree(int(child)))]


def megabytes(pid: int) -> float:
    """Memory of a process, its share of what it has in common with others (PSS)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:  # it has ended
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    print(f"{sys.version.split()[0]}, {os.uname().release}")
    for told in measure():
        print(told, flush=True)
