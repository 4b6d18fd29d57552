"""The trash: copies of what the program replaces, kept until the author throws them away."""

from pathlib import Path

from libriscribe2.project.atomic import PRIVATE, atomic_create, make_folder
from libriscribe2.project.clock import compact_utc
from libriscribe2.project.machine import Machine
from libriscribe2.project.paths import STATE, ProjectPaths
from libriscribe2.project.storage_errors import storage_errors


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
        while not _created(paths.trash / copy, data, machine):
            number += 1
            copy = f"{stamp}-{number}-{flat}"
    return f"{STATE}/{paths.trash.name}/{copy}"


def _created(path: Path, data: bytes, machine: Machine) -> bool:
    try:
        atomic_create(path, data, mode=PRIVATE, ops=machine.ops)
    except FileExistsError:
        return False
    return True
