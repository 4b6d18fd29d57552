"""The characters of an old project."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from libriscribe2.project.legacy.old_files import mapping, old_json, old_text, words

_PERSON: Final = re.compile(r"^## +(.+?)\s*$", re.MULTILINE)
_FIELD: Final = re.compile(
    r"^\*\*([^*\n]+):\*\* *(.+?)\s*(?=^\*\*|^---|\Z)", re.MULTILINE | re.DOTALL
)
# Names of fields in the models' replies, in the Markdown export and in the state file.
_SOURCES: Final[Mapping[str, tuple[str, ...]]] = {
    "role": ("role", "role_in_the_story"),
    "age": ("age",),
    "appearance": ("physical_description",),
    "personality": ("personality_traits", "personality"),
    "background": ("background", "background_backstory", "background/backstory"),
    "motivation": ("motivations",),
    "conflict": ("internal_conflicts", "external_conflicts"),
    "relationships": ("relationships", "relationships_with_other_characters"),
    "arc": ("character_arc",),
}
_NO_ROLE: Final = "character"


def old_people(root: Path, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The content of `characters.json`; None where the old project has no character.

    Args:
        root: The old project's folder.
        data: Its `project_data.json`.

    Raises:
        ProjectError: A file is not UTF-8 or not JSON.
        StorageError: A file cannot be read.
    """
    for source in (data.get("characters"), old_json(root, "characters.json"), _from_markdown(root)):
        people = [person for found in _people(source) if (person := _person(found))]
        if people:
            return {"characters": people}
    return None


def _people(source: Any) -> Iterable[Mapping[str, Any]]:
    """The descriptions in a list, or in an object by name; a converted file has neither."""
    if isinstance(source, Mapping) and not isinstance(source.get("characters"), list):
        return [{"name": name, **mapping(found)} for name, found in source.items()]
    return [mapping(found) for found in source] if isinstance(source, list) else []


def _person(found: Mapping[str, Any]) -> dict[str, str] | None:
    fields = {key.strip().casefold().replace(" ", "_"): value for key, value in found.items()}
    name = words(fields.get("name"))
    if not name:
        return None
    person = {
        field: "; ".join(filter(None, (words(fields.get(source)) for source in sources)))
        for field, sources in _SOURCES.items()
    }
    return {"name": name, **person, "role": person["role"] or _NO_ROLE}


def _from_markdown(root: Path) -> list[dict[str, str]]:
    _, *parts = _PERSON.split(old_text(root, "characters.md"))
    bodies = zip(parts[::2], parts[1::2], strict=True)
    return [{"name": name, **dict(_FIELD.findall(body))} for name, body in bodies]
