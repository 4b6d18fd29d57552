"""What a worker does with the database: books of dead workers, of frozen ones, and their fences."""

from collections.abc import Callable, Iterator

import pytest
from tests.support.book_writers import done

from libriscribe2.batch.postgres.database import Database, Dsn, ensure_schema
from libriscribe2.batch.postgres.exchange import Claim, Exchange, Pace, Ticket
from libriscribe2.batch.postgres.worker import DatabaseQueue
from libriscribe2.batch.progress import Book, Ended, Sums
from libriscribe2.batch.rows import Row
from libriscribe2.batch.work import Terms

PACE = Pace(stalled=30.0)
TERMS = Terms(tries=2, retry_seconds=0.0)
DIED = Ended("queued", 130, sums=Sums(possible_usd=1.5))

pytestmark = pytest.mark.postgres

Enter = Callable[[], Exchange]


@pytest.fixture
def database(dsn: str) -> Iterator[Database]:
    database = Database(Dsn(dsn))
    ensure_schema(database)
    yield database
    database.close()


@pytest.fixture
def enter(database: Database) -> Enter:
    """Makes a worker that has given its first sign of life."""

    def new() -> Exchange:
        exchange = Exchange(database, TERMS, PACE, None)
        exchange.beat()
        return exchange

    return new


def queue_with(database: Database, *names: str, batch: str = "batch") -> DatabaseQueue:
    queue = DatabaseQueue(database, batch)
    queue.enqueue([Row(name, "row", {"premise": "x"}) for name in names], lambda _name: False)
    return queue


def age(database: Database, seconds: float) -> None:
    """Let all workers have been silent for so long."""
    database.rows(
        "update libriscribe2_workers set beat = now() - make_interval(secs => %s)",
        (seconds,),
    )


def claimed(exchange: Exchange) -> Claim:
    claim = exchange.claim()
    assert claim is not None
    return claim


def left(exchange: Exchange) -> list[Ticket]:
    return [ticket for ticket, _ in exchange.left(())]


def test_books_of_a_silent_worker_are_taken_over_and_it_is_fenced_off(
    database: Database, enter: Enter
) -> None:
    queue, frozen, other = queue_with(database, "a"), enter(), enter()
    mine = claimed(frozen)
    assert left(other) == []
    age(database, 31)
    other.beat()
    assert left(other) == [mine.ticket]
    other.take_over(mine.ticket, (), DIED)
    other.take_over(mine.ticket, (), DIED)  # a second one was slower
    theirs = claimed(other)
    assert (theirs.book.runs, theirs.book.tries) == (2, 1)
    assert theirs.ticket != mine.ticket
    assert frozen.lost([mine.ticket]) == {mine.ticket}
    assert frozen.settle(mine.ticket, done()) is None
    assert queue.status().books["a"].state == "running"
    settled = other.settle(theirs.ticket, done())
    assert settled is not None
    assert settled.state == "done"
    assert frozen.is_drained()


def test_a_worker_that_was_struck_off_works_on_under_a_new_number(
    database: Database, enter: Enter
) -> None:
    queue_with(database, "a", "b")
    frozen = enter()
    claimed(frozen)
    age(database, 31)
    enter()  # strikes off who is long gone
    frozen.beat()
    assert claimed(frozen).book.row.name == "b"


def test_a_book_that_kills_its_workers_is_not_run_for_ever(
    database: Database, enter: Enter
) -> None:
    queue = queue_with(database, "a")
    for _ in range(TERMS.tries):
        worker = enter()
        ticket = claimed(worker).ticket
        age(database, 31)
        enter().take_over(ticket, (), DIED)
    last = queue.status().books["a"]
    assert (last.state, last.last.what) == ("failed", "Its worker died each time")
    assert last.last.sums.possible_usd == 1.5
    assert enter().is_drained()


def test_a_job_that_was_begun_when_the_connection_broke_is_not_stuck(
    database: Database, enter: Enter
) -> None:
    queue_with(database, "a")
    worker = enter()
    claim = claimed(worker)  # as if its answer had been lost
    assert left(worker) == [claim.ticket]
    assert worker.left([claim.ticket]) == []
    worker.take_over(claim.ticket, (), DIED)
    assert claimed(worker).book.row.name == "a"


def test_a_full_disk_here_is_no_reason_elsewhere(database: Database, enter: Enter) -> None:
    queue = queue_with(database, "a")
    full, roomy = enter(), enter()
    book = full.settle(
        claimed(full).ticket, Ended("failed", 6, "Cannot write", "no space left", cause="machine")
    )
    assert isinstance(book, Book)
    assert (book.state, book.tries, book.last.what) == ("queued", 0, "Cannot write")
    assert book.last.why.startswith("no space left (on ")
    roomy.settle(claimed(roomy).ticket, done())
    assert queue.status().books["a"].state == "done"


def test_a_paused_batch_is_left_alone_and_another_one_is_not(
    database: Database, enter: Enter
) -> None:
    queue_with(database, "a").pause()
    queue_with(database, "b", batch="second")
    worker = enter()
    claim = claimed(worker)
    assert claim.book.row.name == "b"
    assert worker.claim() is None
    assert not worker.is_drained()
    worker.settle(claim.ticket, done())
    assert worker.is_drained()


def test_grants_of_several_workers_are_never_above_the_cap(
    database: Database, enter: Enter
) -> None:
    queue = queue_with(database, *"abcdef")
    queue.enqueue([Row("g", "row", {"premise": "x"})], lambda _name: False, 1.0)
    workers = [enter() for _ in range(3)]
    grants: list[float] = []
    for number in range(7):
        claim = workers[number % 3].claim(7 - number)
        assert claim is not None
        assert claim.grant is not None
        grants.append(claim.grant)
        assert sum(grants) <= 1.0
    assert sum(grants) > 0.99
