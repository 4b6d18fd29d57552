"""A book elsewhere that is opened by its path, as an author types or pastes it."""

from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Final

import pytest
from tests.support.desk import Desk
from tests.support.desk_server import DeskServer, csrf_of, desk_server
from tests.support.review_server import Answer

BOOK: Final = "the book"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder of a user, with a book and a letter in it."""
    folder = tmp_path_factory.mktemp("home")
    Desk(folder).written()
    (folder / "projects" / "book").rename(folder / BOOK)
    (folder / "letters").mkdir()
    (folder / "letters" / "letter.txt").write_text("Dear reader", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def desk(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskServer]:
    """A desk with an empty shelf."""
    with desk_server(tmp_path_factory.mktemp("shelf"), HOME=str(home)) as server:
        yield server


def opened(desk: DeskServer, typed: str) -> Answer:
    return desk.ask("/open", "POST", {"csrf": csrf_of(desk), "folder": typed})


@pytest.mark.parametrize(
    "typed",
    [
        "{home}/the book",
        "  {home}/the book/\n",
        "~/the book",
        '"{home}/the book"',
        "'{home}/the book'",
        ' "~/the book" ',
        "{home}/the book/book.toml",
        "{home}/the book/chapters/01.md",
        "{home}/the book/.libriscribe/journal.jsonl",
        "'~/the book/book.toml'",
    ],
)
def test_a_path_opens_the_book_that_it_leads_to(desk: DeskServer, home: Path, typed: str) -> None:
    answer = opened(desk, typed.format(home=home))
    assert answer.status == 303, answer.body
    assert answer.headers["location"] == "/b/the%20book/plan"
    assert desk.ask("/b/the%20book/plan").status == 200


@pytest.mark.parametrize(
    "typed",
    [
        "",
        '""',
        '"',
        "the book",
        "~",
        "~/letters",
        "~/letters/letter.txt",
        "~/the book/book.toml/more",
        "~/the book/no-such-file.md",
        "~nobody-of-that-name/the book",
        '"{home}/the book',
    ],
)
def test_what_is_no_book_is_refused_with_what_a_book_holds(
    desk: DeskServer, home: Path, typed: str
) -> None:
    answer = opened(desk, typed.format(home=home))
    assert answer.status == 400
    told = unescape(answer.body)
    assert "The folder of a book holds book.toml" in told
    assert "Give the whole path of such a folder, or of a file in it." in told
    if typed.startswith("~/"):
        assert f"There is no book at {home}/{typed[2:]}." in told
