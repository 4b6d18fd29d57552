"""Parameter texts of tagged formats as values: by the tool's schema, else by what they look like.

Tags carry only text. `5` is the number five for a tool that wants a number, and the text "5" for
one that wants a string; without a schema it is read as JSON where that is possible.
"""

import html
import re
from typing import Any, Final

from libriscribe2.parsing.tool_formats.reading import JsonObject
from libriscribe2.parsing.tool_formats.whole_json import whole_json
from libriscribe2.utils.strict_json import strict_parse

_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});")
_CDATA: Final = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)
_BOOLEAN: Final = {"true": True, "false": False}


def typed_value(text: str, schema: JsonObject | None = None) -> Any:
    """The value that a parameter's text stands for.

    Args:
        text: The text between the tags, as written.
        schema: JSON Schema of the parameter, if the tool is known.

    Returns:
        With a schema that wants a string, the text less one line break at each end; else the JSON
        value if the trimmed text is one, repaired if the schema wants a list or an object; else
        the trimmed text.
    """
    plain = _decoded(text)
    kinds = _kinds(schema)
    trimmed = plain.strip()
    if "null" in kinds and trimmed.casefold() in {"null", "none"}:
        return None
    if "string" in kinds and kinds <= {"string", "null"}:
        return _less_one_line_break(plain)
    if "boolean" in kinds and trimmed.casefold() in _BOOLEAN:
        return _BOOLEAN[trimmed.casefold()]
    parsed = strict_parse(trimmed)
    if parsed.end == len(trimmed):
        return parsed.value
    whole = whole_json(trimmed) if kinds & {"array", "object"} else None
    return whole.value if whole is not None and whole.ok else trimmed


def add_argument(arguments: dict[str, Any], name: str, value: Any) -> bool:
    """Add an argument; False if it is there already with another value: which is meant?"""
    if name in arguments:
        return bool(arguments[name] == value)
    arguments[name] = value
    return True


def _decoded(text: str) -> str:
    """The text without XML escapes; raw markup in it shows that nothing was escaped."""
    cdata = _CDATA.fullmatch(text)
    if cdata:
        return cdata[1]
    if "&" not in text or "<" in text:
        return text
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


def _kinds(schema: JsonObject | None) -> set[str]:
    """The JSON types that a schema allows; empty if it does not say."""
    if schema is None:
        return set()
    stated = schema.get("type")
    kinds = {stated} if isinstance(stated, str) else set(stated or ())
    for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        kinds |= _kinds(branch)
    if not kinds and "enum" in schema and all(isinstance(item, str) for item in schema["enum"]):
        return {"string"}
    return kinds


def _less_one_line_break(text: str) -> str:
    return text.removeprefix("\r").removeprefix("\n").removesuffix("\n").removesuffix("\r")
