"""What every queue of a batch promises, on this machine and in a database."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.book_writers import Clock, Writer, done

from libriscribe2.batch.folders import BatchPaths
from libriscribe2.batch.postgres.database import Database, Dsn, ensure_schema
from libriscribe2.batch.postgres.exchange import Pace
from libriscribe2.batch.postgres.worker import DatabaseQueue
from libriscribe2.batch.progress import Book, Cause, Ended, Sums
from libriscribe2.batch.queue import BookQueue, LocalQueue
from libriscribe2.batch.rows import Row
from libriscribe2.batch.work import Terms
from libriscribe2.errors import ModelError, ProjectError

Make = Callable[[], LocalQueue | DatabaseQueue]
FAST = Pace(heartbeat=0.1, stalled=0.5, poll=0.02)


@pytest.fixture(params=["local", pytest.param("postgres", marks=pytest.mark.postgres)])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Makes a queue on the same batch, as another process would."""
    made: list[BookQueue] = []
    dsn = request.getfixturevalue("dsn") if request.param == "postgres" else ""

    def new() -> LocalQueue | DatabaseQueue:
        queue = shared_queue(dsn) if dsn else LocalQueue(BatchPaths(tmp_path / "batch"))
        made.append(queue)
        return queue

    yield new
    for queue in made:
        queue.close()


@pytest.fixture
def second(make: Make, request: pytest.FixtureRequest) -> Iterator[Callable[[], BookQueue]]:
    """Makes a queue on another batch of the same place."""
    first, made = make(), list[BookQueue]()

    def new() -> BookQueue:
        if isinstance(first, LocalQueue):
            made.append(LocalQueue(BatchPaths(first.paths.root.parent / "second")))
        else:
            made.append(shared_queue(request.getfixturevalue("dsn"), "second"))
        return made[-1]

    yield new
    for queue in made:
        queue.close()


def shared_queue(dsn: str, name: str = "batch") -> DatabaseQueue:
    database = Database(Dsn(dsn))
    ensure_schema(database)
    return DatabaseQueue(database, name, FAST)


def add(queue: BookQueue, *names: str) -> None:
    queue.enqueue([Row(name, f"row {name}", {"premise": "x"}) for name in names], lambda _: False)


def stands(queue: BookQueue) -> dict[str, str]:
    return {name: book.state for name, book in queue.status().books.items()}


def test_rows_are_queued_once_and_all_or_none(make: Make) -> None:
    queue = make()
    rows = [Row(name, f"row {name}", {"premise": name}) for name in "ab"]
    assert queue.enqueue(rows, lambda _: False).added == ["a", "b"]
    again = make().enqueue([*rows, Row("c", "row c", {"premise": "c"})], lambda _: False)
    assert (again.added, again.known) == (["c"], ["a", "b"])
    other = make().enqueue(
        [Row("d", "1", {}), Row("A", "2", {"premise": "other"})], lambda _: False
    )
    assert [fault.place for fault in other.faults] == ["2"]
    taken = make().enqueue([Row("e", "3", {})], lambda name: name == "e")
    assert "project 'e' already" in taken.faults[0].why
    assert stands(make()) == {"a": "queued", "b": "queued", "c": "queued"}


def test_a_name_that_another_batch_has_is_a_fault_of_its_row(
    make: Make, second: Callable[[], BookQueue]
) -> None:
    add(make(), "same", "mine")
    rows = [Row(name, f"row {name}", {"premise": "y"}) for name in ("other", "Same")]
    refused = second().enqueue(rows, lambda _: False)
    assert [(fault.place, fault.why) for fault in refused.faults] == [
        (
            "row Same",
            "the batch 'batch' has a book 'Same' already; give this one another `name`",
        )
    ]
    assert not second().status().books


async def test_every_book_is_run_in_order_and_no_more_at_once_than_allowed(make: Make) -> None:
    queue, writer = make(), Writer(lambda *_: done())
    add(queue, *"abcdefg")
    writer.held.clear()
    working = asyncio.ensure_future(queue.work(writer, Terms(books=3)))
    await until(lambda: len(writer.runs) == 3)
    writer.held.set()
    await working
    assert writer.runs == list("abcdefg")
    assert writer.most == 3
    assert set(stands(make()).values()) == {"done"}
    await make().work(writer, Terms())
    assert len(writer.runs) == 7


async def test_the_earliest_deadline_begins_first_also_when_it_is_queued_again(make: Make) -> None:
    queue, writer = make(), Writer(lambda *_: done())
    deadlines = {"a": "", "b": "2020-11-23T09:00:00Z", "c": "2020-11-23T08:00:00Z", "d": ""}
    rows = [Row(name, "row", {"premise": "x"}, deadline=at) for name, at in deadlines.items()]
    queue.enqueue(rows, lambda _: False)
    queue.cancel(["b"])
    queue.retry(["b"])
    await queue.work(writer, Terms())
    assert writer.runs == ["c", "b", "a", "d"]
    assert [book.late for book in make().status().books.values()] == [False, True, True, False]


async def test_after_the_deadline_books_wait_for_the_next_run(make: Make) -> None:
    queue, writer = make(), Writer(lambda *_: done())
    add(queue, "a")
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    await queue.work(writer, Terms(deadline=long_ago))
    assert stands(queue) == {"a": "queued"}
    await make().work(writer, Terms())
    assert stands(queue) == {"a": "done"}


async def test_a_passing_failure_is_tried_again_later_and_any_other_is_not(make: Make) -> None:
    def act(book: Book, _grant: float | None, count: int) -> Ended:
        code = {"a": 7, "b": 4}.get(book.row.name, 0)
        return Ended("failed", code, "why") if code and count < 3 else done()

    queue, writer = make(), Writer(act)
    add(queue, "a", "b", "c")
    await queue.work(writer, Terms(tries=3, retry_seconds=0.05))
    assert sorted(writer.runs) == ["a", "a", "a", "b", "c"]
    assert stands(queue) == {"a": "done", "b": "failed", "c": "done"}
    assert queue.status().books["b"].last.what == "why"


async def test_no_book_is_tried_for_ever(make: Make) -> None:
    queue, writer = make(), Writer(lambda *_: Ended("failed", 7, "no network", "cable"))
    add(queue, "a")
    await queue.work(writer, Terms(tries=3, retry_seconds=0.01))
    assert len(writer.runs) == 3
    assert stands(make()) == {"a": "failed"}
    assert queue.retry() == ["a"]
    await queue.work(Writer(lambda *_: done()), Terms())
    assert stands(make()) == {"a": "done"}


@pytest.mark.slow
@pytest.mark.parametrize("cause", ["database", "operator"])
async def test_what_is_no_fault_of_a_book_never_fails_it(make: Make, cause: Cause) -> None:
    def act(_book: Book, _grant: float | None, count: int) -> Ended:
        return Ended("failed", 9, "in use", cause=cause) if count < 8 else done()

    queue = make()
    add(queue, "a")
    await queue.work(Writer(act), Terms(tries=2, retry_seconds=0.001))
    book = make().status().books["a"]
    assert (book.state, book.runs, book.tries) == ("done", 8, 0)


@pytest.mark.slow
async def test_a_run_that_brought_replies_does_not_count(make: Make) -> None:
    def act(_book: Book, _grant: float | None, count: int) -> Ended:
        sums = Sums(calls=2 * count, answered=min(count, 6))
        return Ended("queued", -9, "killed", sums=sums)

    queue, writer = make(), Writer(act)
    add(queue, "a")
    await queue.work(writer, Terms(tries=2, retry_seconds=0.001))
    assert stands(make()) == {"a": "failed"}
    assert len(writer.runs) == 6 + 2  # six with a new reply, then two without


async def test_a_machine_that_cannot_write_books_says_so_and_fails_none(make: Make) -> None:
    told = Ended("failed", 4, "No key", "it is not set", "set KEY", cause="machine")
    queue, writer = make(), Writer(lambda *_: told)
    add(queue, *"abcdef")
    with pytest.raises(ModelError, match="This machine cannot write books: No key") as caught:
        await queue.work(writer, Terms(tries=1, books=2, retry_seconds=0.05))
    assert caught.value.fix == "set KEY"
    assert len(writer.runs) <= 4  # it rested after the first two
    books = make().status().books.values()
    assert {(book.state, book.tries) for book in books} == {("queued", 0)}
    await make().work(Writer(lambda *_: done()), Terms())
    assert set(stands(make()).values()) == {"done"}


@pytest.mark.slow
async def test_a_fault_that_passes_ends_no_machine(make: Make) -> None:
    def act(book: Book, _grant: float | None, count: int) -> Ended:
        full = count == 1 and book.row.name in "ace"
        return Ended("failed", 6, "disk full", cause="machine") if full else done()

    queue = make()
    add(queue, *"abcdef")
    await queue.work(Writer(act), Terms(books=1, retry_seconds=0.01))
    assert set(stands(make()).values()) == {"done"}


async def test_a_book_that_cannot_be_begun_fails_alone(make: Make) -> None:
    def act(book: Book, _grant: float | None, _count: int) -> Ended:
        if book.row.name == "a":
            raise ProjectError("There is one already", why="yours", fix="Rename it.")
        return done()

    queue = make()
    add(queue, "a", "b")
    await queue.work(Writer(act), Terms())
    last = make().status().books["a"].last
    assert stands(make()) == {"a": "failed", "b": "done"}
    assert (last.code, last.what, last.fix) == (3, "There is one already", "Rename it.")
    assert last.why.startswith("yours")


async def test_what_others_say_meanwhile_is_obeyed(make: Make) -> None:
    queue, other, writer = make(), make(), Writer(lambda *_: done())
    add(queue, "a", "b", "c")
    writer.held.clear()
    working = asyncio.ensure_future(queue.work(writer, Terms(books=1)))
    await until(lambda: writer.runs == ["a"])
    assert other.is_running()
    other.cancel(["a", "c"])
    await until(lambda: writer.runs == ["a", "b"])
    add(other, "d")
    other.pause()
    writer.held.set()
    await working
    assert stands(other) == {"a": "cancelled", "b": "done", "c": "cancelled", "d": "queued"}
    other.retry(["c"])
    await other.work(writer, Terms())
    assert stands(make()) == {"a": "cancelled", "b": "done", "c": "done", "d": "done"}


async def test_a_book_that_is_cancelled_and_queued_again_while_it_ends_is_run(make: Make) -> None:
    queue, other, writer = make(), make(), Writer(lambda *_: done())
    add(queue, "a")
    writer.held.clear()
    working = asyncio.ensure_future(queue.work(writer, Terms()))
    await until(lambda: writer.runs == ["a"])
    other.cancel(["a"])
    other.retry(["a"])
    writer.held.set()
    await working
    assert stands(make()) == {"a": "done"}


async def test_books_that_were_under_way_go_on_after_a_stop(make: Make) -> None:
    queue, writer = make(), Writer(lambda *_: done())
    add(queue, "a", "b")
    writer.held.clear()
    working = asyncio.ensure_future(queue.work(writer, Terms(books=2)))
    await until(lambda: len(writer.runs) == 2)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert stands(make()) == {"a": "queued", "b": "queued"}
    assert not make().is_running()
    writer.held.set()
    await make().work(writer, Terms())
    assert stands(make()) == {"a": "done", "b": "done"}


async def test_what_books_leave_over_lets_others_finish_within_the_cap(make: Make) -> None:
    wanted = {"a": 1.0, "b": 5.0, "c": 1.0}

    def act(book: Book, grant: float | None, _count: int) -> Ended:
        assert grant is not None
        if grant < wanted[book.row.name]:
            return Ended("stopped", 8, "budget", sums=done(grant).sums)
        return done(wanted[book.row.name])

    queue, writer = make(), Writer(act)
    add(queue, *wanted)
    await queue.work(writer, Terms(books=3, cap=9.0))
    assert writer.grants[:3] == [3.0, 3.0, 3.0]
    assert writer.runs == ["a", "b", "c", "b"]
    assert set(stands(make()).values()) == {"done"}


async def test_a_cap_holds_until_another_one_is_named(make: Make) -> None:
    queue = make()
    queue.enqueue([Row("a", "row", {"premise": "x"})], lambda _: False, 2.0)
    greedy = Writer(
        lambda _book, grant, _count: Ended("stopped", 8, "budget", sums=done(grant or 0).sums)
    )
    await queue.work(greedy, Terms())
    assert greedy.grants == [2.0]
    queue.retry()
    await make().work(Writer(lambda *_: done(3.0)), Terms(cap=4.0))
    assert make().status().cap == 4.0


def test_only_known_books_can_be_marked(make: Make) -> None:
    queue = make()
    add(queue, "a")
    with pytest.raises(ProjectError, match="no book 'six'"):
        queue.cancel(["a", "six"])
    assert stands(make()) == {"a": "queued"}


def test_a_thousand_books_are_queued_and_listed(make: Make) -> None:
    queue = make()
    add(queue, *(f"book-{number}" for number in range(1_000)))
    assert len(stands(queue)) == 1_000
    assert make().status().counts()["queued"] == 1_000


async def until(true: Callable[[], bool]) -> None:
    """Let others work until something is true, five seconds at most."""
    for _ in range(500):
        if true():
            return
        await asyncio.to_thread(Clock.tick)
    raise AssertionError("it never came true")
