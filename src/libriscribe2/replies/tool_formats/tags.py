"""Calls in named tags, with parameters as tags, attributes or JSON."""

import re
from functools import lru_cache
from typing import Any, Final

from libriscribe2.replies.tool_formats.call_objects import (
    CUT_OFF,
    TWICE,
    UNBALANCED,
    add_argument,
    clean_name,
    is_definition,
    json_at,
    read_arguments,
    typed_value,
)
from libriscribe2.replies.tool_formats.elements import (
    NAMESPACE,
    Frame,
    Grammar,
    grammar_of,
    next_begins,
    read_elements,
    value_end,
)
from libriscribe2.replies.tool_formats.reading import Found, ReadCall, Source, after_space

_ATTRIBUTE: Final = re.compile(
    r"""\bname\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s<>"'/]+))|^<[^\s=<>]+\s*=\s*["']?([^<>"']+)""",
    re.IGNORECASE,
)
_IS_STRING: Final = re.compile(r"""\bstring\s*=\s*["']true["']""", re.IGNORECASE)


def read_tag_call(source: Source, start: int, body: int) -> Found | None:
    """One call from its opening tag; None where the tag stands in prose."""
    text = source.text
    tag = text[start:body]
    name = clean_name(_attribute_name(tag))
    if name is None:
        return None
    if tag.endswith("/>"):
        return Found(body, (ReadCall(name, {}),))
    place = after_space(text, body)
    if text[place : place + 1] == "{":
        return _json_body(source, grammar_of(tag), name, place)
    return _parameters(source, grammar_of(tag), name, place, tag)


def _attribute_name(tag: str) -> str:
    """The value of a tag's `name` attribute, or what follows `=` in `<function=f>`, or ""."""
    match = _ATTRIBUTE.search(tag)
    groups = match.groups() if match else ()
    return next((group.strip() for group in groups if group is not None), "")


def _json_body(source: Source, grammar: Grammar, name: str, place: int) -> Found:
    read = json_at(source, place)
    if read.end < 0:
        return Found(len(source.text), issue=CUT_OFF)
    closing = grammar.closer.match(source.text, after_space(source.text, read.end))
    end = closing.end() if closing else read.end
    arguments = read_arguments(read.value) if read.ok else None
    if arguments is None:
        return Found(end, issue=f"The arguments of `{name}` are not a JSON object.")
    return Found(end, (ReadCall(name, arguments),))


def _parameters(source: Source, grammar: Grammar, name: str, place: int, tag: str) -> Found | None:
    text = source.text
    arguments: dict[str, Any] = {}
    while (opening := grammar.parameter.match(text, place)) is not None:
        closing = value_end(source, grammar, opening.end())
        if closing is None:
            return Found(len(text), issue=UNBALANCED)
        end, place = closing
        key = _attribute_name(opening[0])
        value = _value(source, name, key, opening[0], text[opening.end() : end])
        if not add_argument(arguments, key, value):
            return Found(len(text), issue=TWICE)
        place = after_space(text, place)
    closer = grammar.closer.match(text, place)
    if closer is not None:
        return Found(closer.end(), (ReadCall(name, arguments),))
    if place == len(text):
        return Found(place, issue=CUT_OFF)
    if not arguments and text[place] == "<":
        return read_elements(source, name, place, Frame(tag, grammar.closer))
    went_on = next_begins(text, place)
    return Found(place, (ReadCall(name, arguments),)) if arguments and went_on else None


def _value(source: Source, tool: str, key: str, tag: str, text: str) -> Any:
    if _IS_STRING.search(tag):
        return typed_value(text, {"type": "string"})
    return typed_value(text, source.property_schema(tool, key))


LEGACY_OPENER: Final = rf"(?i:<{NAMESPACE}invoke\s*>\s*<tool_name>)"
_NAME: Final = re.compile(r"\s*([^\s<>]+)\s*</tool_name>\s*<parameters>\s*", re.IGNORECASE)
_END: Final = re.compile(rf"</parameters>\s*</{NAMESPACE}invoke\s*>", re.IGNORECASE)
_FRAME: Final = Frame(re.compile("<tool_name>", re.IGNORECASE), _END)


def read_legacy_invoke(source: Source, _start: int, body: int) -> Found | None:
    """One call from its opening tags; None where they stand in prose."""
    head = _NAME.match(source.text, body)
    name = clean_name(head[1]) if head else None
    if head is None or name is None:
        return None
    found = read_elements(source, name, head.end(), _FRAME)
    return found or Found(len(source.text), issue=UNBALANCED)


OWN_TAG_OPENER: Final = r"<[A-Za-z_][\w.\-]{0,127}>(?=\s*</?[A-Za-z_])"


def read_own_tag(source: Source, start: int, body: int) -> Found | None:
    """One call from its opening tag; None for tags that are no tool's, or that stand in prose."""
    name = source.text[start + 1 : body - 1]
    if name not in source.tools:
        return None
    place = after_space(source.text, body)
    if source.text.startswith("</", place) and source.schemas.get(name, {}).get("required"):
        return None
    found = read_elements(source, name, place, _frame(name))
    if found is not None and found.calls and _is_open(source, name, found.end):
        return Found(len(source.text), issue=UNBALANCED)
    return found


def _is_open(source: Source, name: str, end: int) -> bool:
    """Whether the tool's tag is closed once more: what closed the call belonged to a value."""
    edge = source.search(_edges(name), end)
    return edge is not None and edge["slash"] is not None


@lru_cache(maxsize=256)
def _frame(name: str) -> Frame:
    return Frame(f"<{name}>", re.compile(f"</{re.escape(name)}>"))


@lru_cache(maxsize=256)
def _edges(name: str) -> re.Pattern[str]:
    return re.compile(rf"<(?P<slash>/)?{re.escape(name)}>")


_HEAD: Final = re.compile(
    r"\s*<(?:tool_)?name>\s*([^\s<>]+)\s*</(?:tool_)?name>\s*"
    r"<(?:arguments|parameters|args|input)>\s*(?=[{<])"
)
_TAIL: Final = re.compile(r"\s*(?:</(?:arguments|parameters|args|input)>\s*)(?:</[\w:]+>)?")
_FRAME_child_tag: Final = Frame(re.compile(r"<(?:arguments|parameters|args|input)>"), _TAIL)


def read_child_tags(source: Source, body: int) -> Found | None:
    """The call behind an opening wrapper, or None if it is not in this form."""
    head = _HEAD.match(source.text, body)
    name = clean_name(head[1]) if head else None
    if head is None or name is None:
        return None
    if source.text[head.end()] == "<":
        return _elements(source, name, head.end())
    read = json_at(source, head.end())
    tail = _TAIL.match(source.text, read.end) if read.end >= 0 else None
    if tail is None:
        return Found(len(source.text), issue=CUT_OFF)
    arguments = read_arguments(read.value) if read.ok else None
    if arguments is None:
        return Found(tail.end(), issue=f"The arguments of `{name}` are not a JSON object.")
    return Found(tail.end(), (ReadCall(name, arguments),))


def _elements(source: Source, name: str, place: int) -> Found | None:
    found = read_elements(source, name, place, _FRAME_child_tag)
    defines = found is not None and any(is_definition({}, call.arguments) for call in found.calls)
    return None if defines else found


_NAME_glm: Final = r"[^\s<>{}\[\]()]+"
_OPENER: Final = rf"<{NAMESPACE}arg_key>"
_END_glm: Final = rf"</{NAMESPACE}tool_call>"
_HEAD_glm: Final = re.compile(
    rf"\s?({_NAME_glm})(?:\s*(?={_OPENER})|\n?(?={_END_glm})|\s*<tool_sep>\s*)"
)
_KEY: Final = re.compile(
    rf"{_OPENER}([^<]*)</{NAMESPACE}arg_key>\s*"
    rf"(?:<{NAMESPACE}arg_type>[^<]*</{NAMESPACE}arg_type>\s*)?<{NAMESPACE}arg_value>"
)
_VALUE_END: Final = re.compile(rf"</{NAMESPACE}arg_value>(?=\s*(?:{_OPENER}|{_END_glm}|\Z))")
_CLOSER: Final = re.compile(_END_glm)


def read_glm_call(source: Source, body: int) -> Found | None:
    """The call behind `<tool_call>`, or None if it is not in this form."""
    text = source.text
    head = _HEAD_glm.match(text, body)
    name = clean_name(head[1]) if head else None
    if head is None or name is None:
        return None
    arguments: dict[str, Any] = {}
    place = head.end()
    while (key := _KEY.match(text, place)) is not None:
        value_end = source.search(_VALUE_END, key.end())
        if value_end is None:
            return Found(len(text), issue=CUT_OFF)
        parameter = key[1].strip()
        schema = source.property_schema(name, parameter)
        value = typed_value(text[key.end() : value_end.start()], schema)
        if not add_argument(arguments, parameter, value):
            return Found(len(text), issue=TWICE)
        place = after_space(text, value_end.end())
    closer = _CLOSER.match(text, place)
    if closer is None:
        return Found(len(text), issue=CUT_OFF)
    return Found(closer.end(), (ReadCall(name, arguments),))
