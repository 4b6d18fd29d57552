"""What a unit works from, and the hash by which a change of it is known.

A chapter is written from its own entry in `outline.json` and `scenes.json`, so a change of another
chapter's entry, or of its number alone, makes it no staler than it was.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.errors import ProjectError
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import BOOK_TOML, OUTLINE, RESEARCH, RESEARCH_NOTES, SCENES
from libriscribe2.project.texts import decode_text, parse_json, value_sha
from libriscribe2.project.view import ProjectView
from libriscribe2.wording import counted

PLANS: Final = (OUTLINE, SCENES)
"""Files that hold one entry per chapter, in the order of the book."""

NUMBER: Final = "chapter"
"""The field of an entry in `scenes.json` that repeats its place in the list."""


def input_hashes(agent: type[Agent], unit: Unit, brief: Brief, view: ProjectView) -> dict[str, str]:
    """The present hash of all that a unit works from, by name.

    A field of the brief is called `book.toml:field`. A file that the book does not have is
    left out, so that its coming is a change. Of the plans, a chapter's unit works from its own
    entry only (`input_sha`).
    """
    order = draft_order(brief, view)
    names = [found for name in agent.inputs(unit, order) for found in _expanded(name, view)]
    files = {name: input_sha(name, unit.chapter, view) for name in names}
    hashes = {name: sha for name, sha in files.items() if sha is not None}
    return {**hashes, **_asked(brief, agent.brief_keys)}


def draft_order(brief: Brief, view: ProjectView) -> DraftOrder:
    """The order in which the chapters of a book are drafted.

    Of a story that is told in sequence the number of chapters is no matter.
    """
    if brief.drafting == "sequential" and brief.kind == "fiction":
        return DraftOrder(brief.drafting)
    return DraftOrder.planned(brief.drafting, brief.kind, Book(view).roles())


def input_sha(name: str, chapter: int | None, view: ProjectView) -> str | None:
    """The present hash of an input, as far as it concerns a chapter.

    Args:
        name: The file's name.
        chapter: The chapter that is made from it; None where the whole book is.
        view: The project.

    Returns:
        The hash of the chapter's entry in a plan, of the whole file otherwise; None where there
        is no such file or entry.

    Raises:
        StorageError: The file cannot be read.
    """
    found = view.find(name)
    if found is None:
        return None
    if name == RESEARCH_NOTES:
        return _stage_notes_sha(found.data) or found.sha
    shas = None if chapter is None or name not in PLANS else _entry_shas(name, found.data)
    if chapter is None or shas is None:  # no plan: it counts as a whole
        return found.sha
    return shas[chapter - 1] if chapter <= len(shas) else None


def check_planned(chapter: int | None, view: ProjectView) -> None:
    """Make sure that the plan still has a chapter: it may be edited during a run.

    Raises:
        ProjectError: It has not.
        StorageError: The file cannot be read.
    """
    found = view.find(OUTLINE) if chapter is not None else None
    shas = None if found is None else _entry_shas(OUTLINE, found.data)
    if chapter is not None and shas is not None and chapter > len(shas):
        raise ProjectError(
            f"{OUTLINE} has no chapter {chapter}",
            why=f"it has {counted(len(shas), 'chapter')}, and had more when the run began",
            fix="Take chapters away with `libriscribe2 chapter delete`, or run again.",
        )


@lru_cache(maxsize=16)
def _entry_shas(name: str, data: bytes) -> tuple[str, ...] | None:
    """The hash of every entry of a plan; None where the bytes are no plan."""
    try:
        entries = parse_json(name, decode_text(name, data))["chapters"]
        return tuple(value_sha(_without_number(entry)) for entry in entries)
    except (ProjectError, TypeError, KeyError):
        return None


@lru_cache(maxsize=4)
def _stage_notes_sha(data: bytes) -> str | None:
    """The hash of the notes of the book's own research; None where the bytes hold no notes.

    What a question of the author's adds comes on top: nothing that is written gets older by it.
    """
    try:
        notes = parse_json(RESEARCH_NOTES, decode_text(RESEARCH_NOTES, data))["notes"]
        return value_sha([note for note in notes if _is_of_the_stage(note)])
    except (ProjectError, TypeError, KeyError):
        return None


def _is_of_the_stage(note: Any) -> bool:
    return isinstance(note, dict) and str(note.get("step", "")).startswith(f"{RESEARCH}/")


def _without_number(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    return {key: value for key, value in entry.items() if key != NUMBER}


def _expanded(name: str, view: ProjectView) -> Iterable[str]:
    """The files that a name or pattern stands for."""
    return view.names(name) if "*" in name else (name,)


@lru_cache(maxsize=64)
def _asked(brief: Brief, keys: tuple[str, ...]) -> Mapping[str, str]:
    """The hashes of fields of a brief, which is the same for all units of a run."""
    asked = brief.model_dump(mode="json")
    return MappingProxyType({f"{BOOK_TOML}:{key}": _sha(asked[key]) for key in keys})


def _sha(value: object) -> str:
    """The hash of a field of the brief."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode("utf-8")).hexdigest()
