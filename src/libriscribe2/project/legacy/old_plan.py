"""Outline and scenes of an old project."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from libriscribe2.project.legacy.old_brief import NO_DESCRIPTION
from libriscribe2.project.legacy.old_files import mapping, old_json, old_text, words

_HEADING: Final = re.compile(r"^(?:#{1,2} +|\*\*)(.+?)\**\s*$", re.MULTILINE)
_CHAPTER: Final = re.compile(r"Chapter +(\d+)\s*[:.\u2013-]?\s*(.*)")
_BOOK_SUMMARY: Final = "Book Summary"

Chapters = dict[int, Mapping[str, Any]]
"""Old chapters by number: `title`, `summary` and `scenes`."""


def old_outline(root: Path, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The content of `outline.json`; None where chapters are missing or say nothing.

    Args:
        root: The old project's folder.
        data: Its `project_data.json`.

    Raises:
        ProjectError: `outline.md` is not UTF-8.
        StorageError: `outline.md` cannot be read.
    """
    sections = _sections(old_text(root, "outline.md") or words(data.get("outline")))
    known, told = _chapters(data), _told_chapters(sections)
    chapters = [
        {
            "title": words(chapter.get("title")) or words(told.get(number, {}).get("title")),
            "summary": words(chapter.get("summary")) or words(told.get(number, {}).get("summary")),
        }
        for number, chapter in (known or told).items()
    ]
    if not chapters or not all(chapter["summary"] for chapter in chapters):
        return None
    for number, chapter in enumerate(chapters, start=1):
        chapter["title"] = chapter["title"] or f"Chapter {number}"
    summary = sections.get(_BOOK_SUMMARY) or words(data.get("description"), NO_DESCRIPTION)
    return {"summary": summary or chapters[0]["summary"], "chapters": chapters}


def old_scenes(root: Path, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The content of `scenes.json`; None where a chapter has no scene.

    Args:
        root: The old project's folder.
        data: Its `project_data.json`.

    Raises:
        ProjectError: The old `scenes.json` is not UTF-8 or not JSON.
        StorageError: The old `scenes.json` cannot be read.
    """
    chapters = _chapters(data)
    saved = _numbered(mapping(old_json(root, "scenes.json")))
    listed = {number: chapter.get("scenes") for number, chapter in chapters.items()}
    planned = [
        {
            "chapter": number,
            "title": words(chapters.get(number, {}).get("title")),
            "scenes": _scenes(scenes),
        }
        for number, scenes in (saved or listed).items()
    ]
    whole = planned and all(chapter["scenes"] for chapter in planned)
    return {"chapters": planned} if whole else None


def _scenes(scenes: Any) -> list[dict[str, Any]]:
    found = [mapping(scene) for scene in scenes] if isinstance(scenes, list) else []
    return [_scene(scene) for scene in found if words(scene.get("summary"))]


def _scene(scene: Mapping[str, Any]) -> dict[str, Any]:
    """A scene's plan; its mood, which has no field of its own, ends the summary."""
    mood = words(scene.get("emotional_beat"))
    people = scene.get("characters")
    return {
        "summary": words(scene.get("summary")) + (f" Mood: {mood}" if mood else ""),
        "goal": words(scene.get("goal")),
        "conflict": "",
        "outcome": "",
        "characters": [words(name) for name in people] if isinstance(people, list) else [],
        "place": words(scene.get("setting")),
    }


def _chapters(data: Mapping[str, Any]) -> Chapters:
    numbered = _numbered(mapping(data.get("chapters")))
    return {number: mapping(chapter) for number, chapter in numbered.items()}


def _numbered(source: Mapping[str, Any]) -> dict[int, Any]:
    """Values by chapter number, in order; empty unless the chapters are 1 to the last."""
    by_number = {int(key): value for key, value in source.items() if key.isdecimal()}
    numbers = sorted(by_number)
    whole = numbers == list(range(1, len(source) + 1))
    return {number: by_number[number] for number in numbers} if whole else {}


def _sections(text: str) -> dict[str, str]:
    """The bodies of an outline by heading; the longest where a heading is there twice."""
    _, *parts = _HEADING.split(text)
    sections: dict[str, str] = {}
    for heading, body in zip(parts[::2], parts[1::2], strict=True):
        sections[heading.strip()] = max(sections.get(heading.strip(), ""), body.strip(), key=len)
    return sections


def _told_chapters(sections: Mapping[str, str]) -> Chapters:
    matches = ((_CHAPTER.fullmatch(heading), body) for heading, body in sections.items())
    told = {m[1]: {"title": m[2].strip(), "summary": body} for m, body in matches if m}
    return _numbered(told)
