"""`check --book-review`: a reader of the whole book, heard only where the text proves it right."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk

from libriscribe2.llm.backend import Request

SIZE = ("--chapters", "4", "--scenes-per-chapter", "1", "--words", "1200")
MOST_CHARACTERS = 36_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with a book of four chapters; no test changes it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.create("--no-revision", size=SIZE)
    return desk


@pytest.fixture
def desk(made: Desk, tmp_path: Path) -> Desk:
    """The same book, to be changed."""
    return made.copied_to(tmp_path)


def sentence(desk: Desk, chapter: int, at: int = 2) -> str:
    """Words in a row of a chapter that stand there once."""
    text = desk.project().text(f"chapters/{chapter:02d}.md")
    prose = [line for line in text.splitlines() if line and not line.startswith(("#", "*"))]
    return " ".join(prose[at].split()[:9]).rstrip(",.;:!?\u2026\"\u201d'")


def doubt(chapter: int, other: int = 0, kind: str = "contradiction") -> dict[str, Any]:
    return {"kind": kind, "chapter": chapter, "other": other, "about": "the key", "why": "Lost."}


class Reader(Author):
    """Doubts and proves what a test says, in this order."""

    def __init__(self, doubts: list[dict[str, Any]], *proofs: dict[str, Any]) -> None:
        super().__init__(reply=self._told)
        self._doubts, self._proofs = doubts, list(proofs)

    def _told(self, request: Request) -> str | None:
        if request.step.startswith("story/review/reading"):
            return json.dumps({"doubts": self._doubts})
        at = int(request.step[-1]) - 1
        blank = dict.fromkeys(("quote", "other_quote", "why", "find", "replace"), "")
        return json.dumps({**blank, **self._proofs[at]})


def reviewed(desk: Desk, author: Author, *options: str) -> dict[str, Any]:
    command = ("check", "book", "--book-review", "--json", *options)
    told: dict[str, Any] = desk.run(*command, backend=author).value
    return told


def test_QU_a_doubt_counts_only_with_its_words_on_both_sides(desk: Desk) -> None:
    quotes = {"quote": sentence(desk, 3), "other_quote": sentence(desk, 1)}
    proof = {"verdict": "stands", "why": "The key is at the bottom of the sea.", **quotes}
    reader = Reader([doubt(3, 1)], proof)
    told = reviewed(desk, reader)
    (found,) = told["findings"]
    assert (found["rule"], found["severity"]) == ("J2", "warning")
    assert (found["place"]["file"], found["other"]["file"]) == ("chapters/03.md", "chapters/01.md")
    assert found["message"] == "contradiction: The key is at the bottom of the sea."
    lines = desk.project().text("chapters/03.md").splitlines()
    assert quotes["quote"] in lines[found["place"]["line"] - 1]
    assert told["verdicts"] == {"stands": 1}


@pytest.mark.parametrize(
    "spoilt",
    [
        {"verdict": "falls"},
        {"verdict": "stands and falls"},
        {"quote": "words that stand in no chapter at all"},
        {"other_quote": "words that stand in no chapter at all"},
        {"other_quote": ""},
    ],
)
def test_QU_what_the_text_does_not_prove_is_only_counted(
    desk: Desk, spoilt: dict[str, str]
) -> None:
    quotes = {"quote": sentence(desk, 3), "other_quote": sentence(desk, 1)}
    told = reviewed(desk, Reader([doubt(3, 1)], {"verdict": "stands", **quotes, **spoilt}))
    assert told["findings"] == []
    assert sum(told["verdicts"].values()) == 1


def test_QU_a_loose_end_has_one_side(desk: Desk) -> None:
    proof = {"verdict": "stands", "quote": sentence(desk, 2)}
    (found,) = reviewed(desk, Reader([doubt(2, kind="loose end")], proof))["findings"]
    assert found["other"] is None
    assert found["message"] == "loose end: Lost."


def test_QU_a_change_is_suggested_only_if_it_worsens_no_gate_and_none_is_made(desk: Desk) -> None:
    words = sentence(desk, 2)
    good = {"find": words, "replace": words.replace(words.split()[1], "quite")}
    bad = {"find": "words that stand nowhere", "replace": "others"}
    proof = {"verdict": "stands", "quote": words}
    before = desk.project().contents()
    doubts = [doubt(2, kind="motive"), doubt(2, kind="loose end")]
    reader = Reader(doubts, {**proof, **good}, {**proof, **bad})
    fixes = [one["fix"] for one in reviewed(desk, reader)["findings"]]
    assert len(fixes) == 2
    assert sum(good["replace"] in fix for fix in fixes) == 1
    assert not any("others" in fix for fix in fixes)
    assert desk.project().contents() == before


def test_T1_a_review_is_at_most_six_calls_within_twelve_thousand_tokens(desk: Desk) -> None:
    long = "The keeper went down to the boats and counted them again. " * 400
    for number in range(1, 5):
        desk.project().write(f".libriscribe/summaries/{number:02d}.md", f"{long}\n")
        desk.project().write(f"chapters/{number:02d}.md", f"# T\n\n{long}\n\n{long}\n")
    reader = Reader([doubt(n, n - 1) for n in (2, 3, 4)] * 2, *[{"verdict": "unclear"}] * 3)
    told = reviewed(desk, reader)
    assert len(reader.asked) == 6
    sizes = [sum(len(str(turn["content"])) for turn in one.messages) for one in reader.asked]
    assert max(sizes) <= MOST_CHARACTERS
    assert told["verdicts"] == {"unclear": 3}


def test_XC_04_what_was_reviewed_once_is_not_paid_for_again(desk: Desk) -> None:
    proof = {"verdict": "stands", "quote": sentence(desk, 2)}
    first = reviewed(desk, Reader([doubt(2, kind="motive")], proof))
    again = Reader([])
    assert reviewed(desk, again) == first
    assert again.asked == []


def test_QU_doubts_about_no_chapter_or_without_their_other_one_are_not_looked_for(
    desk: Desk,
) -> None:
    reader = Reader([doubt(9, 1), doubt(0, 1), doubt(2, 9), doubt(2, 2), doubt(3, 0)])
    assert reviewed(desk, reader)["verdicts"] == {}
    assert [one.step for one in reader.asked] == ["story/review/reading1"]


def test_QU_a_note_in_the_text_lets_it_stand(desk: Desk) -> None:
    words = sentence(desk, 2)
    text = desk.project().text("chapters/02.md")
    note = "<!-- libriscribe2: allow J2 -->"
    desk.project().write("chapters/02.md", text.replace(words, f"{note}{words}", 1))
    proof = {"verdict": "stands", "quote": words}
    (found,) = reviewed(desk, Reader([doubt(2, kind="motive")], proof))["findings"]
    assert found["allowed"]


def test_QU_the_terminal_tells_place_quotes_and_sums(desk: Desk) -> None:
    proof = {"verdict": "stands", "quote": sentence(desk, 2)}
    reader = Reader([doubt(2, kind="motive")], proof)
    ran = desk.run("check", "book", "--book-review", backend=reader)
    assert "chapters/02.md:" in ran.out
    assert "warning J2: motive: Lost." in ran.out
    assert "1 doubt from the summaries, 1 looked up in the text: 1 stands." in ran.err
    sarif = desk.run("check", "book", "--book-review", "--format", "sarif").value
    assert sarif["runs"][0]["results"][0]["ruleId"] == "J2"
    assert "J2" in desk.run("check", "book", "--book-review", "--format", "junit").out


def test_QU_the_stand_in_author_proves_nothing(desk: Desk) -> None:
    assert reviewed(desk, Author(), "--mock")["findings"] == []


@pytest.mark.parametrize("options", [("--story", "--book-review"), ("--plan", "--book-review")])
def test_QU_one_thing_is_asked_for_at_a_time(made: Desk, options: tuple[str, ...]) -> None:
    assert "cannot be combined" in made.run("check", "book", *options, expect=2).err


def test_QU_a_book_that_is_not_all_there_is_not_reviewed(desk: Desk) -> None:
    desk.project().path("chapters/03.md").unlink()
    ran = desk.run("check", "book", "--book-review", "--mock", expect=5)
    assert "chapter 3" in ran.err
