"""A project as it is: reading its files and telling what state they are in, changing nothing."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, Literal

from libriscribe2.errors import ProjectError
from libriscribe2.models.brief import Brief
from libriscribe2.project.atomic import is_file, read_if_file, storage_error, storage_errors
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import BOOK_TOML, CHAPTER_FILES, RESEARCH, ProjectPaths
from libriscribe2.project.texts import (
    check_settled,
    content_sha,
    decode_text,
    parse_json,
    value_sha,
)

CHAPTER_NUMBER: Final = "chapter"
"""The field of an entry in `scenes.json` that repeats its place in the list."""


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
            ProjectError: It is empty or not UTF-8, or a chapter with a conflict that git has left;
                the error names the place.
        """
        text = decode_text(self.name, self.data)
        if fnmatchcase(self.name, CHAPTER_FILES):
            check_settled(self.name, text)
        return text

    @cached_property
    def sha(self) -> str:
        """Its hash (`content_sha`)."""
        return content_sha(self.name, self.data)

    @cached_property
    def chapter_shas(self) -> tuple[str, ...] | None:
        """The hash of every entry of a plan, but for its number; None where it is no plan."""
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


@lru_cache(maxsize=512)
def file_content(name: str, data: bytes) -> FileContent:
    """What a file of these bytes holds, worked out once: 20 ms for the plan of 60 chapters.

    Every look at a book of n chapters asks some 4n times.
    """
    return FileContent(name, data)


def _without_number(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {key: value for key, value in entry.items() if key != CHAPTER_NUMBER}


def _is_of_the_stage(note: Any) -> bool:
    return isinstance(note, dict) and str(note.get("step", "")).startswith(f"{RESEARCH}/")


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
        own: Whether the author edited and accepted it, so that only `--replace-mine` replaces it.
    """

    kind: StateKind
    changed: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    own: bool = False


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

    def exists(self, name: str) -> bool:
        """Whether there is a file of that name.

        Raises:
            ProjectError: The name leads out of the project.
            StorageError: The folder cannot be read.
        """
        path = self.paths.resolve(name)
        with storage_errors("read", path):
            return is_file(path)

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
        changed = tuple(
            name
            for name in _differences(last.inputs, inputs)
            if not self._is_by_upgrade(name, last.inputs.get(name), inputs.get(name))
        )
        came = tuple(name for name in changed if last.inputs.get(name) is None)
        gone = tuple(name for name in changed if inputs.get(name) is None)
        return ArtifactState("stale" if changed else "fresh", changed, came, gone, last.is_own)

    def _is_by_upgrade(self, name: str, then: str | None, now: str | None) -> bool:
        """Whether an input differs only because this program looks at other things than an older one.

        A file that counted as a whole then and is the same file is no change. Nor is a setting that
        the program does not look at any more, or did not then and that has its default, or the
        value with which it made other files.
        """
        setting = name.removeprefix(f"{BOOK_TOML}:")
        if setting != name:
            files = self.manifest.files.values()
            return now is None or (
                then is None
                and (
                    now == _default_shas().get(setting)
                    or any(one.inputs.get(name) == now for one in files)
                )
            )
        return then is not None and now is not None and then == self.sha(name)

    def find(self, name: str) -> FileContent | None:
        """What a file holds; None where there is none.

        Whatever else reads a file reads it through this.

        Raises:
            ProjectError: The name leads out of the project.
            StorageError: The file cannot be read.
        """
        place = self.paths.locate(name)
        try:
            data = read_if_file(place)
        except OSError as error:
            raise storage_error("read", Path(place), error) from error
        return None if data is None else file_content(name, data)

    def read_bytes(self, name: str) -> bytes | None:
        """The bytes of a file; None where there is no file.

        Raises:
            ProjectError: The name leads out of the project.
            StorageError: The file cannot be read.
        """
        found = self.find(name)
        return None if found is None else found.data


def setting_sha(value: object) -> str:
    """The hash of a setting of the brief."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode("utf-8")).hexdigest()


@cache
def _default_shas() -> Mapping[str, str]:
    """The hashes of what the settings of a brief are where nobody says anything."""
    plain = Brief(premise="none").model_dump(mode="json", exclude={"premise"})
    return {name: setting_sha(value) for name, value in plain.items()}


def _differences(then: Mapping[str, str | None], now: Mapping[str, str | None]) -> tuple[str, ...]:
    return tuple(sorted(name for name in {*then, *now} if then.get(name) != now.get(name)))


def natural_order(name: str) -> list[tuple[int, str]]:
    """A key that sorts `99.md` before `100.md`."""
    parts = re.split(r"(\d+)", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
