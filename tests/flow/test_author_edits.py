"""The author outranks the model: what was edited is kept, and what follows follows it."""

import json

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder

ADDED = {"title": "An Added Chapter", "summary": "Somebody adds a chapter by hand."}


@pytest.fixture
def outlined(desk: Desk) -> ProjectFolder:
    """A book with an outline and nothing after it."""
    size = ("--chapters", "3", "--scenes-per-chapter", "1", "--words", "300")
    desk.written("--until", "outline", size=size)
    return desk.project()


@pytest.fixture
def written(desk: Desk) -> ProjectFolder:
    """A finished book of two chapters."""
    desk.written()
    return desk.project()


def edit_outline(book: ProjectFolder) -> str:
    """Rename the first chapter, drop the second, add two; keep a layout of one's own."""
    outline = book.json("outline.json")
    first, _, third = outline["chapters"]
    outline["chapters"] = [{**first, "title": "Renamed by Hand"}, third, ADDED, ADDED]
    text = json.dumps(outline, ensure_ascii=False, indent=1)
    book.write("outline.json", text)
    return text


def test_XC_04_an_edited_outline_is_kept_byte_for_byte_and_followed(
    desk: Desk, outlined: ProjectFolder
) -> None:
    text = edit_outline(outlined)
    ran = desk.run("resume", "book")
    assert "Outline: skipped (edited by you)" in ran.err
    assert outlined.text("outline.json") == text
    titles = [chapter.partition("\n")[0] for chapter in outlined.chapters()]
    assert titles[0] == "# Renamed by Hand"
    assert titles[2:] == ["# An Added Chapter"] * 2
    assert all(title.removeprefix("# ") in outlined.text("manuscript.md") for title in titles)


def test_XC_04_an_edit_of_a_chapter_is_kept_and_the_manuscript_follows(
    desk: Desk, written: ProjectFolder
) -> None:
    text = "# Mine\r\n\r\nI wrote this myself, in *italics*.\r\n"
    written.write("chapters/01.md", text)
    author = Author()
    ran = desk.run("resume", "book", backend=author)
    assert author.asked == []
    assert "Chapter 1: skipped (edited by you)" in ran.err
    assert "Chapter 2: skipped (out of date: chapters/01.md" in ran.err
    assert written.path("chapters/01.md").read_bytes() == text.encode()
    assert "I wrote this myself, in *italics*." in written.text("manuscript.md")


def test_XC_04_refresh_remakes_what_is_stale_and_keeps_the_old_text(
    desk: Desk, written: ProjectFolder
) -> None:
    before = written.text("chapters/02.md")
    written.write("chapters/01.md", "# Mine\n\nI wrote this myself.\n")
    ran = desk.run("resume", "book", "--rewrite", "--yes")
    assert "\u2713 Chapter 2: " in ran.err
    assert written.text("chapters/01.md") == "# Mine\n\nI wrote this myself.\n"
    assert written.text("chapters/02.md") != before
    assert before in written.trash()
    assert all(
        row["state"] != "stale" for row in desk.run("status", "book", "--json").value["units"]
    )


def test_XC_04_status_says_what_was_edited_and_what_is_stale_for_it(
    desk: Desk, written: ProjectFolder
) -> None:
    written.write("chapters/01.md", "# Mine\n\nI wrote this myself.\n")
    units = {row["unit"]: row for row in desk.run("status", "book", "--json").value["units"]}
    assert units["chapters/01.md"]["state"] == "edited"
    assert units["chapters/02.md"]["state"] == "stale"
    assert "chapters/01.md changed" in units["chapters/02.md"]["reason"]
    assert units["manuscript.md"]["runs"] is True
    assert units["concept.json"]["state"] == "fresh"


def test_XC_04_what_editors_and_git_change_is_no_edit(desk: Desk, written: ProjectFolder) -> None:
    chapter = written.text("chapters/01.md")
    written.write("chapters/01.md", "\ufeff" + chapter.replace("\n", "\r\n") + "\r\n\r\n")
    written.write("outline.json", json.dumps(written.json("outline.json"), sort_keys=True))
    author = Author()
    desk.run("resume", "book", backend=author)
    assert author.asked == []
    states = {row["state"] for row in desk.run("status", "book", "--json").value["units"]}
    assert states == {"fresh"}


def test_XC_04_a_changed_line_of_the_brief_makes_stale_what_works_from_it(
    desk: Desk, written: ProjectFolder
) -> None:
    written.write("book.toml", written.text("book.toml").replace("words = 200", "words = 400"))
    ran = desk.run("resume", "book")
    assert "Chapter 1: skipped (out of date: book.toml: words changed" in ran.err
    assert "Concept: skipped (up to date)" in ran.err
    assert "Manuscript: skipped (up to date)" in ran.err
    desk.run("resume", "book", "--rewrite", "--yes")
    assert written.words() == pytest.approx(400, rel=0.1)


def test_XC_04_a_deleted_file_is_made_again_without_a_paid_call(
    desk: Desk, written: ProjectFolder
) -> None:
    before = written.contents()
    written.path("outline.json").unlink()
    written.path("chapters/02.md").unlink()
    author = Author()
    desk.run("resume", "book", backend=author)
    assert author.asked == []
    assert written.contents() == before


def test_XC_04_an_edited_manuscript_is_kept(desk: Desk, written: ProjectFolder) -> None:
    written.write("manuscript.md", "My own manuscript.\n")
    written.write("chapters/02.md", "# Mine\n\nMine.\n")
    desk.run("resume", "book", "--rewrite", "--yes")
    assert written.text("manuscript.md") == "My own manuscript.\n"


def test_XC_04_a_project_may_bring_its_own_prompts(desk: Desk, outlined: ProjectFolder) -> None:
    shipped = outlined.dumps()[0]["prompt"][0]["content"]
    assert "PIRATE" not in shipped
    outlined.path("prompts").mkdir()
    holes = "$book $chapter $characters $places $rules $threads $ledger $text $most"
    own = f"--- system ---\nPIRATE\n--- user ---\n{holes}\n"
    outlined.write("prompts/canon.md", own)
    desk.run("resume", "book")
    asked = [one["prompt"][0]["content"] for one in outlined.dumps() if one["stage"] == "canon"]
    assert [one.split("\n")[0] for one in asked] == ["PIRATE"] * 3


def test_XC_04_an_own_prompt_that_does_not_fit_is_told_before_it_is_sent(
    desk: Desk, outlined: ProjectFolder
) -> None:
    outlined.path("prompts").mkdir()
    outlined.write("prompts/scenes.md", "--- system ---\nx\n--- user ---\n$nonsense\n")
    author = Author()
    ran = desk.run("resume", "book", backend=author, expect=3)
    assert "scenes" not in str(author.steps)
    assert "Prompt 'scenes' does not fit its agent" in ran.err
    assert "nonsense" in ran.err
