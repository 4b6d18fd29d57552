"""The brief of an old project: its `project_data.json` as the table `[book]`."""

import re
from collections.abc import Mapping
from typing import Any, Final

from libriscribe2.project.legacy.old_files import words

NO_TITLE: Final = ("Untitled", "Untitled Book")
NO_DESCRIPTION: Final = "No description provided."
NO_LOGLINE: Final = "No logline available"

_COUNT: Final = re.compile(r"[1-9]\d{0,3}(\+|\s*-\s*[1-9]\d{0,3})?")


def old_brief(data: Mapping[str, Any]) -> dict[str, Any]:
    """What the author asked for, with the keys of `models.brief.Brief`; unknown ones left out.

    Args:
        data: The old `project_data.json`.
    """
    title = words(data.get("title"), *NO_TITLE)
    premise = words(data.get("description"), NO_DESCRIPTION) or words(
        data.get("logline"), NO_LOGLINE
    )
    brief = {
        "premise": premise or title,
        "title": title,
        "author": words(data.get("author")),
        "genre": words(data.get("genre"), "Unknown Genre"),
        "category": words(data.get("category"), "Unknown Category"),
        "language": words(data.get("language")),
        "audience": words(data.get("target_audience")),
        "tone": words(data.get("tone")),
        "project_type": words(data.get("project_type")),
        "chapters": _count(data, "chapters_str", "num_chapters_str", "num_chapters"),
        "characters": _count(data, "num_characters_str", "num_characters"),
        "scenes_per_chapter": _counts(data.get("scenes_per_chapter")),
    }
    switches = {
        "worldbuilding": data.get("worldbuilding_needed"),
        "auto_title": data.get("auto_title"),
    }
    known = {key: text for key, text in brief.items() if text}
    return known | {key: value for key, value in switches.items() if isinstance(value, bool)}


def _count(data: Mapping[str, Any], *keys: str) -> str:
    """The first of the values that is a count: 10, 8-12, 5+, or a pair of bounds."""
    for key in keys:
        value = data.get(key)
        text = "-".join(map(str, value)) if isinstance(value, list) else words(value)
        if _COUNT.fullmatch(text):
            return text
    return ""


def _counts(value: Any) -> str:
    """A count, or one per chapter: 3,4,5."""
    text = words(value)
    parts = [part.strip() for part in text.split(",")]
    return text if all(_COUNT.fullmatch(part) for part in parts) else ""
