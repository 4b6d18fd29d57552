"""Workers of a database: listed, drained, and what they leave to newer versions."""

import json
import re
import socket
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from tests.support.batches import FAST_PACE, ROW, WorkerProcess, add_books, states
from tests.support.collector import Collector
from tests.support.desk import Desk
from tests.support.machines import until

from libriscribe2.batch.processes import GRACE_SECONDS
from libriscribe2.batch.rows import PAYLOAD, SETTING_KEYS
from libriscribe2.models.brief import Brief
from libriscribe2.project.texts import utc_now
from libriscribe2.settings.schema import BatchConfig

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@pytest.fixture
def shared(tmp_path: Path, dsn: str) -> Desk:
    """A desk whose batches are in a database."""
    desk = Desk(tmp_path / "desk")
    desk.folder.mkdir()
    desk.environment |= {**FAST_PACE, "LIBRISCRIBE2_BATCH__DSN": dsn}
    return desk


def workers(desk: Desk) -> list[dict[str, Any]]:
    return list(desk.run("batch", "workers", "--json").value["workers"])


def change(dsn: str, statement: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statement.encode())


@pytest.mark.postgres
def test_a_worker_that_is_drained_finishes_its_book_and_begins_no_other(shared: Desk) -> None:
    add_books(shared, ["one", "two"], row={**ROW, "chapters": 4})
    with WorkerProcess(shared, "--books", "1") as worker:
        until(lambda: states(shared)["one"] == "running")
        (listed,) = workers(shared)
        assert (listed["state"], listed["slots"], listed["books"]) == ("working", 1, 1)
        assert "1 of 1" in shared.run("batch", "workers").out
        told = shared.run("batch", "drain", str(listed["id"]), "--json").value
        assert told == {"workers": [listed["id"]]}
        assert worker.wait() == 0
    assert states(shared) == {"one": "done", "two": "queued"}
    assert workers(shared) == []
    refused = shared.run("batch", "drain", "nowhere.example", expect=3)
    assert "There is no worker 'nowhere.example'" in refused.err


@pytest.mark.postgres
def test_two_workers_of_one_machine_are_drained_by_its_name(shared: Desk) -> None:
    add_books(shared, ["one", "two", "three"], row={**ROW, "chapters": 4})
    with WorkerProcess(shared, "--books", "1") as first, WorkerProcess(shared) as second:
        until(lambda: len(workers(shared)) == 2)
        numbers = [one["id"] for one in workers(shared)]
        assert {one["host"] for one in workers(shared)} == {socket.gethostname()}
        told = shared.run("batch", "drain", socket.gethostname(), "--json").value
        assert sorted(told["workers"]) == numbers
        assert (first.wait(), second.wait()) == (0, 0)
    assert set(states(shared).values()) <= {"done", "queued"}


@pytest.mark.postgres
def test_workers_say_since_when_they_run_and_running_books_where(shared: Desk) -> None:
    shared.environment["TZ"] = "Asia/Kolkata"  # no hour of UTC's is one there
    add_books(shared, ["one", "two"], row={**ROW, "chapters": 4})
    with WorkerProcess(shared, "--books", "1") as worker:
        until(lambda: states(shared)["one"] == "running")
        (listed,) = workers(shared)
        started = datetime.fromisoformat(listed["started"])
        assert listed["started"].endswith("Z")
        assert timedelta(seconds=-2) < utc_now() - started < timedelta(minutes=5)
        there = f"{started + timedelta(hours=5, minutes=30):%Y-%m-%d %H:%M}"
        assert there in shared.run_apart("batch", "workers").out
        shared.run("batch", "drain", str(listed["id"]))
        one, two = shared.run("batch", "status", "--json").value["books"]
        assert (one["machine"], two["machine"]) == (socket.gethostname(), "")
        assert f"on {socket.gethostname()}" in shared.run("batch", "status").out
        assert worker.wait() == 0
    one, two = shared.run("batch", "status", "--json").value["books"]
    assert (one["state"], one["machine"]) == ("done", "")
    assert f"on {socket.gethostname()}" not in shared.run("batch", "status").out


@pytest.mark.postgres
def test_rows_of_a_newer_version_are_left_alone_and_told(shared: Desk, dsn: str) -> None:
    add_books(shared, ["one", "two"])
    change(dsn, "update libriscribe2_jobs set payload = 99 where book = 'one'")
    with WorkerProcess(shared) as worker:
        until(lambda: states(shared)["two"] == "done")
        until(lambda: "newer version" in workers(shared)[0]["note"])
        shared.run("batch", "drain", str(workers(shared)[0]["id"]))
        assert worker.wait() == 0
    assert "this one leaves them alone" in worker.said
    assert states(shared) == {"one": "queued", "two": "done"}


@pytest.mark.postgres
def test_a_newer_schema_ends_a_worker_with_a_plain_line(shared: Desk, dsn: str) -> None:
    add_books(shared, ["one"], row={**ROW, "chapters": 6})
    with WorkerProcess(shared) as worker:
        until(lambda: states(shared)["one"] == "running")
        change(dsn, "update libriscribe2_schema set number = 99")
        assert worker.wait() == 3
    last = worker.said.splitlines()[-1]
    assert "is of schema 99; this version knows" in last
    assert "Install that version on this machine as well." in last
    change(dsn, "update libriscribe2_schema set number = 3")
    (book,) = shared.run("batch", "status", "--json").value["books"]
    assert (book["state"], book["cause"]) in {("queued", ""), ("queued", "operator"), ("done", "")}


@pytest.mark.postgres
def test_a_worker_gives_a_sign_of_life_that_a_probe_can_read(shared: Desk, tmp_path: Path) -> None:
    sign = tmp_path / "worker.json"
    with WorkerProcess(shared, "--health", str(sign)) as worker:
        until(lambda: sign.exists() and json.loads(sign.read_text("utf-8"))["ready"])
        shared.run("batch", "drain", str(workers(shared)[0]["id"]))
        assert worker.wait() == 0
    assert json.loads(sign.read_text("utf-8"))["books"] == 0


@pytest.mark.postgres
def test_the_lines_of_a_worker_say_where_and_how(shared: Desk) -> None:
    add_books(shared, ["one"])
    ran = shared.run_apart("batch", "worker", "--mock", "--drain", "--json")
    start, *calls, end = ran.events
    assert (start["event"], start["book"], start["state"]) == ("start", "one", "running")
    assert (end["event"], end["book"], end["state"]) == ("end", "one", "done")
    assert {one["event"] for one in calls} == {"llm.call"}
    assert {one["book"] for one in calls} == {"one"}
    assert len({(one["unit"], one["call_file"]) for one in calls}) == len(calls) == end["calls"]
    assert {one["machine"] for one in ran.events} == {socket.gethostname()}
    assert len({(one["worker"], one["pid"]) for one in ran.events}) == 1


@pytest.mark.postgres
def test_the_figures_of_the_queue_reach_a_collector(shared: Desk, dsn: str) -> None:
    add_books(shared, ["one", "two"])
    change(dsn, "update libriscribe2_jobs set payload = 99 where book = 'two'")
    with Collector() as collector:
        shared.environment |= {ENDPOINT: collector.root, "OTEL_METRIC_EXPORT_INTERVAL": "200"}
        with WorkerProcess(shared, "--books", "2") as worker:
            until(lambda: states(shared)["one"] == "done")
            shared.run("batch", "drain", str(workers(shared)[0]["id"]))
            assert worker.wait() == 0
    found = {
        name: collector.figures(f"libriscribe2.batch.{name}")
        for name in ("depth", "running", "oldest", "done_last_hour", "waited", "cost", "ends")
    }
    assert [found[name][0][0] for name in ("depth", "running", "done_last_hour")] == [1, 0, 1]
    assert found["oldest"][0][0] > 0
    assert found["ends"] == [(1, {"batch": "books", "state": "done", "cause": "book"})]
    told = shared.run("batch", "workers", "--json").value["figures"]
    assert {one["name"] for one in told} == {*found, "slots", "load"}
    (load,) = [one for one in told if one["name"] == "load"]
    assert load["value"] == 1.0  # nobody is there for the one that waits


@pytest.mark.postgres
def test_what_ended_long_ago_is_deleted_with_its_batch(shared: Desk, dsn: str) -> None:
    add_books(shared, ["one", "two"])
    with WorkerProcess(shared, "--drain") as worker:
        assert worker.wait() == 0
    assert shared.run("batch", "forget", "--older-than", "1h", "--json").value == {"books": []}
    gone = shared.run("batch", "forget", "--older-than", "0s", "--json").value
    assert gone == {"books": ["books/one", "books/two"]}
    for table in ("jobs", "log", "batches", "journal", "books", "workers"):
        with psycopg.connect(dsn) as connection:
            name = sql.Identifier(f"libriscribe2_{table}")
            count = connection.execute(sql.SQL("select count(*) from {}").format(name))
            assert count.fetchone() == (0,), table
    add_books(shared, ["one"])  # a new batch of the same name
    with WorkerProcess(shared, "--drain") as worker:
        assert worker.wait() == 0
    assert states(shared) == {"one": "done"}
    refused = shared.run("batch", "forget", "one", "--older-than", "1h", expect=2)
    assert "takes no names of books" in refused.err


def blocks(kind: str) -> list[str]:
    """The examples of a kind in the page for operators."""
    page = (Path(__file__).parents[2] / "docs/scaling.md").read_text("utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def test_the_example_unit_files_grant_the_time_that_a_stop_takes() -> None:
    text = "\n".join([*blocks("ini"), *blocks("yaml")])
    key = r"(?:TimeoutStopSec=|stop_grace_period: |terminationGracePeriodSeconds: )(\d+)"
    granted = [int(number) for number in re.findall(key, text)]
    assert len(granted) == 3
    takes = BatchConfig().stop_seconds + 3 * GRACE_SECONDS
    assert min(granted) >= takes
    (sign,) = re.findall(r"--health, ([^],]+)", text)
    probes = re.findall(r"Probe:\n +exec: (.*)", text)
    assert [sign in probe for probe in probes] == [True, True]
    words = " ".join(re.findall(r"batch[ ,]+worker[^\n]*", text))
    known = Desk(Path()).run("batch", "worker", "--help").out
    assert all(option in known for option in re.findall(r"--[a-z-]+", words))


KNOWN: Mapping[int, str] = {
    1: "allow audience author auto_title book_kind category chapters characters cover drafting"
    " follows genre identifier language person premise project_type publisher research revision"
    " rights scenes_per_chapter series series_number spelling story_bible tense title tone words"
    " worldbuilding; max_calls max_cost model",
    2: "allow audience author auto_title book_kind category chapters characters citations cover"
    " drafting follows genre identifier language person premise project_type publisher research"
    " revision rights scenes_per_chapter series series_number spelling story_bible tense title tone"
    " words worldbuilding; max_calls max_cost model",
    3: "allow audience author auto_title book_kind category chapters characters citations cover"
    " drafting edition follows genre identifier language person premise project_type publisher"
    " research revision rights scenes_per_chapter series series_number spelling story_bible tense"
    " title tone words worldbuilding; max_calls max_cost model",
}
"""The keys of a row by the number of what it may hold; what stands here never changes."""


def test_new_keys_of_a_row_get_a_new_number() -> None:
    shape = Brief.model_json_schema()
    keys = f"{' '.join(sorted(shape['properties']))}; {' '.join(sorted(SETTING_KEYS))}"
    assert KNOWN[PAYLOAD] == keys, "give PAYLOAD in batch/rows.py a new number, and list it here"
    assert max(KNOWN) == PAYLOAD
