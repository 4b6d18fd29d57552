"""What the book is made from: concept, people, world, plan and notes, and where each was used."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from libriscribe2.errors import LibriScribeError
from libriscribe2.models.story import (
    CharactersFile,
    ConceptFile,
    OutlineFile,
    ScenesFile,
    WorldFile,
)
from libriscribe2.project.artifacts import ModelT
from libriscribe2.project.paths import (
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    RESEARCH_NOTES,
    SCENES,
    WORLD,
)
from libriscribe2.review.chapters import ChapterEntry
from libriscribe2.review.snapshot import Snapshot

_SHAPES: Final = {
    CONCEPT: ConceptFile,
    CHARACTERS: CharactersFile,
    WORLD: WorldFile,
    OUTLINE: OutlineFile,
    SCENES: ScenesFile,
}


def book_data(snapshot: Snapshot) -> dict[str, Any]:
    """The values of the page; what is not there is None."""
    concept = _read(snapshot, CONCEPT, ConceptFile)
    people = _read(snapshot, CHARACTERS, CharactersFile)
    world = _read(snapshot, WORLD, WorldFile)
    outline = _read(snapshot, OUTLINE, OutlineFile)
    scenes = _read(snapshot, SCENES, ScenesFile)
    chapters = snapshot.chapters
    return {
        "concept": concept,
        "people": [
            (person, planned_in(scenes, person.name), named_in(person.name, chapters))
            for person in (people.characters if people else [])
        ],
        "world": world,
        "places": [
            (place, places_in(scenes, place.name), named_in(place.name, chapters))
            for place in (world.places if world else [])
        ],
        "terms": [(term, named_in(term.name, chapters)) for term in (world.terms if world else [])],
        "outline": outline,
        "scenes": scenes,
        "notes": _notes(snapshot),
        "used": {name: used_by(snapshot, name) for name in (*_SHAPES, RESEARCH_NOTES)},
        "states": {unit.unit.output: unit.state for unit in snapshot.units},
        "written": {int(entry.key) for entry in chapters if entry.key.isdecimal()},
    }


def used_by(snapshot: Snapshot, name: str) -> list[str]:
    """The files that were made from a file, by the journal."""
    files = snapshot.view.manifest.files
    return sorted(made for made, record in files.items() if name in record.inputs)


def planned_in(scenes: ScenesFile | None, person: str) -> list[int]:
    """The chapters whose plans have a person in them."""
    plans = scenes.chapters if scenes else []
    return [
        plan.chapter for plan in plans if any(person in scene.characters for scene in plan.scenes)
    ]


def places_in(scenes: ScenesFile | None, place: str) -> list[int]:
    """The chapters whose plans have a scene there."""
    plans = scenes.chapters if scenes else []
    wanted = place.casefold()
    return [
        plan.chapter
        for plan in plans
        if any(scene.place.casefold() == wanted for scene in plan.scenes)
    ]


def named_in(name: str, chapters: Iterable[ChapterEntry]) -> Mapping[str, int]:
    """How often each chapter's text names somebody or something, in full or by the first word."""
    words = [word for word in (name, name.split()[0]) if len(word) > 1]
    if name.casefold().startswith(("the ", "a ", "an ")):
        words = [name, name.split(maxsplit=1)[1]]
    pattern = re.compile("|".join(map(re.escape, words)) or r"(?!)", re.IGNORECASE)
    counts = {entry.key: len(pattern.findall(entry.text)) for entry in chapters}
    return {key: count for key, count in counts.items() if count}


def _read(snapshot: Snapshot, name: str, shape: type[ModelT]) -> ModelT | None:
    """An artifact; None where it is missing or damaged, which the problems page tells."""
    try:
        return snapshot.book.load(name, shape) if snapshot.book.has(name) else None
    except LibriScribeError:
        return None


def _notes(snapshot: Snapshot) -> list[Mapping[str, Any]]:
    """The notes of the research, as far as they can be read."""
    try:
        if not snapshot.view.exists(RESEARCH_NOTES):
            return []
        value = snapshot.view.read_json(RESEARCH_NOTES)
    except LibriScribeError:
        return []
    notes = value.get("notes", []) if isinstance(value, dict) else value
    return [note for note in notes if isinstance(note, dict)] if isinstance(notes, list) else []
