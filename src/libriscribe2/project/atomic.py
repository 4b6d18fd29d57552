"""Files that are there whole or not at all, whatever happens on the way.

The order (write a sibling, fsync it, rename it, fsync the folder) is the one that survives every
legal state of a disk after a power failure; leaving out either fsync loses acknowledged data.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Final

from libriscribe2.project.file_ops import SYSTEM, FileOps, sync_folder, write_all

SHARED: Final = 0o666
"""Permissions of a book's files, before the user's umask."""

PRIVATE: Final = 0o600
"""Permissions of files that hold prompts and replies."""

_TEMPORARY: Final = re.compile(r"\..+\.\d+\.tmp")
_NEW: Final = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
# Virus scanners on Windows hold a fresh file open for a moment.
_REPLACE_ATTEMPTS: Final = 10 if os.name == "nt" else 1
_REPLACE_PAUSE_SECONDS: Final = 0.05
_PAUSE: Final[Callable[[float], object]] = Event().wait


def atomic_write(
    path: Path, data: bytes, *, mode: int = SHARED, ops: FileOps = SYSTEM, durable: bool = True
) -> None:
    """Put `data` at `path`: afterwards a reader sees the old content or the new.

    The folder has to exist (`make_folder`).

    Args:
        path: The file to write or replace.
        data: Its whole content.
        mode: Permissions of the new file, before the umask.
        ops: The operating system.
        durable: Whether the file has to survive a power failure; costs two syncs.

    Raises:
        OSError: Nothing was changed, unless only the folder's sync failed.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        _write_new(temporary, data, mode, ops, durable=durable)
        replace_file(temporary, path, ops=ops)
    except BaseException:
        with suppress(OSError):  # the first error is the one to tell
            ops.unlink(temporary)
        raise
    if durable:
        sync_folder(path.parent, ops)


def atomic_create(
    path: Path, data: bytes, *, mode: int = SHARED, ops: FileOps = SYSTEM, durable: bool = True
) -> None:
    """Put `data` at `path` as `atomic_write` does, but never over a file that exists.

    The name is taken first, with an empty file, so that two writers cannot both get it.

    Raises:
        FileExistsError: The name is taken; nothing was changed.
        OSError: The system refused; the name is free again.
    """
    ops.close(ops.open(path, _NEW | os.O_EXCL, mode))
    try:
        atomic_write(path, data, mode=mode, ops=ops, durable=durable)
    except BaseException:
        with suppress(OSError):  # the first error is the one to tell
            ops.unlink(path)
        raise


def make_folder(folder: Path, *, ops: FileOps = SYSTEM) -> None:
    """Make `folder` and those above it where they are missing, durably.

    Raises:
        OSError: A folder could not be made, or a file is in its place.
    """
    if folder.is_dir():
        return
    make_folder(folder.parent, ops=ops)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent, ops)


def replace_file(
    source: Path,
    target: Path,
    *,
    ops: FileOps = SYSTEM,
    attempts: int = _REPLACE_ATTEMPTS,
    pause: Callable[[float], object] = _PAUSE,
) -> None:
    """Rename `source` over `target`, patiently where another program may hold it open.

    Raises:
        PermissionError: The target could not be replaced in `attempts` attempts.
        OSError: The system refused for another reason.
    """
    for _ in range(attempts - 1):
        try:
            ops.replace(source, target)
        except PermissionError:
            pause(_REPLACE_PAUSE_SECONDS)
        else:
            return
    ops.replace(source, target)


def leftovers(folder: Path) -> Iterator[Path]:
    """Temporary files that a killed process left in `folder` or below."""
    for parent, _, names in os.walk(folder):
        yield from (Path(parent, name) for name in names if _TEMPORARY.fullmatch(name))


def _write_new(path: Path, data: bytes, mode: int, ops: FileOps, *, durable: bool) -> None:
    descriptor = ops.open(path, _NEW | os.O_TRUNC, mode)
    try:
        write_all(descriptor, data, ops)
        if durable:
            ops.fsync(descriptor)
    finally:
        ops.close(descriptor)
