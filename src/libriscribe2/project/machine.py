"""What a kill or an accident leaves: mirrors, rescued texts, the trash."""

import json
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import platformdirs

from libriscribe2.project.atomic import (
    PRIVATE,
    SYSTEM,
    FileOps,
    atomic_write,
    make_folder,
    storage_errors,
)
from libriscribe2.project.journal import JournalMirror
from libriscribe2.project.paths import STATE, ProjectPaths
from libriscribe2.project.texts import Clock, compact_utc, readable_json, utc_now, utf8, value_sha


def default_folder() -> Path:
    """`$XDG_STATE_HOME/libriscribe/rescue`, or what the operating system has instead."""
    return platformdirs.user_state_path("libriscribe", appauthor=False) / "rescue"


@dataclass(frozen=True, slots=True)
class Rescue:
    """The folder of rescued replies.

    Attributes:
        folder: Where the files are; it need not exist.
    """

    folder: Path = field(default_factory=default_folder)

    def save(self, key: str, completion: Mapping[str, Any]) -> Path:
        """Keep a completion and return its file.

        Raises:
            OSError: This place takes nothing either.
        """
        make_folder(self.folder)
        path = self._path(key)
        content = {"key": key, "sha": value_sha(completion), "completion": completion}
        atomic_write(path, utf8(readable_json(content)), mode=PRIVATE)
        return path

    def find(self, keys: Collection[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The rescued completions among `keys`; a damaged file is left where it is.

        Raises:
            OSError: A file is there and cannot be read.
        """
        for key in keys:
            path = self._path(key)
            if path.exists():
                completion = _whole_completion(path.read_bytes(), key)
                if completion is not None:
                    yield key, completion

    def drop(self, key: str) -> None:
        """Remove the file of a completion that the journal has now."""
        self._path(key).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"


def _whole_completion(data: bytes, key: str) -> Mapping[str, Any] | None:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or content.get("key") != key:
        return None
    completion = content.get("completion")
    whole = isinstance(completion, dict) and value_sha(completion) == content.get("sha")
    return completion if whole else None


MIN_FREE_BYTES: Final = 64 * 2**20
"""Room that has to be free before a request leaves: a reply must never find a full disk."""


def free_bytes(folder: Path) -> int:
    """Bytes that are free on the disk of `folder`.

    Raises:
        OSError: The disk does not answer.
    """
    return shutil.disk_usage(folder).free


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine under a project.

    Attributes:
        ops: The calls that write.
        clock: The time of day.
        free_bytes: Free room on the disk of a folder.
        rescue: Where replies go that the project's disk does not take.
        mirror: Keeps the journal's lines for other machines, too; None where nobody asks for it.
    """

    ops: FileOps = SYSTEM
    clock: Clock = utc_now
    free_bytes: Callable[[Path], int] = free_bytes
    rescue: Rescue = field(default_factory=Rescue)
    mirror: JournalMirror | None = None


def put_in_trash(paths: ProjectPaths, name: str, data: bytes, machine: Machine) -> str:
    """Keep `data`, the content of the file called `name`, under a name of its own.

    Returns:
        The copy's name, such as `.libriscribe/trash/20250112T103000Z-chapters_03.md`.

    Raises:
        StorageError: The copy cannot be written.
    """
    stamp, flat = compact_utc(machine.clock()), name.replace("/", "_")
    with storage_errors("write", paths.trash):
        make_folder(paths.trash, ops=machine.ops)
        copy, number = f"{stamp}-{flat}", 1
        # Whoever holds the project is alone, so the name needs no file that takes it first:
        # an empty one, left by a death, would look like a text to be put back.
        while (paths.trash / copy).exists():
            number += 1
            copy = f"{stamp}-{number}-{flat}"
        atomic_write(paths.trash / copy, data, mode=PRIVATE, ops=machine.ops)
    return f"{STATE}/{paths.trash.name}/{copy}"


def copy_in_trash(paths: ProjectPaths, name: str, data: bytes) -> str | None:
    """The name of the newest copy of a file with that content, or None.

    Raises:
        StorageError: The trash cannot be read.
    """
    flat = name.replace("/", "_")
    with storage_errors("read", paths.trash):
        for copy in sorted(paths.trash.glob(f"*-{flat}"), reverse=True):
            if copy.read_bytes() == data:
                return f"{STATE}/{paths.trash.name}/{copy.name}"
    return None
