"""A second place for paid replies, for the moment when the project's disk takes no more.

A reply that the journal cannot store is put into a file in the user's state folder and taken into
the journal when the project is opened the next time.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

from libriscribe2.project.atomic import PRIVATE, atomic_write, make_folder
from libriscribe2.project.hashing import value_sha
from libriscribe2.project.json_text import readable_json, utf8


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
