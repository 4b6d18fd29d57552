"""Calls in tags that name the tool, with parameters as tags, attributes or JSON."""

import re
from typing import Any, Final

from libriscribe2.replies.tool_formats.call_objects import (
    CUT_OFF,
    TWICE,
    UNBALANCED,
    add_argument,
    clean_name,
    json_at,
    read_arguments,
    typed_value,
)
from libriscribe2.replies.tool_formats.elements import (
    NAMESPACE,
    TAG_OPENER,
    Frame,
    Grammar,
    grammar_of,
    next_begins,
    read_elements,
    value_end,
)
from libriscribe2.replies.tool_formats.reading import (
    Found,
    ReadCall,
    Source,
    ToolFormat,
    after_space,
)

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


NOTATIONS: Final = (
    ToolFormat("named_tags", TAG_OPENER, read_tag_call, rank=10),
    ToolFormat("legacy_invoke", LEGACY_OPENER, read_legacy_invoke, rank=20),
)
