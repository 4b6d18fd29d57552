"""The stand-in author's book is the same on every machine and at every speed."""

import pytest
from tests.support.desk import PREMISE, Desk

BOOK = ("--chapters", "4", "--scenes-per-chapter", "2", "--words", "800", "--auto-title")


SLOW = [pytest.param(order, marks=pytest.mark.soak) for order in ("redblack", "parallel")]


@pytest.mark.slow
@pytest.mark.parametrize("order", ["sequential", *SLOW])
def test_XC_03_the_same_premise_gives_the_same_bytes(desk: Desk, order: str) -> None:
    ways = {
        "one": ({"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"}, "1"),
        "two": ({"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"}, "8"),
    }
    drafted = (*BOOK, "--drafting", order)
    for name, (env, most) in ways.items():
        command = ("create", PREMISE, "--mock", "-p", name, *drafted, "--max-concurrency", most)
        desk.run_apart(*command, env=env)
    desk.create(name="three", size=drafted)
    books = [desk.project(name).contents() for name in ("one", "two", "three")]
    assert books[0] == books[1] == books[2]
    asked = [desk.project(name).keys() for name in ("one", "two", "three")]
    assert asked[0] == asked[1] == asked[2]
    assert len(books[0]) == 9 + (5 if order == "parallel" else 4) * 4


@pytest.mark.soak
def test_XC_03_a_long_book_is_asked_for_in_the_same_words_in_every_process(desk: Desk) -> None:
    size = ("--chapters", "12", "--words", "60000", "--max-concurrency", "1")
    for seed in ("1", "2", "3"):
        command = ("create", "A clockmaker hears the hour before", "--mock", "-p", seed, *size)
        desk.run_apart(*command, env={"PYTHONHASHSEED": seed})
    asked = [desk.project(name).keys() for name in ("1", "2", "3")]
    assert asked[0] == asked[1] == asked[2]
    assert len(asked[0]) > 120


def test_XC_03_another_premise_gives_another_book(desk: Desk) -> None:
    size = ("--chapters", "1", "--scenes-per-chapter", "1", "--words", "100")
    desk.run("create", "A baker who cannot taste", "--mock", "-p", "one", *size)
    desk.run("create", "Two brothers build a bridge", "--mock", "-p", "two", *size)
    one, two = desk.project("one").contents(), desk.project("two").contents()
    assert all(one[name] != two.get(name) for name in one)
