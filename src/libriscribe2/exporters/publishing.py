"""From a book to files in the folder of exports: each whole, or not there."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from libriscribe2.errors import LibriScribeError
from libriscribe2.exporters.disclosure import DISCLOSURE, disclosure
from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.exporter import Exporter
from libriscribe2.project.atomic import atomic_write, make_folder, storage_errors
from libriscribe2.project.view import ProjectView


@dataclass(frozen=True, slots=True)
class Published:
    """One format of a book.

    Attributes:
        format: Its name, such as `epub`.
        path: The file; an older one stays where the new one could not be made.
        size: Bytes of the new file; 0 where there is none.
        error: Why it could not be made, or None.
        note: What a reader of the file has to know, or "".
    """

    format: str
    path: Path
    size: int
    error: LibriScribeError | None = None
    note: str = ""


def publish(
    book: ExportBook, view: ProjectView, exporters: Sequence[Exporter], folder: Path
) -> list[Published]:
    """Make the formats in `folder`, with `AI-DISCLOSURE.md` beside them.

    A format that fails does not keep the others from being made.

    Raises:
        StorageError: The disclosure cannot be written.
    """
    with storage_errors("make", folder):
        make_folder(folder)
    done = [_published(book, exporter, folder) for exporter in exporters]
    if any(one.error is None for one in done):
        _put(folder / DISCLOSURE, disclosure(view, book).encode("utf-8"))
    return done


def _published(book: ExportBook, exporter: Exporter, folder: Path) -> Published:
    """Make one format."""
    target = folder / f"{book.name}{exporter.suffix}"
    try:
        with storage_errors("write", target), TemporaryDirectory() as staging:
            data = exporter.export(book, Path(staging)).read_bytes()
        _put(target, data)
    except LibriScribeError as error:
        return Published(exporter.name, target, 0, error)
    return Published(exporter.name, target, len(data), note=exporter.note)


def _put(path: Path, data: bytes) -> None:
    with storage_errors("write", path):
        atomic_write(path, data)
