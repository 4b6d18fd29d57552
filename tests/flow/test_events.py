"""What `events.jsonl` and `--json` tell of a book while it is made."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk
from tests.support.hand_made import HandMade
from tests.support.review_book import REFUSED, troubled

from libriscribe2.commands.projects import look_at
from libriscribe2.observe.run_files import last_run
from libriscribe2.project.paths import ProjectPaths

Lines = list[dict[str, Any]]


def named(lines: Lines, name: str) -> Lines:
    return [line for line in lines if line["event"] == name]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A book two of whose replies were refused, and one mended."""
    desk = Desk(tmp_path_factory.mktemp("events"))
    ran = desk.create("--json", backend=Author(reply=troubled))
    desk.project().write("lines.json", ran.out)
    return desk


@pytest.fixture
def lines(desk: Desk) -> Lines:
    """What `--json` said."""
    return [json.loads(line) for line in desk.project().text("lines.json").splitlines()]


def test_the_file_holds_what_json_says(desk: Desk, lines: Lines) -> None:
    written = last_run(desk.project().path(".libriscribe/events.jsonl"))
    assert [one.model_dump(mode="json") for one in written] == lines
    assert [one["seq"] for one in lines] == list(range(1, len(lines) + 1))


def test_every_call_names_its_dump(desk: Desk, lines: Lines) -> None:
    calls = named(lines, "llm.call")
    dumps = {path.name for path in desk.project().debug.glob("*.json")}
    assert {call["call_file"] for call in calls} == dumps
    assert Counter(call["status"] for call in calls)["refused"] == 2
    assert {call["finish_reason"] for call in calls} == {"stop"}
    assert {call["agent"] for call in calls} >= {"OutlinerAgent", "ChapterWriterAgent"}


def test_a_refused_reply_is_told_with_its_errors(lines: Lines) -> None:
    draft, outline = named(lines, "validation.failed")
    assert (draft["unit"], draft["attempt"], outline["unit"]) == ("concept/draft", 1, "outline")
    assert any("chapters" in error for error in outline["errors"])
    assert outline["call_file"].endswith("-outline-try1.json")
    assert REFUSED not in str(lines)
    again = [one["attempt"] for one in named(lines, "llm.call") if one["unit"] == "outline"]
    assert again == [1, 2]


def test_a_mended_reply_is_told_with_what_was_done(lines: Lines) -> None:
    (mended,) = [one for one in named(lines, "repair.applied") if one["unit"] == "concept/keywords"]
    assert "trailing_comma" in mended["repairs"]
    assert mended["issues"]


def test_a_file_is_told_as_it_was_written(desk: Desk, lines: Lines) -> None:
    written = {one["path"]: one for one in named(lines, "file.written")}
    assert {"concept.json", "outline.json", "chapters/01.md", "manuscript.md"} <= written.keys()
    chapter, book = written["chapters/01.md"], desk.project()
    data = book.path("chapters/01.md").read_bytes()
    assert (chapter["size"], chapter["chapter"]) == (len(data), 1)
    assert chapter["words"] > 50
    assert chapter["sha"] == look_at(ProjectPaths(book.root, book.debug)).sha("chapters/01.md")


def test_a_cap_is_told_once_before_it_stops_the_run(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    ran = desk.create("--max-calls", "5", "--json", expect=8)
    lines = [one for one in ran.events if "event" in one]
    (warned,) = named(lines, "budget.warn")
    assert (warned["cap"], warned["used"], warned["allowed"]) == ("max_calls", 4, 5)
    stopped, failed = lines[-2:]
    assert (stopped["event"], failed["event"]) == ("budget.stop", "run.failed")
    assert "5 calls" in stopped["message"]
    assert failed["status"] == "budget"
    assert (
        "Budget: 4 of 5 is used (max_calls)"
        in desk.run(
            *("create", "A coast", "--mock", "--project-name", "two", "--max-calls", "5"), expect=8
        ).err
    )


def test_an_export_is_told_and_is_no_run(desk: Desk) -> None:
    path = desk.project().path(".libriscribe/events.jsonl")
    before = last_run(path)
    desk.run("export", "book", "--format", "md,html")
    assert last_run(path) == before
    line = path.read_text(encoding="utf-8").splitlines()[-1]
    assert '"event": "export.done"' in line
    assert '"files": ["book.md", "book.html"]' in line
    assert '"path": "exports"' in line


def test_an_export_of_a_project_without_records_leaves_none(tmp_path: Path) -> None:
    HandMade(tmp_path).brief().chapters("# A\n")
    Desk(tmp_path).run("export", "book", "--format", "md")
    assert not Desk(tmp_path).project().path(".libriscribe").exists()


def test_a_chapter_beyond_the_outline_is_named_where_it_is_left_out(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.create()
    book = desk.project()
    book.write("chapters/03.md", "# Extra\n\nNobody planned me.\n")
    ran = desk.run("export", "book", "--format", "md")
    (warning,) = [line for line in ran.err.splitlines() if line.startswith("warning")]
    assert "chapters/03.md" in warning
    assert "libriscribe2 chapter insert book" in warning
    assert "Nobody planned me" not in book.text("exports/book.md")
    assert desk.run("export", "book", "--format", "md", "--json").value["left_out"] == [
        "chapters/03.md"
    ]
    last = book.text(".libriscribe/events.jsonl").splitlines()[-1]
    assert '"issues": ["chapters/03.md is not in the outline"]' in last
    checked = desk.run("check", "book").out
    assert "warning\tchapters/03.md\t\tit belongs to no chapter" in checked
    assert "left out: chapters/03.md" in desk.run("resume", "book").err


def test_a_run_that_finds_nothing_to_do_leaves_no_events(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "idle")
    desk.written()
    events = desk.project().path(".libriscribe/events.jsonl")
    before = events.read_bytes()
    desk.run("resume", "book")
    desk.run("resume", "book")
    assert events.read_bytes() == before
    desk.run("redo", "book", "manuscript")
    more = [json.loads(line) for line in events.read_bytes()[len(before) :].splitlines()]
    assert [more[0]["event"], more[-1]["event"]] == ["run.start", "run.end"]
    assert [one["seq"] for one in more] == list(range(1, len(more) + 1))
