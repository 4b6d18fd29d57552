"""Files written all or not at all, synced, with storage errors in a user's words."""

import ctypes
import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any, Final

from typing_extensions import override

from libriscribe2.errors import StorageError

_EXCHANGE: Final = 2
"""`RENAME_EXCHANGE` of Linux, `RENAME_SWAP` of macOS."""

_NOT_THERE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP})

_HERE: Final = -100
"""`AT_FDCWD`: a path is not relative to an open folder."""


def _exchange(one: Path, other: Path, /) -> None:
    libc: Any = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None
    first, second = os.fsencode(one), os.fsencode(other)
    if hasattr(libc, "renameat2"):
        failed = libc.renameat2(_HERE, first, _HERE, second, _EXCHANGE)
    elif hasattr(libc, "renamex_np"):
        failed = libc.renamex_np(first, second, _EXCHANGE)
    else:
        raise OSError(errno.ENOTSUP, "files cannot be exchanged here")
    if failed:
        code = ctypes.get_errno()
        unknown = code in {errno.EINVAL, errno.ENOSYS}
        raise OSError(errno.ENOTSUP if unknown else code, os.strerror(code), str(other))


class FileOps:
    """The part of the module `os` that writes; a test hands in one that fails at will."""

    def open(self, path: Path, flags: int, mode: int = 0o777, /) -> int:
        """Open a file or, to sync it, a folder; return the descriptor."""
        return os.open(path, flags, mode)

    def write(self, descriptor: int, data: memoryview, /) -> int:
        """Write a first part of `data`; return its length in bytes."""
        return os.write(descriptor, data)

    def fsync(self, descriptor: int, /) -> None:
        """Wait until the device has what was written."""
        os.fsync(descriptor)

    def ftruncate(self, descriptor: int, length: int, /) -> None:
        """Cut the file to `length` bytes."""
        os.ftruncate(descriptor, length)

    def close(self, descriptor: int, /) -> None:
        """Give the descriptor back."""
        os.close(descriptor)

    def replace(self, source: Path, target: Path, /) -> None:
        """Rename `source` over `target` in one step."""
        os.replace(source, target)  # noqa: PTH105 - the system's own call

    def exchange(self, one: Path, other: Path, /) -> None:
        """Give each of two files the other's name in one step; ENOTSUP where nothing does that."""
        _exchange(one, other)

    def unlink(self, path: Path, /) -> None:
        """Remove a file."""
        os.unlink(path)  # noqa: PTH108 - the system's own call


class UnsyncedOps(FileOps):
    """The operating system without the waits for the device: for copies that are thrown away."""

    @override
    def fsync(self, descriptor: int, /) -> None:
        """Nothing: a crash may take the copy."""


SYSTEM: Final = FileOps()
"""The real operating system."""


def write_all(descriptor: int, data: bytes, ops: FileOps) -> None:
    """Write all of `data`: near a full disk the system takes it in parts.

    Raises:
        OSError: The system refused a part.
    """
    rest = memoryview(data)
    while rest:
        rest = rest[ops.write(descriptor, rest) :]


def sync_folder(folder: Path, ops: FileOps) -> None:
    """Make the names in `folder` durable; Windows has no such call and needs none.

    Raises:
        OSError: The system could not.
    """
    if os.name != "posix":
        return
    descriptor = ops.open(folder, os.O_RDONLY)
    try:
        ops.fsync(descriptor)
    finally:
        ops.close(descriptor)


SHARED: Final = 0o666
"""Permissions of a book's files, before the user's umask."""

PRIVATE: Final = 0o600
"""Permissions of files that hold prompts and replies."""

_TEMPORARY: Final = re.compile(r"\..+\.\d+\.tmp")
_SPARE: Final = re.compile(r"\.(.+)\.\d+\.spare")
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
    for is_last in (False, True):
        try:
            _write_new(temporary, data, mode, ops, durable=durable)
            replace_file(temporary, path, ops=ops)
            break
        except BaseException as error:
            with suppress(OSError):  # the first error is the one to tell
                ops.unlink(temporary)
            # Git or a sync may take the new file away before it has its name.
            if is_last or not isinstance(error, FileNotFoundError) or not path.parent.is_dir():
                raise
    if durable:
        sync_folder(path.parent, ops)


def overwrite(path: Path, data: bytes, present: bytes, *, ops: FileOps = SYSTEM) -> list[bytes]:
    """Put `data` in place of `present`, durably; what somebody else saved meanwhile stays.

    The two files change names, and what came out is looked at. Where the system cannot exchange
    files, the last look is the one before the replacement.

    Args:
        path: The file.
        data: Its new content.
        present: What was read there.
        ops: The operating system.

    Returns:
        What else lay there, the oldest first, of which the last lies there again; nothing where
        the file has its new content.

    Raises:
        OSError: The system refused; no content is lost (`spares`).
    """
    spare = path.with_name(f".{path.name}.{os.getpid()}.spare")
    others: list[bytes] = []
    try:
        _write_new(spare, data, SHARED, ops, durable=True)
        ops.exchange(spare, path)
    except OSError as error:
        if error.errno == errno.ENOTSUP and (seen := path.read_bytes()) != present:
            others.append(seen)
        elif error.errno in {errno.ENOTSUP, errno.ENOENT}:
            replace_file(spare, path, ops=ops)
            sync_folder(path.parent, ops)
            return []
        else:
            with suppress(OSError):  # the first error is the one to tell
                ops.unlink(spare)
            raise
    else:
        while (seen := spare.read_bytes()) not in {present, data, *others}:
            others.append(seen)
            ops.exchange(spare, path)
        sync_folder(path.parent, ops)
    ops.unlink(spare)
    return others


def take_away(path: Path, *, ops: FileOps = SYSTEM) -> bytes:
    """Remove a file, durably; return what lay there at that moment.

    Raises:
        OSError: The system refused; no content is lost (`spares`).
    """
    spare = path.with_name(f".{path.name}.{os.getpid()}.spare")
    ops.replace(path, spare)
    data = spare.read_bytes()
    ops.unlink(spare)
    sync_folder(path.parent, ops)
    return data


def spares(folder: Path) -> Iterator[tuple[str, Path]]:
    """Files below `folder` that a killed process held aside: the name that each had, and its path."""
    for parent, _, names in os.walk(folder):
        for name in names:
            if (found := _SPARE.fullmatch(name)) is not None:
                path = Path(parent, name)
                yield path.with_name(found[1]).relative_to(folder).as_posix(), path


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


def look_at(path: Path) -> os.stat_result | None:
    """What the system knows of a file or folder; None where nothing is there.

    `Path.exists` and `Path.is_file` call it missing, from Python 3.14 on, where they may not look.

    Raises:
        OSError: The system refused to look.
    """
    try:
        return path.stat()
    except OSError as error:
        if error.errno in _NOT_THERE:
            return None
        raise


def is_file(path: Path) -> bool:
    """Whether a regular file is there.

    Raises:
        OSError: The system refused to look.
    """
    there = look_at(path)
    return there is not None and stat.S_ISREG(there.st_mode)


_READ: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_PIECE: Final = 2**20


def read_regular(path: Path, start: int = 0) -> bytes:
    """The bytes of a file from `start` on; on a pipe or a device a reader might wait for ever.

    Raises:
        OSError: It is no file, or the system refused.
    """
    with os.fdopen(os.open(path, _READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "It is a pipe or a device, not a file")
        file.seek(start)
        return file.read()


def read_if_file(path: str) -> bytes | None:
    """The bytes of a file; None where there is none, but perhaps a folder or a pipe.

    Asked for every access, so without `pathlib`.

    Raises:
        OSError: The system refused.
    """
    try:
        descriptor = os.open(path, _READ)
    except OSError as error:
        if error.errno in (*_NOT_THERE, errno.ENXIO) or os.path.isdir(path):  # noqa: PTH112 - as above
            return None
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        data, rest = b"", os.read(descriptor, status.st_size + 1)
        while rest:  # the last read of nothing says that this was the end
            data += rest
            rest = os.read(descriptor, _PIECE)
        return data
    finally:
        os.close(descriptor)


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


_AGAIN: Final = "then run the same command again to continue"
_ROOM: Final = f"Free some disk space, {_AGAIN}."
_RIGHTS: Final = f"Give yourself read and write permission there, {_AGAIN}."
_READ_ONLY: Final = (
    f"Nothing can be written there: choose another place, or make it writable, {_AGAIN}."
)
_IN_THE_WAY: Final = f"A file is where a folder has to be: move it away, {_AGAIN}."
_FIXES: Final = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: _ROOM,
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.EROFS: _READ_ONLY,
    errno.ENOTDIR: _IN_THE_WAY,
    errno.EEXIST: _IN_THE_WAY,
    errno.EISDIR: f"A folder is where a file has to be: move it away, {_AGAIN}.",
    errno.ENOENT: "Check the spelling of the folder, or choose another place.",
    errno.ENAMETOOLONG: "Choose a shorter name, or a folder that is less deep.",
    errno.EINVAL: f"Put the file back from a backup, or move away what is there, {_AGAIN}.",
    errno.EMFILE: f"Close some programs (or raise `ulimit -n`), {_AGAIN}.",
}
DEVICE_ERRORS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""What a device answers that takes no more, wherever it happens."""

_OTHER: Final = f"Check the disk that holds it, {_AGAIN}."


def storage_error(doing: str, path: Path, error: OSError) -> StorageError:
    """The error for an operation that the system refused.

    Args:
        doing: What was tried, such as `write`.
        path: The file or folder.
        error: What the system said.
    """
    fix = _FIXES.get(error.errno, _OTHER) if error.errno is not None else _OTHER
    return StorageError(f"Cannot {doing} {path}", why=error.strerror or str(error), fix=fix)


@contextmanager
def storage_errors(doing: str, path: Path) -> Iterator[None]:
    """Turn the system's refusals inside the block into a `StorageError`.

    Raises:
        StorageError: The block raised an OSError.
    """
    try:
        yield
    except OSError as error:
        raise storage_error(doing, path, error) from error
