"""The disk: whether books and dumps can be written, and whether there is room for replies."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from libriscribe2.cli.doctor_checks.case import Case
from libriscribe2.cli.doctor_checks.check import Examination, Finding
from libriscribe2.project.machine import MIN_FREE_BYTES, free_bytes
from libriscribe2.project.storage_errors import storage_errors

_MIB: Final = 2**20


def folder_examinations(case: Case, needs: tuple[str, ...]) -> list[Examination]:
    """The checks of the disk.

    Args:
        case: What is looked at.
        needs: The checks that the settings depend on.
    """
    return [
        Examination("projects", 6, lambda: look_at_folder(case.settings.projects_dir), needs),
        Examination("debug", 6, lambda: look_at_folder(case.settings.debug_dir), needs),
        Examination("disk", 6, lambda: look_at_room(case.settings.projects_dir), needs),
    ]


def look_at_folder(folder: Path) -> Finding:
    """Whether files can be made in a folder, or the folder itself where it is missing.

    Raises:
        StorageError: The system refuses.
    """
    there = existing(folder)
    if not there.is_dir():
        fix = "Move the file away, or choose another folder in the settings."
        return Finding("failed", f"{there} is a file where a folder has to be.", fix)
    with storage_errors("write", there), tempfile.TemporaryFile(dir=there) as file:
        file.write(b"LibriScribe2 was here")
    made_later = "" if there == folder.absolute() else " can be made there and"
    return Finding("ok", f"{folder.absolute()}{made_later} can be written.")


def look_at_room(folder: Path, free: Callable[[Path], int] = free_bytes) -> Finding:
    """Whether the disk of a folder has the room without which no request is sent.

    Raises:
        StorageError: The disk does not answer.
    """
    there = existing(folder)
    with storage_errors("measure the free room of", there):
        room = free(there)
    if room < MIN_FREE_BYTES:
        message = f"{room // _MIB} MiB are free; a run needs {MIN_FREE_BYTES // _MIB} MiB."
        return Finding("failed", message, f"Free some space on the disk of {there}.")
    return Finding("ok", f"{room // _MIB:,} MiB are free on the disk of {there}.")


def existing(path: Path) -> Path:
    """The path itself, or the nearest of those above it that exists."""
    whole = path.absolute()
    return next(one for one in (whole, *whole.parents) if one.exists())
