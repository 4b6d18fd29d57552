"""`redo --variants` and `pick`: a part written several times, and one of them taken."""

import pytest
from tests.support.authors import Author, Killed
from tests.support.desk import Desk, ProjectFolder

from libriscribe2.llm.backend import Request

SIZE = ("--chapters", "2", "--scenes-per-chapter", "2", "--words", "400")
BREAK = "\n\n* * *\n\n"
CHAPTER = "chapters/02.md"


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    """A finished book of two chapters with two scenes each, not revised."""
    desk.written("--no-revision", size=SIZE)
    return desk.project()


def by_letter(request: Request) -> str | None:
    """A text for a scene of a variant that says which it is."""
    letter = request.step.split("/")[2] if request.step.startswith("variants/") else ""
    is_prose = "/scene" in request.step
    return f"The {letter} of the things. " * 60 if letter and is_prose else None


def states(desk: Desk) -> dict[str, str]:
    rows = desk.run("status", "book", "--json").value["units"]
    return {row["unit"]: row["state"] for row in rows}


def test_a_scene_has_three_variants_and_one_of_them_is_picked(
    desk: Desk, book: ProjectFolder
) -> None:
    before, stood = book.text(CHAPTER), states(desk)
    author = Author(reply=by_letter)
    ran = desk.run("redo", "book", "2.1", "--variants", "3", "--note", "Tenser.", backend=author)
    assert "== b: " in ran.out
    assert book.text(CHAPTER) == before
    asked = [step for step in author.steps if step.endswith("/scene01")]
    assert sorted(asked) == [f"variants/2.1/{n}/chapters/ch02/scene01" for n in "abc"]
    assert all("Tenser." in str(one.messages[1]["content"]) for one in author.asked)
    assert states(desk)[CHAPTER] == "stale"
    ran = desk.run("pick", "book", "2.1", "b")
    first, second = book.text(CHAPTER).split(BREAK)
    assert "The b of the things." in first
    assert second == before.split(BREAK)[1]
    assert before in book.trash()
    assert states(desk)[CHAPTER] == stood[CHAPTER] == "fresh"
    scenes = desk.run("why", "book", "2", "--json").value["scenes"]
    assert [one["scene"] for one in scenes] == [1, 2]
    assert desk.run("replay", "book", "--json").value["rebuilt"]
    desk.run("pick", "book", "2.1", "C")
    assert "The c of the things." in book.text(CHAPTER)


def test_a_whole_chapter_and_a_concept_have_variants(desk: Desk, book: ProjectFolder) -> None:
    desk.run("redo", "book", "2", "--variants", "2", backend=Author(reply=by_letter))
    desk.run("pick", "book", "2", "a")
    assert book.text(CHAPTER).count("The a of the things.") == 120
    assert states(desk)[CHAPTER] == "fresh"
    concept = book.text("concept.json")
    desk.run("redo", "book", "concept", "--variants", "2")
    shown = desk.run("pick", "book", "concept", "--json").value
    assert [one["variant"] for one in shown["variants"]] == ["a", "b"]
    assert book.text("concept.json") == concept
    desk.run("pick", "book", "concept", "b")
    assert book.text("concept.json") == shown["variants"][1]["text"]
    assert states(desk)["concept.json"] == "fresh"
    assert desk.run("replay", "book", "--json").value["rebuilt"]


def test_a_book_can_begin_with_three_blind_concepts(desk: Desk) -> None:
    author = Author()
    ran = desk.create("--variants", "3", backend=author)
    book = desk.project()
    assert {one.split("/")[2] for one in author.steps} == {"a", "b", "c"}
    assert "pick book concept LETTER" in ran.err
    assert not book.path("concept.json").exists()
    desk.run("pick", "book", "concept", "c")
    assert book.json("concept.json")["concept"]
    again = Author()
    desk.run("resume", "book", backend=again)
    assert not any(step.startswith("concept") for step in again.steps)
    assert desk.run("replay", "book", "--json").value["rebuilt"]


def test_killed_variants_go_on_and_nothing_is_paid_twice(desk: Desk, book: ProjectFolder) -> None:
    with pytest.raises(Killed):
        desk.run(
            *("redo", "book", "2.1", "--variants", "3", "--max-concurrency", "1"),
            backend=Author({3}, reply=by_letter, failure=Killed),
        )
    author = Author(reply=by_letter)
    desk.run("redo", "book", "2.1", "--variants", "3", backend=author)
    assert len({step for step in author.steps if step.endswith("scene01")}) == 1
    again = Author(reply=by_letter)
    desk.run("redo", "book", "2.1", "--variants", "3", backend=again)
    assert len([step for step in again.steps if step.endswith("scene01")]) == 3


def test_a_judge_that_does_not_pass_its_exam_sorts_nothing(desk: Desk, book: ProjectFolder) -> None:
    author = Author(reply=by_letter)
    ran = desk.run(
        "redo", "book", "2.1", "--variants", "2", "--judge", "--json", backend=author
    ).value
    assert "The judge told" in ran["judged"]
    assert {one["wins"] for one in ran["variants"]} == {None}
    assert [one["variant"] for one in ran["variants"]] == ["a", "b"]


def test_a_text_of_the_authors_is_replaced_by_force_alone(desk: Desk, book: ProjectFolder) -> None:
    desk.run("redo", "book", "2.1", "--variants", "2", backend=Author(reply=by_letter))
    mine = book.text(CHAPTER).replace(BREAK, f"\n\nMine.{BREAK}")
    book.write(CHAPTER, mine)
    ran = desk.run("pick", "book", "2.1", "a", expect=3)
    assert "your own text" in ran.err
    assert book.text(CHAPTER) == mine
    desk.run("pick", "book", "2.1", "a", "--replace-mine")
    assert "The a of the things." in book.text(CHAPTER)
    assert states(desk)[CHAPTER] == "edited"
    desk.run("accept", "book", CHAPTER)
    assert "your own text" in desk.run("pick", "book", "2.1", "b", expect=3).err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pick", "book", "2.1", "a"), "There are no variants of 2.1."),
        (("pick", "book", "1", "z"), "There is no variant 'z' of 1."),
        (("redo", "book", "canon", "--variants", "2"), "There are no variants of 'canon'."),
        (("redo", "book", "chapters", "--variants", "2"), "There are no variants of 'chapters'."),
        (("redo", "book", "2", "--judge"), "--judge needs --variants"),
        (("redo", "book", "2", "--variants", "9"), "9"),
        (("redo", "book", "concept", "--variants", "2", "--judge"), "--judge compares prose."),
    ],
)
def test_what_cannot_be_picked_is_told_in_a_line(
    desk: Desk, book: ProjectFolder, words: tuple[str, ...], said: str
) -> None:
    desk.run("redo", "book", "1", "--variants", "2")
    before = book.text("chapters/01.md"), book.text("chapters/02.md"), book.text("concept.json")
    assert said in desk.run(*words, expect=2).err.replace("\n", " ")
    after = book.text("chapters/01.md"), book.text("chapters/02.md"), book.text("concept.json")
    assert after == before
