"""What an author does to a book, in any order and with kills: nothing is lost, torn or paid twice."""

import json
import random
from collections import Counter
from collections.abc import Callable

import pytest
from tests.support.authors import Author, Killed
from tests.support.desk import Desk, ProjectFolder

from libriscribe2.llm.backend import Request

pytestmark = pytest.mark.slow

SIZE = ("--chapters", "2", "--scenes-per-chapter", "2", "--words", "400")
STEPS = 12


def first_words(book: ProjectFolder) -> str:
    """Some words of the first chapter that stand there once."""
    lines = [one for one in book.text("chapters/01.md").splitlines() if one and one[0] != "#"]
    return next((one[:40] for one in lines if book.text("chapters/01.md").count(one[:40]) == 1), "")


def reply(book: ProjectFolder) -> Callable[[Request], str | None]:
    """Answers a mender and an editor; the stand-in author writes all else."""

    def told(request: Request) -> str | None:
        if request.step.startswith("revise/"):
            find = first_words(book)
            new = f"Then {find[:1].lower()}{find[1:]}"
            return json.dumps({"patches": [{"find": find, "replace": new}] if find else []})
        if request.step == "ask":
            return "[Answer]\nBecause of it.\n[Quotes]\n-\n[Proposals]\nnote 2: Slower.\n"
        return None

    return told


def commands(book: ProjectFolder, dice: random.Random) -> list[tuple[str, ...]]:
    """What an author may type next."""
    name = str(book.json("characters.json")["characters"][0]["name"]).split()[0]
    new = f"Q{''.join(dice.choices('aeiou', k=6))}n"
    return [
        ("note", "book", "2", f"Note {dice.randrange(5)}."),
        ("note", "book", "book", f"Rule {dice.randrange(3)}."),
        ("redo", "book", "1"),
        ("redo", "book", "2", "--note", "Tenser."),
        ("redo", "book", "2.1"),
        ("redo", "book", "1.2", "--variants", "2"),
        ("pick", "book", "1.2", "b"),
        ("redo", "book", "concept", "--variants", "2"),
        ("pick", "book", "concept", "a"),
        ("revise", "book", "1", "Then.", "--yes"),
        ("revise", "book", "1", "--undo"),
        ("revise", "book", "2", "--undo"),
        ("rename", "book", name, new, "--yes"),
        ("chapter", "move", "book", "2", "1"),
        ("ask", "book", "Why?", "--accept", "1"),
        ("resume", "book"),
        ("resume", "book", "--refresh", "--yes"),
    ]


@pytest.mark.parametrize("seed", range(8))
def test_a_book_survives_whatever_its_author_does(desk: Desk, seed: int) -> None:
    desk.written("--no-revision", size=SIZE)
    book, dice = desk.project(), random.Random(seed)  # noqa: S311 -- the same histories every time
    answered: Counter[str] = Counter()
    for _ in range(STEPS):
        words = dice.choice(commands(book, dice))
        kill = {dice.randrange(1, 6)} if dice.random() < 0.4 else set()
        author = Author(kill, failure=Killed, reply=reply(book))
        try:
            ran = desk.run(*words, expect=None, backend=author)
            assert ran.code in (0, 2, 3), (words, ran)
            assert "Traceback" not in ran.err, words
        except Killed:
            pass
        answered += author.answered
        assert all(text.strip() for text in book.chapters()), words
    sent = Counter(record["k"] for record in book.records("done"))
    assert set(sent.values()) <= {1}
    desk.run("resume", "book", backend=Author(reply=reply(book)))
    replayed = desk.run("replay", "book", "--json", expect=None)
    assert replayed.value["rebuilt"], replayed
    author = Author()
    desk.run("resume", "book", backend=author)
    assert author.asked == []
