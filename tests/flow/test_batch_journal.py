"""Machines that share a database and no folder: a book goes on elsewhere, is fetched, is forgotten."""

import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.batches import FAST_PACE, WorkerProcess, add_books, alone, paid_twice, premise
from tests.support.desk import SMALL, Desk
from tests.support.machines import keep_line, kept_lines, until
from tests.support.postgres import Cluster

from libriscribe2.batch.postgres.book_journal import ProjectClaim
from libriscribe2.batch.postgres.database import Database, Dsn
from libriscribe2.project.records import run, write

VARIABLE = "LIBRISCRIBE2_BATCH__DSN"
CALLS_AT_ONCE = 4

pytestmark = pytest.mark.postgres

Machine = Callable[[str], Desk]


@pytest.fixture
def machine(tmp_path: Path, dsn: str) -> Machine:
    """Makes machines, each with folders of its own."""

    def new(name: str) -> Desk:
        desk = Desk(tmp_path / name)
        desk.folder.mkdir()
        desk.environment |= {**FAST_PACE, VARIABLE: dsn}
        return desk

    return new


@pytest.fixture(scope="module")
def written(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a database with the journals of three books; a fourth one was cancelled."""
    desk, dsn = Desk(tmp_path_factory.mktemp("desks") / "first"), cluster.new_database()
    desk.folder.mkdir()
    desk.environment |= {**FAST_PACE, VARIABLE: dsn}
    add_books(desk, ["one", "two", "three", "four"])
    desk.run("batch", "cancel", "four")
    finish(desk, "--books", "3")
    told = desk.run("batch", "status", "--json").value["books"]
    assert [(book["state"], book["what"]) for book in told[:3]] == [("done", "")] * 3
    return dsn


def finish(desk: Desk, *options: str) -> None:
    with WorkerProcess(desk, "--drain", "--journal", "database", *options) as worker:
        assert worker.wait() == 0


def test_a_machine_dies_another_finishes_its_books_and_a_third_one_fetches_them(
    machine: Machine, tmp_path: Path, dsn: str
) -> None:
    first, second, third = machine("first"), machine("second"), machine("third")
    names = ["one", "two"]
    add_books(first, names)
    with WorkerProcess(first, "--journal", "database", "--books", "2") as worker:
        until(lambda: len(kept_lines(dsn, "books/one")) >= 12)
        worker.signal(signal.SIGKILL)
    finish(second)
    told = second.run("batch", "status", "--json").value["books"]
    assert [(book["state"], book["what"]) for book in told] == [("done", "")] * 2
    assert sum(paid_twice(second, name) for name in names) <= 2 * CALLS_AT_ONCE
    ran = third.run("batch", "fetch")
    assert ran.out.splitlines() == ["projects/one", "projects/two"]
    sent = {name: len(second.project(name).records("sent")) for name in names}
    for name in names:
        whole = alone(tmp_path, name)
        assert second.project(name).contents() == whole
        assert third.project(name).contents() == whole
        assert len(third.project(name).records("sent")) == sent[name]
    assert "one: its folder already exists" in third.run("batch", "fetch", "one").err


def test_a_fetched_book_can_be_gone_on_with_by_hand(written: str, machine: Machine) -> None:
    desk = machine("second")
    desk.environment[VARIABLE] = written
    assert desk.run("batch", "fetch", "one", "--json").value == {"books": ["one"]}
    ran = desk.run("resume", "one", "--mock", "--json")
    assert not [event for event in ran.events if event["event"] == "llm.call"]


def test_what_is_forgotten_cannot_be_fetched_any_more(written: str, machine: Machine) -> None:
    desk = machine("second")
    desk.environment[VARIABLE] = written
    with ProjectClaim.take(Dsn(written), "books/two"):
        refused = desk.run("batch", "forget", "two", expect=9)
        assert "is being written by another process" in refused.err
    assert kept_lines(written, "books/two")
    assert desk.run("batch", "forget", "two", "four", "--json").value == {"books": ["two"]}
    assert kept_lines(written, "books/two") == []
    refused = desk.run("batch", "fetch", "two", expect=3)
    assert "The journal of 'two' is not in postgresql://writer:***@" in refused.err
    assert not desk.project("two").root.exists()


def test_what_is_not_done_is_neither_fetched_nor_forgotten(written: str, machine: Machine) -> None:
    desk = machine("second")
    desk.environment[VARIABLE] = written
    assert "it is cancelled" in desk.run("batch", "fetch", "four", expect=3).err
    assert "it has none of that name" in desk.run("batch", "fetch", "six", expect=3).err
    desk.run("batch", "retry", "four")
    assert "it is queued" in desk.run("batch", "forget", "four", expect=3).err


def test_a_book_that_its_journal_does_not_make_is_told_and_nothing_half_made_stays(
    written: str, machine: Machine
) -> None:
    desk = machine("second")
    desk.environment[VARIABLE] = written
    with closing(Database(Dsn(written))) as database:
        database.rows("delete from libriscribe2_journal where seq > 9 and project = 'books/three'")
    refused = desk.run("batch", "fetch", "three", expect=5)
    assert "does not make the whole book" in refused.err
    keep_line(
        written,
        write("research/notes.json", "0" * 64, step="research", inputs={}, params={}, keys=()),
        "books/three",
    )
    refused = desk.run("batch", "fetch", "three", expect=3)
    assert "The research of three is on another machine" in refused.err
    assert list((desk.folder / "projects").iterdir()) == []


def test_journals_that_differ_fail_their_book_and_stay(machine: Machine, dsn: str) -> None:
    desk = machine("first")
    add_books(desk, ["one"])
    elsewhere = run("elsewhere", version="1", command="batch book")
    keep_line(dsn, elsewhere, "books/one")
    # The batch has begun the book here, too, and somebody went on with it by hand.
    desk.run("create", premise("one"), "--mock", "-p", "one", *SMALL)
    desk.project("one").write(".libriscribe/batch", "books\n")
    before = desk.project("one").path(".libriscribe/journal.jsonl").read_bytes()
    finish(desk)
    (failed,) = desk.run("batch", "status", "--json").value["books"]
    assert failed["state"] == "failed"
    assert "Two journals of one differ from line 1 on" in failed["what"]
    assert desk.project("one").path(".libriscribe/journal.jsonl").read_bytes() == before


def test_two_machines_need_no_option_and_no_shared_folder(
    machine: Machine, tmp_path: Path, dsn: str
) -> None:
    first, second = machine("first"), machine("second")
    add_books(first, ["one"])
    with WorkerProcess(first, "--books", "1") as worker:
        until(lambda: len(kept_lines(dsn, "books/one")) >= 12)
        worker.signal(signal.SIGKILL)
    with WorkerProcess(second, "--drain") as worker:
        assert worker.wait() == 0
    assert paid_twice(second, "one") <= CALLS_AT_ONCE
    assert second.project("one").contents() == alone(tmp_path, "one")


def test_a_book_that_only_another_machine_knows_is_returned_with_the_reason(
    machine: Machine, dsn: str
) -> None:
    first, second = machine("first"), machine("second")
    add_books(first, ["one"])
    with WorkerProcess(first, "--journal", "folder") as worker:
        journal = first.project("one").path(".libriscribe/journal.jsonl")
        until(lambda: journal.exists() and len(first.project("one").records("done")) >= 5)
        worker.signal(signal.SIGKILL)
    with WorkerProcess(second) as worker:
        until(lambda: "another machine" in told(second)["what"])
        worker.signal(signal.SIGKILL)
    assert not second.project("one").root.exists()
    assert (told(second)["state"], told(second)["cause"]) == ("queued", "operator")
    finish(first)  # it knows what was paid for
    assert paid_twice(first, "one") <= CALLS_AT_ONCE


def told(desk: Desk) -> dict[str, Any]:
    (book,) = desk.run("batch", "status", "--json").value["books"]
    return dict(book)


def test_without_a_database_there_is_nothing_to_fetch(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for command in ("fetch", "forget"):
        assert "This needs a database" in desk.run("batch", command, expect=2).err


def test_where_journals_are_is_no_setting_of_a_book(machine: Machine) -> None:
    desk = machine("first")
    desk.create(name="mine")
    book = desk.project("mine").path("book.toml")
    book.write_text(book.read_text("utf-8") + '\n[batch]\njournal = "database"\n', "utf-8")
    assert "cannot be set by a book" in desk.run("resume", "mine", expect=3).err
