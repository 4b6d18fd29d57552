"""The calls to the operating system on which durability rests, as one narrow seam."""

import os
from pathlib import Path
from typing import Final, Protocol


class FileOps(Protocol):
    """The part of the module `os` that writes; a test hands in one that fails at will."""

    def open(self, path: Path, flags: int, mode: int = 0o777, /) -> int:
        """Open a file or, to sync it, a folder; return the descriptor."""
        ...

    def write(self, descriptor: int, data: memoryview, /) -> int:
        """Write a first part of `data`; return its length in bytes."""
        ...

    def fsync(self, descriptor: int, /) -> None:
        """Wait until the device has what was written."""
        ...

    def ftruncate(self, descriptor: int, length: int, /) -> None:
        """Cut the file to `length` bytes."""
        ...

    def close(self, descriptor: int, /) -> None:
        """Give the descriptor back."""
        ...

    def replace(self, source: Path, target: Path, /) -> None:
        """Rename `source` over `target` in one step."""
        ...

    def unlink(self, path: Path, /) -> None:
        """Remove a file."""
        ...


SYSTEM: Final[FileOps] = os
"""The real operating system."""


class UnsyncedOps:
    """The operating system without the waits for the device: for copies that are thrown away."""

    open = staticmethod(os.open)
    write = staticmethod(os.write)
    ftruncate = staticmethod(os.ftruncate)
    close = staticmethod(os.close)
    replace = staticmethod(os.replace)
    unlink = staticmethod(os.unlink)

    def fsync(self, descriptor: int, /) -> None:
        """Nothing: a crash may take the copy."""


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
