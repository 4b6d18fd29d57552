"""Pictures of a project: those that every format can show, found once and checked."""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from libriscribe2.errors import ProjectError
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.paths import EXPORTS, ProjectPaths

TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
}
"""Media types by the end of a name. SVG is left out: it may hold scripts and load files."""

_BIGGEST: Final = 30 * 2**20
_PNG: Final = b"\x89PNG\r\n\x1a\n"


def pictures_of(paths: ProjectPaths) -> dict[str, Path]:
    """The pictures of a project by their path in it, sorted; damaged ones are not among them.

    Raises:
        StorageError: A folder or a file cannot be read.
    """
    with storage_errors("read", paths.root):
        found = sorted(_candidates(paths.root))
        return {path.relative_to(paths.root).as_posix(): path for path in found if is_picture(path)}


def cover_of(paths: ProjectPaths, name: str) -> Path | None:
    """The author's picture for the cover; None where no name is given.

    Raises:
        ProjectError: The file is not there, leads out of the project, or is no sound PNG or JPEG.
    """
    if not name:
        return None
    path = paths.resolve(name)
    with storage_errors("read", path):
        if path.is_file() and path.suffix.lower() != ".gif" and is_picture(path):
            return path
    raise ProjectError(
        f"The cover {name!r} cannot be used.",
        why="it is no sound PNG or JPEG" if path.is_file() else "there is no such file",
        fix="Put the picture into the project's folder and name it in book.toml: `cover`.",
    )


def is_picture(path: Path) -> bool:
    """Whether a file holds a whole picture of the kind that its name says."""
    kind = TYPES.get(path.suffix.lower())
    if kind is None or path.stat().st_size > _BIGGEST:
        return False
    data = path.read_bytes()
    if kind == "image/png":
        return data.startswith(_PNG) and _chunks_are_whole(data)
    if kind == "image/jpeg":
        return data.startswith(b"\xff\xd8\xff") and b"\xff\xd9" in data[-4096:]
    return data[:6] in (b"GIF87a", b"GIF89a") and data.rstrip(b"\0").endswith(b";")


def _chunks_are_whole(data: bytes) -> bool:
    """Whether every chunk of a PNG has its checksum, and the last one is the end."""
    at = len(_PNG)
    while at + 12 <= len(data):
        end = at + 8 + int.from_bytes(data[at : at + 4], "big")
        if data[end : end + 4] != zlib.crc32(data[at + 4 : end]).to_bytes(4, "big"):
            return False
        if data[at + 4 : at + 8] == b"IEND":
            return True
        at = end + 4
    return False


def _candidates(root: Path) -> Iterator[Path]:
    """Files whose name is a picture's, outside hidden folders and exports; no links."""
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if not name.startswith(".") and name != EXPORTS]
        paths = (Path(folder, name) for name in names if Path(name).suffix.lower() in TYPES)
        yield from (path for path in paths if not path.is_symlink())
