"""The concept of an old project, from whichever of its files has it whole."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from libriscribe2.project.legacy.old_brief import NO_DESCRIPTION, NO_LOGLINE, NO_TITLE
from libriscribe2.project.legacy.old_files import mapping, old_json, words

REVISED: Final = "2-concept_revised.json"
FIRST: Final = "1-concept.json"
PRODUCTION: Final = "concept.json"

_UNKNOWN: Final = (*NO_TITLE, NO_DESCRIPTION, NO_LOGLINE)
_FIELDS: Final = ("title", "logline", "description")
_KEYWORDS: Final = ("primary_keywords", "secondary_keywords", "genre_keywords")


def old_concept(root: Path, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The content of `concept.json`; None where no file has title, logline and description.

    The refined concept comes first, then the production file (a debug wrapper in old versions),
    the first draft, and at last what `project_data.json` remembers.

    Args:
        root: The old project's folder.
        data: Its `project_data.json`.

    Raises:
        ProjectError: A file is not UTF-8 or not JSON.
        StorageError: A file cannot be read.
    """
    for source in _sources(root, data):
        fields = mapping(source.get("concept", source))
        concept = {field: words(fields.get(field), *_UNKNOWN) for field in _FIELDS}
        if all(concept.values()):
            return {"concept": concept, "keywords": _keywords(root, source, data)}
    return None


def _sources(root: Path, data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in (REVISED, PRODUCTION, FIRST):
        yield mapping(old_json(root, name))
    yield {**data, "concept": data}


def _keywords(
    root: Path, source: Mapping[str, Any], data: Mapping[str, Any]
) -> dict[str, list[str]]:
    """The three lists of keywords; the flat list of `project_data.json` as primary ones."""
    for found in (source.get("keywords"), old_json(root, "keywords.json")):
        lists = {key: _list(mapping(found).get(key)) for key in _KEYWORDS}
        if any(lists.values()):
            return lists
    return {key: _list(data.get("keywords")) if key == _KEYWORDS[0] else [] for key in _KEYWORDS}


def _list(value: Any) -> list[str]:
    return [text for item in value if (text := words(item))] if isinstance(value, list) else []
