"""Reading a prompt: its data blocks, its schema, the wanted length and the instruction."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from libriscribe2.llm.backend import Request

_BLOCK = re.compile(
    r"<(premise|book|concept|critique|characters|places|terms|outline|chapter|scene"
    r"|style|whole_book|promises|cast|rules|threads|ahead|ending|facts|timeline|passages|habits"
    r"|as_planned|story_so_far|text_before|opening|text_after|next|text|notes|json_schema"
    r"|issues|excerpts|plan|written)>(.*?)</\1>",
    re.DOTALL,
)
_WORDS = re.compile(
    r"(?P<low>\d[\d,]*)(?:\s*(?:-|–|to)\s*(?P<high>\d[\d,]*))?\s+words?\b", re.IGNORECASE
)
_SECTION = re.compile(r"^\[([A-Z][^\]\n]{1,60})\]\s*$", re.MULTILINE)

MAX_WORDS = 20_000
"""Most words of one reply, whatever a prompt asks."""


@dataclass(frozen=True, slots=True)
class Material:
    """What a prompt gives the author to work with; missing blocks are empty.

    Attributes:
        premise: The author's idea.
        book: The `key: value` lines of the book.
        concept: Title, logline and description.
        characters: One mapping per character, with `name`.
        places: One mapping per place, with `name`.
        chapter: Number, of, title, summary.
        scene: Number, of, summary, goal, conflict, outcome, characters, place.
        outline: The outline block as text.
        text_before: The end of what was written before.
        opening: The opening of a chapter that is to be written again.
        text_after: The beginning of what follows.
        text: The text to work on.
        instruction: What is asked, without the blocks.
        sections: Headings that the reply should carry, as `[Name]` lines ask for.
        schema: The JSON Schema that the reply should follow, or None.
        words: Wanted number of words, or None.
        notes: Facts with their marks, one line each.
        terms: One mapping per term, with `name`.
    """

    premise: str
    book: Mapping[str, str]
    concept: Mapping[str, Any]
    characters: tuple[Mapping[str, Any], ...]
    places: tuple[Mapping[str, Any], ...]
    chapter: Mapping[str, Any]
    scene: Mapping[str, Any]
    outline: str
    text_before: str
    text: str
    instruction: str
    sections: tuple[str, ...]
    schema: Mapping[str, Any] | None
    words: int | None
    notes: tuple[str, ...] = ()
    terms: tuple[Mapping[str, Any], ...] = ()
    opening: str = ""
    text_after: str = ""


def read_material(request: Request) -> Material:
    """Read what a request tells the author; the first of several equal blocks counts.

    The schema of the request itself outranks the one in the prompt.
    """
    told = [(m.get("role"), str(m.get("content") or "")) for m in request.messages]
    asked = [text for role, text in told if role == "user"]
    blocks: dict[str, str] = {}
    for text in (text for role, text in told if role in {"system", "user"}):
        for name, body in _BLOCK.findall(text):
            blocks.setdefault(name, body.strip())
    instruction = _BLOCK.sub("", asked[0]).strip() if asked else ""
    return Material(
        premise=blocks.get("premise", ""),
        book=_lines(blocks.get("book", "")),
        concept=_object(blocks.get("concept", "")),
        characters=_named(blocks.get("characters", "")),
        places=_named(blocks.get("places", "")),
        chapter=_object(blocks.get("chapter", "")),
        scene=_object(blocks.get("scene", "")),
        outline=blocks.get("outline", ""),
        text_before=blocks.get("text_before", ""),
        text=blocks.get("text", ""),
        instruction=instruction,
        sections=tuple(dict.fromkeys(_SECTION.findall(instruction))),
        schema=_schema(request, blocks),
        words=_wanted_words(instruction),
        notes=tuple(blocks.get("notes", "").splitlines()),
        terms=_named(blocks.get("terms", "")),
        opening=blocks.get("opening", ""),
        text_after=blocks.get("text_after", ""),
    )


def text_of(source: Mapping[str, Any], key: str) -> str:
    """A mapping's value where it is text, else ""."""
    value = source.get(key)
    return value.strip() if isinstance(value, str) else ""


def number_of(source: Mapping[str, Any], key: str, default: int) -> int:
    """A mapping's value where it is a whole number of at least 1, else the default."""
    value = source.get(key)
    return value if isinstance(value, int) and value >= 1 else default


def place_in_book(material: Material) -> int:
    """A running number of the scene in the book, for taking turns; from 1."""
    per_chapter = number_of(material.scene, "of", 10)
    before = number_of(material.chapter, "number", 1) - 1
    return before * per_chapter + number_of(material.scene, "number", 1)


def _schema(request: Request, blocks: Mapping[str, str]) -> Mapping[str, Any] | None:
    if request.schema is not None:
        return request.schema
    if "json_schema" not in blocks:
        return None
    found = _json(blocks["json_schema"])
    return found if isinstance(found, dict) else {}


def _wanted_words(instruction: str) -> int | None:
    """The number before `words`; of a range, the middle."""
    found = _WORDS.search(instruction)
    if found is None:
        return None
    low = int(found["low"].replace(",", ""))
    high = int(found["high"].replace(",", "")) if found["high"] else low
    return max(1, min((low + high) // 2, MAX_WORDS))


def _json(text: str) -> Any:
    """The JSON value of a block, or None where the block holds something else."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _object(text: str) -> Mapping[str, Any]:
    found = _json(text)
    return found if isinstance(found, dict) else {}


def _named(text: str) -> tuple[Mapping[str, Any], ...]:
    """The entries of a JSON list that have a name."""
    found = _json(text)
    entries: Sequence[Any] = found if isinstance(found, list) else []
    return tuple(e for e in entries if isinstance(e, dict) and text_of(e, "name"))


def _lines(text: str) -> dict[str, str]:
    """`key: value` lines, keys in lower case."""
    pairs = (line.partition(":") for line in text.splitlines() if ":" in line)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}
