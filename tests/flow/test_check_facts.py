"""`check --story` of a book of facts: numbers, names, terms and definitions beside its notes."""

import json
import re
from typing import Any

from tests.support.authors import Author
from tests.support.desk import Desk
from tests.support.recorded_books import played

from libriscribe2.llm.backend import Request

PLANTED: list[tuple[int, str, str]] = [
    (1, "32 KiB [@n-723ef8f5056b], the window", "64 KiB [@n-723ef8f5056b], the window"),
    (1, "For gzip the number is a CRC of 32 bits", "for gzip it is a CRC of 48 bits"),
    (2, "the format puts a pattern of 48 bits", "the format puts a pattern of 64 bits"),
    (2, "from 100,000 to 900,000 bytes, and", "from 200,000 to 800,000 bytes, and"),
    (2, "There is, however, another edge.", "its first release came in 1997."),
    (3, "In 2005 a small group", "in 2003 a small group"),
    (3, "a single ISO image of 700 MiB", "a single ISO image of 650 MiB"),
    (3, "1000 MiB under gzip could be fitted", "1200 MiB under gzip could be fitted"),
    (3, "version 4.22.0, brought", "version 4.32.0, brought"),
    (3, "It is a good reason, and", "it was finished in 2009, and"),
    (3, "a fork of Slackware [@", "a fork of Mandrake [@"),
    (
        3,
        "from Pavlov's kit, which was named LZMA_Alone",
        "from Ritchie's kit, which was LZMA_Alone",
    ),
]
"""True sentences of the book, and false ones in their place."""


def checked(desk: Desk, *words: str, expect: int, backend: Author | None = None) -> list[Any]:
    told = desk.run(
        "check", "squeeze", "--story", "--json", *words, expect=expect, backend=backend
    ).value
    return list(told["findings"])


def planted(desk: Desk) -> None:
    played(desk, "squeeze")
    book = desk.project("squeeze")
    for chapter, true, false in PLANTED:
        text = book.text(f"chapters/{chapter:02d}.md")
        assert text.count(true) == 1, true
        book.write(f"chapters/{chapter:02d}.md", text.replace(true, false))


def test_planted_numbers_and_names_are_found_without_a_model_and_little_else(desk: Desk) -> None:
    planted(desk)
    found = checked(desk, expect=5)
    texts = [one["place"]["quote"] for one in found if one["rule"] == "F1"]
    missed = [false for _, _, false in PLANTED if not any(_said(false, one) for one in texts)]
    assert missed == []
    alarms = [one for one in texts if not any(_said(false, one) for _, _, false in PLANTED)]
    words = sum(len(one.split()) for one in desk.project("squeeze").chapters())
    assert len(alarms) <= words / 2_000


def _said(false: str, quote: str) -> bool:
    """Whether a quote holds the number, or the name, of a false sentence."""
    return re.findall(r"\d[\d.,]*\d|[A-Z]\w+", false)[0] in quote


def test_what_only_a_reader_can_tell_is_asked_and_told_with_its_place(desk: Desk) -> None:
    played(desk, "squeeze")
    book = desk.project("squeeze")
    text = book.text("chapters/02.md")
    false = "Dividing the input costs one or two per cent [@n-eaf475e1c1a9]."
    book.write("chapters/02.md", text.replace("There is, however, another edge.", false))
    asked: list[str] = []

    def judge(request: Request) -> str | None:
        prompt = str(request.messages[-1]["content"])
        asked.append(prompt)
        issues = []
        if false in prompt:
            issue = {"kind": "other source", "quote": false[:47], "note": "n-4c99ce0304af"}
            issues = [{**issue, "why": "The note is of xz.", "fix": "Cite the manual of bzip2."}]
        return json.dumps({"issues": issues, "declined": []})

    found = checked(desk, "--evaluate", "--mock", expect=5, backend=Author(reply=judge))
    (one,) = [one for one in found if one["rule"] == "F6"]
    assert one["place"]["file"] == "chapters/02.md"
    assert "[@n-4c99ce0304af]" in one["fix"]
    assert len(asked) == 3
    assert all("xz-faq" in prompt for prompt in asked[1:2])


def test_what_the_author_lets_stand_is_no_error(desk: Desk) -> None:
    played(desk, "squeeze")
    book = desk.project("squeeze")
    text = book.text("chapters/01.md")
    false = text.replace("a CRC of 32 bits", "<!-- libriscribe2: allow F1 -->a CRC of 40 bits")
    book.write("chapters/01.md", false)
    found = checked(desk, expect=0)
    assert [one["allowed"] for one in found if "40" in one["message"]] == [True]


def test_a_term_before_its_chapter_and_a_note_outside_its_home_are_told(desk: Desk) -> None:
    played(desk, "squeeze")
    book = desk.project("squeeze")
    text = book.text("chapters/01.md")
    more = "\nBlock sorting came later, and its author regrets the format [@n-41c818cd37ce].\n"
    book.write("chapters/01.md", text + more)
    rules = {one["rule"]: one["message"] for one in checked(desk, expect=0)}
    assert "chapter 2 explains it" in rules["F4"]
    assert "Chapter 2 is to state this" in rules["F5"]
