"""`chapter`: the order of a finished book, changed from the command line and written on."""

import json
import re
from pathlib import Path

import pytest
from tests.support.authors import Author
from tests.support.project_faults import Crash, QuickOps
from tests.support.shaped_book import CHAPTERS, ShapedBook, new_book

from libriscribe2.project.paths import chapter_file, summary_file


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> ShapedBook:
    return new_book(tmp_path_factory.mktemp("finished") / "desk", "--no-revision")


@pytest.fixture
def book(finished: ShapedBook, tmp_path: Path) -> ShapedBook:
    return finished.copy(tmp_path / "desk")


def scenes_written(author: Author, number: int) -> list[str]:
    """The scenes of a chapter that were asked for, where only it and its records were."""
    own = [step for step in author.steps if step.startswith(f"chapters/ch{number:02d}/")]
    assert author.steps == [*own, f"canon/ch{number:02d}"]
    return [part for step in own if re.fullmatch(r"scene\d+", part := step.rpartition("/")[2])]


def test_XC_04_chapters_are_listed(book: ShapedBook) -> None:
    listed = book.desk.run("chapter", "list", "book", "--json").value["chapters"]
    assert [row["number"] for row in listed] == list(range(1, CHAPTERS + 1))
    assert [row["title"] for row in listed] == book.titles()
    assert {row["state"] for row in listed} == {"fresh"}
    assert sum(row["words"] for row in listed) > 500
    table = book.desk.run("chapter", "list", "book").out.splitlines()
    assert table[0].split("\t") == ["number", "title", "words", "state"]
    assert len(table) == CHAPTERS + 1


def test_XC_04_a_chapter_that_is_not_written_is_listed_without_words(book: ShapedBook) -> None:
    book.folder.path(chapter_file(2)).unlink()
    row = book.desk.run("chapter", "list", "book", "--json").value["chapters"][1]
    assert (row["words"], row["state"]) == (0, "missing")


def test_XC_04_an_inserted_chapter_is_planned_and_written_and_no_other(book: ShapedBook) -> None:
    before = book.picture().files
    told = ("--title", "The Storm", "--summary", "A storm takes the boat.")
    ran = book.desk.run("chapter", "insert", "book", "4", *told)
    assert "4\tnew\tThe Storm" in ran.out
    assert "resume book" in ran.err
    author = Author()
    book.desk.run("resume", "book", backend=author)
    assert {step.rpartition("/")[0] or step for step in author.steps} == {
        "scenes",
        "chapters/ch04",
        "canon",
    }
    assert "scenes/ch04" in author.steps
    after = book.picture()
    assert after.files[chapter_file(4)].startswith(b"# The Storm\n\n")
    assert after.files[chapter_file(7)] == before[chapter_file(6)]
    assert b"# The Storm" in after.files["manuscript.md"]
    assert after.state("scenes.json") == "fresh"
    assert after.stale() == {chapter_file(number) for number in (5, 6, 7)}


def test_XC_04_an_inserted_chapter_may_come_with_its_scenes(book: ShapedBook) -> None:
    told = ("--title", "T", "--summary", "S.", "--scene", "One.", "--scene", "Two.")
    book.desk.run("chapter", "insert", "book", "7", *told)
    author = Author()
    book.desk.run("resume", "book", backend=author)
    assert scenes_written(author, 7) == ["scene01", "scene02"]


def test_XC_04_no_model_adds_to_scene_plans_that_the_author_edited(book: ShapedBook) -> None:
    scenes = book.folder.json("scenes.json")
    scenes["chapters"][0]["scenes"][0]["summary"] = "Mine."
    book.folder.write("scenes.json", json.dumps(scenes))
    book.desk.run("chapter", "insert", "book", "1", "--title", "T", "--summary", "All of it.")
    author = Author()
    book.desk.run("resume", "book", backend=author)
    assert scenes_written(author, 1) == ["scene01"]
    plans = book.folder.json("scenes.json")["chapters"]
    assert plans[0]["scenes"][0]["summary"] == "All of it."
    assert plans[1]["scenes"][0]["summary"] == "Mine."
    assert book.picture().state("scenes.json") == "edited"


def test_XC_04_a_move_asks_for_nothing_and_the_manuscript_follows(book: ShapedBook) -> None:
    titles = book.titles()
    ran = book.desk.run("chapter", "move", "book", "6", "1", "--json")
    assert ran.value["chapters"][0] == {"number": 1, "was": [6], "title": titles[5]}
    assert ran.value["files"]["outline.json"] == "written"
    stale = {one["unit"] for one in ran.value["states"] if one["after"] == "stale"}
    assert stale == book.picture().stale() | {"manuscript.md"}
    author = Author()
    book.desk.run("resume", "book", backend=author)
    assert author.asked == []
    headings = [line for line in book.folder.text("manuscript.md").splitlines() if line[:2] == "# "]
    assert headings == [f"# {title}" for title in [titles[5], *titles[:5]]]
    book.desk.run("resume", "book", "--rewrite", "--yes")
    assert book.picture().stale() == set()


def test_XC_04_a_moved_chapter_is_replayed_once_it_is_back(book: ShapedBook) -> None:
    before = book.picture().files[chapter_file(6)]
    book.desk.run("chapter", "move", "book", "6", "5")
    book.desk.run("chapter", "move", "book", "5", "6")
    book.folder.path(chapter_file(6)).unlink()
    author = Author()
    book.desk.run("resume", "book", backend=author)
    assert author.asked == []
    assert book.picture().files[chapter_file(6)] == before


def test_XC_04_split_merge_rename_and_delete_end_in_a_sound_book(book: ShapedBook) -> None:
    run = book.desk.run
    run("chapter", "split", "book", "2", "--break", "1", "--title", "Second half")
    run("chapter", "rename", "book", "1", "A New Beginning")
    run("chapter", "split", "book", "5", "--paragraph", "2", "--title", "Fifth half")
    run("chapter", "merge", "book", "3", "4", "--title", "Whole")
    run("chapter", "delete", "book", "7")
    assert book.titles()[0] == "A New Beginning"
    assert book.titles()[2] == "Whole"
    assert book.folder.text(chapter_file(3)).startswith("# Whole\n")
    assert book.titles()[4] == "Fifth half"
    run("resume", "book", "--rewrite", "--yes")
    picture = book.picture()
    assert {state for state, _ in picture.states.values()} == {"fresh"}
    assert run("check", "book", "--json").value == {
        "project": "book",
        "sound": True,
        "findings": [],
    }
    assert chapter_file(7) not in picture.files
    assert summary_file(6) in picture.files


@pytest.mark.parametrize(
    "words",
    [
        ("insert", "book", "2", "--title", "T", "--summary", "S"),
        ("move", "book", "1", "3"),
        ("split", "book", "1", "--break", "1", "--title", "T"),
        ("merge", "book", "1", "2"),
        ("rename", "book", "1", "T"),
        ("delete", "book", "1"),
    ],
    ids=lambda words: words[0],
)
def test_XC_04_a_dry_run_shows_all_and_changes_nothing(
    book: ShapedBook, words: tuple[str, ...]
) -> None:
    before = book.picture()
    journal = book.folder.path(".libriscribe/journal.jsonl").read_bytes()
    shown = book.desk.run("chapter", *words, "--dry-run", "--json").value
    ran = book.desk.run("chapter", *words, "--dry-run")
    assert "Nothing was changed" in ran.err
    assert book.picture() == before
    assert book.folder.path(".libriscribe/journal.jsonl").read_bytes() == journal
    assert not book.folder.path(".libriscribe/trash").exists()
    done = book.desk.run("chapter", *words, "--json").value
    assert done == {**shown, "dry_run": False}


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("merge", "book", "1", "3"), 2, "not adjacent"),
        (("split", "book", "1", "--title", "T"), 2, "--break for a scene break, or --paragraph"),
        (
            ("split", "book", "1", "--title", "T", "--break", "1", "--paragraph", "2"),
            2,
            "--break for a scene break, or --paragraph",
        ),
        (("split", "book", "1", "--title", "T", "--break", "5"), 2, "no scene break 5"),
        (
            ("insert", "book", "9", "--title", "T", "--summary", "S"),
            2,
            f"cannot be chapter 9: the book has {CHAPTERS} chapters.",
        ),
        (("insert", "book", "1", "--title", " ", "--summary", "S"), 2, "title"),
        (("insert", "book", "1", "--title", "T"), 2, "--summary"),
        (("rename", "nobook", "1", "T"), 3, "no project 'nobook'"),
    ],
)
def test_XC_08_what_cannot_be_done_is_refused_in_one_line(
    book: ShapedBook, words: tuple[str, ...], code: int, told: str
) -> None:
    before = book.picture()
    ran = book.desk.run("chapter", *words, expect=code)
    assert told in ran.err
    assert "fix:" in ran.err or "why:" in ran.err
    assert book.picture() == before


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (("move", "book", "99", "1"), 99),
        (("move", "book", "1", "99"), 99),
        (("split", "book", "99", "--break", "1", "--title", "T"), 99),
        (("merge", "book", "1", "99"), 99),
        (("merge", "book", "98", "99"), 98),
        (("merge", "book", f"{CHAPTERS}", f"{CHAPTERS + 1}"), CHAPTERS + 1),
        (("rename", "book", "99", "T"), 99),
        (("delete", "book", "99"), 99),
        (("delete", "book", "0"), 0),
    ],
)
def test_XC_08_a_chapter_that_is_not_there_is_told_with_those_that_are(
    book: ShapedBook, words: tuple[str, ...], number: int
) -> None:
    book.folder.path(chapter_file(99)).write_bytes(b"\xff")
    before = book.picture()
    ran = book.desk.run("chapter", *words, expect=2)
    assert f"There is no chapter {number}: the book has {CHAPTERS} chapters." in ran.err
    assert f"Choose one of 1 to {CHAPTERS}; `libriscribe2 chapter insert` adds one." in ran.err
    assert book.picture() == before


def test_XC_08_a_chapter_that_is_not_written_cannot_be_split(book: ShapedBook) -> None:
    book.folder.path(chapter_file(2)).unlink()
    command = ("chapter", "split", "book", "2", "--title", "T", "--break", "1")
    assert "not written yet" in book.desk.run(*command, expect=3).err


def test_XC_04_a_chapter_that_is_not_written_can_be_renamed(book: ShapedBook) -> None:
    book.folder.path(chapter_file(2)).unlink()
    book.desk.run("chapter", "rename", "book", "2", "Ebb")
    assert book.titles()[1] == "Ebb"
    assert not book.folder.path(chapter_file(2)).exists()


def test_XC_08_a_damaged_file_stops_a_change_of_the_order(book: ShapedBook) -> None:
    book.folder.path(chapter_file(5)).write_bytes(b"# T\n\xff")
    before = book.picture()
    ran = book.desk.run("chapter", "move", "book", "1", "2", expect=3)
    assert chapter_file(5) in ran.err
    assert book.picture() == before


class StopAfterPlan(QuickOps):
    """Dies when the plan is on the disk."""

    def replace(self, source: Path, target: Path, /) -> None:
        super().replace(source, target)
        if target.name == "pending":
            raise Crash


def interrupted_move(book: ShapedBook) -> None:
    """`chapter move book 1 2`, killed as soon as it was going to happen."""
    moved = (book.slots()[1], book.slots()[0], *book.slots()[2:])
    planned = book.planned(moved, what="chapter move 1 2")
    store = book.open(StopAfterPlan())
    with pytest.raises(Crash):
        store.change(planned)
    store.close()


def test_XC_04_the_same_command_after_a_kill_finishes_and_does_not_repeat(
    book: ShapedBook,
) -> None:
    titles = book.titles()
    interrupted_move(book)
    ran = book.desk.run("chapter", "move", "book", "1", "2")
    assert "interrupted" in ran.err
    assert book.titles()[:2] == [titles[1], titles[0]]
    assert not book.folder.path(".libriscribe/pending").exists()
    ran = book.desk.run("chapter", "move", "book", "1", "2", "--json")
    assert ran.value["change"] == "chapter move 1 2"
    assert book.titles() == titles


def test_XC_04_a_finished_command_says_so_in_json_too(book: ShapedBook) -> None:
    interrupted_move(book)
    ran = book.desk.run("chapter", "move", "book", "1", "2", "--json")
    assert ran.value == {"change": "chapter move 1 2", "finished": True}


def test_XC_04_resume_finishes_what_was_interrupted_and_status_shows_it_before(
    book: ShapedBook,
) -> None:
    titles = book.titles()
    interrupted_move(book)
    listed = book.desk.run("chapter", "list", "book", "--json").value["chapters"]
    assert [row["title"] for row in listed[:2]] == [titles[1], titles[0]]
    found = book.desk.run("check", "book", "--json").value
    assert found["sound"]
    assert [one["file"] for one in found["findings"]] == [".libriscribe/pending"]
    author = Author()
    book.desk.run("resume", "book", backend=author)
    assert author.asked == []
    first = book.folder.text("manuscript.md").index(f"# {titles[1]}")
    assert first < book.folder.text("manuscript.md").index(f"# {titles[0]}")


def test_XC_04_scenes_of_a_chapter_are_never_made_up(book: ShapedBook) -> None:
    scenes = book.folder.json("scenes.json")
    scenes["chapters"][1]["scenes"] = []
    book.folder.write("scenes.json", json.dumps(scenes))
    book.folder.path(chapter_file(2)).unlink()
    ran = book.desk.run("resume", "book", expect=3)
    assert "no scenes for chapter 2" in ran.err
    assert not book.folder.path(chapter_file(2)).exists()


def test_a_split_foretells_what_the_next_run_makes_stale(book: ShapedBook) -> None:
    ran = book.desk.run("chapter", "split", "book", "2", "--break", "1", "--title", "T", "--json")
    later = {one["unit"]: one["reason"] for one in ran.value["later"]}
    book.desk.run("resume", "book")
    rows = book.desk.run("status", "book", "--json").value["units"]
    assert {row["unit"] for row in rows if row["state"] == "stale"} == set(later)
    assert later["chapters/03.md"] == f"once {summary_file(2)} is made"


def test_an_insert_calls_a_file_changed_only_if_it_has_changed(book: ShapedBook) -> None:
    told = ("--title", "The Storm", "--summary", "A storm takes the boat.")
    ran = book.desk.run("chapter", "insert", "book", "2", *told)
    (line,) = [one for one in ran.err.splitlines() if one.startswith("chapters/03.md: ")]
    changed = line.partition("(")[2].partition(" changed")[0] if " changed" in line else ""
    assert summary_file(1) not in changed
    assert f"{summary_file(1)} added" in line
