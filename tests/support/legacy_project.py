"""A folder as the original LibriScribe2 left it."""

import json
from typing import Any, Final

from pydantic import BaseModel

from libriscribe2.models.story import (
    CharactersFile,
    ConceptFile,
    OutlineFile,
    ScenesFile,
    WorldFile,
)
from libriscribe2.project.legacy import read_legacy
from libriscribe2.project.paths import CHARACTERS, CONCEPT, OUTLINE, SCENES, WORLD, ProjectPaths

SHAPES: Final[dict[str, type[BaseModel]]] = {
    CONCEPT: ConceptFile,
    CHARACTERS: CharactersFile,
    WORLD: WorldFile,
    OUTLINE: OutlineFile,
    SCENES: ScenesFile,
}
IDEA: Final = {"title": "L'été", "logline": "A summer ends.", "description": "A long tale."}
KEYWORDS: Final = {
    "primary_keywords": ["sea"],
    "secondary_keywords": [],
    "genre_keywords": ["elegy"],
}
SCENE: Final = {
    "scene_number": 1,
    "summary": "They meet.",
    "characters": ["Ana", "Bo"],
    "setting": "The pier",
    "goal": "To part",
    "emotional_beat": "dread",
}
PERSON: Final = {
    "name": "Ana",
    "age": "31",
    "physical_description": "tall",
    "personality_traits": "Brave, Loyal",
    "background": "a port",
    "motivations": "rest",
    "relationships": {"Bo": "brother", "Cy": ""},
    "role": "",
    "internal_conflicts": "doubt",
    "external_conflicts": "storm",
    "character_arc": "learns",
}
CHAPTERS: Final = {
    "1": {"chapter_number": 1, "title": "Tide", "summary": "It rises.", "scenes": [SCENE]},
    "2": {"chapter_number": 2, "title": "Ebb", "summary": "It falls.", "scenes": [SCENE]},
}
STATE: Final[dict[str, Any]] = {
    "project_name": "summer",
    "title": "L'été",
    "author": ["A. Writer", "B. Writer"],
    "genre": "elegy",
    "category": "Fiction",
    "language": "fr",
    "description": "A long tale.",
    "logline": "A summer ends.",
    "tone": "Informative",
    "target_audience": "Adult",
    "project_type": "novella",
    "num_chapters": [2, 4],
    "num_chapters_str": "",
    "chapters_str": "",
    "num_characters": 3,
    "num_characters_str": "3-5",
    "scenes_per_chapter": "3-6",
    "worldbuilding_needed": True,
    "auto_title": False,
    "keywords": ["sea", "salt"],
    "characters": {"Ana": PERSON},
    "worldbuilding": {"geography": "An island.", "history": "Old.", "economy": " "},
    "chapters": CHAPTERS,
    "outline": "",
}


class OldFolder:
    """An old project."""

    def __init__(self, paths: ProjectPaths) -> None:
        self.paths = paths
        paths.root.mkdir(parents=True)
        self.state(**STATE)

    def state(self, **data: Any) -> None:
        """Write `project_data.json`, all in ASCII as the original did."""
        self.json("project_data.json", data)

    def json(self, name: str, value: Any) -> None:
        self.text(name, json.dumps(value))

    def text(self, name: str, text: str) -> None:
        (self.paths.root / name).write_text(text, encoding="utf-8")

    def read(self, name: str) -> Any:
        """The converted file of that name, after it passed its shape; None where there is none."""
        text = read_legacy(self.paths.root).artifacts.get(name)
        if text is None:
            return None
        SHAPES[name].model_validate_json(text)
        return json.loads(text)


def without(*keys: str, **changes: Any) -> dict[str, Any]:
    """The old state without some keys and with others changed."""
    return {key: value for key, value in STATE.items() if key not in keys} | changes


def wrapper(raw: str) -> dict[str, Any]:
    """A model's reply as the original saved it under a production name."""
    return {
        "content_type": "concept",
        "agent_name": "ConceptGeneratorAgent",
        "timestamp": "2025-01-12T10:30:00.000000Z",
        "content_length": len(raw),
        "content_preview": raw[:500],
        "raw_content": raw,
    }
