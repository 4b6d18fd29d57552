"""Deadlines of a batch from the command line."""

import asyncio
import json

import pytest
from tests.support.batches import add_books, states
from tests.support.desk import PREMISE, Desk

from libriscribe2.batch.folders import begin_project
from libriscribe2.batch.processes import BookProcess, RunCommand
from libriscribe2.batch.progress import Book
from libriscribe2.batch.rows import Row
from libriscribe2.models.brief import Brief
from libriscribe2.project.paths import ProjectPaths


@pytest.mark.slow
def test_a_deadline_leaves_books_for_the_next_run_and_ends_with_8(desk: Desk) -> None:
    add_books(desk, ["one"])
    ran = desk.run("batch", "run", "--mock", "--deadline", "0.001s", expect=8)
    assert "1 book of 1 unfinished at the deadline" in ran.err
    assert "libriscribe2 batch run --batch books" in ran.err
    assert states(desk) == {"one": "queued"}
    desk.run("batch", "run", "--mock", "--deadline", "1h")
    assert states(desk) == {"one": "done"}


def test_a_deadline_that_is_none_or_has_passed_is_refused(desk: Desk) -> None:
    add_books(desk, ["one"])
    ran = desk.run("batch", "run", "--mock", "--deadline", "soon", expect=2)
    assert "'soon' is neither a time" in ran.err
    ran = desk.run("batch", "run", "--mock", "--deadline", "2020-01-01T08:00", expect=2)
    assert "has passed" in ran.err
    assert states(desk) == {"one": "queued"}


def test_the_deadline_of_a_row_is_checked_kept_and_told(desk: Desk) -> None:
    rows = f"name,premise,deadline\nold,{PREMISE},2020-01-01T08:00Z\nbad,{PREMISE} x,soon\n"
    (desk.folder / "rows.csv").write_text(rows, encoding="utf-8")
    assert "row 3: deadline: 'soon'" in desk.run("batch", "add", "rows.csv", expect=2).err
    (desk.folder / "rows.csv").write_text(rows.replace("soon", "9h"), encoding="utf-8")
    desk.run("batch", "add", "rows.csv")
    value = desk.run("batch", "status", "--json").value
    told = {book["book"]: (book["deadline"], book["late"]) for book in value["books"]}
    assert told["old"] == ("2020-01-01T08:00:00Z", True)
    assert not told["bad"][1]
    assert value["late"] == 1
    assert "late, due 2020-01-01" in " ".join(desk.run("batch", "status").out.split())
    desk.run("batch", "report")
    report = json.loads((desk.folder / "batches/rows/report.json").read_text(encoding="utf-8"))
    assert report["late"] == 1


@pytest.mark.slow
def test_a_book_s_process_is_told_how_many_minutes_are_left(desk: Desk) -> None:
    paths = ProjectPaths(desk.folder / "projects/one", desk.folder / "debug/one")
    brief = Brief.model_validate({"premise": PREMISE, "chapters": "2", "words": 200})
    row = Row("one", "row", brief.model_dump(mode="json"))
    environment = {k: v for k, v in desk.whole_environment().items() if k != "PWD"}
    environment["LIBRISCRIBE2_PROJECTS_DIR"] = str(desk.folder / "projects")
    writer = BookProcess(
        "batch",
        lambda _name: paths,
        lambda book: begin_project(
            paths, book.row, "books", {"models": {"default": {"model": "demo"}}}
        ),
        RunCommand(("resume",), ("--no-input", "--json"), environment),
        30.0,
        lambda _book: 0.0,
    )
    how = asyncio.run(writer.write(Book(row), None))
    assert (how.state, how.code) == ("stopped", 8)
    assert "0 minutes are over" in how.what
