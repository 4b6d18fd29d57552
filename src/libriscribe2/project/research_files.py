"""What research leaves in a project: sources, notes, chains with their steps."""

import hashlib
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Final

from pydantic import BaseModel, ValidationError

from libriscribe2.models.brief import Brief
from libriscribe2.models.notes import (
    NotesFile,
    SavedSource,
    Section,
    Source,
    SourceKind,
    SourcesFile,
)
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import atomic_write, make_folder, storage_errors
from libriscribe2.project.paths import (
    RESEARCH_CHAINS,
    RESEARCH_FETCHED,
    RESEARCH_LIST,
    RESEARCH_NOTES,
    RESEARCH_SOURCES,
    ProjectPaths,
)
from libriscribe2.project.project_view import ProjectView, natural_order
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.texts import readable_json, utf8

_ID_DIGITS: Final = 12
_BETWEEN: Final = "\n\n"
_FIRST_WORDS: Final = 6
_BEGINS_WITH: Final = 120
_PARAGRAPH_END: Final = re.compile(r"(\n[^\S\n]*\n)\s*")


@dataclass(frozen=True)
class SavedText:
    """A saved text with what is known about it.

    Attributes:
        saved: Where it is from and how it is divided.
        text: The text.
        whole: Whether the text still is the one that was saved.
    """

    saved: SavedSource
    text: str
    whole: bool = True

    @property
    def source(self) -> Source:
        """Where it is from."""
        return self.saved.source

    def locator(self, position: int) -> str:
        """Where a character stands: the section's name, else its paragraph's number and beginning."""
        if named := self.saved.locator(position):
            return named
        number = bisect_right(self._paragraph_ends, position)
        start = self._paragraph_ends[number - 1] if number else 0
        words = self.text[start : start + _BEGINS_WITH].strip().partition(_BETWEEN)[0].split()
        goes_on = " \u2026" if len(words) > _FIRST_WORDS else ""
        first = " ".join(words[:_FIRST_WORDS]) + goes_on
        return f"paragraph {number + 1}, \u201c{first}\u201d"

    @cached_property
    def _paragraph_ends(self) -> "array[int]":
        """Where the paragraphs end; a long text has thousands of places to look up."""
        return array("q", (match.end(1) for match in _PARAGRAPH_END.finditer(self.text)))


def source_id(kind: SourceKind, place: str) -> str:
    """The id of a source: the same place has the same id in every run."""
    digest = hashlib.sha256(f"{kind}\n{place}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"s-{digest[:_ID_DIGITS]}"


def saved_text(source: Source, parts: Iterable[tuple[str, str]], *, reader: int = 1) -> SavedText:
    """A text put together from parts, ready to be saved.

    Args:
        source: Where it is from.
        parts: Locator and text of every part; empty parts are left out.
        reader: The version of the readers.
    """
    sections: list[Section] = []
    pieces: list[str] = []
    length = 0
    for locator, part in parts:
        if not part.strip():
            continue
        start = length + (len(_BETWEEN) if pieces else 0)
        pieces.append(part)
        length = start + len(part)
        sections.append(Section(locator=locator, start=start, end=length))
    text = _BETWEEN.join(pieces)
    saved = SavedSource(
        source=source, text_sha256=_sha(text), reader=reader, sections=tuple(sections)
    )
    return SavedText(saved, text)


class ResearchFolder:
    """Reads and writes the folder.

    Args:
        paths: The project's files.
    """

    def __init__(self, paths: ProjectPaths) -> None:
        self.paths = paths
        self._lock = RLock()
        self._hashes: dict[str, tuple[tuple[int, int], str]] = {}

    @contextmanager
    def working(self) -> Iterator[None]:
        """Keeps other threads of this process from reading and saving sources meanwhile."""
        with self._lock:
            yield

    def own_files(self) -> tuple[str, ...]:
        """The author's files, named from `research/sources/` on; hidden ones are left out.

        A name may be one that `own_path` refuses, such as that of a link out of the project.

        Raises:
            StorageError: The folder cannot be read.
        """
        root = self.paths.root / RESEARCH_SOURCES
        with storage_errors("read", root):
            found = [path for path in root.rglob("*") if path.is_file()] if root.is_dir() else []
        names = (path.relative_to(root).as_posix() for path in found)
        shown = (name for name in names if not any(part[0] == "." for part in name.split("/")))
        return tuple(sorted(shown, key=natural_order))

    def own_path(self, name: str) -> Path:
        """Where one of the author's files is.

        Raises:
            ProjectError: The name leads out of the folder.
        """
        return self.paths.resolve(f"{RESEARCH_SOURCES}/{name}")

    def own_size(self, name: str) -> int:
        """How many bytes one of the author's files has.

        Raises:
            ProjectError: The name leads out of the folder.
            StorageError: The file cannot be looked at.
        """
        path = self.own_path(name)
        with storage_errors("read", path):
            return path.stat().st_size

    def own_sha(self, name: str) -> str:
        """The hash of the bytes of one of the author's files.

        It is computed again only where time or size of the file changed.

        Raises:
            ProjectError: The name leads out of the folder.
            StorageError: The file cannot be read.
        """
        path = self.own_path(name)
        with storage_errors("read", path):
            found = path.stat()
            stamp = (found.st_mtime_ns, found.st_size)
            known = self._hashes.get(name)
            if known is None or known[0] != stamp:
                with path.open("rb") as file:
                    known = stamp, hashlib.file_digest(file, "sha256").hexdigest()
                self._hashes[name] = known
        return known[1]

    def save(self, document: SavedText) -> None:
        """Save a text, over an older one from the same place.

        Raises:
            StorageError: The files could not be written.
        """
        record, text = self._saved_paths(document.source.id)
        with self._lock, storage_errors("write", text):
            make_folder(text.parent)
            # The text comes first: a record without its text would promise what is not there.
            atomic_write(text, document.text.encode("utf-8", "replace"))
            atomic_write(record, utf8(readable_json(document.saved.model_dump(mode="json"))))

    def load(self, identifier: str) -> SavedText | None:
        """A saved text; None where there is none, or where its record cannot be used.

        Raises:
            ProjectError: The id leads out of the project.
            StorageError: The files cannot be read.
        """
        saved = self.record(identifier)
        _, path = self._saved_paths(identifier)
        with storage_errors("read", path):
            if saved is None or not path.is_file():
                return None
            text = path.read_bytes().decode("utf-8", "replace")
        return SavedText(saved, text, whole=_sha(text) == saved.text_sha256)

    def saved_ids(self) -> tuple[str, ...]:
        """The ids of the saved texts, sorted.

        Raises:
            StorageError: The folder cannot be read.
        """
        root = self.paths.root / RESEARCH_FETCHED
        with storage_errors("read", root):
            files = sorted(root.glob("s-*.json")) if root.is_dir() else []
        return tuple(file.stem for file in files)

    def record(self, identifier: str) -> SavedSource | None:
        """The record of a saved text; None where there is none that can be used.

        Raises:
            ProjectError: The id leads out of the project.
            StorageError: The file cannot be read.
        """
        path, _ = self._saved_paths(identifier)
        with storage_errors("read", path):
            if not path.is_file():
                return None
            data = path.read_bytes()
        try:
            return SavedSource.model_validate_json(data)
        except ValidationError:
            return None

    def _saved_paths(self, identifier: str) -> tuple[Path, Path]:
        """Where the record and the text of a source are."""
        stem = f"{RESEARCH_FETCHED}/{identifier}"
        return self.paths.resolve(f"{stem}.json"), self.paths.resolve(f"{stem}.md")


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


STEP = "research"
"""The step under which the journal keeps what research writes."""


def chain_file(paths: ProjectPaths, name: str, generation: int = 0) -> Path:
    """Where a chain is kept; one that was asked for again is another chain.

    Raises:
        ProjectError: The name leads out of the project.
    """
    numbered = f"{name}.{generation}" if generation else name
    return paths.resolve(f"{RESEARCH_CHAINS}/{numbered}.json")


def chain_files(paths: ProjectPaths) -> tuple[Path, ...]:
    """The files of all chains, the one that was worked on last at the end.

    Raises:
        StorageError: The folder cannot be read.
    """
    root = paths.root / RESEARCH_CHAINS
    with storage_errors("read", root):
        found = [(_touched(path), path.name, path) for path in root.glob("*.json")]
    return tuple(path for _, _, path in sorted(found))


def keep_record(store: ProjectStore, name: str, text: str) -> bool:
    """Keep a file of the research folder; one that the author edited stays as it is.

    The list of sources gets those that are new to it even then.

    Returns:
        Whether the file has the text now.

    Raises:
        StorageError: The system refused; the file has its old content.
    """
    present = store.sha(name)
    if present is not None and not store.manifest.is_ours(name, present):
        if name == RESEARCH_LIST:
            _add_sources(store, SourcesFile.model_validate_json(text))
        return False
    store.write(name, text, step=STEP, inputs={}, params={})
    return True


def _add_sources(store: ProjectStore, found: SourcesFile) -> None:
    """Put new sources behind those of a list that the author edited."""
    try:
        kept = SourcesFile.model_validate_json(store.find_text(RESEARCH_LIST) or "")
    except ValidationError:
        return
    known = {source.id for source in kept.sources}
    if new := [source for source in found.sources if source.id not in known]:
        store.import_text(RESEARCH_LIST, as_text(SourcesFile(sources=[*kept.sources, *new])))


def add_notes(store: ProjectStore, notes: NotesFile) -> None:
    """Put notes into `notes.json`: what the author did to the file stays, and it stays theirs.

    Raises:
        StorageError: The system refused; the file has its old content.
    """
    text, present = as_text(notes), store.sha(RESEARCH_NOTES)
    if present is not None and not store.manifest.is_ours(RESEARCH_NOTES, present):
        store.import_text(RESEARCH_NOTES, text)
        return
    last = store.manifest.files.get(RESEARCH_NOTES)
    inputs = last.inputs if last is not None else {}
    store.write(RESEARCH_NOTES, text, step=STEP, inputs=inputs, params={})


def has_no_sources(brief: Brief, view: ProjectView) -> bool:
    """Whether a book states facts and rests on no source: no note that may be used, and no file.

    Raises:
        ProjectError: The notes cannot be read.
        StorageError: The folder cannot be read.
    """
    if brief.kind == "fiction":
        return False
    notes = Book(view).notes()
    return not any(note.is_fact for note in notes) and not ResearchFolder(view.paths).own_files()


def merged(kept: NotesFile, found: NotesFile) -> NotesFile:
    """Notes and those that are new to them; a note that is there twice stays as it was."""
    known = {note.id for note in kept.notes}
    return NotesFile(notes=[*kept.notes, *(note for note in found.notes if note.id not in known)])


def cited_sources(folder: ResearchFolder, notes: NotesFile) -> SourcesFile:
    """The sources that notes rest on, in the order in which they come up.

    Raises:
        StorageError: A record cannot be read.
    """
    ids: Sequence[str] = list(dict.fromkeys(note.source for note in notes.notes))
    records = (folder.record(one) for one in ids)
    sources: list[Source] = [record.source for record in records if record is not None]
    return SourcesFile(sources=sources)


def as_text(value: BaseModel) -> str:
    """The text of a JSON file."""
    return readable_json(value.model_dump(mode="json"))


def _touched(path: Path) -> int:
    """When a chain was last worked on: its finished steps stand in the file beside it."""
    lines = path.with_suffix(".jsonl")
    return max(one.stat().st_mtime_ns for one in (path, lines) if one.exists())
