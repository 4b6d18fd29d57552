"""`compare`: two drafts beside each other, and a judge who has to pass an exam."""

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.support.authors import Author, Reply
from tests.support.desk import PREMISE, Desk

from libriscribe2.checks.calibration import by_people
from libriscribe2.checks.reference_ranges import RANGES
from libriscribe2.checks.report.metric import metric_in_words
from libriscribe2.llm.backend import Request

SIZE = ("--chapters", "2", "--scenes-per-chapter", "1", "--words", "1200")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with two books of the same plan; no test changes it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.written(name="one", size=SIZE)
    desk.run("create", f"{PREMISE}, again", "--mock", "-p", "two", *SIZE)
    return desk


@pytest.fixture
def drafts(written: Desk, tmp_path: Path) -> Desk:
    """The same two books, to be changed."""
    return written.copied_to(tmp_path)


def passages(request: Request) -> list[str]:
    shown = "\n".join(message["content"] for message in request.messages)
    return [
        re.search(rf"<passage_{name}>\n(.*?)\n</passage_{name}>", shown, re.DOTALL)[1]  # type: ignore[index]
        for name in "ab"
    ]


def answers(label: str, quote: str) -> str:
    one = {"better": label, "quote": quote}
    return json.dumps({"answers": [{"question": n, **one} for n in range(1, 7)]})


def a_judge_of_sound_text(desk: Desk) -> Reply:
    """Prefers what stands whole in a chapter, and of two such passages that of book one."""

    def reply(request: Request) -> str | None:
        if not request.step.startswith("judge/"):
            return None
        if "/whole-book/" in request.step:
            label = "A" if request.step.endswith("/ours-first") else "B"
            return answers(label, passages(request)["AB".index(label)][:40].rsplit(" ", 1)[0])
        books = [desk.project(name) for name in ("one", "two")]
        texts = ["\n".join(book.chapters()) for book in books]
        texts += [pair.ours for pair in by_people()]
        for text in texts:
            shown = zip("AB", passages(request), strict=True)
            for label, passage in sorted(shown, key=lambda one: -len(one[1])):
                if passage in text:
                    return answers(label, passage[:60].rsplit(" ", 1)[0])
        raise AssertionError(request.step)

    return reply


def always_the_first(request: Request) -> str | None:
    shown = passages(request)[0] if request.step.startswith("judge/") else ""
    return answers("A", shown[:60].rsplit(" ", 1)[0]) if shown else None


def invents_its_quotes(request: Request) -> str | None:
    return answers("A", "words that stand nowhere") if request.step.startswith("judge/") else None


def test_two_books_are_put_beside_each_other_without_asking(drafts: Desk) -> None:
    asked = Author()
    told = drafts.run("compare", "one", "two", backend=asked).out
    rows = [line.split("\t") for line in told.splitlines()]
    assert rows[0] == ["metric", "one", "two"]
    assert {row[0] for row in rows[1:]} <= set(map(metric_in_words, RANGES))
    assert not asked.asked


def test_a_judge_who_passes_is_heard_and_a_second_time_costs_nothing(drafts: Desk) -> None:
    judge = Author(reply=a_judge_of_sound_text(drafts))
    command = ("compare", "one", "two", "--evaluate", "--mock", "--json")
    told = drafts.run(*command, backend=judge).value
    assert told["exam"]["passed"]
    assert told["exam"]["flips"] == 0
    assert {one["better"] for one in told["verdicts"]} == {"ours"}
    assert [one["pair"] for one in told["verdicts"]] == [
        *(f"chapter {n} {where}" for n in (1, 2) for where in ("beginning", "end")),
        "whole book",
    ]
    # Two chapters and the digests: three votes show nothing yet.
    assert told["votes"] == {"ours": 3, "theirs": 0, "tie": 0}
    assert told["better"] == "tie"
    again = Author(reply=a_judge_of_sound_text(drafts))
    assert drafts.run(*command, backend=again).value == told
    assert not again.asked


@pytest.mark.parametrize("reply", [always_the_first, invents_its_quotes])
def test_a_judge_who_goes_by_the_order_or_invents_quotes_is_not_heard(
    drafts: Desk, reply: Reply
) -> None:
    judge = Author(reply=reply)
    ran = drafts.run("compare", "one", "two", "--evaluate", "--mock", backend=judge)
    assert "did not pass its calibration" in ran.err
    assert "passages\tbetter" not in ran.out
    assert all("/exam-" in step for step in judge.steps)


def test_the_judge_keeps_to_the_chapter_and_says_what_it_takes(drafts: Desk) -> None:
    judge = Author(reply=a_judge_of_sound_text(drafts))
    command = ("compare", "one", "two", "--evaluate", "--mock", "--chapter", "2")
    ran = drafts.run(*command, backend=judge)
    calls = int(re.search(r"at most (\d+) calls", ran.err)[1])  # type: ignore[index]
    assert len(judge.asked) == calls
    assert "chapter 1" not in ran.out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("one", "one"), 2, "with itself"),
        (("one", "three"), 3, "three"),
        (("one", "two", "--model", "x"), 2, "--evaluate"),
        (
            ("one", "two", "--evaluate", "--mock", "--chapter", "9"),
            2,
            "There is no chapter 9: the book has 2 chapters.",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    drafts: Desk, arguments: tuple[str, ...], code: int, words: str
) -> None:
    assert words in drafts.run("compare", *arguments, expect=code).err


def test_chapters_are_paired_by_what_happens_in_them(drafts: Desk) -> None:
    shutil.copytree(drafts.project("one").root, drafts.folder / "projects/three")
    drafts.run("chapter", "delete", "three", "1")
    told = drafts.run(
        *("compare", "one", "three", "--evaluate", "--mock", "--json"),
        backend=Author(reply=a_judge_of_sound_text(drafts)),
    ).value
    assert [one["pair"] for one in told["verdicts"]] == [
        *(f"chapter 2 and 1 {where}" for where in ("beginning", "end")),
        "whole book",
    ]


def test_a_chapter_of_only_one_book_is_told_with_the_shorter_book(drafts: Desk) -> None:
    drafts.run("chapter", "delete", "two", "2")
    ran = drafts.run("compare", "one", "two", "--judge", "--mock", "--chapter", "2", expect=2)
    assert "There is no chapter 2: the book has 1 chapter." in ran.err
    assert "two is the book" in ran.err
    assert "Choose 1; `libriscribe2 chapter insert` adds one." in ran.err


def test_a_chapter_that_only_one_book_has_written_is_told(drafts: Desk) -> None:
    drafts.project("two").path("chapters/02.md").unlink()
    ran = drafts.run("compare", "one", "two", "--judge", "--mock", "--chapter", "2", expect=2)
    assert "Chapter 2 is not written in both books." in ran.err


def test_a_book_without_chapters_in_common_is_told(desk: Desk, tmp_path: Path) -> None:
    del tmp_path
    desk.written(name="one")
    desk.written("--until", "outline", name="two")
    assert "no chapter" in desk.run("compare", "one", "two", expect=5).err
