"""Many books from the command line: queued, written in processes of their own, reporting."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.support.desk import PREMISE, SMALL, Desk

ROW: dict[str, Any] = {"chapters": 2, "scenes_per_chapter": 1, "words": 200}
NAMES = ("one", "two", "three")


def premise(name: str) -> str:
    return f"{PREMISE}, told by keeper {name}"


def add(desk: Desk, *names: str) -> None:
    rows = [{"name": name, "premise": premise(name), **ROW} for name in names]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (desk.folder / "books.jsonl").write_text(text, encoding="utf-8")
    desk.run("batch", "add", "books.jsonl")


def states(desk: Desk) -> dict[str, str]:
    books = desk.run("batch", "status", "--json").value["books"]
    return {book["book"]: book["state"] for book in books}


def single(folder: Path, name: str) -> dict[str, bytes]:
    """What the same book is when it is written alone."""
    folder.mkdir()
    alone = Desk(folder)
    alone.run("create", premise(name), "--mock", "-p", name, *SMALL)
    return alone.project(name).contents()


@pytest.mark.slow
def test_books_of_a_batch_are_byte_for_byte_those_of_single_runs(desk: Desk) -> None:
    add(desk, *NAMES)
    ran = desk.run("batch", "run", "--mock", "--books", "2")
    assert "3 of 3 books done" in ran.err
    for name in NAMES:
        assert desk.project(name).contents() == single(desk.folder / f"alone-{name}", name)
    report = json.loads((desk.folder / "batches/books/report.json").read_text(encoding="utf-8"))
    assert report["counts"]["done"] == 3
    assert report["sums"]["words"] == sum(book["words"] for book in report["books"]) > 500
    assert {"concept", "chapters"} <= report["stages"].keys()
    page = (desk.folder / "batches/books/report.html").read_text(encoding="utf-8")
    assert all(f"<td>{name}</td>" in page for name in NAMES)


@pytest.mark.slow
def test_a_batch_that_is_killed_goes_on_and_nothing_is_paid_twice(desk: Desk) -> None:
    # What the killed batch leaves behind may hold its project for a moment.
    desk.environment["LIBRISCRIBE2_BATCH__RETRY_SECONDS"] = "0.3"
    add(desk, *NAMES)
    with desk.running("batch", "run", "--mock", "--books", "1") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "one: done" in line:
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = desk.project("one").contents()
    assert states(desk)["one"] == "done"
    ran = desk.run("batch", "run", "--mock", "--books", "2")
    assert "one: starts" not in ran.err
    assert set(states(desk).values()) == {"done"}
    assert desk.project("one").contents() == before
    for name in NAMES:
        done = [record["k"] for record in desk.project(name).records("done")]
        assert len(done) == len(set(done))


@pytest.mark.slow
def test_ctrl_c_ends_the_books_resumably(desk: Desk) -> None:
    add(desk, "one")
    with desk.running("batch", "run", "--mock") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "one: starts" in line:
                break
        process.send_signal(signal.SIGINT)
        _, talk = process.communicate()
    assert process.returncode == 130
    assert "libriscribe2 batch run --batch books" in talk
    desk.run("batch", "run", "--mock")
    assert states(desk) == {"one": "done"}


BAD = """name,premise,chapters,max_cost
one,A story,2,1
two,,2,
three,Another,x,
ONE,Third,3,
bad/name,Fourth,3,abc
six,Sixth,3,1,too,many
"""


def test_every_bad_row_is_named_and_nothing_is_queued(desk: Desk) -> None:
    (desk.folder / "bad.csv").write_text(BAD, encoding="utf-8")
    ran = desk.run("batch", "add", "bad.csv", expect=2)
    for wanted in (
        *("row 3: premise is missing", "row 4: chapters", "row 6: 'bad/name'", "row 6: settings"),
        *("row 2: the name 'one' is also that of bad.csv, row 5", "row 5: the name 'ONE'"),
        *("row 7: there are 6 cells for 4 columns", "6 rows of bad.csv cannot be queued"),
    ):
        assert wanted in ran.err
    lines = ran.err.splitlines()
    assert all(line.startswith("error: ") for line in lines)
    assert [int(line.partition("row ")[2][0]) for line in lines[:-1]] == sorted(
        int(line.partition("row ")[2][0]) for line in lines[:-1]
    )
    assert "give them a `name` each" in ran.err
    assert "premise is missing" not in lines[-1]
    assert not (desk.folder / "batches").exists()
    faults = desk.run("batch", "add", "bad.csv", "--json", expect=2).value["faults"]
    assert {one["row"] for one in faults} == {f"bad.csv, row {n}" for n in range(2, 8)}


def test_a_folder_of_book_files_is_a_batch(desk: Desk) -> None:
    for name in ("left", "right"):
        (desk.folder / "wanted" / name).mkdir(parents=True)
        text = f'[book]\npremise = "{name}"\n[models]\ndefault = "demo"\n'
        (desk.folder / "wanted" / name / "book.toml").write_text(text, encoding="utf-8")
    (desk.folder / "wanted" / "third.toml").write_text("[book]\npremise = ", encoding="utf-8")
    assert "third.toml: " in desk.run("batch", "add", "wanted", expect=2).err
    (desk.folder / "wanted" / "third.toml").write_text(
        '[book]\npremise = "x"\n[llm]\nbase_url = "http://evil.example"\n', encoding="utf-8"
    )
    assert "cannot be set by a book" in desk.run("batch", "add", "wanted", expect=2).err
    (desk.folder / "wanted" / "third.toml").unlink()
    assert desk.run("batch", "add", "wanted", "--json").value["added"] == ["left", "right"]


def test_rows_are_queued_once_and_another_book_of_a_name_is_refused(desk: Desk) -> None:
    add(desk, "one")
    assert "0 books queued, 1 already queued" in desk.run("batch", "add", "books.jsonl").err
    other = json.dumps({"name": "One", "premise": "Something else"})
    (desk.folder / "books.jsonl").write_text(other, encoding="utf-8")
    assert "another book 'One'" in desk.run("batch", "add", "books.jsonl", expect=2).err
    desk.create(name="mine")
    (desk.folder / "b.jsonl").write_text('{"name": "mine", "premise": "x"}', encoding="utf-8")
    assert "project 'mine' already" in desk.run("batch", "add", "b.jsonl", expect=2).err


@pytest.mark.slow
def test_a_project_of_somebody_else_is_left_alone_and_the_others_go_on(desk: Desk) -> None:
    add(desk, "one", "two")
    desk.create(name="one")
    before = desk.project("one").contents()
    ran = desk.run("batch", "run", "--mock", expect=5)
    assert "one (books.jsonl, line 1): failed" in ran.err
    assert states(desk) == {"one": "failed", "two": "done"}
    (theirs, _) = desk.run("batch", "status", "--json").value["books"]
    assert (theirs["calls"], theirs["cost_usd"]) == (0, 0.0)
    desk.run("batch", "retry")
    desk.run("batch", "run", "--mock", expect=5)
    assert desk.project("one").contents() == before


@pytest.mark.slow
def test_a_missing_key_fails_no_book_and_ends_the_run(desk: Desk) -> None:
    desk.environment["LIBRISCRIBE2_MODELS__CONCEPT"] = "openai/of-mine"
    desk.environment["LIBRISCRIBE2_BATCH__RETRY_SECONDS"] = "0.2"
    desk.environment["LIBRISCRIBE2_MODELS__DEFAULT"] = "demo"
    add(desk, *NAMES)
    ran = desk.run("batch", "run", "--books", "1", expect=4)
    assert "This machine cannot write books: No key for 'openai/of-mine'" in ran.err
    assert set(states(desk).values()) == {"queued"}


def test_pause_cancel_and_retry(desk: Desk) -> None:
    add(desk, "one", "two")
    desk.run("batch", "cancel", "two")
    assert states(desk) == {"one": "queued", "two": "cancelled"}
    desk.run("batch", "retry")
    assert states(desk)["two"] == "cancelled"
    desk.run("batch", "retry", "TWO")
    desk.run("batch", "cancel")
    assert set(states(desk).values()) == {"cancelled"}
    assert "no book 'six'" in desk.run("batch", "cancel", "six", expect=3).err
    desk.run("batch", "pause")
    assert desk.run("batch", "status", "--json").value["paused"] is True
    assert desk.run("batch", "status", "--watch").out == (
        "0 of 2 books done, 2 cancelled, $0.00, paused\n"
    )
    assert "paused" in desk.run("batch", "status").err
    told = desk.run("batch", "pause", "--off").err
    assert "Continue with `libriscribe2 batch run --batch books`" in told
    assert "paused" not in desk.run("batch", "status").err


def test_a_batch_has_to_be_there_and_to_be_named_among_several(desk: Desk) -> None:
    assert "There is no batch" in desk.run("batch", "run", expect=3).err
    add(desk, "one")
    again = desk.run("batch", "add", "books.jsonl", "--batch", "second", expect=2)
    assert "line 1: the batch 'books' has a book 'one' already" in again.err
    (desk.folder / "more.jsonl").write_text('{"name": "two", "premise": "x"}', encoding="utf-8")
    desk.run("batch", "add", "more.jsonl", "--batch", "second")
    lost = desk.run("batch", "run", "--batch", "nope", expect=3).err
    assert "Choose from books, second;" in lost
    assert "Which batch?" in desk.run("batch", "status", expect=2).err
    assert desk.run("batch", "status", "-b", "second", "--json").value["batch"] == "second"


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("a.jsonl", "[1]\n", "line 1: the line is not a JSON object"),
        ("a.jsonl", '{"premise": "x"\n', "line 1: the line is not valid JSON"),
        ("a.jsonl", '{"premisse": "x"}\n', "did you mean 'premise'?"),
        (
            "a.jsonl",
            '{"premise": "a\\u0000b"}\n',
            "line 1: premise: there is a NUL character in it",
        ),
        ("a.jsonl", '{"premise": "x", "n\\u0000": 1}\n', "there is a NUL character in it"),
        ("a.jsonl", '{"premise": "x\\ud83d"}\n', "half a character in it (a lone surrogate)"),
        ("a.csv", "title\nx\n", "no column `premise`"),
        ("a.csv", 'premise\n"x\n', "not CSV"),
        ("a.csv", "premise\n", "has no rows"),
        ("a.txt", "x", "not a file of rows"),
        ("a.jsonl", "\ufeff\n", "is empty"),
    ],
)
def test_files_that_cannot_be_rows(desk: Desk, name: str, text: str, wanted: str) -> None:
    (desk.folder / name).write_text(text, encoding="utf-8")
    code = 3 if wanted == "is empty" else 2
    assert wanted in desk.run("batch", "add", name, expect=code).err
