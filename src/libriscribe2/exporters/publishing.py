"""Which formats there are, and from a book to their files: each whole, or not there.

A format exists by being the `EXPORTER` of a module in `libriscribe2.exporters.formats`.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from tempfile import TemporaryDirectory
from typing import Final

from libriscribe2.errors import ConfigError, LibriScribeError, UsageError
from libriscribe2.exporters import formats
from libriscribe2.exporters.book_reading import ModelShare, shares
from libriscribe2.exporters.export_book import Edition, ExportBook, Exporter
from libriscribe2.exporters.pandoc import find_pandoc
from libriscribe2.llm.providers import MANUAL_MODEL
from libriscribe2.project.atomic import atomic_write, make_folder, read_regular, storage_errors
from libriscribe2.project.journal import read_journal
from libriscribe2.project.lock import Machine
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.structure_change import digest, place_file
from libriscribe2.project.texts import readable_json, utf8

_BY_HAND: Final = (
    f"`{MANUAL_MODEL}` stands for a chat window, into which a person pasted each request, and whose "
    "replies that person pasted back."
)

DISCLOSURE: Final = "AI-DISCLOSURE.md"

_DEMO: Final = frozenset({"demo", "offline"})
"""The names of the stand-in author."""


def disclosure(view: ProjectView, book: ExportBook) -> str:
    """The text of `AI-DISCLOSURE.md`: stages, models and days from the journal.

    Raises:
        StorageError: The journal or a chapter cannot be read.
    """
    told = shares(read_journal(view.paths.journal).records)
    own = [part.name for part in book.parts if not _is_ours(view, part.name)]
    paragraphs = ["# AI disclosure", _opening(book.title, told), *_table(told), *_notes(told)]
    if book.unsourced:
        paragraphs.append(
            "It states facts and rests on no source: nothing in it was looked up, and what a model "
            "says from memory may be wrong."
        )
    if own:
        listed = "\n".join(f"- `{name}`" for name in own)
        paragraphs.append(f"Written or edited by a person after that:\n\n{listed}")
    return "\n\n".join(paragraphs) + "\n"


def _is_ours(view: ProjectView, name: str) -> bool:
    """Whether the file is just as the program wrote it."""
    sha = view.sha(name)
    return sha is not None and view.manifest.is_ours(name, sha)


def _opening(title: str, told: Sequence[ModelShare]) -> str:
    if not told:
        return f"The journal of “{title}” has no replies of a model."
    return (
        f"The text of “{title}” was made with LibriScribe2 by the models below. "
        "A reply is one answer of a model; the days are those of the first and the last one."
    )


def _table(told: Sequence[ModelShare]) -> list[str]:
    """Stages and models as a Markdown table; none without a reply."""
    rows = [f"| {one.stage} | {_cell(one.model)} | {one.replies} | {_days(one)} |" for one in told]
    head = ["| stage | model | replies | days |", "|---|---|---|---|"]
    return ["\n".join((*head, *rows))] if rows else []


def _notes(told: Sequence[ModelShare]) -> list[str]:
    """What has to be known of a model that is none."""
    models = {one.model for one in told}
    notes = [
        f"`{name}` is a stand-in author, not a language model." for name in sorted(models & _DEMO)
    ]
    return [*notes, *([_BY_HAND] if MANUAL_MODEL in models else [])]


def _cell(text: str) -> str:
    return "`" + text.replace("|", "/").replace("`", "'") + "`"


def _days(share: ModelShare) -> str:
    return share.first if share.first == share.last else f"{share.first} to {share.last}"


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
        LibriScribeError: A module of the package offers no exporter.
    """
    found = []
    for module in iter_modules(formats.__path__):
        place = f"{formats.__name__}.{module.name}"
        exporter = getattr(import_module(place), "EXPORTER", None)
        if not isinstance(exporter, Exporter):
            raise LibriScribeError(f"{place}.EXPORTER is not an exporter.")
        found.append(exporter)
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
    if find_spec("typst") is None:
        missing["typst"] = ConfigError(
            "Typst is not installed.",
            why="the extra [pdf] is not",
            fix="`uv tool install 'libriscribe2[pdf]'`, or `pip install 'libriscribe2[pdf]'`.",
        )
    reasons = {
        one.name: [missing[name] for name in one.needs if name in missing] for one in exporters
    }
    return {name: found[0] for name, found in reasons.items() if found}
