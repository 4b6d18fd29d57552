"""`learn`: habits from the author's edits, with quotes of both texts, each accepted by its number."""

import json

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder

from libriscribe2.llm.backend import Request

CHAPTER = "chapters/01.md"


@pytest.fixture
def book(desk: Desk) -> ProjectFolder:
    """A book whose author has changed the first sentence of its first chapter."""
    desk.written("--no-revision")
    book = desk.project()
    book.write(CHAPTER, book.text(CHAPTER).replace(sentence(book), "It rained.", 1))
    return book


def sentence(book: ProjectFolder) -> str:
    """The first sentence of the chapter as it was written."""
    text = book.text(CHAPTER).partition("\n\n")[2]
    return text.partition(".")[0] + "."


def editor(*rules: dict[str, str]) -> Author:
    """Who finds these habits."""

    def reply(request: Request) -> str | None:
        return json.dumps({"habits": rules}) if request.step == "learn" else None

    return Author(reply=reply)


def rule(
    before: str, after: str = "It rained.", says: str = "Open with the weather"
) -> dict[str, str]:
    return {"aspect": "openings", "rule": says, "before": before, "after": after}


def written(desk: Desk, book: ProjectFolder) -> str:
    """What was written in place of the author's first sentence."""
    desk.run("resume", "book")
    copies = [path.read_text("utf-8") for path in book.path(".libriscribe/texts").iterdir()]
    before = next(
        one for one in copies if one.endswith(book.text(CHAPTER)[-80:]) and "It rained." not in one
    )
    return before.partition("\n\n")[2].partition(".")[0] + "."


def test_a_rule_is_kept_only_where_both_quotes_stand_and_its_number_is_accepted(
    desk: Desk, book: ProjectFolder
) -> None:
    was = written(desk, book)
    found = editor(
        rule(was), rule("Nobody wrote this."), rule(was, "Nobody made this."), rule("It rained.")
    )
    before = book.contents()
    told = desk.run("learn", "book", "--json", backend=found).value
    assert told["left_out"] == 3
    shown = {"aspect": "openings", "rule": "Open with the weather"}
    assert told["rules"] == [{**shown, "before": was, "after": "It rained."}]
    assert book.contents() == before
    ran = desk.run("learn", "book", "--accept", "2", backend=found, expect=2)
    assert "There is no proposal '2'" in ran.err
    assert book.contents() == before

    asked = len(book.records("sent"))
    ran = desk.run("learn", "book", "--accept", "1", backend=found)
    assert "style.json: Open with the weather." in ran.err
    assert len(book.records("sent")) == asked
    kept = book.json("style.json")["rules"]
    assert kept == [{**shown, "quote": f"{was} -> It rained."}]
    changed = {name for name, text in book.contents().items() if before.get(name) != text}
    assert changed == {"style.json"}
    assert "that is a rule already" in desk.run("learn", "book", "--accept", "1", backend=found).err

    prompts = Author()
    desk.run("redo", "book", "2", "--note", "Tenser.", backend=prompts)
    assert any("- Open with the weather" in str(one.messages) for one in prompts.asked)


def test_without_an_edit_nothing_is_asked(desk: Desk) -> None:
    desk.written("--no-revision")
    book, asking = desk.project(), editor()
    ran = desk.run("learn", "book", backend=asking, expect=2)
    assert "changed no chapter" in ran.err
    assert not asking.asked
    book.write(CHAPTER, book.text(CHAPTER) + "\nIt rained.\n")
    desk.run("accept", "book", CHAPTER)
    assert "no habit" in desk.run("learn", "book", backend=asking).err
