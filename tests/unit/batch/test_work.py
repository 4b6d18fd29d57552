"""Running the books of a batch, with a writer that does as it is told and a clock of its own."""

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest
from tests.support.book_writers import Clock, Writer, done

from libriscribe2.batch.folders import BatchPaths
from libriscribe2.batch.progress import Book, Ended, Sums
from libriscribe2.batch.queue import LocalQueue
from libriscribe2.batch.rows import Row
from libriscribe2.batch.work import Terms
from libriscribe2.errors import ProjectInUseError


def queue_with(folder: Path, *names: str) -> LocalQueue:
    queue = LocalQueue(BatchPaths(folder / "batch"))
    queue.enqueue([Row(name, "row", {"premise": "x"}) for name in names], lambda _name: False)
    return queue


def stands(queue: LocalQueue) -> dict[str, str]:
    return {name: book.state for name, book in queue.status().books.items()}


async def test_a_passing_failure_is_tried_again_later_and_others_go_on(tmp_path: Path) -> None:
    clock = Clock()
    began: list[tuple[str, float]] = []

    def act(book: Book, _grant: float | None, count: int) -> Ended:
        began.append((book.row.name, clock.at))
        return Ended("failed", 7, "no network") if book.row.name == "a" and count < 4 else done()

    queue, writer = queue_with(tmp_path, "a", "b"), Writer(act)
    terms = Terms(tries=4, retry_seconds=30, sleep=clock.sleep, now=clock.now)
    await queue.work(writer, terms)
    assert writer.runs == ["a", "b", "a", "a", "a"]
    times = [at for name, at in began if name == "a"]
    pauses = [after - before for before, after in pairwise(times)]
    assert pauses == pytest.approx([30, 60, 120], abs=10)  # the work looks in ticks
    assert stands(queue) == {"a": "done", "b": "done"}


@pytest.mark.parametrize(("code", "runs"), [(7, 3), (-9, 3), (4, 1), (1, 1)])
async def test_only_what_may_pass_is_tried_again(tmp_path: Path, code: int, runs: int) -> None:
    clock = Clock()
    state = "queued" if code < 0 else "failed"
    queue = queue_with(tmp_path, "a")
    writer = Writer(lambda *_: Ended("queued" if state == "queued" else "failed", code, "why"))
    await queue.work(writer, Terms(tries=3, sleep=clock.sleep, now=clock.now))
    assert len(writer.runs) == runs
    assert stands(queue) == {"a": "failed"}
    assert queue.status().books["a"].last.what == "why"


async def test_one_process_at_a_time_runs_a_batch(tmp_path: Path) -> None:
    queue, other = queue_with(tmp_path, "a"), queue_with(tmp_path)
    writer = Writer(lambda *_: done())
    writer.held.clear()
    working = asyncio.ensure_future(queue.work(writer, Terms()))
    while writer.runs != ["a"]:
        await asyncio.to_thread(lambda: None)
    with pytest.raises(ProjectInUseError, match="being written by another process"):
        await other.work(writer, Terms())
    writer.held.set()
    await working
    assert stands(other) == {"a": "done"}


async def test_books_of_a_worker_that_died_are_taken_over(tmp_path: Path) -> None:
    queue = queue_with(tmp_path, "a")
    text = queue.paths.log.read_bytes()
    writer = Writer(lambda *_: done())
    await queue.work(writer, Terms())
    # As a power failure leaves it: the run has begun, and its end is torn.
    lines = queue.paths.log.read_bytes()[len(text) :].splitlines(keepends=True)
    queue.paths.log.write_bytes(text + b"".join(lines[:2]) + lines[2][:20])
    left = LocalQueue(queue.paths)
    assert stands(left) == {"a": "running"}
    await left.work(writer, Terms())
    assert stands(left) == {"a": "done"}
    assert stands(LocalQueue(queue.paths)) == {"a": "done"}
    assert writer.runs == ["a", "a"]


async def test_a_book_that_the_cap_is_too_small_for_is_stopped(tmp_path: Path) -> None:
    def act(_book: Book, grant: float | None, _count: int) -> Ended:
        return Ended("stopped", 8, "budget", sums=Sums(possible_usd=grant or 0.0))

    queue, writer = queue_with(tmp_path, "a", "b"), Writer(act)
    await queue.work(writer, Terms(cap=2.0))
    assert set(stands(queue).values()) == {"stopped"}
    assert sum(book.committed_usd for book in queue.status().books.values()) <= 2.0
    queue.retry()
    await queue.work(Writer(lambda *_: done(1.5)), Terms(cap=4.0, funding="even"))
    assert set(stands(queue).values()) == {"done"}
