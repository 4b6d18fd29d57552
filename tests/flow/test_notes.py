"""Notes: what the author says of a part of the book stands in every request that it concerns."""

from collections.abc import Callable

import pytest
from tests.support.authors import Author, Killed
from tests.support.desk import SMALL, Desk, ProjectFolder

from libriscribe2.context.notes import noted
from libriscribe2.llm.backend import Request

SCENES = ("--chapters", "3", "--scenes-per-chapter", "2", "--words", "600")
WORDS = "Mara must not learn of the key."


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    """A finished book of three chapters with two scenes each."""
    desk.written(size=SCENES)
    return desk.project()


def told(request: Request, words: str = WORDS) -> bool:
    """Whether a request shows some words."""
    return any(words in str(message["content"]) for message in request.messages)


def heeding(author: Author, words: str = WORDS) -> set[str]:
    """The steps whose request showed some words."""
    return {request.step for request in author.asked if told(request, words)}


def written(desk: Desk, notes: dict[str, str]) -> Author:
    """Who wrote a book whose notes were there before its plan."""
    desk.create("--until", "concept", size=SCENES)
    for name, text in notes.items():
        desk.project().write(name, text)
    author = Author()
    desk.run("resume", "book", backend=author)
    return author


def states(desk: Desk) -> dict[str, str]:
    rows = desk.run("status", "book", "--json").value["units"]
    return {row["unit"]: row["state"] for row in rows}


def test_a_book_without_notes_is_asked_for_in_the_same_words(desk: Desk) -> None:
    without = written(desk.copied_to(desk.folder / "without"), {})
    blank = written(desk.copied_to(desk.folder / "blank"), {"notes/book.md": " \n"})
    assert [one.messages for one in without.asked] == [one.messages for one in blank.asked]
    assert not heeding(without, "author_notes")


def test_a_note_on_a_chapter_is_heeded_by_its_plan_scenes_critique_and_patches(desk: Desk) -> None:
    author = written(desk, {"notes/ch02.md": WORDS})
    assert heeding(author) == {
        *("scenes/ch01-03", "chapters/ch02/scene01", "chapters/ch02/scene02"),
        *("chapters/ch02/critique1", "chapters/ch02/patches1"),
    }


def test_a_note_stands_in_the_plan_of_a_group_of_chapters_that_it_is_about() -> None:
    notes = {"notes/ch02.md": "Two.", "notes/ch04.md": "Four.", "notes/ch02.s1.md": "One of two."}
    text, cut = noted(notes, "scenes/ch01-03-lint1", "scenes")
    assert "On chapter 2: Two." in text
    assert "On scene 1 of chapter 2: One of two." in text
    assert "Four." not in text
    assert not cut
    assert noted(notes, "scenes/ch05-08", "scenes") == ("", False)


def test_a_note_on_a_scene_stands_in_no_other_scene(desk: Desk) -> None:
    author = written(desk, {"notes/ch02.s2.md": WORDS})
    assert heeding(author) == {
        *("scenes/ch01-03", "chapters/ch02/scene02"),
        *("chapters/ch02/critique1", "chapters/ch02/patches1"),
    }


def test_a_note_on_the_book_stands_wherever_something_is_made_up(desk: Desk) -> None:
    author = written(desk, {"notes/book.md": WORDS})
    read_off = {one.step for one in author.asked if one.step.startswith(("canon/", "summaries/"))}
    assert read_off
    assert heeding(author) == {one.step for one in author.asked} - read_off


def test_only_what_a_note_concerns_is_out_of_date_when_it_changes(
    desk: Desk, book: ProjectFolder
) -> None:
    before = states(desk)
    book.write("notes/ch02.md", WORDS)
    after = states(desk)
    changed = {name for name in after if after[name] != before[name]}
    assert (changed, after["chapters/02.md"]) == ({"chapters/02.md"}, "stale")
    assert "notes/ch02.md added" in desk.run("status", "book").out.replace("\n", " ")
    book.path("notes/ch02.md").unlink()
    assert states(desk) == before


def test_redo_takes_a_note_and_remakes_the_plan_of_nobody(desk: Desk, book: ProjectFolder) -> None:
    cast = book.text("characters.json")
    book.write("characters.json", cast.replace('"role": "', '"role": "very much a '))
    plan, author = book.text("scenes.json"), Author()
    assert states(desk)["scenes.json"] == "stale"
    before = len(book.records("sent"))
    ran = desk.run("redo", "book", "2", "--note", WORDS, backend=author)
    sent = {record["step"] for record in book.records("sent")[before:]}
    assert book.text("notes/ch02.md") == f"{WORDS}\n"
    assert "notes/ch02.md: noted." in ran.err
    assert {step for step in sent if step.startswith("chapters/ch02/")} == heeding(author) & sent
    assert "chapters/ch02/scene02" in sent
    assert not any(step.startswith("scenes") for step in sent)
    assert book.text("scenes.json") == plan
    desk.run("redo", "book", "2", "--note", WORDS)
    assert book.text("notes/ch02.md") == f"{WORDS}\n"
    desk.run("redo", "book", "2", "--note", "Shorter.")
    assert book.text("notes/ch02.md") == f"{WORDS}\n\nShorter.\n"


def test_redo_of_the_people_heeds_the_note_on_them(desk: Desk, book: ProjectFolder) -> None:
    author = Author()
    desk.run("redo", "book", "people", "--note", "One of them is a liar.", backend=author)
    assert book.text("notes/characters.md") == "One of them is a liar.\n"
    assert heeding(author, "is a liar") == {"characters"}


def test_a_note_that_comes_while_a_book_is_written_is_heeded_by_the_next_chapter(
    desk: Desk,
) -> None:
    desk.create("--until", "plan", size=SCENES)
    book = desk.project()

    def reply(request: Request) -> str | None:
        if request.step == "chapters/ch01/scene01":
            book.write("notes/book.md", WORDS)
        return None

    author = Author(reply=reply)
    desk.run("resume", "book", backend=author)
    prose = {step for step in author.steps if step.startswith("chapters/")}
    assert heeding(author) == {step for step in prose if "/ch01/" not in step}
    assert states(desk)["scenes.json"] == "fresh"
    assert states(desk)["chapters/01.md"] == "stale"


def test_a_note_is_kept_within_its_share_and_the_nearest_comes_first(desk: Desk) -> None:
    notes = {"notes/book.md": "Far away. " * 900, "notes/ch02.md": f"{'Near by. ' * 100}{WORDS}"}
    author = written(desk, notes)
    (scene,) = [one for one in author.asked if one.step == "chapters/ch02/scene01"]
    shown = str(scene.messages[1]["content"])
    assert WORDS in shown
    assert "Far away." in shown
    assert len(shown) < 20_000
    parts = desk.run("why", "book", "2.1", "--json").value["scenes"][0]["parts"]
    assert ("author_notes", "cut") in {(one["name"], one["fit"]) for one in parts}


def test_notes_go_where_their_chapters_go(desk: Desk, book: ProjectFolder) -> None:
    for name, text in {"notes/ch01.md": "One.\n", "notes/ch02.s2.md": "Two.\n"}.items():
        book.write(name, text)
    desk.run("redo", "book", "1")
    desk.run("redo", "book", "2")
    desk.run("chapter", "move", "book", "2", "1")
    assert book.text("notes/ch01.s2.md") == "Two.\n"
    assert book.text("notes/ch02.md") == "One.\n"
    assert not (book.root / "notes/ch01.md").exists()
    reasons = {
        row["unit"]: row["reason"] for row in desk.run("status", "book", "--json").value["units"]
    }
    assert "notes" not in reasons["chapters/01.md"] + reasons["chapters/02.md"]


def test_replay_holds_over_notes(desk: Desk, book: ProjectFolder) -> None:
    desk.run("redo", "book", "2", "--note", WORDS)
    desk.run("note", "book", "book", "Less weather.")
    assert desk.run("replay", "book", "--json").value["rebuilt"]


def test_notes_are_shown(desk: Desk, book: ProjectFolder) -> None:
    desk.run("note", "book", "7", WORDS, expect=2)
    assert desk.run("note", "book").err == "There are no notes.\n"
    ran = desk.run("note", "book", "ch2.s1", WORDS)
    assert "`libriscribe2 redo book 2.1`" in ran.err
    assert desk.run("note", "book", "2.1").out == f"notes/ch02.s1.md\n{WORDS}\n"
    shown = desk.run("note", "book", "--json").value
    assert shown == [{"file": "notes/ch02.s1.md", "note": WORDS}]
    assert book.text("notes/ch02.s1.md") == f"{WORDS}\n"


def test_notes_are_listed(desk: Desk, book: ProjectFolder) -> None:
    ran = desk.run("note", "book", "--list")
    assert (ran.out, ran.err) == ("", "There are no notes.\n")
    assert desk.run("note", "book", "--list", "--json").value == []
    for part in ("book", "people", "2", "2.1"):
        desk.run("note", "book", part, f"Less weather.\n\n{WORDS}")
    book.write("notes/chapter2.md", f"{WORDS}\r\nTenser.")
    desk.run("note", "book", "2.1", "Tenser.")
    before = book.contents()
    rows = desk.run("note", "book", "--list", "--json").value
    assert [list(row.values()) for row in rows] == [
        ["book", "Less weather.", 9],
        ["2", "Less weather.", 9],
        ["2.1", "Less weather.", 10],
        ["chapter2", WORDS, 8],
        ["characters", "Less weather.", 9],
    ]
    assert list(rows[0]) == ["part", "first_line", "words"]
    ran = desk.run("note", "book", "--list")
    assert ran.out.splitlines()[:2] == ["part\tfirst line\twords", "book\tLess weather.\t9"]
    assert ran.err == "warning: notes/chapter2.md is not used: the book has no such part.\n"
    (row,) = desk.run("note", "book", "2.1", "--list", "--json").value
    assert row["part"] == "2.1"
    refused = desk.run("note", "book", "2", "Tenser.", "--list", expect=2)
    assert "TEXT and --list cannot be combined" in refused.err
    assert book.contents() == before


def test_a_file_of_notes_that_nobody_heeds_is_named(desk: Desk, book: ProjectFolder) -> None:
    heeded = ("book", "outline", "ch02", "ch02.s1")
    for name in (*heeded, "chapter2", "ch2", "ch09", "ch02.s7", "canon"):
        book.write(f"notes/{name}.md", WORDS)
    told = [line.split()[1] for line in desk.run("note", "book").err.splitlines()]
    assert sorted(told) == sorted(
        f"notes/{name}.md" for name in ("chapter2", "ch2", "ch09", "ch02.s7", "canon")
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("note", "book", "9", "Tenser."), "There is no chapter 9: the book has 3 chapters."),
        (("note", "book", "0", "Tenser."), "There is no chapter 0: the book has 3 chapters."),
        (("note", "book", "2.3", "Tenser."), "There is no scene 3 in chapter 2"),
        (("note", "book", "canon", "Tenser."), "No notes concern 'canon'."),
        (("note", "book", "chorus", "Tenser."), "This book has no stage 'chorus'."),
        (("note", "book", "2", " "), "The note is empty."),
        (("note", "book", "2", "Tenser. " * 400), "notes/ch02.md would be too long."),
        (("redo", "book", "9", "--note", "Tenser."), "There is no chapter 9"),
        (("redo", "book", "2", "--note", ""), "The note is empty."),
    ],
)
def test_a_note_that_nobody_would_heed_is_refused_in_a_line(
    desk: Desk, book: ProjectFolder, words: tuple[str, ...], said: str
) -> None:
    before = book.contents()
    ran = desk.run(*words, expect=2)
    assert said in ran.err.replace("\n", " ")
    assert book.contents() == before


def test_a_note_that_is_no_text_stops_a_run_before_it_pays(desk: Desk, book: ProjectFolder) -> None:
    (book.root / "notes").mkdir()
    (book.root / "notes/ch02.md").write_bytes(b"Tenser \xff")
    asked: Callable[[], int] = lambda: len(book.records("sent"))  # noqa: E731
    before = asked()
    assert "notes/ch02.md" in desk.run("redo", "book", "1", expect=3).err
    assert asked() == before


def test_small_books_have_notes_on_their_only_scene(desk: Desk) -> None:
    desk.create("--until", "plan", "--drafting", "parallel", size=SMALL)
    desk.project().write("notes/ch01.s1.md", WORDS)
    author = Author()
    desk.run("resume", "book", backend=author)
    assert "drafts/ch01/scene01" in heeding(author)
    assert not any("ch02" in step for step in heeding(author))


BREAK = "\n\n* * *\n\n"


def another(request: Request) -> str | None:
    """Another text for a scene."""
    return "Another text. " * 90 if "/scene" in request.step else None


def test_redo_of_a_scene_leaves_the_others_as_they_are(desk: Desk, book: ProjectFolder) -> None:
    before, sent = book.text("chapters/02.md"), len(book.records("sent"))
    book.write("notes/ch03.md", "Colder.")
    author = Author(reply=another)
    desk.run("redo", "book", "2.1", "--note", WORDS, backend=author)
    after = book.text("chapters/02.md")
    assert after.split(BREAK)[1] == before.split(BREAK)[1]
    assert after.split(BREAK)[0].startswith(before.splitlines()[0] + "\n\nAnother text.")
    prose = [one["step"] for one in book.records("sent")[sent:] if "chapters/" in one["step"]]
    assert prose == ["chapters/ch02/scene01"]
    (request,) = [one for one in author.asked if one.step == prose[0]][:1]
    assert told(request)
    assert told(request, before.split(BREAK)[1][:60])
    assert book.text("notes/ch02.s1.md") == f"{WORDS}\n"
    assert states(desk)["chapters/02.md"] == "fresh"
    assert states(desk)["chapters/03.md"] == "stale"
    assert before in book.trash()
    scenes = desk.run("why", "book", "2", "--json").value["scenes"]
    assert [one["scene"] for one in scenes] == [1, 2]
    assert "author_notes" in {part["name"] for part in scenes[0]["parts"]}
    assert desk.run("replay", "book", "--json").value["rebuilt"]


def test_a_scene_made_again_makes_nothing_up_to_date_but_itself(
    desk: Desk, book: ProjectFolder
) -> None:
    book.write("notes/ch02.md", "Colder.")
    desk.run("redo", "book", "2.2", "--note", WORDS)
    assert states(desk)["chapters/02.md"] == "stale"
    desk.run("redo", "book", "2")
    assert states(desk)["chapters/02.md"] == "fresh"


def test_a_killed_redo_of_a_scene_goes_on_with_resume(desk: Desk, book: ProjectFolder) -> None:
    before = book.text("chapters/02.md")
    with pytest.raises(Killed):
        desk.run("redo", "book", "2.2", backend=Author({1}, failure=Killed))
    assert book.text("chapters/02.md") == before
    author = Author(reply=another)
    desk.run("resume", "book", backend=author)
    assert [step for step in author.steps if step.startswith("chapters/")] == [
        "chapters/ch02/scene02"
    ]
    first, second = book.text("chapters/02.md").split(BREAK)
    assert first == before.split(BREAK)[0]
    assert second.startswith("Another text.")


def test_a_scene_of_a_text_with_other_breaks_is_not_guessed(
    desk: Desk, book: ProjectFolder
) -> None:
    text = book.text("chapters/02.md").replace(BREAK, "\n\n")
    book.write("chapters/02.md", text)
    assert "your own text" in desk.run("redo", "book", "2.2", expect=3).err
    ran = desk.run("redo", "book", "2.2", "--replace-mine", expect=3)
    assert "chapters/02.md does not have the scenes of its plan" in ran.err
    assert book.text("chapters/02.md") == text


def test_a_scene_made_again_in_a_text_of_the_authors_leaves_it_the_authors(
    desk: Desk, book: ProjectFolder
) -> None:
    mine = book.text("chapters/02.md").replace(BREAK, f"\n\nMine.{BREAK}")
    book.write("chapters/02.md", mine)
    desk.run("redo", "book", "2.2", "--replace-mine", backend=Author(reply=another))
    assert book.text("chapters/02.md").split(BREAK)[0] == mine.split(BREAK)[0]
    assert "your own text" in desk.run("redo", "book", "2", expect=3).err


def test_a_scene_of_a_book_that_was_drafted_at_once_is_made_again(desk: Desk) -> None:
    desk.written("--drafting", "parallel", size=SCENES)
    book = desk.project()
    before = book.text("chapters/02.md")
    desk.run("redo", "book", "2.2", backend=Author(reply=another))
    assert book.text("chapters/02.md").split(BREAK)[0] == before.split(BREAK)[0]
    assert "Another text." in book.text("chapters/02.md")
