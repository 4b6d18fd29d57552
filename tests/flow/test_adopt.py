"""`adopt`: an edit becomes the base of what follows."""

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder

MINE = "# Mine\n\nI wrote this myself.\n"


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    """A finished book of two chapters, the first one edited."""
    desk.written()
    desk.project().write("chapters/01.md", MINE)
    return desk.project()


def states(desk: Desk) -> dict[str, str]:
    rows = desk.run("status", "book", "--json").value["units"]
    return {row["unit"]: row["state"] for row in rows}


def test_XC_04_an_adopted_edit_is_up_to_date_and_keeps_its_bytes(
    desk: Desk, book: ProjectFolder
) -> None:
    ran = desk.run("adopt", "book", "chapters/01.md")
    assert ran.out == "chapters/01.md\n"
    assert "chapters/01.md: edited -> up to date\n" in ran.err
    assert "chapters/02.md: out of date: chapters/01.md changed" in ran.err.replace(
        ".libriscribe/summaries/01.md, ", ""
    )
    assert book.text("chapters/01.md") == MINE
    assert states(desk)["chapters/01.md"] == "fresh"
    author = Author()
    desk.run("resume", "book", backend=author)
    assert author.asked == []


@pytest.mark.parametrize("accepted", [False, True])
def test_XC_04_an_edit_is_used_and_written_over_by_nothing_but_force(
    desk: Desk, book: ProjectFolder, accepted: bool
) -> None:
    if accepted:
        desk.run("accept", "book", "chapters/01.md")
    book.write("book.toml", book.text("book.toml").replace("words = 200", "words = 400"))
    assert states(desk)["chapters/01.md"] == ("stale" if accepted else "edited")
    author = Author()
    ran = desk.run("resume", "book", "--rewrite", "--yes", backend=author)
    assert book.text("chapters/01.md") == MINE
    if not accepted:
        assert "Yours, kept and used as they are: chapters/01.md." in ran.err
    assert any("I wrote this myself." in str(one.messages) for one in author.asked)
    assert "--replace-mine" in desk.run("redo", "book", "1", expect=3).err
    assert book.text("chapters/01.md") == MINE
    desk.run("redo", "book", "1", "--replace-mine")
    assert book.text("chapters/01.md") != MINE
    assert MINE in book.trash()


def test_XC_04_what_a_scene_was_written_from_is_known_after_an_edit(desk: Desk) -> None:
    desk.written("--no-revision")
    book = desk.project()
    before = desk.run("why", "book", "ch2.s1", "--json").value
    book.write("chapters/02.md", f"{book.text('chapters/02.md')}\nOne line of mine.\n")
    for _ in range(2):
        ran = desk.run("why", "book", "ch2.s1", "--json")
        assert ran.value["scenes"] == before["scenes"]
        assert "edited by you since" in ran.err
        desk.run("accept", "book", "chapters/02.md")


def test_XC_04_all_edited_files_are_adopted_at_once(desk: Desk, book: ProjectFolder) -> None:
    book.write("world.json", book.text("world.json").replace('"overview": "', '"overview": "My '))
    ran = desk.run("adopt", "book", "--all", "--json")
    assert ran.value["adopted"] == ["world.json", "chapters/01.md"]
    shifted = {one["unit"]: (one["before"], one["after"]) for one in ran.value["states"]}
    assert shifted == {
        "world.json": ("edited", "fresh"),
        "chapters/01.md": ("edited", "fresh"),
    }
    assert "outline.json" in ran.value["stale"]
    again = desk.run("adopt", "book", "--all")
    assert again.out == ""
    assert "No file of the book is edited" in again.err


def test_XC_04_a_stale_file_is_adopted_as_it_is(desk: Desk, book: ProjectFolder) -> None:
    assert states(desk)["chapters/02.md"] == "stale"
    ran = desk.run("adopt", "book", "chapters/02.md")
    assert "chapters/02.md: out of date -> up to date" in ran.err
    assert states(desk)["chapters/02.md"] == "fresh"


@pytest.mark.parametrize(
    "typed", ["projects/book/chapters/01.md", "./projects/book/chapters/01.md"]
)
def test_XC_04_a_file_may_be_named_by_its_path(desk: Desk, book: ProjectFolder, typed: str) -> None:
    assert desk.run("adopt", "book", typed).out == "chapters/01.md\n"
    assert desk.run("adopt", "book", str(book.path("chapters/01.md"))).out == "chapters/01.md\n"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ((), 2, "Which files"),
        (("chapters/01.md", "--all"), 2, "Which files"),
        (("chapters/1.md",), 2, "Did you mean chapters/0"),
        (("notes",), 2, "Its files are concept.json"),
        ((".libriscribe/summaries/02.md",), 3, "is missing"),
    ],
)
def test_XC_08_what_cannot_be_adopted_is_refused(
    desk: Desk, book: ProjectFolder, words: tuple[str, ...], code: int, told: str
) -> None:
    book.path(".libriscribe/summaries/02.md").unlink()
    assert told in desk.run("adopt", "book", *words, expect=code).err
    assert states(desk)["chapters/01.md"] == "edited"


def test_XC_08_a_damaged_file_is_not_adopted(desk: Desk, book: ProjectFolder) -> None:
    book.write("scenes.json", "{}")
    assert "scenes.json" in desk.run("adopt", "book", "scenes.json", expect=3).err
