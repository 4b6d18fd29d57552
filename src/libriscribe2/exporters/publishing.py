"""Which formats there are, and from a book to their files: each whole, or not there.

A format exists by being among the `EXPORTERS` of a module in `libriscribe2.exporters.formats`.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from tempfile import TemporaryDirectory
from typing import Final

from libriscribe2.errors import ConfigError, LibriScribeError, UsageError
from libriscribe2.exporters import formats
from libriscribe2.exporters.disclosure import disclosure
from libriscribe2.exporters.export_book import ExportBook, Exporter
from libriscribe2.exporters.pandoc import find_pandoc
from libriscribe2.exporters.typesetting import need_typst
from libriscribe2.models.brief import Edition
from libriscribe2.project.atomic import atomic_write, make_folder, read_regular, storage_errors
from libriscribe2.project.lock import Machine
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.structure_change import digest, place_file
from libriscribe2.project.texts import readable_json, utf8

DISCLOSURE: Final = "AI-DISCLOSURE.md"


@dataclass(frozen=True, slots=True)
class Published:
    """One format of a book.

    Attributes:
        format: Its name, such as `epub`.
        path: The file; an older one stays where the new one could not be made.
        size: Bytes of the new file; 0 where there is none.
        error: Why it could not be made, or None.
        note: What a reader of the file has to know, or "".
        trashed: Where a version that the author had edited is kept now, or "".
    """

    format: str
    path: Path
    size: int
    error: LibriScribeError | None = None
    note: str = ""
    trashed: str = ""


def publish(
    book: ExportBook, view: ProjectView, exporters: Sequence[Exporter], folder: Path
) -> list[Published]:
    """Make the formats in `folder`, with `AI-DISCLOSURE.md` beside them.

    A format that fails does not keep the others from being made. An export that the author edited
    since it was made goes to the project's trash before it is replaced.

    Raises:
        StorageError: The disclosure, or the record of what was made, cannot be written.
    """
    with storage_errors("make", folder):
        make_folder(folder)
    made = _Made(view.paths)
    done = [_published(book, exporter, folder, made) for exporter in exporters]
    if any(one.error is None for one in done):
        made.put(folder / DISCLOSURE, disclosure(view, book).encode("utf-8"))
        made.save()
    return done


def _published(book: ExportBook, exporter: Exporter, folder: Path, made: "_Made") -> Published:
    """Make one format."""
    target = folder / f"{book.name}{exporter.suffix}"
    try:
        with storage_errors("write", target), TemporaryDirectory() as staging:
            data = exporter.export(book, Path(staging)).read_bytes()
        trashed = made.put(target, data)
    except LibriScribeError as error:
        return Published(exporter.name, target, 0, error)
    return Published(exporter.name, target, len(data), note=exporter.note, trashed=trashed)


class _Made:
    """What the exports of a project were when they were made.

    Args:
        paths: The project.
    """

    def __init__(self, paths: ProjectPaths) -> None:
        self._paths = paths
        self._hashes: dict[str, str | None] = {}
        with (
            storage_errors("read", paths.exported),
            suppress(FileNotFoundError, TypeError, ValueError),
        ):
            self._hashes = dict(json.loads(read_regular(paths.exported)))

    def put(self, path: Path, data: bytes) -> str:
        """Put an export in its place; where an edited version of it is kept, or "".

        Raises:
            StorageError: The system refused.
        """
        name = self._name(path)
        before = self._hashes.get(name)
        copies = place_file(self._paths, path.name, path, data, before=before, machine=Machine())
        self._hashes[name] = digest(data)
        return copies[-1] if copies else ""

    def save(self) -> None:
        """Remember what was put, where the project has records.

        Raises:
            StorageError: The system refused.
        """
        if self._paths.state.is_dir():
            with storage_errors("write", self._paths.exported):
                atomic_write(self._paths.exported, utf8(readable_json(self._hashes)))

    def _name(self, path: Path) -> str:
        inside = path.is_relative_to(self._paths.root)
        return path.relative_to(self._paths.root).as_posix() if inside else str(path)


def all_exporters() -> tuple[Exporter, ...]:
    """Every exporter there is, by its place.

    Raises:
        LibriScribeError: A module of the package offers none, or something else.
    """
    found: list[Exporter] = []
    for module in iter_modules(formats.__path__):
        place = f"{formats.__name__}.{module.name}"
        offered = getattr(import_module(place), "EXPORTERS", ())
        if not offered or not all(isinstance(one, Exporter) for one in offered):
            raise LibriScribeError(f"{place}.EXPORTERS are not exporters.")
        found += offered
    return tuple(sorted(found, key=lambda one: (one.place, one.name)))


def exporters_for(names: tuple[str, ...]) -> tuple[Exporter, ...]:
    """The exporters of the named formats; without a name, the usual ones.

    Args:
        names: As the user typed them: `epub`, `EPUB`, `.epub`.

    Raises:
        UsageError: There is no such format.
    """
    known = {one.name: one for one in all_exporters()}
    called = {other: one.name for one in known.values() for other in one.also_called}
    plain = [name.strip().lower().lstrip(".") for name in names]
    wanted = dict.fromkeys(called.get(name, name) for name in plain)
    for name in wanted:
        if name not in known:
            listed = ", ".join(known)
            raise UsageError(f"There is no format {name!r}.", fix=f"Choose from {listed}.")
    return tuple(known[name] for name in wanted) or tuple(
        one for one in known.values() if one.usual
    )


def hindrances(exporters: Sequence[Exporter], edition: Edition) -> dict[str, ConfigError]:
    """Why formats cannot be made here, by their names.

    Args:
        exporters: What is to be made.
        edition: How it is to be made.
    """
    missing: dict[str, ConfigError] = {}
    if any("pandoc" in one.needs for one in exporters):
        try:
            find_pandoc(edition.pandoc)
        except ConfigError as error:
            missing["pandoc"] = error
    try:
        need_typst()
    except ConfigError as error:
        missing["typst"] = error
    reasons = {
        one.name: [missing[name] for name in one.needs if name in missing] for one in exporters
    }
    return {name: found[0] for name, found in reasons.items() if found}
