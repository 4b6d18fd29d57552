"""Values that are templates, not content: `...`, `<title>`, "string", the field's own name.

A model that echoes the format it was shown produces JSON that validates and means nothing.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from libriscribe2.replies.schema_fit import properties_of, resolve
from libriscribe2.replies.strict_json import string_leaves

_ELLIPSES: Final = frozenset({"...", "…", "[...]", "[…]", "<...>", "(...)"})
_TYPE_NAMES: Final = frozenset(
    [
        "string",
        "str",
        "text",
        "number",
        "integer",
        "int",
        "float",
        "boolean",
        "bool",
        "array",
        "list",
        "object",
        "tbd",
        "todo",
        "placeholder",
        "value",
    ]
)
# Braces with a path, `{{step-1.response.url}}`, are a plan's reference to a result and content.
_HOLE: Final = re.compile(
    r"\{\{[^{}.\[]{0,80}\}\}|\$\{[^{}]{0,80}\}|%\([\w ]{1,40}\)s|__[A-Z_]{2,40}__"
)
_FRAMED: Final = re.compile(r"<(?P<angle>[^<>/]{1,80})>|\[(?P<square>[^\[\]]{1,80})\]")
_INSTRUCTION: Final = re.compile(
    r"(?:insert|your|enter|put|write|add|fill in)\b[\w' ,-]{1,60}\bhere\W*", re.IGNORECASE
)
_FRAMED_INSTRUCTION: Final = re.compile(
    r"(?:insert|your|enter|put|write|add|the|a|an|one|short|string|list)\b", re.IGNORECASE
)
_NO_WORD: Final = re.compile(r"[\s_-]+")
_MAX_PLACEHOLDER: Final = 120


def _words(text: str) -> str:
    return _NO_WORD.sub(" ", text).strip().lower()


def _is_plain(field: str, stripped: str) -> bool:
    """A weak sign: a type name, or the field's own name."""
    if stripped.lower() in _TYPE_NAMES:
        return True
    return bool(field) and _words(stripped) == _words(field)


def is_hole(field: str, stripped: str) -> bool:
    """Whether a stripped text is a strong sign: `...`, `<title>`; nobody writes this as content."""
    if stripped in _ELLIPSES or _HOLE.fullmatch(stripped) or _INSTRUCTION.fullmatch(stripped):
        return True
    framed = _FRAMED.fullmatch(stripped)
    if framed is None:
        return False
    inner = framed["angle"] or framed["square"]
    same = bool(field) and _words(inner) in (_words(field), _words(field).removesuffix("s"))
    return same or _FRAMED_INSTRUCTION.match(inner) is not None


def is_template(value: Any, schema: Mapping[str, Any] | None = None) -> bool:
    """Whether a value is the template of an answer and not an answer.

    One strong sign is enough; of the weak ones (type names, the field's own name, the schema's
    description of the field) half of all texts must be such.
    """
    weak = total = 0
    descriptions = _descriptions(schema) if schema else {}
    for field, text in string_leaves(value):
        total += 1
        if len(text) > _MAX_PLACEHOLDER:
            continue
        stripped = text.strip()
        if is_hole(field, stripped):
            return True
        weak += _is_plain(field, stripped) or descriptions.get(field) == stripped
    return total > 0 and weak * 2 >= total


def _descriptions(schema: Mapping[str, Any]) -> dict[str, str]:
    """The description of every property, over all objects that the schema defines."""
    nodes = [resolve(schema, schema), *dict(schema.get("$defs") or {}).values()]
    found: dict[str, str] = {}
    for node in nodes:
        for name, prop in properties_of(node).items():
            text = prop.get("description") if isinstance(prop, Mapping) else None
            if isinstance(text, str):
                found[name] = text.strip()
    return found


def is_schema_echo(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value is itself a JSON Schema where the wanted schema asks for none."""
    if not isinstance(value, dict) or "properties" in properties_of(resolve(schema, schema)):
        return False
    declared = value.get("properties")
    if not isinstance(declared, dict) or not declared:
        return False
    keywords = {"type", "$ref", "anyOf", "allOf", "oneOf", "enum", "const", "items"}
    return all(isinstance(node, dict) and keywords & node.keys() for node in declared.values())
