"""`redo`: a stage or a chapter written again, the old text kept aside."""

import pytest
from tests.support.authors import Author, Killed
from tests.support.desk import Desk, ProjectFolder


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    """A finished book of two chapters."""
    desk.create()
    return desk.project()


def states(desk: Desk) -> dict[str, str]:
    rows = desk.run("status", "book", "--json").value["units"]
    return {row["unit"]: row["state"] for row in rows}


def test_XC_04_a_chapter_is_written_again_and_only_it(desk: Desk, book: ProjectFolder) -> None:
    before = book.contents()
    author = Author(reply=lambda _request: "Another text. " * 20)
    ran = desk.run("redo", "book", "chapters", "--chapter", "2", backend=author)
    assert author.steps == ["chapters/ch02/scene01"]
    assert author.asked[0].generation == 1
    assert "chapters 2: done (asked to be written again)" in ran.err
    after = book.contents()
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"chapters/02.md", "manuscript.md"}
    assert before["chapters/02.md"].decode() in book.trash()
    assert states(desk)[".libriscribe/summaries/02.md"] == "stale"


def test_XC_04_a_stage_is_written_again_in_every_chapter(desk: Desk, book: ProjectFolder) -> None:
    author = Author()
    desk.run("redo", "book", "chapters", backend=author)
    assert set(author.steps) == {"chapters/ch01/scene01", "chapters/ch02/scene01"}
    assert book.text("chapters/01.md").strip() in book.text("manuscript.md")


def test_XC_04_redo_knows_the_other_names_of_a_stage(desk: Desk, book: ProjectFolder) -> None:
    author = Author()
    desk.run("redo", "book", "worldbuilding", backend=author)
    assert author.steps == ["world"]
    assert states(desk)["outline.json"] == "stale"
    assert len(book.trash()) == 1


def test_XC_04_redo_twice_asks_two_different_questions(desk: Desk, book: ProjectFolder) -> None:
    first, second = Author(), Author()
    desk.run("redo", "book", "world", backend=first)
    desk.run("redo", "book", "world", backend=second)
    assert [one.generation for one in (*first.asked, *second.asked)] == [1, 2]
    assert len(book.trash()) == 2


def test_XC_04_a_killed_redo_goes_on_with_resume(desk: Desk, book: ProjectFolder) -> None:
    before = book.text("chapters/02.md")
    with pytest.raises(Killed):
        desk.run("redo", "book", "chapters", "-n", "2", backend=Author({1}, failure=Killed))
    assert book.text("chapters/02.md") == before
    author = Author()
    ran = desk.run("resume", "book", backend=author)
    assert "chapters 2: done (asked to be written again)" in ran.err
    assert author.steps == ["chapters/ch02/scene01"]
    assert before in book.trash()
    assert book.text("chapters/02.md").strip() in book.text("manuscript.md")


def test_XC_04_a_killed_redo_is_not_counted_twice(desk: Desk, book: ProjectFolder) -> None:
    with pytest.raises(Killed):
        desk.run("redo", "book", "concept", backend=Author({3}, failure=Killed))
    author = Author()
    desk.run("redo", "book", "concept", backend=author)
    assert author.steps == ["concept/refine", "concept/keywords"]
    assert {one.generation for one in author.asked} == {1}
    assert book.trash()


def test_XC_04_redo_of_an_edited_text_keeps_the_edit_in_the_trash(
    desk: Desk, book: ProjectFolder
) -> None:
    book.write("chapters/01.md", "# Mine\n\nMine alone.\n")
    desk.run("redo", "book", "chapters", "--chapter", "1")
    assert "# Mine\n\nMine alone.\n" in book.trash()
    assert "Mine alone" not in book.text("chapters/01.md")


def test_XC_04_redo_of_an_edited_manuscript_keeps_the_edit_in_the_trash(
    desk: Desk, book: ProjectFolder
) -> None:
    made = book.text("manuscript.md")
    book.write("manuscript.md", "Mine alone.\n")
    desk.run("redo", "book", "manuscript")
    assert book.text("manuscript.md") == made
    assert "Mine alone.\n" in book.trash()


def test_XC_04_redo_of_a_stage_without_text_makes_it(desk: Desk) -> None:
    desk.create("--until", "outline")
    desk.run("redo", "book", "scenes")
    assert desk.project().path("scenes.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("chapterz",), ("no stage 'chapterz'", "Did you mean 'chapter", "concept, characters")),
        (("nonsense",), ("no stage 'nonsense'", "Its stages are concept, characters, world")),
        (("title",), ("no stage 'title'", "Its stages are")),
        (("chapters", "--chapter", "3"), ("no chapter 3", "it has 2")),
        (("outline", "--chapter", "1"), ("no chapter 1", "whole book")),
        (("chapters", "--chapter", "0"), ("--chapter",)),
    ],
)
def test_XC_08_an_unknown_stage_or_chapter_is_a_usage_error_that_lists_what_there_is(
    desk: Desk, book: ProjectFolder, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    before = book.contents()
    ran = desk.run("redo", "book", *arguments, expect=2)
    assert all(word in ran.err for word in words), ran.err
    assert book.contents() == before
