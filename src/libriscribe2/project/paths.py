"""Every file name of a project, once.

A file of the book is called by its name: its path inside the project folder with `/`, such as
`chapters/03.md`. In `CHAPTER_FILES`, `SUMMARY_FILES`, `STORY_BIBLE_FILES` and `DRAFT_FILES` a `*` stands
for the number of a chapter.
Names come from these constants and counters; no title and no word of a model ever becomes a path.
"""

import errno
import os
import re
import shlex
import stat
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Final

import platformdirs
from pathvalidate import is_valid_filename
from slugify import slugify

from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.project.atomic import storage_errors

BOOK_TOML: Final = "book.toml"
CONCEPT: Final = "concept.json"
CHARACTERS: Final = "characters.json"
WORLD: Final = "world.json"
OUTLINE: Final = "outline.json"
SCENES: Final = "scenes.json"
TITLE: Final = "title.json"
MANUSCRIPT: Final = "manuscript.md"
CHAPTER_FILES: Final = "chapters/*.md"
SAMPLES: Final = "samples"
"""Texts of the author's own, from which the voice is taken."""

SAMPLE_ENDINGS: Final = (".md", ".txt", ".docx")
SAMPLE_FILES: Final = tuple(f"{SAMPLES}/*{ending}" for ending in SAMPLE_ENDINGS)
RESEARCH: Final = "research"
RESEARCH_SOURCES: Final = f"{RESEARCH}/sources"
"""The author's own sources."""

RESEARCH_FETCHED: Final = f"{RESEARCH}/fetched"
"""The text of every source that was read, as it was read."""

RESEARCH_NOTES: Final = f"{RESEARCH}/notes.json"
RESEARCH_LIST: Final = f"{RESEARCH}/sources.json"
RESEARCH_ANSWERS: Final = f"{RESEARCH}/answers.json"
RESEARCH_PLAN: Final = f"{RESEARCH}/plan.json"
RESEARCH_RUN: Final = f"{RESEARCH}/run.json"
EXPORTS: Final = "exports"
PROJECT_DATA: Final = "project_data.json"
"""The state file of the original LibriScribe2."""

STATE: Final = ".libriscribe"
SUMMARY_FILES: Final = f"{STATE}/summaries/*.md"
RESEARCH_CHAINS: Final = f"{STATE}/research"
"""Every chain of research with its steps, from which a killed one goes on."""
STORY_BIBLE_FILES: Final = f"{STATE}/canon/*.json"
TEXTS: Final = f"{STATE}/texts"
"""Chapters as they were when something was made from them, by their hash."""
SERIES: Final = f"{STATE}/series"
"""What a book shares with the one before it; copied when it was begun."""

SERIES_CAST: Final = f"{SERIES}/characters.json"
SERIES_WORLD: Final = f"{SERIES}/world.json"
SERIES_FACTS: Final = f"{SERIES}/canon.json"
GIVEN: Final = "given"
"""The folder of what the author brought along."""
GIVEN_CAST: Final = f"{GIVEN}/characters.json"
GIVEN_WORLD: Final = f"{GIVEN}/world.json"
GIVEN_OUTLINE: Final = f"{GIVEN}/outline.json"
DRAFT_FILES: Final = f"{STATE}/drafts/*.md"
"""Chapters as they were written from their plans alone, where all are drafted at once."""

NOTES: Final = "notes"
NOTE_FILES: Final = f"{NOTES}/*.md"
"""The author's own words, a file each for the book, a stage, a chapter and a scene."""

BOOK_NOTE: Final = f"{NOTES}/book.md"

OWNER: Final = ".project"
"""The file in a folder of dumps that says whose they are."""

MAX_NAME_LENGTH: Final = 60
"""Longest folder name, in characters."""

_LONGEST_ID: Final = 64
_NAME: Final = re.compile(r"[A-Za-z0-9_ -]+")
_FALLBACK: Final = "book"


def user_state(name: str) -> Path:
    """What this machine remembers for the user under a name, whatever project it belongs to.

    It is below `$XDG_STATE_HOME/libriscribe2`, or what the operating system has instead; what an
    earlier version keeps below `libriscribe` is used there.
    """
    place = platformdirs.user_state_path("libriscribe2", appauthor=False) / name
    older = place.parent.with_name("libriscribe") / name
    return older if older.exists() else place


class _Kept:
    """A file or folder among the program's own records, by its name there."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, paths: "ProjectPaths", _owner: object) -> Path:
        return paths.state / self._name


@dataclass(frozen=True, slots=True)
class ProjectPaths:
    """Where one project lives.

    Attributes:
        root: The project folder, such as `projects/my-book`.
        debug: Where its debug dumps belong by its name, such as `debug/my-book` (`dumps`).
        typed: The path by which a command line named it; "" where it is known by its name.
    """

    root: Path
    debug: Path
    typed: str = field(default="", compare=False)

    @property
    def called(self) -> str:
        """How a command names the project, ready for a shell."""
        return shlex.quote(self.typed or self.root.name)

    @property
    def book_toml(self) -> Path:
        """What the author asked for."""
        return self.root / BOOK_TOML

    batch_mark = _Kept("batch")
    """The file that names the batch which began the project; there is none in other projects."""

    @property
    def state(self) -> Path:
        """The folder of the program's own records."""
        return self.root / STATE

    id_file = _Kept("id")
    """What the project is, whatever its folder is called."""

    @property
    def id(self) -> str:
        """The project's id; "" where no program that knows of ids has held it yet.

        Raises:
            StorageError: The file cannot be read.
        """
        with storage_errors("read", self.id_file):
            return _id_in(self.id_file)

    @property
    def dumps(self) -> Path:
        """The folder of its debug dumps: the one that bears its id, else one that is free.

        Two projects of one name, or a book that was begun again under its name, share none.

        Raises:
            StorageError: The folder cannot be read.
        """
        own = self.id
        with storage_errors("read", self.debug):
            if not own or _id_in(self.debug / OWNER) == own:
                return self.debug
            for mark in sorted(self.debug.parent.glob(f"*/{OWNER}")):
                if _id_in(mark) == own:
                    return mark.parent
            taken = any(self.debug.glob("*.json"))
        return self.debug.with_name(f"{self.debug.name}-{own}") if taken else self.debug

    format = _Kept("format")
    """The number of the format in which the records are written."""

    lock = _Kept("lock")
    """The lock that one process at a time holds."""

    journal = _Kept("journal.jsonl")
    """The record of every call and every write."""

    events = _Kept("events.jsonl")
    """What the runs told, for whoever watches; nothing depends on it."""

    pending = _Kept("pending")
    """A change of several files that was begun and not finished; mostly not there."""

    quote = _Kept("quote.json")
    """What the last estimate said."""

    exported = _Kept("exports.json")
    """The hash of every export as it was made, by its name: another one was edited."""

    trash = _Kept("trash")
    """What was replaced on request."""

    source_index = _Kept("sources.db")
    """The full-text index of the sources; made from them, so it may be deleted."""

    def resolve(self, name: str) -> Path:
        """The path of the file called `name`.

        Raises:
            ProjectError: The name leads out of the project folder, be it through a link.
        """
        return Path(self.locate(name))

    def locate(self, name: str) -> str:
        """The same as text; asked for every access, so without `pathlib`.

        Raises:
            ProjectError: As for `resolve`.
        """
        way = _way(self.root, name)
        if any(map(_is_link, way)) and not _is_inside(Path(way[-1]), self.root):
            raise ProjectError(
                f"{name} leads out of the project folder",
                why=f"there is a link on the way to {way[-1]}",
                fix="Replace the link with the file or folder itself.",
            )
        return way[-1]


def chapter_file(number: int) -> str:
    """The name of a chapter's text: `chapters/03.md`, with more digits from 100 on."""
    return CHAPTER_FILES.replace("*", f"{number:02d}")


def summary_file(number: int) -> str:
    """The name of the summary by which later chapters remember chapter `number`."""
    return SUMMARY_FILES.replace("*", f"{number:02d}")


def draft_file(number: int) -> str:
    """The name of chapter `number` as it was written from its plan alone."""
    return DRAFT_FILES.replace("*", f"{number:02d}")


def note_file(about: str) -> str:
    """The name of the author's notes on `book`, or on a stage by its name."""
    return NOTE_FILES.replace("*", about)


def note_on(chapter: int, scene: int | str | None = None) -> str:
    """The name of the author's notes on a chapter, or on one of its scenes; `*` means all of them."""
    return note_file(f"ch{chapter:02d}" if scene is None else f"ch{chapter:02d}.s{scene}")


def noted_place(name: str) -> tuple[int, int | None] | None:
    """The chapter, and perhaps the scene, that a file of notes is about; None for all else."""
    found = re.fullmatch(rf"{NOTES}/ch(\d+)(?:\.s(\d+))?\.md", name)
    return found and (int(found[1]), int(found[2]) if found[2] else None)


def number_in(name: str, pattern: str, digits: str = "[0-9]+") -> int | None:
    """The number at the `*` of a pattern; None where the name does not fit it."""
    before, _, after = pattern.partition("*")
    match = re.fullmatch(f"{re.escape(before)}({digits}){re.escape(after)}", name)
    return None if match is None else int(match[1])


def text_copy(sha: str) -> str:
    """The name of the copy of a chapter's text."""
    return f"{TEXTS}/{sha}.md"


def story_bible_file(number: int) -> str:
    """The name of what chapter `number` states."""
    return STORY_BIBLE_FILES.replace("*", f"{number:02d}")


def project_name_from(text: str, longest: int = MAX_NAME_LENGTH - len(_FALLBACK) - 1) -> str:
    """A folder name made from a title: lower-case ASCII letters, digits and hyphens.

    Never empty, at most `MAX_NAME_LENGTH` long, and allowed on every operating system.

    Args:
        text: The title.
        longest: Most characters of it.
    """
    slug = slugify(text, max_length=longest, word_boundary=True, save_order=True)
    if not slug:
        return _FALLBACK
    return slug if _is_portable(slug) else f"{slug}-{_FALLBACK}"


def check_project_name(name: str) -> str:
    """Return `name` if it can be a project's folder.

    Raises:
        UsageError: It holds something other than letters, digits, `_`, `-` and inner spaces,
            starts like an option, is too long, or means a device on Windows.
    """
    fits = _NAME.fullmatch(name) and name == name.strip() and not name.startswith("-")
    if fits and len(name) <= MAX_NAME_LENGTH and _is_portable(name):
        return name
    why = f"a name has up to {MAX_NAME_LENGTH} letters A-Z, digits, _, - and inner spaces"
    if fits and len(name) <= MAX_NAME_LENGTH:
        why = "Windows keeps this name for a device"
    shown = repr(name) if len(name) <= 2 * MAX_NAME_LENGTH else f"'{name[:MAX_NAME_LENGTH]}...'"
    raise UsageError(
        f"{shown} cannot be the name of a project",
        why=why,
        fix=f"Use {project_name_from(name)!r}, for example.",
    )


_STRANGE: Final = re.compile(r"^/|[\\:\0]")
"""What is in no name of a project's file."""


def _way(root: Path, name: str) -> list[str]:
    """Every step to the file called `name`, the outermost first, itself last.

    Raises:
        ProjectError: No file of a project is called so.
    """
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if not parts or ".." in parts or _STRANGE.search(name):
        raise ProjectError(f"{name!r} is not the name of a file in a project")
    _, *way = accumulate(parts, os.path.join, initial=str(root))
    return way


def _id_in(path: Path) -> str:
    """The id in a small file; "" where there is none."""
    if not path.is_file():  # a pipe would have the reader wait
        return ""
    with path.open(encoding="ascii", errors="replace") as file:
        line = file.readline(_LONGEST_ID).strip()
    return line if line.isalnum() else ""  # a folder of somebody else may name any path there


def _is_link(path: str) -> bool:
    """Whether a path is a link itself; asked for every access, so without `pathlib`."""
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:  # opening it says so
        return False


def _is_inside(path: Path, root: Path) -> bool:
    """Whether the links on the way to a path stay inside `root`."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:  # a circle, which `resolve` lets pass from Python 3.13 on
            return False
    return path.resolve().is_relative_to(root.resolve())


def _is_portable(name: str) -> bool:
    return is_valid_filename(name, platform="universal")
