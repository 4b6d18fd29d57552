"""The address of a database: what is shown of it, and what becomes of its errors."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.book_writers import Writer, done
from tests.support.machines import until

from libriscribe2.batch.postgres.book_journal import ProjectClaim
from libriscribe2.batch.postgres.database import (
    NUMBER,
    Database,
    DatabaseLostError,
    Dsn,
    ensure_schema,
)
from libriscribe2.batch.postgres.exchange import Pace
from libriscribe2.batch.postgres.worker import DatabaseQueue
from libriscribe2.batch.progress import Ended, Sums, ended, started
from libriscribe2.batch.rows import Row
from libriscribe2.batch.work import Terms
from libriscribe2.errors import ConfigError, ProjectError, ProjectInUseError


@given(st.text("abcXYZ019_-", min_size=6, max_size=30).map(lambda word: f"q{word}q"))
def test_no_password_is_ever_shown(password: str) -> None:
    for text in (
        f"postgresql://writer:{password}@example.org:5432/books",
        f"host=example.org port=5432 user=writer password={password} dbname=books",
    ):
        dsn = Dsn(text)
        assert dsn.shown == "postgresql://writer:***@example.org:5432/books"
        assert password not in repr(dsn) + dsn.without_secret(f"bad password {password}\nfor you")
        assert password in dsn.text


@pytest.mark.parametrize("text", ["nonsense", "postgresql://a:b@c:port/x y"])
def test_what_is_no_address_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Dsn(text)
    assert text not in caught.value.what + caught.value.why


def test_nobody_answers() -> None:
    database = Database(Dsn("postgresql://writer:secret-word@127.0.0.1:1/books"))
    with pytest.raises(DatabaseLostError, match="does not answer") as caught:
        database.rows("select 1")
    assert "secret-word" not in str(caught.value.as_record())
    assert caught.value.exit_code == 7


@pytest.mark.postgres
def test_what_the_database_refuses_is_told_in_one_line(dsn: str) -> None:
    database = Database(Dsn(dsn))
    with pytest.raises(ProjectError, match="refused: relation"):
        database.rows("select * from nowhere")
    database.close()


@pytest.mark.postgres
def test_a_connection_that_was_lost_is_made_again(dsn: str) -> None:
    one, other = Database(Dsn(dsn)), Database(Dsn(dsn))
    (session,) = one.rows("select pg_backend_pid() as pid")
    other.rows("select pg_terminate_backend(%s)", (session["pid"],))
    with pytest.raises(DatabaseLostError):
        one.rows("select 1")
    assert one.rows("select 1 as one") == [{"one": 1}]
    one.close()
    other.close()


@pytest.mark.postgres
def test_tables_are_made_once_and_those_of_a_newer_version_are_refused(dsn: str) -> None:
    database = Database(Dsn(dsn))
    ensure_schema(database)
    ensure_schema(database)
    database.rows("update libriscribe2_schema set number = %s", (NUMBER + 1,))
    with pytest.raises(ProjectError, match=f"is of schema {NUMBER + 1}; this version knows"):
        ensure_schema(database)
    database.close()


@pytest.mark.postgres
def test_tables_that_somebody_else_makes_meanwhile_are_taken_as_they_are(dsn: str) -> None:
    first, second = Database(Dsn(dsn)), Database(Dsn(dsn))
    failed: list[BaseException] = []

    def ensure() -> None:
        try:
            ensure_schema(second)
        except ProjectError as error:
            failed.append(error)

    waits = "select 1 from pg_locks where locktype = 'advisory' and not granted"
    other = threading.Thread(target=ensure)
    with first.transaction():
        first.rows("select pg_advisory_xact_lock(hashtextextended('libriscribe2 schema', 0))")
        other.start()
        until(lambda: bool(first.rows(waits)))
        ensure_schema(first)
    other.join()
    assert failed == []
    first.close()
    second.close()


PROCRASTINATE = """
    create table procrastinate_jobs (
        id bigserial primary key, queue_name varchar(128) not null,
        task_name varchar(128) not null, priority integer not null default 0, lock text,
        queueing_lock text, args jsonb not null default '{}', status text not null default 'todo',
        scheduled_at timestamptz, attempts integer not null default 0, worker_id bigint
    );
    insert into procrastinate_jobs (queue_name, task_name, args, status, priority, attempts)
    select 'spring', 'make_book', jsonb_build_object('batch', 'spring', 'name', name), status,
        priority, attempts
    from (values ('a', 'succeeded', 0, 1), ('b', 'doing', 0, 1), ('c', 'todo', 0, 0),
        ('d', 'todo', 2147483647 - 29000000, 0), ('e', 'doing', 0, 1), ('e', 'todo', 0, 0)
    ) as old (name, status, priority, attempts)
"""
"""What an earlier version, which kept its jobs there, left in the tables of Procrastinate."""

OURS = ("drop table libriscribe2_jobs, libriscribe2_workers", "drop sequence libriscribe2_claims")


@pytest.mark.postgres
async def test_books_of_an_earlier_version_are_taken_over_and_written(dsn: str) -> None:
    database = Database(Dsn(dsn))
    ensure_schema(database)
    queue = DatabaseQueue(database, "spring", Pace(heartbeat=0.1, poll=0.02))
    queue.enqueue([Row(name, "row", {"premise": "x"}) for name in "abcde"], lambda _n: False)
    begun = {key: one for key, one in started("b", None).items() if key in {"t", "book", "grant"}}
    queue.note([begun, ended("a", Ended("done", sums=Sums(words=10)))])
    for statement in (*OURS, "drop index libriscribe2_log_names", PROCRASTINATE):
        database.rows(statement)
    database.rows("update libriscribe2_schema set number = 2")
    ensure_schema(database)
    assert database.rows("select number from libriscribe2_schema") == [{"number": NUMBER}]
    assert database.rows("select * from procrastinate_jobs") == []
    writer = Writer(lambda *_: done())
    await queue.work(writer, Terms())
    assert writer.runs[0] == "d"  # it has a deadline
    assert sorted(writer.runs) == ["b", "c", "d", "e"]
    assert set(queue.status().counts().items()) >= {("done", 5)}
    database.close()


@pytest.mark.postgres
def test_one_process_at_a_time_has_the_right_to_a_book(dsn: str) -> None:
    address = Dsn(dsn)
    with ProjectClaim.take(address, "batch/one") as claim:
        claim.check()
        with pytest.raises(ProjectInUseError) as caught:
            ProjectClaim.take(address, "batch/one")
        assert "libriscribe2 pid " in caught.value.why
        ProjectClaim.take(address, "batch/two").release()
    ProjectClaim.take(address, "batch/one").release()


@pytest.mark.postgres
def test_a_right_whose_connection_is_gone_is_none(dsn: str) -> None:
    database = Database(Dsn(dsn))
    with ProjectClaim.take(Dsn(dsn), "batch/one") as claim:
        database.rows(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where application_name like 'libriscribe2 pid %'"
        )
        with pytest.raises(ProjectInUseError, match="no longer locked"):
            claim.check()
    database.close()
