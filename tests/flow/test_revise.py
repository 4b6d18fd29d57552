"""`revise` and `versions`: a small change of a chapter as patches, and earlier texts put back."""

import json

import pytest
from tests.support.authors import Author, Killed
from tests.support.desk import Desk, ProjectFolder
from tests.support.terminal import everything, on_terminal

from libriscribe2.llm.backend import Request
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore

CHAPTER = "chapters/02.md"
SENTENCE = "She kept the letter in her coat."
TEXT = f"# Two\n\nIt rained. {SENTENCE} Nobody came.\n\nIt rained. The lamp went out.\n"


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    """A finished book whose second chapter says what the tests change."""
    desk.written("--no-revision")
    book = desk.project()
    book.write(CHAPTER, TEXT)
    desk.run("adopt", "book", CHAPTER)
    return book


def patches(*pairs: tuple[str, str]) -> Author:
    """A mender who answers with patches."""
    found = [{"find": find, "replace": new} for find, new in pairs]

    def reply(request: Request) -> str | None:
        return json.dumps({"patches": found}) if request.step.startswith("revise/") else None

    return Author(reply=reply)


def state(desk: Desk, name: str = CHAPTER) -> str:
    rows = desk.run("status", "book", "--json", "--all").value["units"]
    return next(str(row["state"]) for row in rows if row["unit"] == name)


def test_a_small_change_is_shown_and_kept(desk: Desk, book: ProjectFolder) -> None:
    mender = patches((SENTENCE, ""))
    ran = desk.run("revise", "book", "2", "Cut the letter.", "--yes", backend=mender)
    assert book.text(CHAPTER) == TEXT.replace(f" {SENTENCE}", "")
    assert f"-{SENTENCE}" in ran.err
    assert "1 change kept" in ran.err
    (request,) = mender.asked
    shown = str(request.messages[1]["content"])
    assert "<wish>\nCut the letter.\n</wish>" in shown
    assert (
        f"person: {book.json('style.json')['sheet']['person']}" in shown.partition("<chapter>")[0]
    )
    assert SENTENCE in shown
    assert TEXT in book.trash()
    assert state(desk) == "fresh"
    assert "your own text" in desk.run("redo", "book", "2", expect=3).err
    assert desk.run("replay", "book", "--json").value["rebuilt"]


def test_nothing_is_kept_without_a_yes(desk: Desk, book: ProjectFolder) -> None:
    ran = desk.run("revise", "book", "2", "Cut it.", backend=patches((SENTENCE, "")))
    assert f"-{SENTENCE}" in ran.err
    assert "with --yes makes the change" in ran.err
    assert book.text(CHAPTER) == TEXT
    asked = len(book.records("sent"))
    desk.run("revise", "book", "2", "Cut it.", "--yes", backend=Author())
    assert len(book.records("sent")) == asked
    assert SENTENCE not in book.text(CHAPTER)


def test_the_mender_is_told_once_what_could_not_be_put_in(desk: Desk, book: ProjectFolder) -> None:
    mender = patches(("It rained.", "It snowed."), (SENTENCE, "She burnt the letter."))
    ran = desk.run("revise", "book", "2", "Snow.", "--yes", backend=mender)
    assert mender.steps == ["revise/ch02/part01", "revise/ch02/part01-again"]
    assert "It rained." in str(mender.asked[1].messages[1]["content"]).partition("<refused>")[2]
    assert "not applied" in ran.err
    assert book.text(CHAPTER) == TEXT.replace(SENTENCE, "She burnt the letter.")


def test_a_text_of_the_authors_stays_the_authors(desk: Desk, book: ProjectFolder) -> None:
    book.write(CHAPTER, TEXT.replace("Nobody", "Somebody"))
    desk.run("revise", "book", "2", "Cut.", "--yes", backend=patches((SENTENCE, "")))
    assert state(desk) == "edited"
    assert "Somebody came." in book.text(CHAPTER)
    assert desk.run("replay", "book", "--json").value["rebuilt"]


def test_undo_puts_the_text_back_and_undone_it_is_there_again(
    desk: Desk, book: ProjectFolder
) -> None:
    first, before = book.text(CHAPTER), state(desk)
    desk.run("revise", "book", "2", "Cut.", "--yes", backend=patches((SENTENCE, "")))
    second = book.text(CHAPTER)
    assert second != first
    ran = desk.run("revise", "book", "2", "--undo")
    assert "is back" in ran.err
    assert (book.text(CHAPTER), state(desk)) == (first, before)
    desk.run("revise", "book", "2", "--undo")
    assert book.text(CHAPTER) == second
    assert desk.run("replay", "book", "--json").value["rebuilt"]


def test_versions_are_listed_shown_and_restored(desk: Desk, book: ProjectFolder) -> None:
    assert desk.run("versions", "book", "1").err.startswith("There is no earlier version")
    desk.run("redo", "book", "2", "--replace-mine")
    now = book.text(CHAPTER)
    listed = desk.run("versions", "book", "2", "--json").value
    assert [one["version"] for one in listed] == [1]
    assert desk.run("versions", "book", "2", "1").out == f"{TEXT}\n"
    assert f"+{SENTENCE}" in desk.run("versions", "book", "2", "1", "--diff").err
    desk.run("versions", "book", "2", "1", "--restore")
    assert book.text(CHAPTER) == TEXT
    assert now in book.trash()
    (other,) = desk.run("versions", "book", "2", "--json").value
    assert desk.run("versions", "book", "2", str(other["version"])).out == f"{now}\n"


def test_each_version_says_how_many_words_of_prose_it_has(desk: Desk, book: ProjectFolder) -> None:
    desk.run("revise", "book", "2", "Cut.", "--yes", backend=patches((SENTENCE, "")))
    (listed,) = desk.run("versions", "book", "2", "--json").value
    assert listed["words"] == 17
    table = desk.run("versions", "book", "2").out.splitlines()
    assert table[0].split() == ["version", "replaced", "words"]
    assert table[-1].split() == ["1", listed["replaced"], "17"]
    assert "(17 words)" in desk.run("versions", "book", "2", "1", "--restore").err


def test_a_killed_revision_is_kept_by_the_next_yes_and_paid_once(
    desk: Desk, book: ProjectFolder
) -> None:
    with pytest.raises(Killed):
        desk.run("revise", "book", "2", "Cut.", "--yes", backend=Author({1}, failure=Killed))
    assert book.text(CHAPTER) == TEXT
    desk.run("revise", "book", "2", "Cut.", "--yes", backend=patches((SENTENCE, "")))
    assert SENTENCE not in book.text(CHAPTER)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("revise", "book", "2"), 2, "What should be different?"),
        (("revise", "book", "9", "Cut."), 2, "There is no chapter 9"),
        (("revise", "book", "2.1", "Cut."), 2, "'2.1' is not a chapter."),
        (("revise", "book", "outline", "Cut."), 2, "'outline' is not a chapter."),
        (("revise", "book", "1", "--undo"), 2, "There is no earlier version of chapters/01.md."),
        (("versions", "book", "2", "7"), 2, "There is no earlier version"),
        (("versions", "book", "2.1"), 2, "'2.1' is not a file of the book."),
        (("versions", "book", "2", "--restore"), 2, "Which version?"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_line(
    desk: Desk, book: ProjectFolder, words: tuple[str, ...], code: int, said: str
) -> None:
    before = book.contents()
    assert said in desk.run(*words, expect=code).err.replace("\n", " ")
    assert book.contents() == before


@pytest.mark.parametrize(
    "words", [("revise", "book", "1", "--undo"), ("versions", "book", "1", "1", "--restore")]
)
def test_where_nothing_can_be_put_back_it_says_why_and_what_to_type(
    desk: Desk, book: ProjectFolder, words: tuple[str, ...]
) -> None:
    said = " ".join(desk.run(*words, expect=2).err.split())
    assert "There is no earlier version of chapters/01.md." in said
    assert "keeps every replaced text, holds no other text of it." in said
    assert "fix: `libriscribe2 versions book CHAPTER` lists those of another chapter." in said


def test_of_a_chapter_that_is_not_written_nothing_is_put_back(desk: Desk) -> None:
    desk.create("--until", "plan")
    said = " ".join(desk.run("revise", "book", "1", "--undo", expect=2).err.split())
    assert "There is no earlier version of chapters/01.md." in said
    assert "why: it is not there yet" in said
    assert "fix: Run `libriscribe2 resume book` to have it made." in said


def test_a_chapter_that_is_not_written_is_not_revised(desk: Desk) -> None:
    desk.create("--until", "plan")
    ran = desk.run("revise", "book", "1", "Cut.", expect=3)
    assert "chapters/01.md is missing" in ran.err


@pytest.mark.slow
def test_on_a_terminal_the_diff_is_coloured_and_kept_at_a_yes(
    desk: Desk, book: ProjectFolder
) -> None:
    words = ("revise", "book", "2", "Cut the letter.", "--model", "manual")
    desk.run(*words, expect=5)
    desk.run(
        *("answer", "book"), typed=json.dumps({"patches": [{"find": SENTENCE, "replace": ""}]})
    )
    child = on_terminal(desk, *words)
    child.expect("Keep these changes")
    shown = str(child.before)
    child.sendline("y")
    everything(child)
    assert f"\x1b[31m-{SENTENCE}\x1b[0m" in shown
    assert SENTENCE not in book.text(CHAPTER)


@pytest.mark.parametrize(
    "words",
    [
        ("revise", "book", "2", "Cut.", "--yes"),
        ("revise", "book", "2", "--undo"),
        ("versions", "book", "2", "1", "--restore"),
        ("rename", "book", "Nobody", "Quillon", "--yes"),
        ("redo", "book", "2.1", "--variants", "2"),
        ("pick", "book", "2", "a"),
        ("ask", "book", "Why?"),
    ],
)
def test_two_people_do_not_change_one_book_at_once(
    desk: Desk, book: ProjectFolder, words: tuple[str, ...]
) -> None:
    desk.run("redo", "book", "2", "--replace-mine")
    book.write(CHAPTER, TEXT)
    with ProjectStore.open(ProjectPaths(book.root, book.debug)):
        before = book.contents()
        ran = desk.run(*words, expect=9)
        assert "fix:" in ran.err
        assert book.contents() == before
        desk.run("note", "book", "2", "Tenser.")
    assert book.text("notes/ch02.md") == "Tenser.\n"
