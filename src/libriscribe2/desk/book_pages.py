"""What the book is made from, with where each was used, and its chapters with their versions."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from libriscribe2.commands.hand_edits import PLAN_SHAPES
from libriscribe2.commands.reply_replay import word_diff
from libriscribe2.desk.drawn import prose_html
from libriscribe2.desk.snapshot import NUMBER, ChapterEntry, Snapshot, artifact, readable
from libriscribe2.models.story import (
    CharactersFile,
    ConceptFile,
    OutlineFile,
    ScenesFile,
    WorldFile,
)
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import (
    CHAPTER_FILES,
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    RESEARCH_NOTES,
    SCENES,
    STATE,
    WORLD,
)
from libriscribe2.project.texts import content_sha
from libriscribe2.replies.contract import plain_reply


def book_data(snapshot: Snapshot) -> dict[str, Any]:
    """The values of the page; what is not there is None."""
    book = snapshot.book
    people = artifact(book, CHARACTERS, CharactersFile)
    world, scenes = artifact(book, WORLD, WorldFile), artifact(book, SCENES, ScenesFile)
    chapters = snapshot.chapters
    return {
        "concept": artifact(book, CONCEPT, ConceptFile),
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
        "outline": artifact(book, OUTLINE, OutlineFile),
        "scenes": scenes,
        "notes": _notes(snapshot),
        "used": {name: used_by(snapshot, name) for name in (*PLAN_SHAPES, RESEARCH_NOTES)},
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


def _notes(snapshot: Snapshot) -> list[Mapping[str, Any]]:
    """The notes of the research, as far as they can be read."""
    view = snapshot.view
    value: Any = []
    if view.exists(RESEARCH_NOTES):
        value = readable(lambda: view.read_json(RESEARCH_NOTES), value)
    notes = value.get("notes", []) if isinstance(value, dict) else value
    return [note for note in notes if isinstance(note, dict)] if isinstance(notes, list) else []


_TRASHED: Final = re.compile(r"(\d{8}T\d{6}Z)-(?:\d+-)?chapters_(\d+)\.md")
_SCENE_BREAK: Final = "\n\n* * *\n\n"
_OF_REVISION: Final = re.compile(r"/(?:critique|patches)\d[^/]*$")
"""How a step ends whose reply is about the text and no part of it."""


@dataclass(frozen=True, slots=True)
class Version:
    """A chapter as it was.

    Attributes:
        key: What it is called in addresses.
        label: What a person calls it.
        text: Its Markdown.
    """

    key: str
    label: str
    text: str


def whole_book(snapshot: Snapshot) -> dict[str, Any]:
    """The values of the page with all chapters."""
    entries = snapshot.chapters
    html = {entry.key: prose_html(entry.text) for entry in entries if not entry.fault}
    return {"chapters": entries, "html": html}


def one_chapter(snapshot: Snapshot, key: str, version: str = "") -> dict[str, Any] | None:
    """The values of a chapter's page; None where there is no such chapter or version."""
    entries = snapshot.chapters
    place = next((n for n, entry in enumerate(entries) if entry.key == key), None)
    if place is None:
        return None
    entry, older = entries[place], older_versions(snapshot, key)
    chosen = next((one for one in older if one.key == version), None)
    if version and chosen is None:
        return None
    return {
        "chapters": entries,
        "chapter": entry,
        "remark": _remark(snapshot, CHAPTER_FILES.replace("*", entry.key)),
        "versions": older,
        "version": chosen,
        "html": None if entry.fault else prose_html(entry.text, anchored=True),
        "pieces": word_diff(chosen.text, entry.text) if chosen is not None else None,
        "previous": entries[place - 1] if place else None,
        "next": entries[place + 1] if place + 1 < len(entries) else None,
    }


def _remark(snapshot: Snapshot, name: str) -> str:
    """How the newest run made a file, such as which suggested edits it did not apply and why."""
    made = [
        event.message
        for event in snapshot.events
        if event.event == "stage.end" and event.path == name
    ]
    return made[-1] if made else ""


def older_versions(snapshot: Snapshot, key: str) -> list[Version]:
    """What a chapter was before, newest first: as the replies had it, and as the trash has it."""
    name = CHAPTER_FILES.replace("*", key)
    found = [*_as_replied(snapshot, name), *_trashed(snapshot, int(key))]
    present = _text(snapshot, name)
    return [version for version in found if version.text.strip() != present.strip()]


def _as_replied(snapshot: Snapshot, name: str) -> list[Version]:
    """The chapter that the recorded replies make; exactly the one that was written, or near it."""
    manifest = snapshot.view.manifest
    record = manifest.files.get(name)
    keys = [] if record is None else list(filter(partial(_is_prose, manifest), record.keys))
    replies = [manifest.reply(key) for key in keys]
    if record is None or not replies or None in replies:
        return []
    parts = [plain_reply(str(reply["reply"])).strip() for reply in replies if reply is not None]
    body = _SCENE_BREAK.join(parts)
    for heading in _headings(snapshot, name):
        text = f"# {heading}\n\n{body}\n"
        if content_sha(name, text.encode("utf-8", "replace")) == record.sha:
            return [Version("written", "as it was written", text)]
    label = "the replies that it was made from"
    if len(keys) < len(record.keys):
        label += ", before revision"
    return [Version("replies", label, f"{body}\n")]


def _is_prose(manifest: Manifest, key: str) -> bool:
    """Whether a reply was text for the chapter."""
    return not _OF_REVISION.search(manifest.step_of(key))


def _headings(snapshot: Snapshot, name: str) -> list[str]:
    """Titles that the chapter may have had."""
    own = _text(snapshot, name).partition("\n")[0].removeprefix("# ")
    number = NUMBER.search(name)
    outline = artifact(snapshot.book, OUTLINE, OutlineFile)
    planned = outline.chapters if outline is not None else []
    place = int(number[1]) - 1 if number else 0
    return [own, *(chapter.title for chapter in planned[place : place + 1])]


def _trashed(snapshot: Snapshot, number: int) -> list[Version]:
    """Copies in the trash, newest first."""
    found = []
    for name in snapshot.view.names(f"{STATE}/trash/*-chapters_*.md"):
        trashed = _TRASHED.fullmatch(name.rpartition("/")[2])
        text = _text(snapshot, name)
        if trashed is not None and int(trashed[2]) == number and text:
            key = re.sub(r"\W", "", name.rpartition("/")[2].partition("-chapters")[0].lower())
            found.append(Version(key, f"replaced {_when(trashed[1])}", text))
    return found[::-1]


def _text(snapshot: Snapshot, name: str) -> str:
    return readable(lambda: snapshot.view.read_text(name), "")


def _when(stamp: str) -> str:
    """`20250112T103000Z` as a date and a time."""
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]} {stamp[9:11]}:{stamp[11:13]}"
