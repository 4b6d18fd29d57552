"""The world of an old project: its fields of free text as named entries."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from libriscribe2.project.legacy.old_files import mapping, old_json, old_text, words

_SECTION: Final = re.compile(r"^## +(.+?)\s*$", re.MULTILINE)
_OVERVIEWS: Final = ("geography", "setting_context", "industry_overview", "introduction")
_PLACES: Final = ("key_locations",)
_RULES: Final = ("rules_and_laws",)


def old_world(root: Path, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The content of `world.json`; None where the old project has no world.

    Args:
        root: The old project's folder.
        data: Its `project_data.json`.

    Raises:
        ProjectError: A file is not UTF-8 or not JSON.
        StorageError: A file cannot be read.
    """
    sources = (
        data.get("worldbuilding"),
        old_json(root, "worldbuilding.json"),
        _from_markdown(root),
    )
    for source in sources:
        fields = _fields(mapping(source))
        if fields:
            return _world(fields)
    return None


def _fields(source: Mapping[str, Any]) -> dict[str, str]:
    """The fields that say something, by their names in small letters."""
    named = ((re.sub(r"\W+", "_", key.casefold()), words(value)) for key, value in source.items())
    return {key: text for key, text in named if text}


def _world(fields: Mapping[str, str]) -> dict[str, Any]:
    overview = next((key for key in _OVERVIEWS if key in fields), next(iter(fields)))
    apart = {overview, *_PLACES, *_RULES}
    return {
        "overview": fields[overview],
        "places": _entries({key: fields[key] for key in _PLACES if key in fields}),
        "terms": _entries({key: text for key, text in fields.items() if key not in apart}),
        "rules": [fields[key] for key in _RULES if key in fields and key != overview],
    }


def _entries(fields: Mapping[str, str]) -> list[dict[str, str]]:
    return [
        {"name": key.replace("_", " ").strip().capitalize(), "description": text}
        for key, text in fields.items()
    ]


def _from_markdown(root: Path) -> dict[str, str]:
    _, *parts = _SECTION.split(old_text(root, "worldbuilding.md"))
    return dict(zip(parts[::2], parts[1::2], strict=True))
