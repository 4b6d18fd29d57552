"""What durability costs: a stored reply beside a bare write with fsync, and the opening of a book."""

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Final

from bench.figures import p95, spread
from libriscribe2.project.atomic import UnsyncedOps
from libriscribe2.project.lock import Machine, Rescue
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore

TITLE: Final = "Durability: replies of 20 kB, and a project of 5,000 calls"
REPLIES: Final = 300
CALLS: Final = 5_000
OPENINGS: Final = 5
REPLY: Final = "A line of the book as a model writes it, not too short.\n" * 360


def measure() -> Iterator[str]:
    with TemporaryDirectory(dir=Path.cwd()) as here:
        folder = Path(here)
        bare, stored = _writes(folder), _replies(folder)
        yield f"- bare write and fsync of {len(REPLY) / 1e3:.0f} kB: {_told(bare)}"
        yield f"- a reply stored (`done`), durable on return: {_told(stored)}"
        bytes_read, opened, busy = _openings(folder)
        size = bytes_read / 1e6
        yield f"- opening a project of {CALLS:,} calls, {size:.0f} MB: {spread(opened, 's', 1)}"
        yield f"- the same in processor time: {spread(busy, 's', 1)}"


def _told(times: list[float]) -> str:
    return f"{spread(times, 'ms', 1e3)}, p95 {1e3 * p95(times):.2f} ms"


def _timed(
    work: Callable[[int], object], times: int, clock: Callable[[], float] = perf_counter
) -> list[float]:
    """The seconds of each call."""
    found = []
    for number in range(times):
        began = clock()
        work(number)
        found.append(clock() - began)
    return found


def _writes(folder: Path) -> list[float]:
    """The least that a durable write can take."""
    data = REPLY.encode("utf-8")
    with (folder / "bare").open("ab", buffering=0) as file:

        def write(_number: int) -> None:
            file.write(data)
            os.fsync(file.fileno())

        return _timed(write, REPLIES)


def _replies(folder: Path) -> list[float]:
    """The times of `done`, each after its `sent`."""
    times = []
    with ProjectStore.create(_paths(folder, "replies"), _machine(folder)) as store:
        for number in range(REPLIES):
            store.call_log.sent(f"{number:064d}", step="bench", model="m")
            began = perf_counter()
            store.call_log.done(f"{number:064d}", _completion(number))
            times.append(perf_counter() - began)
    return times


def _openings(folder: Path) -> tuple[int, list[float], list[float]]:
    """Bytes of the journal, and what opening takes: time on the wall, and of the processor."""
    paths = _paths(folder, "calls")
    quick = Machine(ops=UnsyncedOps(), rescue=Rescue(folder / "rescue"))
    with ProjectStore.create(paths, quick) as store:
        for number in range(CALLS):
            store.call_log.sent(f"{number:064d}", step="bench", model="m")
            store.call_log.done(f"{number:064d}", _completion(number))

    def opened(_number: int) -> None:
        gc.collect()
        ProjectStore.open(paths, _machine(folder)).close()

    size = paths.journal.stat().st_size
    return size, _timed(opened, OPENINGS), _timed(opened, OPENINGS, process_time)


def _completion(number: int) -> dict[str, object]:
    usage = {"input_tokens": 900, "output_tokens": 5_000, "known": True}
    return {"reply": f"{number} {REPLY}", "usage": usage, "cost_usd": 0.01, "model": "m"}


def _paths(folder: Path, name: str) -> ProjectPaths:
    return ProjectPaths(folder / name, folder / f"{name}-debug")


def _machine(folder: Path) -> Machine:
    return Machine(rescue=Rescue(folder / "rescue"))


if __name__ == "__main__":
    print(f"## {TITLE}\n")
    for line in measure():
        print(line)
