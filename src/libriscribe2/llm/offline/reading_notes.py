"""What a manuscript says, read from the very text that the prompt shows."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from libriscribe2.llm.offline.material import Material

_CHAPTER: Final = frozenset({"summary", "people", "places", "exit_state"})
_BOOK: Final = frozenset({"premise", "summary", "characters", "overview"})
_HEADING: Final = re.compile(r"(?m)^\s*(?:#.*|[*\s]+)$")
_END: Final = re.compile(r"(?<=[.!?\u2026])[\"\u201d\u00bb]?\s+|\n{2,}")
_NAME: Final = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})?\b")
_BLOCK: Final = r"<{0}>(.*?)</{0}>"
_MOST_WORDS: Final = 100
_FEWEST_TIMES: Final = 2
_MOST_PEOPLE: Final = 6


def reads_chapter(schema: Mapping[str, Any]) -> bool:
    """Whether a schema asks for the notes of a chapter that is written."""
    return set(schema.get("properties", {})) >= _CHAPTER


def reads_book(schema: Mapping[str, Any]) -> bool:
    """Whether a schema asks for the notes of a whole manuscript."""
    return set(schema.get("properties", {})) >= _BOOK


def chapter_reading(material: Material) -> dict[str, Any]:
    """The notes of a chapter: its own first and last sentences, and the names in it."""
    told = [one.strip() for one in _END.split(_HEADING.sub("", material.text)) if one.strip()]
    names = Counter(found.group() for found in _NAME.finditer(material.text))
    often = [name for name, times in names.items() if times >= _FEWEST_TIMES]
    often.sort(key=lambda name: (-names[name], name))
    people = [
        {"name": name, "about": next((one for one in told if name in one), "")}
        for name in often[:_MOST_PEOPLE]
    ]
    end = told[-1] if told else ""
    return {
        "summary": _within([*told[:4], end]) or "Nothing is said.",
        "pov": often[0] if often else "",
        "exit_state": end,
        "story_time": "",
        "opening_move": "dialogue"
        if told and told[0][:1] in '"\u201c\u201e\u00ab'
        else "statement",
        "ending_move": "quiet",
        "people": people,
        "places": [],
    }


def book_reading(material: Material, prompt: str) -> dict[str, Any]:
    """The notes of a manuscript, put together from the notes of its chapters."""
    lines = [line.partition(": ")[2] for line in _inside(prompt, "summaries").splitlines()]
    people = _rows(_inside(prompt, "people"))
    most = (material.schema or {})["properties"]["characters"].get("maxItems", len(people))
    return {
        "premise": _within(lines[:1], 40) or "A book.",
        "summary": _within([_within([line], 25) for line in lines], 200) or "A book.",
        "genre": "",
        "overview": "",
        "rules": [],
        "characters": [
            {
                "name": str(row["name"]),
                "role": _role(index),
                "background": str(row.get("about", "")),
            }
            for index, row in enumerate(people[:most])
        ],
    }


def _role(index: int) -> str:
    return "protagonist" if index == 0 else "supporting"


def _within(texts: list[str], most: int = _MOST_WORDS) -> str:
    """Texts one after the other, cut after so many words."""
    return " ".join(" ".join(dict.fromkeys(texts)).split()[:most])


def _inside(prompt: str, name: str) -> str:
    found = re.search(_BLOCK.format(name), prompt, re.DOTALL)
    return found[1].strip() if found is not None else ""


def _rows(text: str) -> list[Mapping[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return [row for row in found if isinstance(row, dict) and row.get("name")]
