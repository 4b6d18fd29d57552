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
_LONGEST_TYPE: Final = max(map(len, _TYPE_NAMES))
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
# Without one of these behind a quote no strong placeholder can be in raw JSON text. Single
# characters are looked for first, because that costs next to nothing; a pattern that begins with
# plain characters is searched three times as fast as `in` finds a short string.
_QUOTED: Final = {
    "…": re.compile('"…'),
    "<": re.compile('"<'),
    "$": re.compile('"[$]'),
    "%": re.compile('"%'),
}
_DOTS: Final = re.compile(r"\.\.")
_DOTS_RAW: Final = re.compile(_DOTS.pattern.encode())
_QUOTED_DOTS: Final = re.compile(r'"\.\.')
_QUOTED_DOTS_RAW: Final = re.compile(_QUOTED_DOTS.pattern.encode())
# The signs in ASCII, and what is greater than any text that begins with one, as letters are.
_SIGNS: Final = frozenset("<$%")
_ABOVE_SIGNS: Final = "="
_QUOTED_ESCAPE: Final = re.compile(r'"\\u')
"""Any character may be written so, those of a placeholder too."""

_SMALL_HINT: Final = re.compile(r'"(?:[\[{_(<$%.…]|\\u)')
_SMALL_HINT_RAW: Final = re.compile(r'"(?:[\[{_(<$%.]|…|\\u)'.encode())
# What holes and instructions begin with.
_FIRSTS: Final = frozenset("[{<($%_.…iyepwafIYEPWAF")
_NO_WORD: Final = re.compile(r"[\s_-]+")
_SMALL: Final = 16_000
# From so many characters for each part of a value on the parts are quicker to look at than the text.
_APART: Final = 300
_MAX_NAME: Final = 80
_MAX_PLACEHOLDER: Final = 120


def _words(text: str) -> str:
    return _NO_WORD.sub(" ", text).strip().lower()


def _is_plain(field: str, stripped: str) -> bool:
    """A weak sign: a type name, or the field's own name."""
    if len(stripped) <= _LONGEST_TYPE and stripped.lower() in _TYPE_NAMES:
        return True
    if stripped[:1].lower() != field[:1].lower() or len(stripped) > _MAX_NAME:
        return False
    return bool(field) and _words(stripped) == _words(field)


def is_hole(field: str, stripped: str) -> bool:
    """Whether a stripped text is a strong sign: `...`, `<title>`; nobody writes this as content."""
    if stripped[:1] not in _FIRSTS:
        return False
    if stripped in _ELLIPSES or _HOLE.fullmatch(stripped) or _INSTRUCTION.fullmatch(stripped):
        return True
    framed = _FRAMED.fullmatch(stripped)
    if framed is None:
        return False
    inner = framed["angle"] or framed["square"]
    same = bool(field) and _words(inner) in (_words(field), _words(field).removesuffix("s"))
    return same or _FRAMED_INSTRUCTION.match(inner) is not None


def has_hints(text: str, raw: bytes = b"", value: Any = None) -> bool:
    """Whether strict JSON in a text can hold a strong placeholder: a cheap first look.

    Args:
        text: The text.
        raw: The same in UTF-8, where it is at hand: patterns are searched faster in it.
        value: Its value, where it is at hand: few and long strings without quotes in them are
            faster to look at one by one than their text.
    """
    if len(text) < _SMALL:
        return (_SMALL_HINT_RAW.search(raw) if raw else _SMALL_HINT.search(text)) is not None
    escaped = "\\" in text
    if _is_quoted("…", text) or (escaped and _QUOTED_ESCAPE.search(text) is not None):
        return True
    if value is not None and _is_free(value, len(text) // _APART, escaped=escaped):
        return False
    if any(_is_quoted(mark, text) for mark in _SIGNS):
        return True
    if raw:
        return _DOTS_RAW.search(raw) is not None and _QUOTED_DOTS_RAW.search(raw) is not None
    return _DOTS.search(text) is not None and _QUOTED_DOTS.search(text) is not None


def _is_quoted(mark: str, text: str) -> bool:
    return mark in text and _QUOTED[mark].search(text) is not None


def _is_free(value: Any, most: int, *, escaped: bool) -> bool:
    """Whether in the text of a value no ASCII sign stands behind a quote.

    False also where that is dear to know: with more than `most` parts, and with quotes in strings,
    which only a text with escapes has.
    """
    pending = [value]
    keys: set[str] = set()
    for node in pending:
        most -= len(node)
        if most < 0:
            return False
        if node.__class__ is dict:
            keys.update(node)
        for item in node.values() if node.__class__ is dict else node:
            if item.__class__ is str:
                if (item < _ABOVE_SIGNS and _is_sign(item)) or (escaped and '"' in item):
                    return False
            elif item.__class__ is dict or item.__class__ is list:
                pending.append(item)
    return not any(_is_sign(key) or '"' in key for key in keys)


def _is_sign(text: str) -> bool:
    return text[:1] in _SIGNS or text[:2] == ".."


def begins_like_template(value: Any) -> bool:
    """Whether the first text of a value is a sign of a template."""
    field, node = "", value
    while node:
        if node.__class__ is dict:
            field = next(iter(node))
            node = node[field]
        elif node.__class__ is list:
            node = node[0]
        else:
            break
    if node.__class__ is not str or len(node) > _MAX_PLACEHOLDER:
        return False
    stripped = node.strip()
    return _is_plain(field, stripped) or (stripped[:1] in _FIRSTS and is_hole(field, stripped))


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
        if stripped[:1] in _FIRSTS and is_hole(field, stripped):
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
