"""Rows of books and lines of the log in the database."""

from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, LiteralString, TypeVar

from procrastinate.connector import BaseAsyncConnector
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from psycopg.types.json import Jsonb
from typing_extensions import override

from libriscribe2.batch.postgres.database import Database
from libriscribe2.project.records import Record
from libriscribe2.project.texts import Clock, iso_utc, utc_now

T = TypeVar("T")

TASK: Final = "make_book"
_SOONEST: Final = 2**31 - 1

_WAITING: Final = """
    select queueing_lock from procrastinate_jobs
    where status = 'todo' and queueing_lock = any(%s)
"""
_CANCEL: Final = """
    select procrastinate_cancel_job_v1(id, false, false) from procrastinate_jobs
    where id in (
        select id from procrastinate_jobs
        where status = 'todo' and queueing_lock = any(%s) for update skip locked
    )
"""
_HELD: Final = """
    select id, attempts, args from procrastinate_jobs where status = 'doing' and worker_id = %s
"""
_THERE: Final = "select 1 from procrastinate_workers where id = %s"
_NOW: Final = "select now() as now"
_DUE: Final = """
    select queue_name from procrastinate_jobs
    join libriscribe2_batches on name = queue_name and not paused
    where status = 'todo' and (scheduled_at is null or scheduled_at <= now())
        and (%(only)s::text[] is null or queue_name = any(%(only)s))
    group by queue_name order by min(id)
"""
_OPEN: Final = """
    select count(*) as open from procrastinate_jobs
    join libriscribe2_batches on name = queue_name
    where (status = 'doing' or (status = 'todo' and not paused))
        and (%(only)s::text[] is null or queue_name = any(%(only)s))
"""
_ALIVE: Final = """
    select 1 from procrastinate_workers
    where last_heartbeat > now() - make_interval(secs => %s) limit 1
"""


@dataclass(frozen=True, slots=True)
class Ticket:
    """The right to run a book.

    Attributes:
        job: The job's id.
        attempt: How often the job was given out before; a job that is taken over gets another one.
        batch: The batch.
        book: The name of the book.
    """

    job: int
    attempt: int
    batch: str
    book: str


class Jobs:
    """The jobs in a database.

    Args:
        database: Where they are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._manager = JobManager(_Door(database))

    def queue(self, batch: str, books: Mapping[str, str]) -> None:
        """Make jobs for books that have none waiting; inside the batch's turn.

        Args:
            batch: The batch.
            books: The deadline of each book, by its name; empty is none.
        """
        if not books:
            return
        keys = [key_of(batch, book) for book in books]
        waiting = {one["queueing_lock"] for one in self._database.rows(_WAITING, (keys,))}
        jobs = [
            Job(
                queue=batch,
                lock=key_of(batch, book),
                queueing_lock=key_of(batch, book),
                task_name=TASK,
                priority=_urgency(deadline),
                task_kwargs={"batch": batch, "name": book},
            )
            for book, deadline in books.items()
            if key_of(batch, book) not in waiting
        ]
        if jobs:
            _now(self._manager.batch_defer_jobs_async(jobs))

    def cancel(self, batch: str, books: Sequence[str]) -> None:
        """Take the jobs of books out that nobody has begun."""
        if books:
            self._database.rows(_CANCEL, ([key_of(batch, book) for book in books],))

    def due(self, only: Sequence[str] | None) -> list[str]:
        """Batches with a job that may begin now, the oldest first."""
        return [row["queue_name"] for row in self._database.rows(_DUE, {"only": _names(only)})]

    def open(self, only: Sequence[str] | None) -> int:
        """How many jobs run anywhere, or wait in a batch that is not paused."""
        return int(self._database.rows(_OPEN, {"only": _names(only)})[0]["open"])

    def take(self, batch: str, worker: int) -> Ticket | None:
        """The next job of a batch, for a worker; inside the batch's turn."""
        job = _now(self._manager.fetch_job([batch], worker))
        return None if job is None else _ticket_of(job)

    def held(self, worker: int) -> set[Ticket]:
        """The jobs that a worker runs, as the database knows it."""
        rows = self._database.rows(_HELD, (worker,))
        return {_ticket(row["id"], row["attempts"], row["args"]) for row in rows}

    def finish(self, ticket: Ticket, *, done: bool) -> None:
        """A job came to its end, whatever became of the book."""
        status = Status.SUCCEEDED if done else Status.FAILED
        _now(self._manager.finish_job_by_id_async(ticket.job, status, delete_job=False))

    def again(self, ticket: Ticket, seconds: float) -> None:
        """Let a job wait again, for so many seconds at least; inside the batch's turn.

        Where somebody has queued the book anew meanwhile, that job waits in its place.
        """
        if self._database.rows(_WAITING, ([key_of(ticket.batch, ticket.book)],)):
            self.finish(ticket, done=False)
            return
        at: datetime = self._database.rows(_NOW)[0]["now"] + timedelta(seconds=seconds)
        _now(self._manager.retry_job_by_id_async(ticket.job, retry_at=at))

    def left(self, stalled_seconds: float) -> list[Ticket]:
        """The jobs of workers whose heart has not beaten for so long."""
        found = self._manager.get_stalled_jobs(seconds_since_heartbeat=stalled_seconds)
        return [_ticket_of(job) for job in _now(found)]

    def enlist(self, stalled_seconds: float) -> int:
        """A number for this worker; workers that are long gone are struck off."""
        _now(self._manager.prune_stalled_workers(stalled_seconds))
        return _now(self._manager.register_worker())

    def beat(self, worker: int) -> bool:
        """A sign of life; False where the worker was struck off meanwhile."""
        _now(self._manager.update_heartbeat(worker))
        return bool(self._database.rows(_THERE, (worker,)))

    def leave(self, worker: int) -> None:
        """Strike this worker off."""
        _now(self._manager.unregister_worker(worker))

    def anyone(self, stalled_seconds: float) -> bool:
        """Whether any worker is alive."""
        return bool(self._database.rows(_ALIVE, (stalled_seconds,)))


def key_of(batch: str, book: str) -> str:
    """What a book is called among all books of a database."""
    return f"{batch}/{book}"


def _urgency(deadline: str) -> int:
    """The priority of a job: the earlier its deadline, by the minute, the higher."""
    return _SOONEST - int(datetime.fromisoformat(deadline).timestamp()) // 60 if deadline else 0


def _names(only: Sequence[str] | None) -> list[str] | None:
    return None if only is None else list(only)


def _ticket_of(job: Job) -> Ticket:
    assert job.id is not None  # it comes from the database
    return _ticket(job.id, job.attempts, job.task_kwargs)


def _ticket(number: int, attempt: int, names: Mapping[str, Any]) -> Ticket:
    return Ticket(number, attempt, str(names["batch"]), str(names["name"]))


class _Door(BaseAsyncConnector):
    """Procrastinate's way into our connection; its coroutines never wait."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @override
    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:
        self._database.rows(query, _values(arguments))

    @override
    async def execute_query_one_async(
        self, query: LiteralString, **arguments: Any
    ) -> dict[str, Any]:
        return self._database.rows(query, _values(arguments))[0]

    @override
    async def execute_query_all_async(
        self, query: LiteralString, **arguments: Any
    ) -> list[dict[str, Any]]:
        return self._database.rows(query, _values(arguments))


def _values(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(value) for name, value in arguments.items()}


def _value(value: Any) -> Any:
    """An argument as psycopg takes it: an object is JSON, also inside the rows of jobs."""
    if isinstance(value, dict):
        return Jsonb(value)
    if isinstance(value, list):
        return [_value(one) for one in value]
    return tuple(_value(one) for one in value) if isinstance(value, tuple) else value


def _now(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never waits, because what it asks is not asynchronous."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    work.close()
    raise RuntimeError("Procrastinate waited for something other than its connector.")


_TURN: Final = "select 1 from libriscribe2_batches where name = %s for update"
_NEWS: Final = """
    select number, record from libriscribe2_log
    where batch = %s and number > %s order by number
"""
_ADD: Final = """
    insert into libriscribe2_log (batch, record)
    select %s, record from unnest(%s::jsonb[]) with ordinality as one (record, place) order by place
"""
_ELSEWHERE: Final = """
    select record ->> 'book' as book, batch from libriscribe2_log
    where record ->> 't' = 'add' and batch <> %s
        and lower(record ->> 'book') = any(select lower(name) from unnest(%s::text[]) as name)
"""
_BATCHES: Final = """
    select name from libriscribe2_batches
    where exists (select 1 from libriscribe2_log where batch = name) order by name
"""
_PAUSED: Final = "update libriscribe2_batches set paused = %s where name = %s"
_BEGIN: Final = "insert into libriscribe2_batches (name) values (%s) on conflict do nothing"


class DatabaseLog:
    """The log of one batch, read on from where the last reading ended.

    What was read inside a turn that failed has to be forgotten with the whole object.

    Args:
        database: Where it is.
        batch: The name of the batch, which need not be there yet.

    Attributes:
        damaged: Always 0: the database sees to that.
    """

    damaged: Final = 0

    def __init__(self, database: Database, batch: str, *, clock: Clock = utc_now) -> None:
        self._database = database
        self._batch = batch
        self._jobs = Jobs(database)
        self._clock = clock
        self._read = 0
        self._has_turn = False

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Keep others from adding while the block runs; all that it adds is added, or nothing.

        A turn inside a turn is the same one; a log is for one thread at a time.

        Raises:
            LibriScribeError: The database does not answer, or refuses.
        """
        if self._has_turn:
            yield
            return
        with self._database.transaction():
            if not self._database.rows(_TURN, (self._batch,)):
                self._database.rows(_BEGIN, (self._batch,))
                self._database.rows(_TURN, (self._batch,))
            self._has_turn = True
            try:
                yield
            finally:
                self._has_turn = False

    def news(self) -> tuple[Record, ...]:
        """The records that were added since the last reading, oldest first.

        Raises:
            LibriScribeError: The database does not answer.
        """
        rows = self._database.rows(_NEWS, (self._batch, self._read))
        if rows:
            self._read = rows[-1]["number"]
        return tuple(row["record"] for row in rows)

    def elsewhere(self, names: Sequence[str]) -> dict[str, str]:
        """Those of the names that a book of another batch has, capitals aside, with that batch.

        Raises:
            LibriScribeError: The database does not answer.
        """
        wanted = {name.casefold(): name for name in names}
        rows = self._database.rows(_ELSEWHERE, (self._batch, list(names)))
        return {wanted[row["book"].casefold()]: row["batch"] for row in rows}

    def append(self, records: Sequence[Record]) -> None:
        """Add records with the time, and change the jobs that they are about.

        Raises:
            LibriScribeError: The database does not answer, or refuses; nothing was added.
        """
        at = iso_utc(self._clock())
        rows = [Jsonb({**record, "at": at}) for record in records]
        with self.turn():
            self._database.rows(_ADD, (self._batch, rows))
            self._follow(records)

    def _follow(self, records: Sequence[Record]) -> None:
        """What the records mean for jobs and pauses."""
        by_kind: dict[Any, list[str]] = {}
        for record in records:
            by_kind.setdefault(record["t"], []).append(str(record.get("book", "")))
        self._jobs.cancel(self._batch, by_kind.get("cancel", ()))
        queued = [record for record in records if record["t"] in {"add", "retry"}]
        self._jobs.queue(self._batch, {r["book"]: r.get("deadline", "") for r in queued})
        for kind in by_kind.keys() & {"pause", "run"}:
            self._database.rows(_PAUSED, (kind == "pause", self._batch))


def batches(database: Database) -> list[str]:
    """The names of all batches that have a record, in order.

    Raises:
        LibriScribeError: The database does not answer.
    """
    rows = database.rows(_BATCHES)
    return [row["name"] for row in rows]
