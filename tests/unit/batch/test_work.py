"""Running the books of a batch, with a writer that does as it is told and a clock of its own."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from libriscribe2.batch.figures import Sums
from libriscribe2.batch.paths import BatchPaths
from libriscribe2.batch.queue import LocalQueue
from libriscribe2.batch.rows import Row
from libriscribe2.batch.state import Book, Ended
from libriscribe2.batch.work import Terms
from libriscribe2.errors import ProjectInUseError, StorageError

Act = Callable[[Book, float | None, int], Ended]


class Clock:
    """Time that passes when somebody waits."""

    def __init__(self) -> None:
        self.at = 0.0

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds
        # Several turns of the loop: what is under way may come to its end first.
        for _ in range(5):
            await asyncio.get_running_loop().run_in_executor(None, lambda: None)


class Writer:
    """Writes no book, and notes who was under way with whom."""

    def __init__(self, act: Act) -> None:
        self.runs: list[str] = []
        self.grants: list[float | None] = []
        self.most = 0
        self.held = asyncio.Event()
        self.held.set()
        self._act = act
        self._now = 0

    async def write(self, book: Book, grant: float | None) -> Ended:
        self.runs.append(book.row.name)
        self.grants.append(grant)
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            await asyncio.to_thread(lambda: None)
            await self.held.wait()
            return self._act(book, grant, self.runs.count(book.row.name))
        finally:
            self._now -= 1

    async def sums(self, book: Book) -> Sums:
        return book.last.sums


def done(usd: float = 0.0) -> Ended:
    return Ended("done", sums=Sums(words=10, cost_usd=usd, possible_usd=usd))


def queue_with(folder: Path, *names: str) -> LocalQueue:
    queue = LocalQueue(BatchPaths(folder / "batch"))
    queue.enqueue([Row(name, "row", {"premise": "x"}) for name in names], lambda _name: False)
    return queue


def stands(queue: LocalQueue) -> dict[str, str]:
    return {name: book.state for name, book in queue.status().books.items()}


async def test_so_many_books_at_once_and_no_more(tmp_path: Path) -> None:
    queue, writer = queue_with(tmp_path, *"abcdefg"), Writer(lambda *_: done())
    await queue.work(writer, Terms(books=3))
    assert writer.runs == list("abcdefg")
    assert writer.most == 3
    assert set(stands(queue).values()) == {"done"}


async def test_a_passing_failure_is_tried_again_later_and_others_go_on(tmp_path: Path) -> None:
    clock = Clock()
    began: list[tuple[str, float]] = []

    def act(book: Book, _grant: float | None, count: int) -> Ended:
        began.append((book.row.name, clock.at))
        return Ended("failed", 7, "no network") if book.row.name == "a" and count < 3 else done()

    queue, writer = queue_with(tmp_path, "a", "b"), Writer(act)
    terms = Terms(tries=3, retry_seconds=30, sleep=clock.sleep, now=clock.now)
    await queue.work(writer, terms)
    assert writer.runs == ["a", "b", "a", "a"]
    times = [at for name, at in began if name == "a"]
    assert times[1] - times[0] >= 30
    assert times[2] - times[1] >= 60
    assert stands(queue) == {"a": "done", "b": "done"}


@pytest.mark.parametrize(("code", "runs"), [(7, 3), (9, 3), (-9, 3), (4, 1), (1, 1), (6, 1)])
async def test_only_what_may_pass_is_tried_again(tmp_path: Path, code: int, runs: int) -> None:
    clock = Clock()
    state = "queued" if code < 0 else "failed"
    queue = queue_with(tmp_path, "a")
    writer = Writer(lambda *_: Ended("queued" if state == "queued" else "failed", code, "why"))
    await queue.work(writer, Terms(tries=3, sleep=clock.sleep, now=clock.now))
    assert len(writer.runs) == runs
    assert stands(queue) == {"a": "failed"}
    assert queue.status().books["a"].last.what == "why"


async def test_a_book_that_cannot_be_begun_fails_alone(tmp_path: Path) -> None:
    def act(book: Book, _grant: float | None, _count: int) -> Ended:
        if book.row.name == "a":
            raise StorageError("Cannot make it", why="no room", fix="Free some.")
        return done()

    queue = queue_with(tmp_path, "a", "b")
    await queue.work(Writer(act), Terms())
    assert stands(queue) == {"a": "failed", "b": "done"}
    last = queue.status().books["a"].last
    assert (last.code, last.what, last.why, last.fix) == (
        6,
        "Cannot make it",
        "no room",
        "Free some.",
    )


async def test_what_others_say_meanwhile_is_obeyed(tmp_path: Path) -> None:
    queue, other = queue_with(tmp_path, "a", "b", "c"), queue_with(tmp_path)
    writer = Writer(lambda *_: done())
    writer.held.clear()
    working = asyncio.ensure_future(queue.work(writer, Terms(books=1)))
    while writer.runs != ["a"]:
        await asyncio.to_thread(lambda: None)
    assert other.is_running()
    with pytest.raises(ProjectInUseError, match="being written by another process"):
        await other.work(writer, Terms())
    other.cancel(["a", "c"])
    while writer.runs != ["a", "b"]:
        await asyncio.to_thread(lambda: None)
    other.enqueue([Row("d", "row", {"premise": "x"})], lambda _name: False)
    other.pause()
    writer.held.set()
    await working
    assert stands(other) == {"a": "cancelled", "b": "done", "c": "cancelled", "d": "queued"}
    other.retry(["c"])
    await other.work(writer, Terms())
    assert stands(other) == {"a": "cancelled", "b": "done", "c": "done", "d": "done"}


async def test_books_that_were_under_way_go_on_after_a_stop(tmp_path: Path) -> None:
    queue, writer = queue_with(tmp_path, "a", "b"), Writer(lambda *_: done())
    writer.held.clear()
    working = asyncio.ensure_future(queue.work(writer, Terms(books=2)))
    while len(writer.runs) < 2:
        await asyncio.to_thread(lambda: None)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert stands(queue) == {"a": "queued", "b": "queued"}
    assert not queue.is_running()
    writer.held.set()
    await queue.work(writer, Terms())
    assert stands(queue) == {"a": "done", "b": "done"}


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


async def test_what_books_leave_over_lets_others_finish_within_the_cap(tmp_path: Path) -> None:
    wanted = {"a": 1.0, "b": 5.0, "c": 1.0}

    def act(book: Book, grant: float | None, _count: int) -> Ended:
        assert grant is not None
        need = wanted[book.row.name]
        if grant < need:
            return Ended("stopped", 8, "budget", sums=Sums(possible_usd=grant))
        return done(need)

    queue, writer = queue_with(tmp_path, *wanted), Writer(act)
    await queue.work(writer, Terms(books=3, cap=9.0))
    assert writer.grants[:3] == [3.0, 3.0, 3.0]
    assert writer.runs == ["a", "b", "c", "b"]
    assert set(stands(queue).values()) == {"done"}


async def test_a_book_that_the_cap_is_too_small_for_is_stopped(tmp_path: Path) -> None:
    def act(_book: Book, grant: float | None, _count: int) -> Ended:
        return Ended("stopped", 8, "budget", sums=Sums(possible_usd=grant or 0.0))

    queue, writer = queue_with(tmp_path, "a", "b"), Writer(act)
    await queue.work(writer, Terms(cap=2.0))
    assert set(stands(queue).values()) == {"stopped"}
    assert sum(book.committed_usd for book in queue.status().books.values()) <= 2.0
    queue.retry()
    await queue.work(Writer(lambda *_: done(1.5)), Terms(cap=4.0))
    assert set(stands(queue).values()) == {"done"}
