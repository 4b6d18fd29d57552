"""Calls whose name and arguments are tags of their own.

`<tool_use><name>f</name><arguments>{"a": 1}</arguments></tool_use>`; the arguments may be elements.
"""

import re
from typing import Final

from libriscribe2.parsing.tool_formats.call_objects import (
    clean_name,
    is_definition,
    read_arguments,
)
from libriscribe2.parsing.tool_formats.elements import Frame, read_elements
from libriscribe2.parsing.tool_formats.json_values import CUT_OFF, json_at
from libriscribe2.parsing.tool_formats.reading import Found, ReadCall, Source

_HEAD: Final = re.compile(
    r"\s*<(?:tool_)?name>\s*([^\s<>]+)\s*</(?:tool_)?name>\s*"
    r"<(?:arguments|parameters|args|input)>\s*(?=[{<])"
)
_TAIL: Final = re.compile(r"\s*(?:</(?:arguments|parameters|args|input)>\s*)(?:</[\w:]+>)?")
_FRAME: Final = Frame(re.compile(r"<(?:arguments|parameters|args|input)>"), _TAIL)


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
    found = read_elements(source, name, place, _FRAME)
    defines = found is not None and any(is_definition({}, call.arguments) for call in found.calls)
    return None if defines else found
