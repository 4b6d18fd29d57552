"""What files hold, read anew only where the file system says that it may have changed.

A book of sixty chapters is asked for two hundred files before each scene. A file counts as the
same while its number, size and times are the same, as in the index of git (Documentation/
technical/racy-git.txt): one that was changed so lately that a second change could have the same
time is not remembered. A change through a mapping of the file into memory, or on another machine
that shares the folder, may be seen late, as file systems tell of such late.
"""

import stat
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from os import stat_result
from pathlib import Path
from time import time_ns
from typing import Any, Final

from libriscribe2.errors import ProjectError
from libriscribe2.project.paths import RESEARCH
from libriscribe2.project.texts import content_sha, decode_text, parse_json, value_sha

CHAPTER_NUMBER: Final = "chapter"
"""The field of an entry in `scenes.json` that repeats its place in the list."""

MOST_BYTES: Final = 4 * 2**20
"""The longest file that is remembered; only sources of a research are longer."""

MOST_FILES: Final = 8_192

_SECOND: Final = 10**9
_TICK: Final = _SECOND // 20
"""Systems tell time in ticks of at most a hundredth of a second; this is longer."""

_COARSE_TICK: Final = 3 * _SECOND
"""The same where a file system keeps whole seconds, or every other one."""

_Sign = tuple[int, int, int, int, int]


@dataclass(frozen=True)
class FileContent:
    """What a file holds.

    Attributes:
        name: The file's name in its project.
        data: Its bytes.
    """

    name: str
    data: bytes

    @cached_property
    def text(self) -> str:
        """Its text (`decode_text`).

        Raises:
            ProjectError: It is empty or not UTF-8; the error names the place.
        """
        return decode_text(self.name, self.data)

    @cached_property
    def sha(self) -> str:
        """Its hash (`content_sha`)."""
        return content_sha(self.name, self.data)

    @cached_property
    def chapter_shas(self) -> tuple[str, ...] | None:
        """The hash of every entry of a plan, but for its number; None where it is no plan.

        Every chapter's file is compared with its entry, so a book of sixty chapters asks for this
        some hundred times.
        """
        try:
            entries = parse_json(self.name, self.text)["chapters"]
            return tuple(value_sha(_without_number(entry)) for entry in entries)
        except (ProjectError, TypeError, KeyError):
            return None

    @cached_property
    def stage_notes_sha(self) -> str | None:
        """The hash of the notes of the book's own research; None where the file holds no notes.

        What a question of the author's adds comes on top: nothing that is written gets older by it.
        """
        try:
            notes = parse_json(self.name, self.text)["notes"]
            return value_sha([note for note in notes if _is_of_the_stage(note)])
        except (ProjectError, TypeError, KeyError):
            return None


class FileMemory:
    """Remembers files by their path.

    Args:
        now: The time, in nanoseconds since 1970.
    """

    def __init__(self, now: Callable[[], int] = time_ns) -> None:
        self._now = now
        self._known: dict[Path, tuple[_Sign, FileContent]] = {}

    def find(self, name: str, path: Path) -> FileContent | None:
        """What the file called `name` holds; None where there is no file.

        Raises:
            OSError: It cannot be read.
        """
        now = self._now()  # before the look: a change that comes after it has a later time
        try:
            found = path.stat()
        except OSError:
            return FileContent(name, path.read_bytes()) if path.is_file() else None
        if not stat.S_ISREG(found.st_mode):
            return None
        sign = _sign(found)
        known = self._known.get(path)
        if known is not None and known[0] == sign:
            return known[1]
        content = FileContent(name, path.read_bytes())
        if found.st_size <= MOST_BYTES and _is_settled(found, now):
            self._keep(path, sign, content)
        return content

    def _keep(self, path: Path, sign: _Sign, content: FileContent) -> None:
        if len(self._known) >= MOST_FILES:
            self._known.clear()
        self._known[path] = (sign, content)


def _without_number(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {key: value for key, value in entry.items() if key != CHAPTER_NUMBER}


def _is_of_the_stage(note: Any) -> bool:
    return isinstance(note, dict) and str(note.get("step", "")).startswith(f"{RESEARCH}/")


def _sign(found: stat_result) -> _Sign:
    """By what one content of a file is told from another without reading it."""
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _is_settled(found: stat_result, now: int) -> bool:
    """Whether a change from now on would have another time than the last one."""
    changed = max(found.st_mtime_ns, found.st_ctime_ns)
    return now - changed > (_TICK if changed % _SECOND else _COARSE_TICK)
