"""The artifacts of a book as agents read them: once per text, and never an old one."""

from pathlib import Path

import pytest

from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.story import TitleFile
from libriscribe2.project.artifacts import Book, check_chapter
from libriscribe2.project.paths import TITLE
from libriscribe2.project.store import ProjectStore


def put(store: ProjectStore, text: str) -> Path:
    path = store.paths.root / TITLE
    path.write_text(text, encoding="utf-8")
    return path


def test_an_edit_in_the_same_moment_of_the_same_length_is_seen(store: ProjectStore) -> None:
    path = put(store, '{"title": "Salt"}')
    book, before = Book(store), path.stat()
    assert book.load(TITLE, TitleFile).title == "Salt"
    put(store, '{"title": "Sand"}')
    assert path.stat().st_ino == before.st_ino
    assert book.load(TITLE, TitleFile).title == "Sand"


def test_a_wrong_shape_is_told_each_time_with_its_place(store: ProjectStore) -> None:
    put(store, '{"title": 3}')
    for _ in range(2):
        with pytest.raises(ProjectError, match="right shape") as caught:
            Book(store).load(TITLE, TitleFile)
        assert caught.value.why.startswith("title: ")


@pytest.mark.parametrize(
    ("number", "chapters", "what", "fix"),
    [
        (
            99,
            3,
            "There is no chapter 99: the book has 3 chapters.",
            "Choose one of 1 to 3; `libriscribe2 chapter insert` adds one.",
        ),
        (
            0,
            1,
            "There is no chapter 0: the book has 1 chapter.",
            "Choose 1; `libriscribe2 chapter insert` adds one.",
        ),
        (1, 0, "There is no chapter 1: the book has 0 chapters.", "Run `libriscribe2 resume`"),
    ],
)
def test_a_chapter_that_a_book_does_not_have_is_told_with_those_that_it_has(
    number: int, chapters: int, what: str, fix: str
) -> None:
    with pytest.raises(UsageError) as caught:
        check_chapter(number, chapters)
    assert caught.value.what == what
    assert caught.value.fix.startswith(fix)
    check_chapter(1, 1)
