"""The author's notes: what they are about, put down while a run goes on too, and shown."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from libriscribe2.commands.projects import (
    look_at,
    read_brief,
    stage_called,
    stage_names,
    wanted_stages,
)
from libriscribe2.context.notes import AUTHOR_NOTES_BUDGET
from libriscribe2.errors import UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.models.story import ScenesFile
from libriscribe2.project.artifacts import Book, check_chapter
from libriscribe2.project.atomic import make_folder, storage_errors
from libriscribe2.project.paths import (
    BOOK_NOTE,
    CHAPTER_FILES,
    SCENES,
    ProjectPaths,
    chapter_file,
    note_file,
    note_on,
    noted_place,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.prose import count_words, weigh
from libriscribe2.wording import counted

_PLACE: Final = re.compile(
    r"(?:ch(?:apter)?)?0*(?P<chapter>\d{1,6})(?:\.(?:s(?:cene)?)?0*(?P<scene>\d{1,6}))?",
    re.IGNORECASE,
)

BOOK: Final = "book"
"""How a command line names the whole book."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a book that a command line names.

    Attributes:
        stage: The stage that makes it; "" for the whole book.
        chapter: Its chapter; None where it is none of one.
        scene: Its scene; None where it is none.
    """

    stage: str
    chapter: int | None = None
    scene: int | None = None

    @property
    def note(self) -> str:
        """The file of the author's notes on it."""
        if self.chapter is not None:
            return note_on(self.chapter, self.scene)
        return note_file(self.stage) if self.stage else BOOK_NOTE

    @property
    def called(self) -> str:
        """How a command line names it."""
        if self.chapter is None:
            return self.stage or BOOK
        return f"{self.chapter}" if self.scene is None else f"{self.chapter}.{self.scene}"


def is_place(typed: str) -> bool:
    """Whether a user names a chapter or a scene."""
    return _PLACE.fullmatch(typed.strip()) is not None


def is_of_book(typed: str, paths: ProjectPaths | None) -> bool:
    """Whether a user names a part or a file of a book, and no book."""
    if paths is None:
        return False
    is_part = is_place(typed) or typed == BOOK or typed in stage_names()
    return is_part or (paths.root / typed).is_file()


def place_of(typed: str) -> tuple[int, int | None]:
    """Chapter and scene that a user types: `ch12.s3`, `12.3` or `ch12`.

    Raises:
        UsageError: It is neither.
    """
    found = _PLACE.fullmatch(typed.strip())
    if found is None:
        raise UsageError(
            f"{typed!r} is not a chapter or scene.",
            fix="Write ch12.s3 or 12.3 for a scene, or ch12.",
        )
    scene = found["scene"]
    return int(found["chapter"]), None if scene is None else int(scene)


def part_of(typed: str, view: ProjectView, brief: Brief) -> Part:
    """The part of a book that a user names: `7`, `7.2`, `book`, or a stage by any of its names.

    Raises:
        UsageError: The book has no such part.
    """
    if typed.strip().casefold() == BOOK:
        return Part("")
    stages = wanted_stages(brief)
    if not is_place(typed):
        return Part(stage_called(typed, stages).name)
    chapter, scene = place_of(typed)
    check_place(chapter, scene, view, brief)
    return Part(next(one.name for one in stages if one.writes == CHAPTER_FILES), chapter, scene)


def check_place(chapter: int, scene: int | None, view: ProjectView, brief: Brief) -> None:
    """Make sure that a book has, or is going to have, a chapter and a scene.

    Raises:
        UsageError: It has not.
    """
    book = Book(view)
    chapters, most = book.chapters(), brief.chapter_range().high
    if chapters or chapter < 1 or (most is not None and chapter > most):
        check_chapter(chapter, chapters or most or 0)
    if scene is None or not book.has(SCENES):
        return
    planned = book.load(SCENES, ScenesFile).chapters
    scenes = len(planned[chapter - 1].scenes) if chapter <= len(planned) else 0
    if not 1 <= scene <= scenes:
        raise UsageError(
            f"There is no scene {scene} in chapter {chapter}: it has {counted(scenes, 'scene')}.",
            fix=f"Choose one of {chapter}.1 to {chapter}.{scenes}." if scenes else "",
        )


@dataclass(frozen=True, slots=True)
class Noted:
    """What became of a note.

    Attributes:
        file: The file that holds it.
        about: How a command line names what it is about.
        is_new: Whether the file did not say so before.
        is_written: Whether what it is about is there already, and is out of date with it.
    """

    file: str
    about: str
    is_new: bool
    is_written: bool


def note_down(paths: ProjectPaths, about: str, text: str) -> Noted:
    """Put down what the author says of a part of a book; a run that goes on heeds it.

    No lock is taken, and what others put down at the same time stays.

    Raises:
        UsageError: The book has no such part, no notes concern it, or there is too much of them.
        StorageError: The file cannot be written.
    """
    view, brief = look_at(paths), read_brief(paths)
    part, said = part_of(about, view, brief), text.strip()
    agent = stage_called(part.stage, wanted_stages(brief)) if part.stage else None
    if agent is not None and not agent.heeds:
        raise UsageError(
            f"No notes concern {part.stage!r}.",
            why="it is read off the text",
            fix=f"Note it on the book or on a chapter: `libriscribe2 note {paths.called} 1 ...`.",
        )
    if not said:
        raise UsageError("The note is empty.", fix='Put it in quotes: "less weather".')
    there = (view.read_bytes(part.note) or b"").decode("utf-8", "replace").strip()
    is_new = said not in there.split("\n\n")
    if is_new:
        check_room(part.note, f"{there}\n\n{said}")
        _append(paths, part.note, f"\n{said}\n" if there else f"{said}\n")
    made = agent.writes if agent is not None else ""
    made = made if part.chapter is None else chapter_file(part.chapter)
    return Noted(part.note, part.called, is_new, bool(made and view.names(made)))


def notes_on(paths: ProjectPaths) -> dict[str, str]:
    """All notes of a book, by the name of their file.

    Raises:
        ProjectError: One is not UTF-8.
    """
    return Book(look_at(paths)).author_notes()


def list_notes(told: Mapping[str, str]) -> list[dict[str, Any]]:
    """What each of some notes is about, as a command line names it, its first line and its words.

    Args:
        told: The notes by the name of their file.
    """
    return [
        {
            "part": _called(name),
            "first_line": said.partition("\n")[0].rstrip(),
            "words": count_words(said),
        }
        for name, said in told.items()
    ]


def _called(name: str) -> str:
    """How a command line names what a file of notes is about; a misnamed file has its own name."""
    place = noted_place(name)
    if place is not None and note_on(*place) == name:
        return Part("", *place).called
    return PurePosixPath(name).stem


def unheeded(paths: ProjectPaths) -> tuple[str, ...]:
    """The files of notes that nobody heeds: on a chapter or stage that the book does not have."""
    view, brief = look_at(paths), read_brief(paths)
    stages = {note_file(one.heeds) for one in wanted_stages(brief) if one.heeds}

    def is_heeded(name: str) -> bool:
        place = noted_place(name)
        if place is None:
            return name in (BOOK_NOTE, *stages)
        try:
            check_place(*place, view, brief)
        except UsageError:
            return False
        return note_on(*place) == name

    return tuple(name for name in Book(view).author_notes() if not is_heeded(name))


def check_room(name: str, text: str) -> None:
    """Refuse more than a request can show.

    Raises:
        UsageError: It is too long.
    """
    if weigh(text) > AUTHOR_NOTES_BUDGET // 2:
        raise UsageError(
            f"{name} would be too long.",
            why=f"it would hold {weigh(text):,} characters, and a request shows {AUTHOR_NOTES_BUDGET // 2:,}",
            fix=f"Make it shorter, or shorten {name} in an editor.",
        )


def _append(paths: ProjectPaths, name: str, text: str) -> None:
    """Add to a file with one write, so that nothing of anybody else's is lost.

    Raises:
        UsageError: It is no text that can be saved.
        StorageError: The system refused.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise UsageError("The note cannot be saved as UTF-8.") from error
    path = paths.resolve(name)
    with storage_errors("write", path):
        make_folder(path.parent)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            os.write(file, data)
            os.fsync(file)
        finally:
            os.close(file)
