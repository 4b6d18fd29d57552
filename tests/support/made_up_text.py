"""Replies made up from a prompt: JSON that fits the wanted schema, prose of the wanted length."""

import itertools
import json
import re
import sys
from collections.abc import Mapping
from typing import Any

WRAPPINGS = ("bare", "fenced", "prose", "think")
_TEXT = (
    "the harbour kept its lamps low and the tide wrote slowly on the stones while Mara counted "
    "boats that never came home because somebody had to remember their names"
)


def wanted_schema(text: str) -> dict[str, Any] | None:
    """The last `<json_schema>` block of a prompt."""
    found = re.findall(r"<json_schema>\s*(\{.*?\})\s*</json_schema>", text, re.DOTALL)
    schema: dict[str, Any] | None = json.loads(found[-1]) if found else None
    return schema


def wanted_words(text: str) -> int:
    """The last `N words` of a prompt; 60 where none is asked for."""
    found = re.findall(r"(\d[\d,]*) words", text)
    return int(found[-1].replace(",", "")) if found else 60


def prose(words: int) -> str:
    """Paragraphs of exactly so many words."""
    stream = list(itertools.islice(itertools.cycle(_TEXT.split()), words))
    sentences = [stream[at : at + 12] for at in range(0, words, 12)]
    texts = [" ".join(sentence).capitalize() + "." for sentence in sentences]
    return "\n\n".join(" ".join(texts[at : at + 5]) for at in range(0, len(texts), 5))


def wrap(text: str, wrapping: str) -> str:
    """JSON the way real models send it."""
    match wrapping:
        case "fenced":
            return f"```json\n{text}\n```"
        case "prose":
            return f"Here is what you asked for:\n\n{text}\n\nTell me if you want changes."
        case "think":
            return f"<think>They want JSON. I will fill it in.</think>\n{text}"
        case _:
            return text


def fill(schema: Mapping[str, Any], name: str = "value", number: int = 1) -> Any:
    """A value that the schema accepts; strings say which field they are."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][(number - 1) % len(schema["enum"])]
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return fill(schema[choice][0], name, number)
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    return _FILLERS[kind](schema, name, number)


def _fill_object(schema: Mapping[str, Any], name: str, number: int) -> dict[str, Any]:
    del name
    return {key: fill(part, key, number) for key, part in schema.get("properties", {}).items()}


def _fill_array(schema: Mapping[str, Any], name: str, number: int) -> list[Any]:
    del number
    length = max(schema.get("minItems", 1), min(2, schema.get("maxItems", 2)))
    return [fill(schema.get("items", {"type": "string"}), name, at + 1) for at in range(length)]


def _fill_string(schema: Mapping[str, Any], name: str, number: int) -> str:
    # Texts that only count are no answer.
    place = _PLACES[number % len(_PLACES)]
    text = f"{name.replace('_', ' ')} {number} of {place} and its lamps"
    while len(text) < schema.get("minLength", 0):
        text += " and the tide"
    return text[: schema.get("maxLength", len(text))].rstrip()


def _fill_number(schema: Mapping[str, Any], name: str, number: int) -> int:
    del name
    lowest = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    return int(min(max(lowest, number), schema.get("maximum", sys.maxsize)))


_PLACES = ("the harbour", "that long quay", "an old mill", "every street behind it")

_FILLERS = {
    "object": _fill_object,
    "array": _fill_array,
    "string": _fill_string,
    "integer": _fill_number,
    "number": _fill_number,
    "boolean": lambda *_: True,
    "null": lambda *_: None,
}
