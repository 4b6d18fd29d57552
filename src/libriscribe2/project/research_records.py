"""What research leaves beside its notes: the chains with their steps, and records for the author."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from libriscribe2.models.research import NotesFile, Source, SourcesFile
from libriscribe2.project.json_text import readable_json
from libriscribe2.project.paths import RESEARCH_CHAINS, RESEARCH_NOTES, ProjectPaths
from libriscribe2.project.research_files import ResearchFolder
from libriscribe2.project.storage_errors import storage_errors
from libriscribe2.project.store import ProjectStore

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

    Returns:
        Whether the file has the text now.

    Raises:
        StorageError: The system refused; the file has its old content.
    """
    present = store.sha(name)
    if present is not None and not store.manifest.is_ours(name, present):
        return False
    store.write(name, text, step=STEP, inputs={}, params={})
    return True


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
