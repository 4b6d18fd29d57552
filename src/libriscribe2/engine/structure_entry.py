"""What of the plans concerns one chapter: its own entry in `outline.json` and `scenes.json`.

A chapter is written from its own entry, so a change of another chapter's entry, or of its number
alone, makes it no staler than it was.
"""

from functools import lru_cache
from typing import Any, Final

from libriscribe2.errors import ProjectError
from libriscribe2.project.hashing import value_sha
from libriscribe2.project.paths import OUTLINE, RESEARCH, RESEARCH_NOTES, SCENES
from libriscribe2.project.user_text import decode_text, parse_json
from libriscribe2.project.view import ProjectView
from libriscribe2.utils.quantities import counted

PLANS: Final = (OUTLINE, SCENES)
"""Files that hold one entry per chapter, in the order of the book."""

NUMBER: Final = "chapter"
"""The field of an entry in `scenes.json` that repeats its place in the list."""


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
