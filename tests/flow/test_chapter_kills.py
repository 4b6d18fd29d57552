"""A change of the chapters' order that dies at any write: the book is as before or as after."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from tests.support.project_faults import Crash, DyingOps, QuickOps
from tests.support.shaped_book import CHAPTERS, ShapedBook, new_book

from libriscribe2.commands.projects import read_brief, wanted_stages
from libriscribe2.editing import structure as edits
from libriscribe2.editing.renaming import Renamer, Renaming
from libriscribe2.editing.splitting import division, texts_of
from libriscribe2.editing.structure import Outlined, Slots
from libriscribe2.project.atomic import FileOps
from libriscribe2.project.paths import chapter_file
from libriscribe2.project.structure_change import Change, peek

pytestmark = pytest.mark.soak

NEW = Outlined("The Storm", "A storm takes the boat.")
EVERY = 7
"""Of the calls at which a process can die, one in so many is tried; each edit begins elsewhere."""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> ShapedBook:
    return new_book(tmp_path_factory.mktemp("finished") / "desk")


def split(book: ShapedBook) -> Slots:
    at = division(peek(book.paths), 3, CHAPTERS, 1, None)
    return edits.split(book.slots(), 3, at, (Outlined(), NEW))


def merge(book: ShapedBook) -> Slots:
    view = peek(book.paths)
    return edits.merge(book.slots(), 2, (texts_of(view, 2), texts_of(view, 3)))


def rename(book: ShapedBook) -> Slots:
    return edits.rename(book.slots(), 2, "Ebb", book.folder.text(chapter_file(2)))


EDITS: Final[dict[str, Callable[[ShapedBook], Slots]]] = {
    "insert": lambda book: edits.insert(book.slots(), 5, NEW),
    "move": lambda book: edits.move(book.slots(), 4, 6),
    "split": split,
    "merge": merge,
    "rename": rename,
    "delete": lambda book: edits.delete(book.slots(), 5),
}


def carry_out(book: ShapedBook, planned: Change, ops: FileOps) -> None:
    with book.open(ops) as store:
        store.change(planned)


def renamed(book: ShapedBook) -> Change:
    view, brief = peek(book.paths), read_brief(book.paths)
    old = str(book.folder.json("characters.json")["characters"][0]["name"]).split()[0]
    return Renaming(view, brief, wanted_stages(brief), Renamer({old: "Quillon"})).plan("rename")


def test_a_rename_that_dies_at_any_write_is_never_half_done(
    finished: ShapedBook, tmp_path: Path
) -> None:
    planned, before = renamed(finished), finished.picture()
    whole, counted = finished.copy(tmp_path / "whole"), QuickOps()
    carry_out(whole, planned, counted)
    after = whole.picture()
    assert after.states == before.states
    for step in range(1, len(counted.calls) + 1, 2 * EVERY):
        book = finished.copy(tmp_path / str(step))
        with pytest.raises(Crash):
            carry_out(book, planned, DyingOps(step))
        book.open().close()
        assert book.picture() in (before, after), step


@pytest.mark.parametrize("name", list(EDITS))
def test_XC_04_a_chapter_edit_that_dies_at_any_write_is_never_half_done(
    finished: ShapedBook, tmp_path: Path, name: str
) -> None:
    same_story = name in ("split", "merge", "rename")
    planned = finished.planned(EDITS[name](finished), same_story=same_story)
    before = finished.picture()
    whole, counted = finished.copy(tmp_path / "whole"), QuickOps()
    carry_out(whole, planned, counted)
    after, seen = whole.picture(), []
    for step in range(1 + list(EDITS).index(name) % EVERY, len(counted.calls) + 1, EVERY):
        book = finished.copy(tmp_path / str(step))
        with pytest.raises(Crash):
            carry_out(book, planned, DyingOps(step))
        looked = book.picture().states
        book.open().close()
        assert book.picture() in (before, after), step
        assert looked == book.picture().states, step
        seen.append(book.picture() == after)
    assert seen == sorted(seen)
    assert set(seen) == {False, True}
