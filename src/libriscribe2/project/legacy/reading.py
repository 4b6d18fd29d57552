"""The whole of an old project as plain data, for the caller to validate."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from libriscribe2.errors import ProjectError
from libriscribe2.project.legacy.old_brief import old_brief
from libriscribe2.project.legacy.old_concept import old_concept
from libriscribe2.project.legacy.old_files import old_json, old_text
from libriscribe2.project.legacy.old_people import old_people
from libriscribe2.project.legacy.old_plan import old_outline, old_scenes
from libriscribe2.project.legacy.old_world import old_world
from libriscribe2.project.paths import (
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    PROJECT_DATA,
    SCENES,
    WORLD,
    chapter_file,
)
from libriscribe2.project.texts import readable_json

_CHAPTER_FILE: Final = re.compile(r"chapter_(\d{1,4})\.md")
_READERS: Final[Mapping[str, Callable[[Path, Mapping[str, Any]], dict[str, Any] | None]]] = {
    CONCEPT: old_concept,
    CHARACTERS: old_people,
    WORLD: old_world,
    OUTLINE: old_outline,
    SCENES: old_scenes,
}


@dataclass(frozen=True, slots=True)
class LegacyProject:
    """An old project in the terms of this program.

    Attributes:
        brief: The table `[book]`; only keys that the old project knows.
        artifacts: Text of every file that could be taken over, by its new name.
    """

    brief: Mapping[str, Any]
    artifacts: Mapping[str, str]


def read_legacy(root: Path) -> LegacyProject:
    """Read an old project; nothing is written.

    Raises:
        ProjectError: `project_data.json` is missing or is not an object, or a file is not UTF-8
            or not JSON.
        StorageError: A file cannot be read.
    """
    data = old_json(root, PROJECT_DATA)
    if not isinstance(data, dict):
        raise ProjectError(
            f"{root / PROJECT_DATA} is not the state of a project",
            why="it should hold one JSON object",
            fix="Restore the file from a backup.",
        )
    found = {name: read(root, data) for name, read in _READERS.items()}
    artifacts = {name: readable_json(value) for name, value in found.items() if value is not None}
    return LegacyProject(old_brief(data), artifacts | _chapters(root))


def _chapters(root: Path) -> dict[str, str]:
    numbered = ((_CHAPTER_FILE.fullmatch(path.name), path.name) for path in sorted(root.iterdir()))
    texts = {chapter_file(int(m[1])): old_text(root, name) for m, name in numbered if m}
    return {name: text for name, text in texts.items() if text}
