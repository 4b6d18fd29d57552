"""JSON Schemas of the artifacts that the replies are asked for."""

from typing import Final

from bench.corpus.case import Schema

TEXT: Final[Schema] = {"type": "string", "minLength": 1}
NUMBER: Final[Schema] = {"type": "integer"}


def listing(items: Schema) -> Schema:
    """Schema of a list of `items`."""
    return {"type": "array", "items": items}


def record(**properties: Schema) -> Schema:
    """Schema of an object whose properties are all required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


CONCEPT: Final = record(title=TEXT, logline=TEXT, description=TEXT)
KEYWORDS: Final = record(
    primary_keywords=listing(TEXT), secondary_keywords=listing(TEXT), genre_keywords=listing(TEXT)
)
BOOK: Final = record(concept=CONCEPT, keywords=KEYWORDS)
CHARACTER: Final = record(name=TEXT, role=TEXT, age=NUMBER, traits=listing(TEXT), description=TEXT)
CAST: Final = record(characters=listing(CHARACTER))
CHAPTER: Final = record(number=NUMBER, title=TEXT, summary=TEXT, word_count=NUMBER)
OUTLINE: Final = record(title=TEXT, chapters=listing(CHAPTER))
SCENE: Final = record(
    number=NUMBER, summary=TEXT, goal=TEXT, outcome=TEXT, characters=listing(TEXT), place=TEXT
)
SCENES: Final = record(scenes=listing(SCENE))
ISSUE: Final = record(
    kind=TEXT, quote=TEXT, fix={"anyOf": [TEXT, {"type": "null"}]}, blocking={"type": "boolean"}
)
REVIEW: Final = record(
    score={"type": "number"},
    passed={"type": "boolean"},
    verdict=TEXT,
    issues=listing(ISSUE),
    notes={"anyOf": [TEXT, {"type": "null"}]},
)
