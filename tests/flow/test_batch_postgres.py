"""A batch in a database from the command line: workers, faults, and an address that stays secret."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.support.batches import FAST_PACE, WorkerProcess, add_books, alone, paid_twice, states
from tests.support.desk import Desk
from tests.support.machines import until
from tests.support.postgres import PASSWORD

from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore

VARIABLE = "LIBRISCRIBE2_BATCH__DSN"

pytestmark = pytest.mark.postgres


@pytest.fixture
def shared(tmp_path: Path, dsn: str) -> Iterator[Desk]:
    """A desk whose batches are in a database."""
    desk = Desk(tmp_path / "desk")
    desk.folder.mkdir()
    desk.environment |= {**FAST_PACE, VARIABLE: dsn}
    yield desk
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or PASSWORD.encode() not in path.read_bytes(), path


def test_two_workers_write_what_single_runs_would(shared: Desk, tmp_path: Path) -> None:
    names = ["one", "two", "three"]
    add_books(shared, names)
    assert "3 queued" in shared.run("batch", "status").err
    with WorkerProcess(shared, "--drain") as one, WorkerProcess(shared, "--drain") as other:
        assert (one.wait(), other.wait()) == (0, 0)
    for name in names:
        assert shared.project(name).contents() == alone(tmp_path, name)
        assert paid_twice(shared, name) == 0
    shared.run("batch", "report")
    report = json.loads((shared.folder / "batches/books/report.json").read_text(encoding="utf-8"))
    assert report["counts"]["done"] == 3
    assert {"concept", "chapters"} <= report["stages"].keys()


def test_batch_run_works_on_a_database_too(shared: Desk) -> None:
    add_books(shared, ["one"])
    ran = shared.run_apart("batch", "run", "--mock", "--json", "--max-cost", "5")
    assert [book["state"] for book in ran.events] == ["done"]
    assert shared.run("batch", "status", "--json").value["max_cost"] == 5.0


def test_marks_reach_the_database(shared: Desk) -> None:
    add_books(shared, ["one", "two"], "--max-cost", "3")
    shared.run("batch", "cancel", "two")
    shared.run("batch", "pause")
    value = shared.run("batch", "status", "--json").value
    assert (value["paused"], value["max_cost"], value["running"]) == (True, 3.0, False)
    with WorkerProcess(shared, "--drain") as worker:
        assert worker.wait() == 0
    assert states(shared) == {"one": "queued", "two": "cancelled"}
    shared.run("batch", "retry", "two")
    shared.run("batch", "pause", "--off")
    with WorkerProcess(shared, "--drain", "--batch", "books") as worker:
        assert worker.wait() == 0
    assert set(states(shared).values()) == {"done"}
    assert "There is no batch 'six'" in shared.run("batch", "status", "-b", "six", expect=3).err


def test_a_batch_whose_rows_were_refused_is_none(shared: Desk) -> None:
    shared.create(name="mine")
    (shared.folder / "b.jsonl").write_text('{"name": "mine", "premise": "x"}', encoding="utf-8")
    assert "project 'mine' already" in shared.run("batch", "add", "b.jsonl", expect=2).err
    assert "There is no batch" in shared.run("batch", "status", expect=3).err


def test_a_project_that_somebody_holds_is_waited_for_and_named(shared: Desk) -> None:
    shared.environment["LIBRISCRIBE2_BATCH__MAX_TRIES"] = "2"
    add_books(shared, ["one", "two"])
    held = shared.project("one")

    def first() -> dict[str, Any]:
        (found, _) = shared.run("batch", "status", "--json").value["books"]
        return dict(found)

    with WorkerProcess(shared, "--drain") as worker:
        with ProjectStore.create(ProjectPaths(held.root, held.debug)) as store:
            (store.paths.state / "batch").write_text("books\n", encoding="utf-8")
            until(lambda: states(shared)["two"] == "done" and first()["runs"] >= 3)
        last = first()
        assert (last["code"], last["cause"]) == (9, "operator")
        assert f"(on {socket.gethostname()})" in last["why"]
        assert worker.wait() == 0
    assert states(shared) == {"one": "done", "two": "done"}


def test_a_worker_without_a_key_fails_no_book_and_says_what_to_mend(shared: Desk) -> None:
    shared.environment["LIBRISCRIBE2_MODELS__DEFAULT"] = "demo"
    shared.environment["LIBRISCRIBE2_MODELS__CONCEPT"] = "openai/of-mine"
    add_books(shared, ["one", "two", "three"])
    ran = shared.run_apart("batch", "worker", "--books", "1", expect=4)
    assert "This machine cannot write books: No key for 'openai/of-mine'" in ran.err
    assert "OPENAI_API_KEY" in ran.err.splitlines()[-1]
    assert set(states(shared).values()) == {"queued"}
    books = shared.run("batch", "status", "--json").value["books"]
    named = [book for book in books if book["cause"] == "machine"]
    assert named
    assert all("OPENAI_API_KEY" in book["command"] for book in named)
    assert all("resume" not in book["command"] for book in named)


def test_a_database_that_does_not_answer_is_one_line_without_the_password(shared: Desk) -> None:
    shared.environment[VARIABLE] = f"postgresql://writer:{PASSWORD}@127.0.0.1:1/books"
    for words in (("status",), ("worker", "--mock"), ("run", "--mock"), ("retry",)):
        ran = shared.run("batch", *words, expect=7)
        assert ran.err.count("\n") == 1
        assert "postgresql://writer:***@127.0.0.1:1/books does not answer" in ran.err
        assert PASSWORD not in ran.err + ran.out


def test_an_address_that_is_none_is_not_repeated(shared: Desk) -> None:
    ran = shared.run("batch", "status", "--dsn", f"nonsense {PASSWORD}", expect=3)
    assert PASSWORD not in ran.err
    wrong = str(shared.environment[VARIABLE]).replace(PASSWORD, "wrong-word")
    ran = shared.run("batch", "status", "--dsn", wrong, expect=7)
    assert "wrong-word" not in ran.err


def test_a_database_of_a_newer_version_is_refused(shared: Desk, dsn: str) -> None:
    add_books(shared, ["one"])
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("update libriscribe2_schema set number = 99")
    ran = shared.run("batch", "worker", "--mock", expect=3)
    assert "is of schema 99; this version knows 3" in ran.err


def test_a_worker_needs_a_database(tmp_path: Path) -> None:
    assert "A worker needs a database" in Desk(tmp_path).run("batch", "worker", expect=2).err


def test_the_address_is_no_setting_of_a_book_and_is_not_shown(shared: Desk) -> None:
    assert PASSWORD not in shared.run("config", "show").out
    shared.create(name="mine")
    book = shared.project("mine").path("book.toml")
    book.write_text(book.read_text("utf-8") + '\n[batch]\ndsn = "postgresql://evil/x"\n', "utf-8")
    assert "cannot be set by a book" in shared.run("resume", "mine", expect=3).err
