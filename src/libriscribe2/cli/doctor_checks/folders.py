"""The disk: whether books and dumps can be written, and whether there is room for replies."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from libriscribe2.cli.doctor_checks.case import Case
from libriscribe2.cli.doctor_checks.check import Examination, Finding
from libriscribe2.project.machine import MIN_FREE_BYTES, free_bytes
from libriscribe2.project.storage_errors import storage_errors
from libriscribe2.settings import Settings

_MIB: Final = 2**20


def folder_examinations(case: Case) -> list[Examination]:
    """The checks of the disk; no project can change which folders these are."""
    needs = ("configuration",)
    return [
        Examination("projects", 6, lambda: look_at_folder(_settings(case).projects_dir), needs),
        Examination("debug", 6, lambda: look_at_folder(_settings(case).debug_dir), needs),
        Examination("disk", 6, lambda: look_at_room(_settings(case).projects_dir), needs),
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
    can = "written" if there == folder.absolute() else "made"
    return Finding("ok", f"{folder.absolute()} can be {can}.")


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


def _settings(case: Case) -> Settings:
    return case.general.settings
