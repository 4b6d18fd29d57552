"""`check`: everything that is wrong with a book, each with its place and what mends it."""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.desk import Desk, ProjectFolder

JOURNAL = ".libriscribe/journal.jsonl"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """One finished book, mended after each test."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.written()
    return desk


@pytest.fixture
def book(desk: Desk) -> Iterator[ProjectFolder]:
    folder = desk.project()
    before = {path: path.read_bytes() for path in folder.root.rglob("*") if path.is_file()}
    yield folder
    for path in folder.root.rglob("*"):
        if path.is_file() and path not in before:
            path.unlink()
    for path, data in before.items():
        path.write_bytes(data)
    # Nobody has seen what came after.
    shutil.rmtree(desk.folder.parent / f"{desk.folder.name}-home", ignore_errors=True)


def findings(desk: Desk, expect: int) -> list[dict[str, Any]]:
    found = desk.run("check", "book", "--json", expect=expect).value
    assert found["sound"] == (expect == 0)
    assert all(one["fix"] and one["what"] for one in found["findings"])
    listed: list[dict[str, Any]] = found["findings"]
    return listed


def test_XC_08_a_finished_book_is_sound(desk: Desk, book: ProjectFolder) -> None:
    ran = desk.run("check", "book")
    assert (ran.out, ran.err) == ("", "No problems found.\n")


def test_XC_08_what_stops_a_run_comes_first_and_exits_with_3(
    desk: Desk, book: ProjectFolder
) -> None:
    book.write("chapters/01.md", "# Mine\n\nMine.\n")
    book.path("chapters/02.md").write_bytes(b"# T\n\xff")
    book.write("concept.json", "{")
    found = findings(desk, 3)
    assert [(one["file"], one["stops"]) for one in found] == [
        ("concept.json", True),
        ("chapters/02.md", True),
        ("concept.json", False),
        ("chapters/01.md", False),
        ("chapters/02.md", False),
    ]
    assert "line 1" in found[0]["place"]
    ran = desk.run("check", "book", expect=3)
    assert ran.out.startswith("severity\tfile\tplace\tproblem\tfix\nerror\tconcept.json\t")
    assert "2 errors, 3 warnings." in ran.err


def test_XC_08_a_damaged_outline_says_nothing_of_the_numbering(
    desk: Desk, book: ProjectFolder
) -> None:
    book.write("outline.json", "{")
    book.write("chapters/07.md", "Notes.\n")
    assert {one["file"] for one in findings(desk, 3)} == {"outline.json"}


def test_XC_08_check_writes_nothing(desk: Desk, book: ProjectFolder) -> None:
    book.path(JOURNAL).write_bytes(book.path(JOURNAL).read_bytes() + b"torn")
    book.write("chapters/.01.md.7.tmp", "half")
    before = {path: path.read_bytes() for path in book.root.rglob("*") if path.is_file()}
    desk.run("check", "book")
    assert before == {path: path.read_bytes() for path in book.root.rglob("*") if path.is_file()}


def test_XC_08_an_edit_a_loss_and_leftovers_are_warnings(desk: Desk, book: ProjectFolder) -> None:
    book.path("chapters/01.md").unlink()
    book.write("manuscript.md", "Mine.\n")
    book.write("chapters/.01.md.7.tmp", "half")
    book.write("chapters/07.md", "Notes.\n")
    book.write("chapters/2.md", "Notes.\n")
    found = {one["file"]: one["what"] for one in findings(desk, 0)}
    assert "missing" in found["chapters/01.md"]
    assert "edit of yours, or damage" in found["manuscript.md"]
    assert "temporary" in found["chapters/.01.md.7.tmp"]
    assert "belongs to no chapter" in found["chapters/07.md"]
    assert "belongs to no chapter" in found["chapters/2.md"]


def test_XC_08_a_temporary_dump_is_found(desk: Desk, book: ProjectFolder) -> None:
    left = book.debug / ".0001-x.json.7.tmp"
    left.write_text("half", encoding="utf-8")
    found = findings(desk, 0)
    left.unlink()
    assert [one["file"] for one in found] == [str(left.relative_to(desk.folder))]


def test_XC_08_damaged_and_torn_records_are_named_by_line(desk: Desk, book: ProjectFolder) -> None:
    lines = book.path(JOURNAL).read_bytes().splitlines(keepends=True)
    middle = next(n for n, line in enumerate(lines) if b'"t":"done"' in line)
    lines[middle] = lines[middle].replace(b"e", b"X", 3)
    book.path(JOURNAL).write_bytes(b"".join(lines) + b"half a rec")
    found = findings(desk, 0)
    assert [(one["file"], one["place"]) for one in found] == [
        (JOURNAL, f"line {middle + 1}"),
        (JOURNAL, f"line {len(lines) + 1}"),
    ]


def test_XC_08_a_content_that_a_crash_kept_from_its_place_is_found(
    desk: Desk, book: ProjectFolder
) -> None:
    before = book.path("manuscript.md").read_bytes()
    book.write("chapters/02.md", "# Mine\n\nMine.\n")
    desk.run("resume", "book")
    lines = book.path(JOURNAL).read_bytes().splitlines(keepends=True)
    assert b'"t":"placed"' in lines[-1]
    book.path(JOURNAL).write_bytes(b"".join(lines[:-1]))
    book.path("manuscript.md").write_bytes(before)
    found = {one["file"]: one["what"] for one in findings(desk, 0)}
    assert "before its latest content" in found["manuscript.md"]


@pytest.mark.parametrize(("count", "stops"), [(1, True), (3, False)])
def test_XC_08_plans_of_different_length_are_found(
    desk: Desk, book: ProjectFolder, count: int, stops: bool
) -> None:
    scenes = book.json("scenes.json")
    plan = scenes["chapters"][0]
    scenes["chapters"] = [{**plan, "chapter": number} for number in range(1, count + 1)]
    book.write("scenes.json", json.dumps(scenes))
    found = findings(desk, 3 if stops else 0)
    assert found[0]["file"] == "scenes.json" or not stops
    apart = next(one for one in found if one["place"] == "chapters")
    assert apart["stops"] is stops
    assert f"plans {count} chapters, and outline.json has 2" in apart["what"]


def test_XC_08_a_chapter_without_scenes_is_found_with_its_place(
    desk: Desk, book: ProjectFolder
) -> None:
    scenes = book.json("scenes.json")
    scenes["chapters"][1]["scenes"] = []
    book.write("scenes.json", json.dumps(scenes))
    assert findings(desk, 3)[0]["place"] == "chapters.1.scenes"
    desk.run("chapter", "insert", "book", "1", "--title", "T", "--summary", "S")
    assert findings(desk, 3)[0]["place"] == "chapters.2.scenes"


def test_XC_08_a_chapter_that_is_going_to_be_planned_is_sound(
    desk: Desk, book: ProjectFolder
) -> None:
    desk.run("chapter", "insert", "book", "1", "--title", "T", "--summary", "S")
    assert findings(desk, 0) == []


def test_XC_08_a_brief_that_cannot_be_read_is_a_finding(desk: Desk, book: ProjectFolder) -> None:
    book.write("book.toml", book.text("book.toml").replace("words =", "wordz ="))
    found = findings(desk, 3)
    assert [one["file"] for one in found] == ["book.toml"]
    assert "wordz" in found[0]["what"]


def test_XC_08_a_book_without_an_outline_has_no_numbering(desk: Desk, book: ProjectFolder) -> None:
    book.path("outline.json").unlink()
    assert [one["file"] for one in findings(desk, 0)] == ["outline.json"]


def test_XC_08_an_interrupted_change_that_cannot_be_read_is_told(
    desk: Desk, book: ProjectFolder
) -> None:
    book.write(".libriscribe/pending", "nonsense\n")
    ran = desk.run("check", "book", expect=3)
    assert "pending is damaged" in ran.err
    assert "fix:" in ran.err


def test_XC_08_a_new_project_without_a_journal_is_sound(desk: Desk, book: ProjectFolder) -> None:
    for path in book.root.rglob("*"):
        if path.is_file() and path.name != "book.toml":
            path.unlink()
    assert findings(desk, 0) == []


CONFLICT = "<<<<<<< HEAD\nHe went left.\n=======\nHe went right.\n>>>>>>> theirs\n"


def test_W8_halves_of_a_merge_are_named_and_go_nowhere(desk: Desk, book: ProjectFolder) -> None:
    book.write("chapters/01.md", f"# One\n\nA text.\n\n{CONFLICT}\nThe end.\n")
    (found, *_) = findings(desk, 3)
    assert (found["file"], found["stops"]) == ("chapters/01.md", True)
    assert "from line 5 on" in found["place"]
    before = book.text("manuscript.md")
    ran = desk.run("resume", "book", expect=3)
    assert "contains an unresolved git conflict" in ran.err
    assert book.text("manuscript.md") == before
    assert "conflict" in desk.run("export", "book", "--format", "md", expect=3).err


def test_W8_a_book_about_git_may_show_a_conflict(desk: Desk, book: ProjectFolder) -> None:
    book.write("chapters/01.md", f"# One\n\n```\n{CONFLICT}```\n\nThe end.\n")
    desk.run("resume", "book")
    assert CONFLICT in book.text("manuscript.md")
