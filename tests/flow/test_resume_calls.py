"""Whatever ends a run, the next one goes on: nothing is lost and nothing is asked twice."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.support.authors import Author, Killed
from tests.support.desk import SMALL, Desk

from libriscribe2.llm.backend import BackendError

BOOK = ("--auto-title", *SMALL)
CALLS = 19


@cache
def undisturbed() -> dict[str, bytes]:
    """The files of the book when nothing goes wrong."""
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        author = Author()
        desk.create(size=BOOK, backend=author)
        assert len(author.asked) == CALLS
        return desk.project().contents()


def fail() -> BaseException:
    return BackendError("quota", "no credit left")


def die() -> BaseException:
    return Killed()


# A process that dies leaves less behind than one that fails: where all die, a few fail. Every
# second call is for the soak; bars 1 and 2 kill at every system call and between answers.
DEATHS = [
    pytest.param(die, number, marks=() if number % 2 else pytest.mark.soak)
    for number in range(1, CALLS + 1)
]


@pytest.mark.parametrize(
    ("failure", "number"), [*DEATHS, *((fail, number) for number in (1, 6, 12))]
)
def test_XC_04_a_run_that_ends_at_any_call_goes_on_without_paying_twice(
    desk: Desk, failure: Callable[[], BaseException], number: int
) -> None:
    first = Author({number}, failure=failure)
    if failure is die:
        with pytest.raises(Killed):
            desk.create(size=BOOK, backend=first)
    else:
        ran = desk.create(size=BOOK, backend=first, expect=7)
        assert "no credit left" in ran.err
        assert "libriscribe2 resume" in ran.err
    second = Author()
    desk.run("resume", "book", "--no-input", backend=second)
    assert desk.project().contents() == undisturbed()
    assert not first.answered.keys() & second.answered.keys()
    assert set((first.answered + second.answered).values()) == {1}
    assert sum((first.answered + second.answered).values()) == CALLS


def test_XC_04_a_run_that_fails_at_every_call_ends_after_as_many_runs(desk: Desk) -> None:
    desk.create(size=BOOK, backend=Author({1}), expect=7)
    paid: Counter[str] = Counter()
    for _ in range(CALLS):
        author = Author({2})
        ran = desk.run("resume", "book", backend=author, expect=0 if len(paid) == CALLS - 1 else 7)
        paid += author.answered
        if ran.code == 0:
            break
    assert desk.project().contents() == undisturbed()
    assert sum(paid.values()) == CALLS


def test_XC_04_resume_of_a_finished_book_asks_nothing_and_says_why(desk: Desk) -> None:
    desk.written()
    before = desk.project().contents()
    author = Author()
    ran = desk.run("resume", "book", backend=author)
    assert author.asked == []
    assert desk.project().contents() == before
    assert "calls: 0\n" in ran.out
    stages = (
        "concept",
        "characters",
        "world",
        "outline",
        "scenes",
        "chapter 1",
        "summary of chapter 2",
    )
    assert all(
        f"{stage.capitalize()}: skipped (up to date)" in ran.err
        for stage in (*stages, "manuscript")
    )


def test_XC_04_every_run_says_why_each_stage_runs(desk: Desk) -> None:
    ran = desk.create()
    assert "\u2713 Outline: " in ran.err
    assert "\u2713 Chapter 2: " in ran.err


def test_XC_04_a_book_that_knows_the_stand_in_author_by_its_old_name_goes_on(desk: Desk) -> None:
    desk.written("--until", "concept")
    toml = desk.project().text("book.toml")
    desk.project().write("book.toml", toml.replace('model = "demo"', 'model = "offline"'))
    ran = desk.run("resume", "book")
    assert "model: offline" in ran.err
    assert "not a language model" in ran.err
    assert "cost: $0.00" in ran.out
    rows = desk.run("replay", "book").out.splitlines()[1:]
    assert {row.partition("\t")[2] for row in rows} == {"same"}


def test_XC_04_the_model_of_the_first_run_is_kept(desk: Desk) -> None:
    desk.written("--until", "concept")
    desk.environment["OPENAI_API_KEY"] = "sk-unused"
    ran = desk.run("resume", "book", "--until", "outline")
    assert "model: demo" in ran.err
    assert {dump["model"] for dump in desk.project().dumps()} == {"demo"}


def test_XC_04_what_is_under_way_when_a_sibling_fails_is_kept(desk: Desk) -> None:
    """In parallel, all chapters are drafted at once."""
    size = ("--chapters", "5", "--scenes-per-chapter", "1", "--words", "250")
    first, second = Author({12}), Author()
    options = ("--drafting", "parallel", "--max-concurrency", "4")
    desk.create(*options, size=size, backend=first, expect=7)
    assert "drafts/ch02/scene01" in first.steps[11:]
    desk.run("resume", "book", backend=second)
    assert "drafts/ch03/scene01" in second.steps
    assert not first.answered.keys() & second.answered.keys()


def test_XC_04_a_failed_stage_leaves_the_old_file_alone(desk: Desk) -> None:
    desk.written("--until", "characters")
    book = desk.project()
    before = book.text("concept.json")
    desk.run("redo", "book", "concept", backend=Author({1}), expect=7)
    assert book.text("concept.json") == before


def test_XC_04_two_books_do_not_know_each_other(desk: Desk) -> None:
    desk.written(name="one")
    author = Author()
    desk.create(name="two", backend=author)
    assert len(author.asked) == CALLS - 1
    assert desk.project("one").contents() == desk.project("two").contents()
