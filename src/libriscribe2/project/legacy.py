"""Projects of the original LibriScribe2, read into the files and the brief of this one.

The original kept its state in `project_data.json` and its chapters in `chapter_N.md`. Nothing of it
is changed or deleted: converted files stand beside the old ones, and where both have the same
name the old content is copied to the trash first.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from typing_extensions import override

from libriscribe2.errors import ProjectError
from libriscribe2.project.atomic import is_file, storage_errors
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import (
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    PROJECT_DATA,
    SCENES,
    WORLD,
    ProjectPaths,
    chapter_file,
)
from libriscribe2.project.project_view import FileContent, ProjectView, file_content, natural_order
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.texts import decode_text, parse_json, readable_json
from libriscribe2.replies.cleanup import extract_json_from_response

_RAW: Final = "raw_content"


def _text(root: Path, name: str) -> str:
    """The text of an old file; empty where there is none."""
    path = ProjectPaths(root, root).resolve(name)
    with storage_errors("read", path):
        data = path.read_bytes() if is_file(path) else b""
    return decode_text(name, data) if data.strip() else ""


def _json(root: Path, name: str) -> Any:
    r"""The value of an old JSON file; None where there is none.

    A debug wrapper, in which the original saved a model's reply under a production name, counts
    as the JSON in that reply; one without a reply in it counts as no file.
    """
    text = _text(root, name)
    try:
        return _unwrapped(parse_json(name, text)) if text else None
    except ProjectError as error:
        error.fix = "Correct it, or restore it from a backup."  # nothing makes it again
        raise


def _unwrapped(value: Any) -> Any:
    """What a debug wrapper wraps; any other value as it is."""
    if not isinstance(value, Mapping):
        return value
    if isinstance(value.get(_RAW), str):
        return extract_json_from_response(value[_RAW])
    return None if "content_preview" in value else value


def _words(value: Any, *unknown: str) -> str:
    """A value as plain text; empty for None, blanks and the original's placeholders."""
    if isinstance(value, list | tuple):
        return ", ".join(filter(None, (_words(item) for item in value)))
    if isinstance(value, Mapping):
        pairs = ((key, _words(item)) for key, item in value.items())
        return "; ".join(f"{key}: {text}" for key, text in pairs if text)
    text = "" if value is None else str(value).strip()
    return "" if text in unknown else text


def _under_headings(heading: re.Pattern[str], text: str) -> list[tuple[str, str]]:
    """Heading and body of every section of a Markdown text."""
    _, *parts = heading.split(text)
    return list(zip(parts[::2], parts[1::2], strict=True))


def _mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


_NO_TITLE: Final = ("Untitled", "Untitled Book")
_NO_DESCRIPTION: Final = "No description provided."
_NO_LOGLINE: Final = "No logline available"

_COUNT: Final = re.compile(r"[1-9]\d{0,3}(\+|\s*-\s*[1-9]\d{0,3})?")


def _brief(data: Mapping[str, Any]) -> dict[str, Any]:
    """What the author asked for, with the keys of `models.brief.Brief`; unknown ones left out."""
    title = _words(data.get("title"), *_NO_TITLE)
    premise = _words(data.get("description"), _NO_DESCRIPTION) or _words(
        data.get("logline"), _NO_LOGLINE
    )
    brief = {
        "premise": premise or title,
        "title": title,
        "author": _words(data.get("author")),
        "genre": _words(data.get("genre"), "Unknown Genre"),
        "category": _words(data.get("category"), "Unknown Category"),
        "language": _words(data.get("language")),
        "audience": _words(data.get("target_audience")),
        "tone": _words(data.get("tone")),
        "project_type": _words(data.get("project_type")),
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
        text = "-".join(map(str, value)) if isinstance(value, list) else _words(value)
        if _COUNT.fullmatch(text):
            return text
    return ""


def _counts(value: Any) -> str:
    """A count, or one per chapter: 3,4,5."""
    text = _words(value)
    parts = [part.strip() for part in text.split(",")]
    return text if all(_COUNT.fullmatch(part) for part in parts) else ""


_REVISED: Final = "2-concept_revised.json"
_FIRST: Final = "1-concept.json"
_PRODUCTION: Final = "concept.json"

_UNKNOWN: Final = (*_NO_TITLE, _NO_DESCRIPTION, _NO_LOGLINE)
_FIELDS: Final = ("title", "logline", "description")
_KEYWORDS: Final = ("primary_keywords", "secondary_keywords", "genre_keywords")


def _concept(root: Path, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The content of `concept.json`; None where no file has title, logline and description.

    The refined concept comes first, then the production file (a debug wrapper in old versions),
    the first draft, and at last what `project_data.json` remembers.
    """
    for source in _sources(root, data):
        fields = _mapping(source.get("concept", source))
        concept = {field: _words(fields.get(field), *_UNKNOWN) for field in _FIELDS}
        if all(concept.values()):
            return {"concept": concept, "keywords": _keywords(root, source, data)}
    return None


def _sources(root: Path, data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in (_REVISED, _PRODUCTION, _FIRST):
        yield _mapping(_json(root, name))
    yield {**data, "concept": data}


def _keywords(
    root: Path, source: Mapping[str, Any], data: Mapping[str, Any]
) -> dict[str, list[str]]:
    """The three lists of keywords; the flat list of `project_data.json` as primary ones."""
    for found in (source.get("keywords"), _json(root, "keywords.json")):
        lists = {key: _texts(_mapping(found).get(key)) for key in _KEYWORDS}
        if any(lists.values()):
            return lists
    return {key: _texts(data.get("keywords")) if key == _KEYWORDS[0] else [] for key in _KEYWORDS}


def _texts(value: Any) -> list[str]:
    return [text for item in value if (text := _words(item))] if isinstance(value, list) else []


_SECTION: Final = re.compile(r"^## +(.+?)\s*$", re.MULTILINE)
_PERSON_FIELD: Final = re.compile(
    r"^\*\*([^*\n]+):\*\* *(.+?)\s*(?=^\*\*|^---|\Z)", re.MULTILINE | re.DOTALL
)
# Names of fields in the models' replies, in the Markdown export and in the state file.
_PERSON_SOURCES: Final[Mapping[str, tuple[str, ...]]] = {
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


def _people(root: Path, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The content of `characters.json`; None where the old project has no character."""
    for source in (
        data.get("characters"),
        _json(root, "characters.json"),
        _people_from_markdown(root),
    ):
        people = [person for found in _descriptions(source) if (person := _person(found))]
        if people:
            return {"characters": people}
    return None


def _descriptions(source: Any) -> Iterable[Mapping[str, Any]]:
    """The descriptions in a list, or in an object by name; a converted file has neither."""
    if isinstance(source, Mapping) and not isinstance(source.get("characters"), list):
        return [{"name": name, **_mapping(found)} for name, found in source.items()]
    return [_mapping(found) for found in source] if isinstance(source, list) else []


def _person(found: Mapping[str, Any]) -> dict[str, str] | None:
    fields = {key.strip().casefold().replace(" ", "_"): value for key, value in found.items()}
    name = _words(fields.get("name"))
    if not name:
        return None
    person = {
        field: "; ".join(filter(None, (_words(fields.get(source)) for source in sources)))
        for field, sources in _PERSON_SOURCES.items()
    }
    return {"name": name, **person, "role": person["role"] or _NO_ROLE}


def _people_from_markdown(root: Path) -> list[dict[str, str]]:
    people = _under_headings(_SECTION, _text(root, "characters.md"))
    return [{"name": name, **dict(_PERSON_FIELD.findall(body))} for name, body in people]


_HEADING: Final = re.compile(r"^(?:#{1,2} +|\*\*)(.+?)\**\s*$", re.MULTILINE)
_CHAPTER: Final = re.compile(r"Chapter +(\d+)\s*[:.\u2013-]?\s*(.*)")
_BOOK_SUMMARY: Final = "Book Summary"

_OldChapters = dict[int, Mapping[str, Any]]
"""Old chapters by number: `title`, `summary` and `scenes`."""


def _outline(root: Path, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The content of `outline.json`; None where chapters are missing or say nothing."""
    sections = _sections(_text(root, "outline.md") or _words(data.get("outline")))
    known, told = _chapters(data), _outlined_chapters(sections)
    chapters = [
        {
            "title": _words(chapter.get("title")) or _words(told.get(number, {}).get("title")),
            "summary": _words(chapter.get("summary"))
            or _words(told.get(number, {}).get("summary")),
        }
        for number, chapter in (known or told).items()
    ]
    if not chapters or not all(chapter["summary"] for chapter in chapters):
        return None
    for number, chapter in enumerate(chapters, start=1):
        chapter["title"] = chapter["title"] or f"Chapter {number}"
    summary = sections.get(_BOOK_SUMMARY) or _words(data.get("description"), _NO_DESCRIPTION)
    return {"summary": summary or chapters[0]["summary"], "chapters": chapters}


def _scenes(root: Path, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The content of `scenes.json`; None where a chapter has no scene."""
    chapters = _chapters(data)
    saved = _numbered(_mapping(_json(root, "scenes.json")))
    listed = {number: chapter.get("scenes") for number, chapter in chapters.items()}
    planned = [
        {
            "chapter": number,
            "title": _words(chapters.get(number, {}).get("title")),
            "scenes": _planned_scenes(scenes),
        }
        for number, scenes in (saved or listed).items()
    ]
    whole = planned and all(chapter["scenes"] for chapter in planned)
    return {"chapters": planned} if whole else None


def _planned_scenes(scenes: Any) -> list[dict[str, Any]]:
    found = [_mapping(scene) for scene in scenes] if isinstance(scenes, list) else []
    return [_scene(scene) for scene in found if _words(scene.get("summary"))]


def _scene(scene: Mapping[str, Any]) -> dict[str, Any]:
    """A scene's plan; its mood, which has no field of its own, ends the summary."""
    mood = _words(scene.get("emotional_beat"))
    people = scene.get("characters")
    return {
        "summary": _words(scene.get("summary")) + (f" Mood: {mood}" if mood else ""),
        "goal": _words(scene.get("goal")),
        "conflict": "",
        "outcome": "",
        "characters": [_words(name) for name in people] if isinstance(people, list) else [],
        "place": _words(scene.get("setting")),
    }


def _chapters(data: Mapping[str, Any]) -> _OldChapters:
    numbered = _numbered(_mapping(data.get("chapters")))
    return {number: _mapping(chapter) for number, chapter in numbered.items()}


def _numbered(source: Mapping[str, Any]) -> dict[int, Any]:
    """Values by chapter number, in order; empty unless the chapters are 1 to the last."""
    by_number = {int(key): value for key, value in source.items() if key.isdecimal()}
    numbers = sorted(by_number)
    whole = numbers == list(range(1, len(source) + 1))
    return {number: by_number[number] for number in numbers} if whole else {}


def _sections(text: str) -> dict[str, str]:
    """The bodies of an outline by heading; the longest where a heading is there twice."""
    sections: dict[str, str] = {}
    for heading, body in _under_headings(_HEADING, text):
        sections[heading.strip()] = max(sections.get(heading.strip(), ""), body.strip(), key=len)
    return sections


def _outlined_chapters(sections: Mapping[str, str]) -> _OldChapters:
    matches = ((_CHAPTER.fullmatch(heading), body) for heading, body in sections.items())
    told = {m[1]: {"title": m[2].strip(), "summary": body} for m, body in matches if m}
    return _numbered(told)


_OVERVIEWS: Final = ("geography", "setting_context", "industry_overview", "introduction")
_PLACES: Final = ("key_locations",)
_RULES: Final = ("rules_and_laws",)


def _world(root: Path, data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The content of `world.json`; None where the old project has no world."""
    sources = (
        data.get("worldbuilding"),
        _json(root, "worldbuilding.json"),
        dict(_under_headings(_SECTION, _text(root, "worldbuilding.md"))),
    )
    for source in sources:
        fields = _fields(_mapping(source))
        if fields:
            return _world_of(fields)
    return None


def _fields(source: Mapping[str, Any]) -> dict[str, str]:
    """The fields that say something, by their names in small letters."""
    named = ((re.sub(r"\W+", "_", key.casefold()), _words(value)) for key, value in source.items())
    return {key: text for key, text in named if text}


def _world_of(fields: Mapping[str, str]) -> dict[str, Any]:
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


_CHAPTER_FILE: Final = re.compile(r"chapter_(\d{1,4})\.md")
_READERS: Final[Mapping[str, Callable[[Path, Mapping[str, Any]], dict[str, Any] | None]]] = {
    CONCEPT: _concept,
    CHARACTERS: _people,
    WORLD: _world,
    OUTLINE: _outline,
    SCENES: _scenes,
}


@dataclass(frozen=True, slots=True)
class LegacyProject:
    """An old project in the terms of this program.

    Attributes:
        brief: The table `[book]`; only keys that the old project knows.
        artifacts: Text of every file that could be taken over, by its new name.
    """

    brief: Mapping[str, Any]
    artifacts: Mapping[str, str]


def read_legacy(root: Path) -> LegacyProject:
    """Read an old project; nothing is written.

    Raises:
        ProjectError: `project_data.json` is missing or is not an object, or a file is not UTF-8
            or not JSON.
        StorageError: A file cannot be read.
    """
    data = _json(root, PROJECT_DATA)
    if not isinstance(data, dict):
        raise ProjectError(
            f"{root / PROJECT_DATA} is not a project file",
            why="it should hold one JSON object",
            fix="Restore the file from a backup.",
        )
    found = {name: read(root, data) for name, read in _READERS.items()}
    artifacts = {name: readable_json(value) for name, value in found.items() if value is not None}
    return LegacyProject(_brief(data), artifacts | _chapter_texts(root))


def _chapter_texts(root: Path) -> dict[str, str]:
    numbered = ((_CHAPTER_FILE.fullmatch(path.name), path.name) for path in sorted(root.iterdir()))
    texts = {chapter_file(int(m[1])): _text(root, name) for m, name in numbered if m}
    return {name: text for name, text in texts.items() if text}


def is_legacy(paths: ProjectPaths) -> bool:
    """Whether the folder holds an old project that was not converted yet."""
    return not paths.book_toml.exists() and (paths.root / PROJECT_DATA).is_file()


def convert(store: ProjectStore) -> LegacyProject:
    """Write an old project's converted files beside its own, `book.toml` last.

    The files count as the author's: they are read and never overwritten. A conversion that was
    interrupted is done again by the next one.

    Raises:
        ProjectError: A file of the old project cannot be read as what it should be.
        StorageError: A file cannot be read or written.
    """
    old = read_legacy(store.paths.root)
    for name, text in old.artifacts.items():
        store.import_text(name, text)
    write_book_toml(store.paths.book_toml, old.brief, {})
    return old


class ConvertedView(ProjectView):
    """Reads a project of the original LibriScribe2 in the terms of this program.

    Args:
        view: The old project as it is.

    Raises:
        ProjectError: A file of the old project cannot be read as what it should be.
        StorageError: A file cannot be read.
    """

    def __init__(self, view: ProjectView) -> None:
        super().__init__(view.paths, view.manifest, view.damaged)
        self._new = read_legacy(view.paths.root).artifacts

    @override
    def exists(self, name: str) -> bool:
        """Whether there will be a file of that name."""
        return name in self._new or super().exists(name)

    @override
    def find(self, name: str) -> FileContent | None:
        """What the file will hold; None where there will be no file."""
        text = self._new.get(name)
        return super().find(name) if text is None else file_content(name, text.encode("utf-8"))

    @override
    def names(self, pattern: str) -> tuple[str, ...]:
        """The names of the files that will match a glob, numbers in order."""
        new = {name for name in self._new if fnmatchcase(name, pattern)}
        return tuple(sorted({*super().names(pattern), *new}, key=natural_order))
