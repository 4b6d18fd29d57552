"""Dumps belong to a project and not to a name: a book shows no other book's prompts."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.support.desk import Desk

from libriscribe2.project.paths import OWNER

SHORT = ("--chapters", "1", "--scenes-per-chapter", "1", "--words", "60", "--no-revision")
ALICE, BOB = "Alice's lighthouse keeper", "Bob's beekeeper"


def made(desk: Desk, premise: str) -> None:
    desk.run("create", premise, *SHORT, "--model", "demo", "-p", "book")


def shown(desk: Desk) -> str:
    """What the lists of calls and a dump show of a book."""
    listed = desk.run("debug", "list", "book", "--json").out
    first = desk.run("debug", "show", "book", "1").out
    return listed + first


def test_a_book_begun_again_under_its_name_shows_nothing_of_the_old_one(desk: Desk) -> None:
    made(desk, ALICE)
    assert ALICE in shown(desk)
    shutil.rmtree(desk.folder / "projects" / "book")
    made(desk, BOB)
    assert BOB in shown(desk)
    assert ALICE not in shown(desk)


def test_a_renamed_project_keeps_its_dumps(desk: Desk) -> None:
    made(desk, ALICE)
    before = desk.run("debug", "list", "book", "--json").value["calls"]
    (desk.folder / "projects" / "book").rename(desk.folder / "projects" / "else")
    assert before
    assert desk.run("debug", "list", "else", "--json").value["calls"] == before


def test_a_copy_is_a_book_of_its_own_while_its_original_is_there(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    made(desk, ALICE)
    projects = desk.folder / "projects"
    shutil.copytree(projects / "book", projects / "copy")
    desk.run("resume", "copy")
    assert "is a copy of" in caplog.text
    caplog.clear()
    desk.run("resume", "copy")
    desk.run("resume", "book")
    assert "is a copy of" not in caplog.text
    ids = {(projects / name / ".libriscribe" / "id").read_text() for name in ("book", "copy")}
    assert len(ids) == len(["book", "copy"])


def test_a_moved_project_is_no_copy(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    made(desk, ALICE)
    projects = desk.folder / "projects"
    own = (projects / "book" / ".libriscribe" / "id").read_text()
    (projects / "book").rename(projects / "moved")
    desk.run("resume", "moved")
    assert "is a copy of" not in caplog.text
    assert (projects / "moved" / ".libriscribe" / "id").read_text() == own


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
@pytest.mark.parametrize(
    ("place", "code"), [("debug/book/.project", 0), ("projects/book/.libriscribe/id", 3)]
)
def test_a_pipe_in_place_of_an_id_keeps_nobody_waiting(desk: Desk, place: str, code: int) -> None:
    made(desk, ALICE)
    (desk.folder / place).unlink()
    os.mkfifo(desk.folder / place)
    desk.run_apart("debug", "list", "book", expect=code)


def test_rates_of_status_are_those_of_debug_stats_where_a_dump_names_no_key(desk: Desk) -> None:
    made(desk, ALICE)
    for path in (desk.folder / "debug" / "book").glob("*.json"):
        content = json.loads(path.read_text(encoding="utf-8"))
        content["debug_info"]["key"] = ""
        path.write_text(json.dumps(content), encoding="utf-8")
    shown = desk.run("status", "book", "--rates", "--json").value["rates"]
    assert [one["of"] for one in shown] == [
        one["of"] for one in desk.run("debug", "stats", "book", "--json").value["rates"]
    ]
    assert max(one["of"] for one in shown[1:])


@pytest.mark.parametrize("name", ["debug list", "debug stats"])
def test_dumps_of_an_older_version_without_an_owner_are_those_of_this_journal(
    desk: Desk, name: str
) -> None:
    made(desk, ALICE)
    (desk.folder / "debug" / "book" / OWNER).unlink()
    (desk.folder / "projects" / "book" / ".libriscribe" / "id").unlink()
    known = desk.run(*name.split(), "book", "--json").out
    foreign = next((desk.folder / "debug" / "book").glob("0001-*"))
    text = foreign.read_text(encoding="utf-8")
    key = text[text.rindex('"key": "') + 8 :][:64]
    (foreign.with_name("9999-concept-try1.json")).write_text(
        text.replace(key, "0" * 64), encoding="utf-8"
    )
    assert desk.run(*name.split(), "book", "--json").out == known


def test_an_id_that_is_a_path_names_no_file_elsewhere(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "desk")
    desk.written("--until", "concept")
    book, victim = desk.project(), tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    for id_of_somebody in ("../../../victim", "../../victim", "../victim", "..", "."):
        book.write(".libriscribe/id", id_of_somebody)
        desk.run("resume", "book", "--until", "concept")
        assert book.text(".libriscribe/id").strip().isalnum()
        assert victim.read_text(encoding="utf-8") == "mine"
