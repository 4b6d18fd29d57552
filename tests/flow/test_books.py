"""Books are found: the shelf, the only book, the folder one stands in, beginnings of names."""

import pytest
from tests.support.desk import PREMISE, SMALL, Desk


@pytest.fixture
def two(desk: Desk) -> Desk:
    """A desk with a written book and a begun one."""
    desk.written("--no-revision", name="coast")
    desk.written("--until", "outline", "--title", "The Quarry", name="quarry-one")
    return desk


def completed(desk: Desk, *words: str) -> list[str]:
    """What a shell offers for the last word."""
    asked = {
        "_LIBRISCRIBE2_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("libriscribe2", *words)),
        "COMP_CWORD": str(len(words)),
    }
    installed = "import sys; sys.argv = ['libriscribe2']; from libriscribe2.cli import main; main()"
    return desk.run_apart(env=asked, program=("-c", installed)).out.split()


def test_the_shelf_lists_every_book_with_what_became_of_it(two: Desk) -> None:
    rows = {row["book"]: row for row in two.run("books", "--json").value}
    assert rows["coast"]["state"] == "finished"
    assert rows["coast"]["words"] == two.project("coast").words()
    assert (rows["quarry-one"]["title"], rows["quarry-one"]["words"]) == ("The Quarry", 0)
    assert rows["quarry-one"]["state"] == "planned, 2 chapters"
    assert two.run().out == two.run("books").out
    assert "coast\t" in two.run().out


def test_a_book_that_cannot_be_read_does_not_hide_the_others(two: Desk) -> None:
    two.project("coast").write("book.toml", "[book\n")
    rows = {row["book"]: row for row in two.run("books", "--json").value}
    assert rows["coast"]["state"].startswith("cannot be read: ")
    assert rows["quarry-one"]["state"] == "planned, 2 chapters"


def test_the_beginning_of_a_name_is_enough_where_one_book_begins_so(two: Desk) -> None:
    assert two.run("status", "co", "--json").value["project"] == "coast"
    two.written("--until", "concept", name="coal")
    told = two.run("status", "co", expect=2).err
    assert "2 projects begin with 'co'" in told
    assert "coal, coast" in told
    assert "Did you mean 'coast'?" in two.run("status", "coasd", expect=3).err


def test_of_several_books_none_is_guessed_and_all_are_named(two: Desk) -> None:
    told = two.run("status", expect=2).err
    assert "Which project?" in told
    assert "coast, quarry-one" in told


def test_the_only_book_needs_no_name(desk: Desk) -> None:
    desk.written("--no-revision")
    assert desk.run("status", "--json").value["project"] == "book"
    assert "1\t" in desk.run("chapter", "list").out
    ran = desk.run("redo", "concept", "--dry-run", "--json").value
    assert ran["total"]["calls"] > 0
    desk.run("chapter", "rename", "1", "A New Name")
    assert "A New Name" in desk.run("chapter", "list").out
    assert "Missing argument 'PART'" in desk.run("redo", "book", expect=2).err
    assert "no earlier version of chapters/02.md" in desk.run("versions", "2").err
    assert "notes/ch01.md: noted" in desk.run("note", "1", "Tenser.").err
    assert "no chapter 9" in desk.run("revise", "9", "Cut the letter.", expect=2).err
    assert "no variants of 1" in desk.run("pick", "1", "b", expect=2).err
    assert "no project 'nobody'" in desk.run("note", "nobody", "1", "Tenser.", expect=3).err


def test_inside_a_books_folder_it_is_the_one(two: Desk) -> None:
    place = two.project("quarry-one")
    inside = Desk(place.root)
    inside.environment = two.environment
    assert inside.run("status", "--json").value["project"] == "quarry-one"
    assert inside.run("status", "quarry", "--json").value["project"] == "quarry-one"
    before = len(list(place.debug.glob("*.json")))
    inside.run("redo", "concept")
    assert len(list(place.debug.glob("*.json"))) > before
    assert not {"debug", "projects"} & {path.name for path in place.root.iterdir()}


def test_names_are_short_and_another_idea_gets_a_number(desk: Desk) -> None:
    new = ("--mock", "--until", "concept", *SMALL)
    desk.run("create", PREMISE, *new)
    desk.run("create", PREMISE.replace("finds", "hides"), *new)
    desk.run("create", PREMISE, "--title", "The Salt Year", *new)
    names = sorted(path.name for path in (desk.folder / "projects").iterdir())
    assert names == ["a-lighthouse-keeper-on-a", "a-lighthouse-keeper-on-a-2", "the-salt-year"]
    assert "There is a project" in desk.run("create", PREMISE, *new, expect=3).err


@pytest.mark.slow
def test_a_shell_completes_names_stages_and_chapters(two: Desk) -> None:
    assert completed(two, "status", "c") == ["coast"]
    assert completed(two, "redo", "coast", "out") == ["outline"]
    assert completed(two, "redo", "coast", "")[:2] == ["1", "2"]
