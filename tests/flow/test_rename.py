"""`rename`: a name changed in every file, with nothing paid and nothing out of date."""

from typing import Any

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder
from tests.support.terminal import everything, on_terminal

SIZE = ("--chapters", "8", "--scenes-per-chapter", "1", "--words", "1600")


@pytest.fixture(scope="module")
def novel(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A finished book of 8 chapters; the tests rename its first person."""
    desk = Desk(tmp_path_factory.mktemp("novel"))
    desk.written(size=SIZE)
    return desk


@pytest.fixture
def desk(novel: Desk, tmp_path: Any) -> Desk:
    return novel.copied_to(tmp_path / "copy")


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    return desk.project()


def first_name(book: ProjectFolder) -> str:
    """The first name of the book's first person."""
    return str(book.json("characters.json")["characters"][0]["name"]).split()[0]


def said(book: ProjectFolder) -> dict[str, str]:
    """Every file of the book, without its journal, its dumps and the texts that are kept."""
    files = book.contents()
    kept = {name for name in files if name.startswith((".libriscribe/texts/", "research/"))}
    return {name: data.decode() for name, data in files.items() if name not in kept}


def states(desk: Desk) -> dict[str, str]:
    rows = desk.run("status", "book", "--json", "--all").value["units"]
    return {row["unit"]: row["state"] for row in rows}


def add(book: ProjectFolder, number: int, text: str) -> None:
    """Put a paragraph at the end of a chapter, as text of the author's."""
    name = f"chapters/{number:02d}.md"
    book.write(name, f"{book.text(name).rstrip()}\n\n{text}\n")


@pytest.mark.slow
def test_every_occurrence_and_nothing_else_is_renamed_without_a_call(
    desk: Desk, book: ProjectFolder
) -> None:
    old = first_name(book)
    before, stood, sent = said(book), states(desk), len(book.records("sent"))
    listed = desk.run("rename", "book", old, "Quillon", "--json").value["places"]
    assert said(book) == before
    desk.run("rename", "book", old, "Quillon", "--yes")
    after = said(book)
    assert after == {name: text.replace(old, "Quillon") for name, text in before.items()}
    assert len(listed) == sum(
        text.count(old) for name, text in before.items() if name != "book.toml"
    )
    files = {one["file"] for one in listed}
    assert files >= {"characters.json", "manuscript.md"}
    assert sum(name.startswith("chapters/") for name in files) > 1
    assert states(desk) == stood
    assert len(book.records("sent")) == sent
    author = Author()
    ran = desk.run("resume", "book", "--refresh", backend=author)
    assert (author.asked, said(book)) == ([], after), ran.err
    assert desk.run("replay", "book", "--json").value["rebuilt"]
    desk.run("rename", "book", "Quillon", old, "--yes")
    assert said(book) == before


def test_what_was_out_of_date_stays_so_and_what_was_edited_stays_the_authors(
    desk: Desk, book: ProjectFolder
) -> None:
    old = first_name(book)
    add(book, 3, f"{old}'s lamp, {old.upper()}, and *{old}*.")
    book.write("notes/ch05.md", f"{old} must not know.")
    stood = states(desk)
    assert (stood["chapters/03.md"], stood["chapters/04.md"]) == ("edited", "stale")
    desk.run("rename", "book", old, "Quillon", "--yes")
    assert states(desk) == stood
    assert book.text("chapters/03.md").endswith("Quillon's lamp, QUILLON, and *Quillon*.\n")
    assert book.text("notes/ch05.md") == "Quillon must not know."


@pytest.mark.slow
def test_an_edit_from_before_a_rename_is_read_as_the_edit_that_it_was(
    desk: Desk, book: ProjectFolder
) -> None:
    old = first_name(book)
    add(book, 3, "A bell rang.")
    desk.run("rename", "book", old, "Quillon", "--yes")
    author = Author()
    desk.run("resume", "book", "--refresh", "--yes", backend=author)
    assert author.steps[0] == "canon/ch03/change"
    shown = str(author.asked[0].messages[1]["content"])
    assert "A bell rang." in shown
    assert old not in shown


@pytest.mark.slow
def test_other_forms_are_shown_and_changed_only_where_the_author_says_so(
    desk: Desk, book: ProjectFolder
) -> None:
    add(book, 2, "Anna kam. Annas Mantel hing da, und Annaberg lag fern. Annchen lief.")
    add(book, 3, "Анна ушла. У Анны был ключ, и Анне верили; Аннушка спала.")
    told = desk.run("rename", "book", "Anna", "Greta", "--json").value
    assert [one["form"] for one in told["left"]] == ["Annas", "Annchen"]
    assert told["left"][0]["proposed"] == "Gretas"
    ran = desk.run("rename", "book", "Anna", "Greta", "--yes", "--forms")
    assert book.text("chapters/02.md").endswith(
        "Greta kam. Gretas Mantel hing da, und Annaberg lag fern. Annchen lief.\n"
    )
    assert "Annchen (1 place) stays; --form Annchen=" in ran.err
    told = desk.run("rename", "book", "Анна", "Ольга", "--json").value
    assert {one["form"]: one["proposed"] for one in told["left"]} == {
        "Анны": "Ольгы",
        "Анне": "Ольге",
        "Аннушка": "Ольгушка",
    }
    desk.run(
        *("rename", "book", "Анна", "Ольга", "--yes"),
        *("--form", "Анны=Ольги", "--form", "Анне=Ольге"),
    )
    assert book.text("chapters/03.md").endswith(
        "Ольга ушла. У Ольги был ключ, и Ольге верили; Аннушка спала.\n"
    )


def test_the_first_name_alone_is_a_form_of_the_whole_name(desk: Desk, book: ProjectFolder) -> None:
    add(book, 2, "Hesper\nVane came. Hesper's coat. Vane's hat. Her brother, Tom Vane.")
    told = desk.run("rename", "book", "Hesper Vane", "Hester Vane", "--json").value
    assert [(one["form"], one["proposed"]) for one in told["left"]] == [("Hesper", "Hester")]
    desk.run("rename", "book", "Hesper Vane", "Hester Vane", "--yes", "--forms")
    assert book.text("chapters/02.md").endswith(
        "Hester\nVane came. Hester's coat. Vane's hat. Her brother, Tom Vane.\n"
    )


def test_a_name_in_s_is_asked_about_where_only_an_apostrophe_follows(
    desk: Desk, book: ProjectFolder
) -> None:
    add(book, 2, "Silas\u2019 coat. Silas came.")
    told = desk.run("rename", "book", "Silas", "Peter", "--json").value
    assert told["left"][0]["proposed"] == "Peter\u2019s"
    desk.run("rename", "book", "Silas", "Peter", "--yes", "--form", "Silas\u2019=Peter\u2019s")
    assert book.text("chapters/02.md").endswith("Peter\u2019s coat. Peter came.\n")


def test_the_preview_ends_with_how_many_places_in_how_many_files_change(
    desk: Desk, book: ProjectFolder
) -> None:
    add(book, 2, "Anna kam. " * 45 + "Annas Mantel hing da.")
    add(book, 3, "Anna schlief.")
    told = desk.run("rename", "book", "Anna", "Greta", "--json")
    assert (len(told.value["places"]), told.value["files"]) == (46, 2)
    total = "46 places in 2 files."
    preview = desk.run("rename", "book", "Anna", "Greta", "--dry-run").err.splitlines()
    assert preview[-1] == total
    unasked = desk.run("rename", "book", "Anna", "Greta").err.splitlines()
    assert "Nothing was changed." in unasked[unasked.index(total) + 1]
    agreed = desk.run("rename", "book", "Anna", "Greta", "--yes").err.splitlines()
    assert "46 places renamed" in agreed[agreed.index(total) + 1]
    one = desk.run("rename", "book", "Annas", "Gretas", "--dry-run").err.splitlines()
    assert one[-1] == "1 place in 1 file."


@pytest.mark.parametrize(
    ("old", "new", "said_"),
    [
        ("Nobodaddy", "Hester", "The book does not name 'Nobodaddy'."),
        ("Ann", "Hester", "it occurs only inside 'Annaberg'"),
        ("{first}", "{second}", "already"),
        ("{first}", "{first}", "Both names are the same."),
        ("{first}", " ", "cannot be a name."),
        ("{first}", 'He"ster', "cannot be a name."),
        ("{first}", "H" * 81, "cannot be a name."),
    ],
)
def test_a_rename_that_cannot_be_is_told_in_a_line(
    desk: Desk, book: ProjectFolder, old: str, new: str, said_: str
) -> None:
    add(book, 2, "Annaberg lag fern.")
    people = [one["name"] for one in book.json("characters.json")["characters"]]
    names = {"first": first_name(book), "second": people[1].split()[0]}
    before = said(book)
    ran = desk.run("rename", "book", old.format(**names), new.format(**names), "--yes", expect=2)
    assert said_ in ran.err.replace("\n", " ")
    assert said(book) == before


def test_a_name_that_the_program_needs_for_itself_is_not_renamed(
    desk: Desk, book: ProjectFolder
) -> None:
    moves = {one["opening_move"] for one in book.json("outline.json")["chapters"]}
    before = said(book)
    move = min(moves - {""})
    desk.run("rename", "book", move, "Quillon", "--yes", expect=2)
    assert said(book) == before


@pytest.mark.slow
def test_other_forms_are_asked_about_on_a_terminal(desk: Desk, book: ProjectFolder) -> None:
    add(book, 2, "Anna kam. Annas Mantel hing da. Annchen lief.")
    child = on_terminal(desk, "rename", "book", "Anna", "Greta")
    child.expect("Annas .1 place.")
    child.sendline("")
    child.expect("Annchen .1 place, perhaps")
    child.sendline("Gretchen")
    child.expect("3 places in 1 file.")
    child.expect("Rename.")
    child.sendline("y")
    everything(child)
    assert child.exitstatus == 0
    assert book.text("chapters/02.md").endswith(
        "Greta kam. Gretas Mantel hing da. Gretchen lief.\n"
    )
