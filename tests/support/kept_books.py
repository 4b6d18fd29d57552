"""Books that many tests begin with: each is written once per process and put where it is wanted."""

import os
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.authors import Author


@dataclass(frozen=True)
class KeptFile:
    """A file as it was at one moment."""

    place: Path
    content: bytes
    mode: int
    times: tuple[int, int]


class StoredBook:
    """The files of a finished book, and who wrote it.

    Args:
        desk: The folder that holds them.
        folders: Those of its folders that belong to the book.
        author: Its author, with all requests; no test changes it.
    """

    def __init__(self, desk: Path, folders: tuple[Path, ...], author: Author) -> None:
        self.author = author
        found = [path for folder in folders for path in (folder, *folder.rglob("*"))]
        self._folders = [path.relative_to(desk) for path in found if path.is_dir()]
        self._files = [_kept(path, desk) for path in found if path.is_file()]

    def put(self, desk: Path) -> None:
        """Write the book into a folder, to the byte and with its times."""
        for folder in self._folders:
            (desk / folder).mkdir(parents=True, exist_ok=True)
        for file in self._files:
            path = desk / file.place
            path.write_bytes(file.content)
            path.chmod(file.mode)
            os.utime(path, ns=file.times)


def _kept(path: Path, desk: Path) -> KeptFile:
    told = path.stat()
    times = (told.st_atime_ns, told.st_mtime_ns)
    return KeptFile(path.relative_to(desk), path.read_bytes(), told.st_mode, times)


BOOKS: Final[dict[Hashable, StoredBook]] = {}
"""The books of this process, by the command and the variables that each was written with."""
