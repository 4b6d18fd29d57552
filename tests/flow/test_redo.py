"""`redo`: a stage or a chapter written again, the old text kept aside."""

import json

import pytest
from tests.support.authors import Author, Killed
from tests.support.desk import Desk, ProjectFolder

from libriscribe2.llm.backend import Request


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    """A finished book of two chapters that were not revised."""
    desk.written("--no-revision")
    return desk.project()


FIRST = 14
"""Requests of the first writing."""
REVISIONS = 4
"""Requests that revising the two chapters adds."""


def asked(book: ProjectFolder, first: int = FIRST) -> list[str]:
    """The steps of the requests since the first writing; what is only estimated sends none."""
    return [record["step"] for record in book.records("sent")][first:]


def another(request: Request) -> str | None:
    """Another text for a scene; what is only estimated then is answered as ever."""
    return "Another text. " * 51 if "/scene" in request.step else None


def states(desk: Desk) -> dict[str, str]:
    rows = desk.run("status", "book", "--json").value["units"]
    return {row["unit"]: row["state"] for row in rows}


def test_XC_04_a_chapter_is_written_again_and_only_it(desk: Desk) -> None:
    desk.written()
    book = desk.project()
    before = book.contents()
    author = Author(reply=another)
    ran = desk.run("redo", "book", "chapters", "--chapter", "2", backend=author)
    steps = asked(book, FIRST + REVISIONS)
    assert steps[:2] == ["chapters/ch02/scene01", "chapters/ch02/critique1"]
    assert {step.rpartition("/")[0] for step in steps} == {"chapters/ch02"}
    assert len(set(steps)) == len(steps)
    assert {request.generation for request in author.asked[: len(steps)]} == {1}
    assert "(rewritten as you asked)" in ran.err
    after = book.contents()
    changed = {name for name in after if after[name] != before.get(name)}
    kept = {name for name in changed if name.startswith(".libriscribe/texts/")}
    assert changed - kept == {"chapters/02.md", "manuscript.md"}
    assert before["chapters/02.md"].decode() in book.trash()
    assert states(desk)[".libriscribe/summaries/02.md"] == "stale"


def test_XC_04_a_stage_is_written_again_in_every_chapter(desk: Desk, book: ProjectFolder) -> None:
    desk.run("redo", "book", "chapters")
    again = {"chapters/ch01/scene01", "chapters/ch02/scene01"}
    assert set(asked(book)) == {
        *again,
        "canon/ch01",
    }  # chapter 2 is written from both
    assert book.text("chapters/01.md").strip() in book.text("manuscript.md")


def test_XC_04_redo_knows_the_other_names_of_a_stage(desk: Desk, book: ProjectFolder) -> None:
    desk.run("redo", "book", "worldbuilding")
    assert asked(book) == ["world"]
    assert states(desk)["outline.json"] == "stale"
    assert len(book.trash()) == 1


def test_XC_04_redo_twice_asks_two_different_questions(desk: Desk, book: ProjectFolder) -> None:
    first, second = Author(), Author()
    desk.run("redo", "book", "world", backend=first)
    desk.run("redo", "book", "world", backend=second)
    assert asked(book) == ["world", "world"]
    assert [one.asked[0].generation for one in (first, second)] == [1, 2]
    assert len(book.trash()) == 2


@pytest.mark.parametrize(
    ("options", "kill", "left"),
    [(("--no-revision",), 1, ["scene01"]), ((), 2, ["critique1", "patches1"])],
)
def test_XC_04_a_killed_redo_goes_on_with_resume(
    desk: Desk, options: tuple[str, ...], kill: int, left: list[str]
) -> None:
    desk.written(*options)
    book = desk.project()
    before = book.text("chapters/02.md")
    with pytest.raises(Killed):
        desk.run("redo", "book", "chapters", "-n", "2", backend=Author({kill}, failure=Killed))
    assert book.text("chapters/02.md") == before
    author = Author()
    ran = desk.run("resume", "book", backend=author)
    assert "(rewritten as you asked)" in ran.err
    assert author.steps == [f"chapters/ch02/{part}" for part in left]
    assert before in book.trash()
    assert book.text("chapters/02.md").strip() in book.text("manuscript.md")


def test_XC_04_a_killed_redo_is_not_counted_twice(desk: Desk, book: ProjectFolder) -> None:
    with pytest.raises(Killed):
        desk.run("redo", "book", "concept", backend=Author({3}, failure=Killed))
    author = Author()
    before = len(asked(book))
    desk.run("redo", "book", "concept", backend=author)
    assert asked(book)[before:] == ["concept/refine", "concept/keywords"]
    assert {one.generation for one in author.asked[:2]} == {1}
    assert book.trash()


@pytest.mark.parametrize("part", ["2", "2.1"])
def test_XC_04_a_redo_that_fails_says_how_the_old_text_is_kept(
    desk: Desk, book: ProjectFolder, part: str
) -> None:
    before = book.text("chapters/02.md")
    ran = desk.run("redo", "book", part, "--max-calls", "1", "--json", expect=8)
    told = json.loads(ran.err.splitlines()[-1])
    keep = "libriscribe2 accept book chapters/02.md"
    assert f"the old text is still there, and `{keep}` keeps it instead" in told["fix"]
    assert "again -> up to date" in desk.run(*keep.split()[1:]).err
    author = Author()
    desk.run("resume", "book", backend=author)
    assert (author.steps, book.text("chapters/02.md")) == ([], before)


MINE = "# Mine\n\nMine alone.\n"
"""A chapter of the author's own."""


def test_XC_04_redo_by_force_of_an_edited_text_names_its_copy_in_the_trash(
    desk: Desk, book: ProjectFolder
) -> None:
    book.write("chapters/01.md", MINE)
    ran = desk.run("redo", "book", "chapters", "--chapter", "1", "--force")
    assert "Mine alone" not in book.text("chapters/01.md")
    (told,) = [line for line in ran.err.splitlines() if "your own text was replaced" in line]
    assert told.startswith("warning: chapters/01.md: ")
    copy = told.split()[-1].removesuffix(".")
    assert book.text(copy) == MINE


@pytest.mark.parametrize("chapter", [(), ("--chapter", "1")])
def test_redo_without_force_replaces_no_text_of_the_author(
    desk: Desk, book: ProjectFolder, chapter: tuple[str, ...]
) -> None:
    book.write("chapters/01.md", MINE)
    book.write("chapters/02.md", MINE)
    before, records = book.contents(), book.records("again")
    ran = desk.run("redo", "book", "chapters", *chapter, expect=3)
    assert "chapters/01.md" in ran.err
    assert "your own text" in ran.err
    assert f"`libriscribe2 {' '.join(('redo book chapters', *chapter))} --replace-mine`" in ran.err
    assert (book.contents(), book.records("again")) == (before, records)
    assert (
        "Nothing was sent"
        not in desk.run("redo", "book", "chapters", *chapter, "--dry-run", expect=3).err
    )


def test_redo_of_a_stage_does_again_what_is_ours_and_names_what_it_keeps(
    desk: Desk, book: ProjectFolder
) -> None:
    book.write("chapters/01.md", MINE)
    told = desk.run("redo", "book", "chapters", "--dry-run", "--json")
    assert (told.value["kept"], told.value["replaced"]) == (["chapters/01.md"], [])
    author = Author(reply=another)
    ran = desk.run("redo", "book", "chapters", backend=author)
    kept = "warning: chapters/01.md: your own text was kept. "
    for one in (told, ran):
        assert f"{kept}`libriscribe2 redo book chapters --replace-mine` replaces it." in one.err
    assert {step for step in author.steps if step.startswith("chapters")} == {
        "chapters/ch02/scene01"
    }
    assert book.text("chapters/01.md") == MINE
    assert "Another text." in book.text("chapters/02.md")
    assert "Mine alone." in book.text("manuscript.md")


def test_a_dry_redo_by_force_says_which_text_of_the_author_it_would_replace(
    desk: Desk, book: ProjectFolder
) -> None:
    book.write("chapters/01.md", MINE)
    ran = desk.run("redo", "book", "chapters", "--force", "--dry-run")
    assert "warning: chapters/01.md: your own text would be replaced" in ran.err
    told = desk.run("redo", "book", "chapters", "--force", "--dry-run", "--json").value
    assert (told["kept"], told["replaced"]) == ([], ["chapters/01.md"])
    assert book.text("chapters/01.md") == MINE


def test_redo_replaces_no_imported_chapter(desk: Desk) -> None:
    (desk.folder / "m.md").write_text("# One\n\nIt rained.\n\n# Two\n\nIt stopped.\n", "utf-8")
    desk.run("import", "m.md", "--mock")
    book = desk.project("m")
    before = book.contents()
    ran = desk.run("redo", "m", "chapters", expect=3)
    assert "chapters/01.md, chapters/02.md are your own text" in ran.err
    assert book.contents() == before


def test_XC_04_redo_by_force_of_an_edited_manuscript_keeps_the_edit_in_the_trash(
    desk: Desk, book: ProjectFolder
) -> None:
    made = book.text("manuscript.md")
    book.write("manuscript.md", "Mine alone.\n")
    assert "your own text" in desk.run("redo", "book", "manuscript", expect=3).err
    desk.run("redo", "book", "manuscript", "--force")
    assert book.text("manuscript.md") == made
    assert "Mine alone.\n" in book.trash()


def test_XC_04_redo_of_a_stage_without_text_makes_it(desk: Desk) -> None:
    desk.written("--until", "outline")
    desk.run("redo", "book", "scenes")
    assert desk.project().path("scenes.json").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("chapterz",), ("no stage 'chapterz'", "Did you mean 'chapter", "concept, characters")),
        (
            ("nonsense",),
            ("no stage 'nonsense'", "Its stages are concept, characters, world"),
        ),
        (("title",), ("no stage 'title'", "Its stages are")),
        (
            ("chapters", "--chapter", "99"),
            (
                "There is no chapter 99: the book has 2 chapters.",
                "Choose one of 1 to 2; `libriscribe2 chapter insert` adds one.",
            ),
        ),
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


@pytest.mark.slow
def test_redo_says_what_becomes_stale_and_what_remaking_it_takes(desk: Desk) -> None:
    size = ("--chapters", "3", "--scenes-per-chapter", "1", "--words", "900")
    desk.written("--no-revision", size=size)
    command = ("redo", "book", "chapters", "--chapter", "2")
    told = desk.run(*command, "--dry-run", "--json").value
    later = {one["unit"]: one["reason"] for one in told["stale"]}
    assert list(later) == [
        ".libriscribe/canon/02.json",
        ".libriscribe/summaries/02.md",
        "chapters/03.md",
        ".libriscribe/canon/03.json",
        ".libriscribe/summaries/03.md",
    ]
    assert later[".libriscribe/summaries/02.md"] == "chapters/02.md changed"
    assert told["total"]["calls"] == 1
    assert told["remaking"]["total"]["calls"] == len(later) - 2  # two summaries are in readings
    head = "5 files are then out of date (2 depend on another of them):"
    assert head in desk.run(*command, "--dry-run").err
    lines = desk.run(*command).err.splitlines()
    assert [line for line in lines if "then out of date" in line] == [head]
    rows = states(desk).values()
    assert sum(state == "stale" for state in rows) == len(later) - 2
    assert "  chapters/03.md: .libriscribe/summaries/02.md, chapters/02.md changed" in lines
    (cost,) = [line for line in lines if line.startswith("`libriscribe2 resume book --rewrite`")]
    assert "writes them again: 3 calls, " in cost
    remade = Author()
    desk.run("resume", "book", "--rewrite", "--yes", backend=remade)
    assert len(remade.asked) == len(later) - 2
    assert (
        "Nothing else becomes out of date." in desk.run("redo", "book", "summaries", "-n", "3").err
    )


def test_redo_of_the_last_text_leaves_nothing_stale_but_its_records(desk: Desk) -> None:
    # Of the shortest scenes the stand-in author often makes the same text again.
    size = ("--chapters", "2", "--scenes-per-chapter", "1", "--words", "900")
    desk.written("--no-revision", size=size)
    told = desk.run("redo", "book", "chapters", "--chapter", "2", "--dry-run", "--json").value
    assert [one["unit"] for one in told["stale"]] == [
        ".libriscribe/canon/02.json",
        ".libriscribe/summaries/02.md",
    ]


def test_the_plan_of_one_chapter_is_made_again_and_the_others_stay(
    desk: Desk, book: ProjectFolder
) -> None:
    before = book.json("scenes.json")["chapters"]
    ran = desk.run("redo", "book", "scenes", "--chapter", "2")
    assert asked(book) == ["scenes/ch02", "scenes/review"]
    after = book.json("scenes.json")["chapters"]
    assert after[0] == before[0]
    assert after[1] != before[1]
    assert "chapters/02.md" in ran.err
    assert "chapters/01.md" not in ran.err
    desk.run("redo", "book", "scenes", "--chapter", "2")
    assert book.json("scenes.json")["chapters"][1] != after[1]
    files = {row.partition("\t")[2] for row in desk.run("replay", "book").out.splitlines()[1:]}
    assert files <= {"same", "kept"}
    told = desk.run("redo", "book", "scenes", "--chapter", "9", expect=2).err
    assert "There is no chapter 9" in told


def test_the_plan_of_one_chapter_made_again_brings_no_other_up_to_date(
    desk: Desk, book: ProjectFolder
) -> None:
    outline = book.json("outline.json")
    outline["chapters"][0]["summary"] = "Another beginning."
    book.write("outline.json", json.dumps(outline))
    desk.run("redo", "book", "scenes", "--chapter", "2")
    assert states(desk)["scenes.json"] == "stale"
