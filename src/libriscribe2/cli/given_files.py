"""Files that a new book has from the beginning."""

from collections.abc import Sequence
from dataclasses import dataclass

from libriscribe2.project.atomic import atomic_write, make_folder, storage_errors
from libriscribe2.project.paths import ProjectPaths


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file of a new book.

    Attributes:
        name: Its name in the project, such as `samples/letters.md`.
        data: Its bytes.
    """

    name: str
    data: bytes


def place_files(paths: ProjectPaths, files: Sequence[GivenFile]) -> None:
    """Put files into a project.

    Raises:
        StorageError: The system refuses.
    """
    for file in files:
        path = paths.resolve(file.name)
        with storage_errors("write", path):
            make_folder(path.parent)
            atomic_write(path, file.data)
