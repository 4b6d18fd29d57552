"""What the user is told when the operating system refuses."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from libriscribe2.errors import StorageError

_AGAIN: Final = "then run the same command again: it goes on where it stopped"
_ROOM: Final = f"Free some disk space, {_AGAIN}."
_RIGHTS: Final = f"Give yourself permission to read and write there, {_AGAIN}."
_READ_ONLY: Final = (
    f"Nothing can be written there: choose another place, or make it writable, {_AGAIN}."
)
_IN_THE_WAY: Final = f"A file stands where a folder has to be: move it away, {_AGAIN}."
_FIXES: Final = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EFBIG: _ROOM,
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.EROFS: _READ_ONLY,
    errno.ENOTDIR: _IN_THE_WAY,
    errno.EEXIST: _IN_THE_WAY,
    errno.EISDIR: f"A folder stands where a file has to be: move it away, {_AGAIN}.",
    errno.ENOENT: "Check the spelling of the folder, or choose another place.",
    errno.ENAMETOOLONG: "Choose a shorter name, or a folder that is less deep.",
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
