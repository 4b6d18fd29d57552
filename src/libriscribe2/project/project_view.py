"""A project as it is: reading its files and telling what state they are in, changing nothing."""

import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import stat_result
from pathlib import Path
from time import time_ns
from typing import Any, Final, Literal

from libriscribe2.errors import ProjectError
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import RESEARCH, ProjectPaths
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


StateKind = Literal["missing", "fresh", "stale", "edited", "old"]


@dataclass(frozen=True, slots=True)
class ArtifactState:
    """How a file stands.

    Attributes:
        kind: `missing`; `fresh`: made from the present inputs; `stale`: an input changed since;
            `edited`: the author changed it, so it is never overwritten; `old`: a crash came
            before the newest content was in place.
        changed: The inputs that differ from those it was made from, sorted; only for `stale`.
        came: Those of them that it was not made from and would be now.
        gone: Those of them that it was made from and would not be now.
    """

    kind: StateKind
    changed: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class ProjectView:
    """Reads a project.

    Attributes:
        paths: Where it lives.
        manifest: What its journal adds up to.
        damaged: Records of the journal that are damaged and were skipped.
    """

    def __init__(self, paths: ProjectPaths, manifest: Manifest, damaged: int = 0) -> None:
        self.paths = paths
        self.manifest = manifest
        self.damaged = damaged
        self._files = FileMemory()

    def exists(self, name: str) -> bool:
        """Whether there is a file of that name.

        Raises:
            ProjectError: The name leads out of the project.
            StorageError: The folder cannot be read.
        """
        path = self.paths.resolve(name)
        with storage_errors("read", path):
            return path.is_file()

    def read_text(self, name: str) -> str:
        """The text of a file: without byte order mark, with line feeds only.

        Raises:
            ProjectError: The file is missing, empty or not UTF-8; the error names the place.
            StorageError: The file cannot be read.
        """
        text = self.find_text(name)
        if text is None:
            raise ProjectError(
                f"{name} is missing in {self.paths.root}",
                fix=f"Run `libriscribe2 resume {self.paths.called}` to have it made.",
            )
        return text

    def find_text(self, name: str) -> str | None:
        """The same; None where there is no file.

        Raises:
            ProjectError: The file is empty or not UTF-8; the error names the place.
            StorageError: The file cannot be read.
        """
        found = self.find(name)
        return None if found is None else found.text

    def read_json(self, name: str) -> Any:
        """The value of a JSON file.

        Raises:
            ProjectError: The file is missing, empty, not UTF-8 or not JSON; keys that are there
                twice and `NaN` are refused too.
            StorageError: The file cannot be read.
        """
        return parse_json(name, self.read_text(name))

    def sha(self, name: str) -> str | None:
        """The hash of a file's content (`content_sha`); None where there is no file.

        Raises:
            ProjectError: The name leads out of the project.
            StorageError: The file cannot be read.
        """
        found = self.find(name)
        return None if found is None else found.sha

    def names(self, pattern: str) -> tuple[str, ...]:
        """The names of the files that match a glob such as `chapters/*.md`, numbers in order.

        Raises:
            StorageError: The folder cannot be read.
        """
        root = self.paths.root
        with storage_errors("read", root):
            found = [path for path in root.glob(pattern) if path.is_file()]
        return tuple(
            sorted((path.relative_to(root).as_posix() for path in found), key=natural_order)
        )

    def state(self, name: str, inputs: Mapping[str, str | None]) -> ArtifactState:
        """How the file stands, given the present hashes of what it is made from.

        Args:
            name: The file's name.
            inputs: Present hash by input name; None for an input that is missing.

        Raises:
            ProjectError: The name leads out of the project.
            StorageError: The file cannot be read.
        """
        sha = self.sha(name)
        if sha is None:
            return ArtifactState("missing")
        last = self.manifest.files.get(name)
        if last is None or not self.manifest.is_ours(name, sha):
            return ArtifactState("edited")
        if last.sha != sha:
            # An older content of ours: left by a crash, or put back by the author.
            return ArtifactState("edited" if last.placed else "old")
        changed = _differences(last.inputs, inputs)
        came = tuple(name for name in changed if last.inputs.get(name) is None)
        gone = tuple(name for name in changed if inputs.get(name) is None)
        return ArtifactState("stale" if changed else "fresh", changed, came, gone)

    def find(self, name: str) -> FileContent | None:
        """What a file holds (`FileMemory` knows when that is still so); None where there is none.

        Whatever else reads a file reads it through this.

        Raises:
            ProjectError: The name leads out of the project.
            StorageError: The file cannot be read.
        """
        path = self.paths.resolve(name)
        with storage_errors("read", path):
            return self._files.find(name, path)

    def read_bytes(self, name: str) -> bytes | None:
        """The bytes of a file; None where there is no file.

        Raises:
            ProjectError: The name leads out of the project.
            StorageError: The file cannot be read.
        """
        found = self.find(name)
        return None if found is None else found.data


def _differences(then: Mapping[str, str | None], now: Mapping[str, str | None]) -> tuple[str, ...]:
    return tuple(sorted(name for name in {*then, *now} if then.get(name) != now.get(name)))


def natural_order(name: str) -> list[tuple[int, str]]:
    """A key that sorts `99.md` before `100.md`."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
