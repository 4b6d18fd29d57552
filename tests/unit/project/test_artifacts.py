"""The artifacts of a book as agents read them: once per text, and never an old one."""

from pathlib import Path

import pytest

from libriscribe2.errors import ProjectError
from libriscribe2.models.story import TitleFile
from libriscribe2.project.artifacts import Book
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
