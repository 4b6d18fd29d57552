"""The trash: copies of what the program replaces, kept until the author throws them away."""

from libriscribe2.project.atomic import PRIVATE, atomic_write, make_folder
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
