"""MiniMax M3's calls: elements, each of whose tags stands behind a mark.

`<tool_call>`, `<invoke name="f">`, `<a>1`, `</a>` and so on, `]<]minimax[>[` before each. Tags
without the mark belong to a value, so nothing in a value can close it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from libriscribe2.replies.tool_formats.call_objects import (
    CUT_OFF,
    TWICE,
    UNBALANCED,
    add_argument,
    clean_name,
    typed_value,
)
from libriscribe2.replies.tool_formats.reading import (
    Found,
    JsonObject,
    ReadCall,
    Source,
    ToolFormat,
)

_MARK: Final = "]<]minimax[>["
M3_OPENER: Final = rf"{re.escape(_MARK)}<tool_call>"
_END: Final = re.compile(rf"{re.escape(_MARK)}</tool_call>")
_TAG: Final = re.compile(r"""<(/?)([\w.\-]+)(?:\s+name\s*=\s*["']([^"'<>]*)["'])?\s*>""")
_MAX_DEPTH: Final = 32


@dataclass(slots=True)
class _Element:
    """An element: its word, its `name` attribute, the text behind its tag, what is in it."""

    word: str
    name: str = ""
    text: str = ""
    inner: list["_Element"] = field(default_factory=list)


def read_m3_calls(source: Source, _start: int, body: int) -> Found:
    """The calls between the two `tool_call` tags."""
    closing = source.search(_END, body)
    if closing is None:
        return Found(len(source.text), issue=CUT_OFF)
    elements = _elements(source.text[body : closing.start()])
    if elements is None:
        return Found(closing.end(), issue=UNBALANCED)
    calls: list[ReadCall] = []
    for element in elements:
        arguments: dict[str, Any] = {}
        name = clean_name(element.name)
        if name is None:
            return Found(closing.end(), tuple(calls), issue="A tool call has no name.")
        if not _add_values(source, name, element, arguments):
            return Found(closing.end(), tuple(calls), issue=TWICE)
        calls.append(ReadCall(name, arguments))
    return Found(closing.end(), tuple(calls))


def _elements(text: str) -> list[_Element] | None:
    """The outermost elements; None if tags do not match or text stands beside elements."""
    root = _Element("")
    path = [root]
    before, *pieces = text.split(_MARK)
    for piece in pieces:
        tag = _TAG.match(piece)
        if tag is None or len(path) > _MAX_DEPTH:
            return None
        behind = piece[tag.end() :]
        if tag[1]:
            if path.pop().word != tag[2] or behind.strip():
                return None
            continue
        if path[-1].text.strip():
            return None
        element = _Element(tag[2], tag[3] or "", behind)
        path[-1].inner.append(element)
        path.append(element)
    return root.inner if len(path) == 1 and not before.strip() else None


def _add_values(source: Source, tool: str, call: _Element, arguments: dict[str, Any]) -> bool:
    """Fill in the arguments; False if one is there twice, with different values."""
    return all(
        add_argument(arguments, inner.word, _value(inner, source.property_schema(tool, inner.word)))
        for inner in call.inner
    )


def _value(element: _Element, schema: JsonObject | None) -> Any:
    if not element.inner:
        return typed_value(element.text, schema)
    if all(inner.word == "item" for inner in element.inner):
        return [_value(inner, _under(schema, "items")) for inner in element.inner]
    kinds = _under(schema, "properties")
    return {inner.word: _value(inner, _under(kinds, inner.word)) for inner in element.inner}


def _under(schema: JsonObject | None, key: str) -> JsonObject | None:
    inner = schema.get(key) if schema is not None else None
    return inner if isinstance(inner, Mapping) else None


NOTATIONS: Final = (ToolFormat("minimax_m3", M3_OPENER, read_m3_calls, rank=50, begins=r"\]"),)
