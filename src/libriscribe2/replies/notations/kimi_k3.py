"""Kimi K3's calls: elements between tokens of their own, values of a stated type.

`<|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="number"<|sep|>1<|close|>
argument<|sep|><|close|>call<|sep|>`; instead of arguments there may be one `json` element.
"""

import re
from typing import Any, Final

from libriscribe2.replies.normalise import with_characters
from libriscribe2.replies.tool_formats.call_objects import (
    CUT_OFF,
    TWICE,
    add_argument,
    clean_name,
    read_arguments,
    typed_value,
)
from libriscribe2.replies.tool_formats.reading import (
    CONTROL,
    Found,
    ReadCall,
    Source,
    ToolFormat,
    after_space,
    no_call,
    whole_json,
)

K3_OPENER: Final = r"<\|open\|>call\s[^<>]*<\|sep\|>"
K3_EDGE: Final = r"<\|(?:open|close)\|>tools<\|sep\|>"
_ATTRIBUTE: Final = re.compile(r'(\w+)="([^"<>]*)"')
_ELEMENT: Final = re.compile(r"<\|open\|>(argument|json)\b([^<>]*)<\|sep\|>")
_ENDS: Final = {
    word: re.compile(rf"<\|close\|>{word}<\|sep\|>") for word in ("argument", "json", "call")
}


def read_k3_call(source: Source, start: int, body: int) -> Found | None:
    """One call from its opening element; None if it names no tool."""
    text = source.text
    name = clean_name(_attributes(text[start:body]).get("tool"))
    if name is None:
        return None
    arguments: dict[str, Any] = {}
    place = after_space(text, body)
    while (opening := _ELEMENT.match(text, place)) is not None:
        end = source.search(_ENDS[opening[1]], opening.end())
        if end is None:
            return Found(len(text), issue=CUT_OFF)
        values = _values(source, name, opening, text[opening.end() : end.start()])
        if values is None:
            return Found(len(text), issue=f"The arguments of `{name}` could not be read.")
        if not all(add_argument(arguments, key, value) for key, value in values.items()):
            return Found(len(text), issue=TWICE)
        place = after_space(text, end.end())
    closer = _ENDS["call"].match(text, place)
    if closer is None:
        return Found(len(text), issue=CUT_OFF)
    return Found(closer.end(), (ReadCall(name, arguments),))


def _values(source: Source, tool: str, opening: re.Match[str], text: str) -> dict[str, Any] | None:
    """The arguments that one element gives; None if it has no key or is no object."""
    if opening[1] == "json":
        return read_arguments(whole_json(text).value)
    attributes = _attributes(opening[2])
    key = attributes.get("key")
    if key is None:
        return None
    stated = {"type": attributes["type"]} if "type" in attributes else None
    return {key: typed_value(text, source.property_schema(tool, key) or stated)}


def _attributes(tag: str) -> dict[str, str]:
    return {name: with_characters(value) for name, value in _ATTRIBUTE.findall(tag)}


NOTATIONS: Final = (
    ToolFormat("kimi_k3", K3_OPENER, read_k3_call, rank=40),
    ToolFormat("kimi_k3_edge", K3_EDGE, no_call, rank=CONTROL),
)
