"""The number of the format of a project's records, so that an old program leaves new ones alone."""

from typing import Final

from libriscribe2.errors import ProjectError
from libriscribe2.project.atomic import atomic_write
from libriscribe2.project.file_ops import SYSTEM, FileOps
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.storage_errors import storage_errors

FORMAT: Final = 1
"""The format that this program writes, and the newest that it reads."""


def check_format(paths: ProjectPaths) -> bool:
    """Whether the project says its format; a project without records does not yet.

    Raises:
        ProjectError: The format is newer than this program, or the file is not a number.
        StorageError: The file cannot be read.
    """
    with storage_errors("read", paths.format):
        if not paths.format.exists():
            return False
        text = paths.format.read_bytes().decode("ascii", "replace").strip()
    if not text.isdecimal():
        raise ProjectError(
            f"{paths.format} should hold the number of a format and holds {text[:20]!r}",
            fix=f"Write {FORMAT} into it if this project was made by this version.",
        )
    if int(text) > FORMAT:
        raise ProjectError(
            f"{paths.root} was written by a newer version of libriscribe2",
            why=f"its records have format {int(text)}; this version reads up to {FORMAT}",
            fix="Upgrade libriscribe2.",
        )
    return True


def write_format(paths: ProjectPaths, ops: FileOps = SYSTEM) -> None:
    """Say that the project's records have this program's format.

    Raises:
        StorageError: The file cannot be written.
    """
    with storage_errors("write", paths.format):
        atomic_write(paths.format, f"{FORMAT}\n".encode(), ops=ops)
