"""`ask`: answers from plan and text, with quotes that were found again and proposals to accept."""

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder

from libriscribe2.llm.backend import Request

CHAPTER = "chapters/01.md"
SENTENCE = "She put the key under the third stone."
TEXT = f"# One\n\nIt rained. {SENTENCE} Nobody saw it.\n"
REPLY = f"""She wants the key back.

[Answer]
She goes back for the key.
It is under the stone.

[Quotes]
1: \u201c{SENTENCE}\u201d
1: \u201cShe buried it at sea.\u201d

[Proposals]
note 2: Nobody may speak of
the key.
edit 1: \u201cthe third stone\u201d -> \u201cthe fourth stone\u201d
chapter 3: She comes back at night and finds the stone gone.
A remark that belongs to the line before.
"""
SIZE = ("--chapters", "3", "--scenes-per-chapter", "1", "--words", "300")
WHY = "Why does she go back?"


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    """A book of three chapters, the last of which is not written."""
    desk.written("--no-revision", size=SIZE)
    book = desk.project()
    book.write(CHAPTER, TEXT)
    desk.run("accept", "book", CHAPTER)
    book.path("chapters/03.md").unlink()
    return book


def advisor(*replies: str) -> Author:
    """An editor who answers with these, one after the other."""
    left = list(replies)

    def reply(request: Request) -> str | None:
        return left.pop(0) if request.step == "ask" else None

    return Author(reply=reply)


def asked(book: ProjectFolder) -> int:
    return len(book.records("sent"))


def test_MP_01_TR_22_an_answer_comes_in_sections_with_quotes_that_were_found_again(
    desk: Desk, book: ProjectFolder
) -> None:
    before, editor = book.contents(), advisor(REPLY)
    told = desk.run("ask", "book", WHY, "--json", backend=editor).value
    assert told["answer"] == "She goes back for the key.\nIt is under the stone."
    assert told["quotes"] == [{"file": CHAPTER, "line": 3, "words": SENTENCE}]
    assert told["quotes_left_out"] == 1
    assert told["proposals"] == [
        "note 2: Nobody may speak of the key.",
        "edit 1: \u201cthe third stone\u201d -> \u201cthe fourth stone\u201d",
        "chapter 3: She comes back at night and finds the stone gone. "
        "A remark that belongs to the line before.",
    ]
    shown = str(editor.asked[0].messages[1]["content"])
    assert "[Answer], [Quotes], [Proposals]" in shown
    assert editor.asked[0].schema is None
    assert SENTENCE in shown
    assert '"not written"' in shown
    assert book.contents() == before


def test_TR_23_a_missing_section_is_asked_for_in_the_same_talk(
    desk: Desk, book: ProjectFolder
) -> None:
    editor = advisor("She wants the key.", REPLY)
    ran = desk.run("ask", "book", WHY, backend=editor)
    assert len(editor.asked) == 2
    assert "[Quotes]" in str(editor.asked[1].messages[-1]["content"])
    assert f"{CHAPTER}:3: \u201c{SENTENCE}\u201d" in ran.out
    assert "1 quote left out" in ran.err


def test_the_stand_in_author_answers_too(desk: Desk, book: ProjectFolder) -> None:
    told = desk.run("ask", "book", WHY, "--json").value
    assert told["answer"]
    assert (told["quotes"], told["proposals"], told["quotes_left_out"]) == ([], [], 0)
    before = book.contents()
    ran = desk.run("ask", "book", "Who?", expect=5, backend=advisor(*["No."] * 3))
    assert "run the same command to ask again" in ran.err.replace("\n", " ")
    assert book.contents() == before


def test_proposals_are_carried_out_by_their_numbers_and_the_question_is_paid_once(
    desk: Desk, book: ProjectFolder
) -> None:
    desk.run("ask", "book", WHY, backend=advisor(REPLY))
    before, plans = asked(book), book.json("scenes.json")["chapters"]
    desk.run("ask", "book", WHY, "--accept", "1, 2,3")
    assert asked(book) == before
    assert book.text("notes/ch02.md") == "Nobody may speak of the key.\n"
    assert book.text(CHAPTER) == TEXT.replace("third", "fourth")
    summary = book.json("outline.json")["chapters"][2]["summary"]
    assert summary.startswith("She comes back at night")
    author = Author()
    desk.run("resume", "book", backend=author)
    assert {step for step in author.steps if step.startswith("scenes/ch")} == {"scenes/ch03"}
    assert book.json("scenes.json")["chapters"][:2] == plans[:2]
    assert book.path("chapters/03.md").exists()
    assert desk.run("replay", "book", "--json").value["rebuilt"]


def test_a_long_book_is_shown_by_the_passages_that_fit_the_question(
    desk: Desk, book: ProjectFolder
) -> None:
    filler = "The harbour was quiet and the boats lay still. " * 30
    paragraphs = [f"{filler}{n}." for n in range(40)]
    paragraphs[20] = "Under the third stone lay the rusty key of the lighthouse."
    book.write(CHAPTER, "# One\n\n" + "\n\n".join(paragraphs) + "\n")
    editor = advisor(REPLY)
    desk.run("ask", "book", "Where is the rusty lighthouse key?", backend=editor)
    shown = str(editor.asked[0].messages[1]["content"])
    assert "rusty key of the lighthouse" in shown
    assert "what fits the question best" in shown
    assert len(shown) < 48_000


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((" ",), 2, "The question is empty."),
        ((WHY, "--accept", "4"), 2, "There is no proposal '4'."),
        ((WHY, "--accept", "x"), 2, "There is no proposal 'x'."),
    ],
)
def test_what_cannot_be_asked_or_accepted_is_told_in_a_line(
    desk: Desk, book: ProjectFolder, words: tuple[str, ...], code: int, said: str
) -> None:
    before = book.contents()
    ran = desk.run("ask", "book", *words, expect=code, backend=advisor(REPLY))
    assert said in ran.err.replace("\n", " ")
    assert book.contents() == before


@pytest.mark.parametrize(
    ("proposal", "code", "said"),
    [
        ("chapter 1: Another story.", 3, "Chapter 1 is written"),
        ("chapter 9: Another story.", 2, "There is no chapter 9"),
        ("edit 1: \u201cIt snowed.\u201d -> \u201cIt rained.\u201d", 3, "not applied"),
        ("note 9: Nothing.", 2, "There is no chapter 9"),
    ],
)
def test_a_proposal_that_does_not_fit_the_book_changes_nothing(
    desk: Desk, book: ProjectFolder, proposal: str, code: int, said: str
) -> None:
    reply = f"[Answer]\nYes, indeed.\n[Quotes]\n-\n[Proposals]\n{proposal}\n"
    before = book.contents()
    ran = desk.run("ask", "book", WHY, "--accept", "1", expect=code, backend=advisor(reply))
    assert said in ran.err.replace("\n", " ")
    assert book.contents() == before
