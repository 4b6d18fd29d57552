"""Arguments in elements that are named like the tool's parameters.

`<path>a.md</path><text>Once.</text>`, as Cline's `<write_file>` and the legacy invoke hold them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from libriscribe2.parsing.tool_formats.json_values import CUT_OFF, TWICE, UNBALANCED
from libriscribe2.parsing.tool_formats.reading import LOOK, Found, ReadCall, Source, after_space
from libriscribe2.parsing.tool_formats.tag_grammar import PARAMETER_WORDS
from libriscribe2.parsing.tool_formats.typed_values import add_argument, typed_value

_ELEMENT: Final = re.compile(r"<([A-Za-z_][\w.-]{0,80})>")
_NO_NAME: Final = re.compile(PARAMETER_WORDS)
_REGION_END: Final = re.compile(r"[ \t]*(?:\r?\n|<|\Z)")


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the elements of a call.

    Attributes:
        opener: Matches the tag before them.
        closer: Matches what ends the call.
    """

    opener: re.Pattern[str]
    closer: re.Pattern[str]


def read_elements(source: Source, tool: str, place: int, frame: Frame) -> Found | None:
    """The call of `tool` whose arguments begin at `place`.

    Args:
        source: The reply.
        tool: The tool's name.
        place: Where the first element is expected, white space passed over.
        frame: What stands around the elements.

    Returns:
        The call; or an issue if it is cut off or a value has no certain end; or None if something
        else than the tool's parameters stands there.
    """
    text = source.text
    arguments: dict[str, Any] = {}
    while (opening := _ELEMENT.match(text, place)) is not None:
        name = opening[1]
        if not arguments and not _is_parameter(source, tool, name):
            return None
        end = _value_end(source, name, opening.end(), frame)
        if end is None:
            return Found(len(text), issue=UNBALANCED)
        value = typed_value(text[opening.end() : end[0]], source.property_schema(tool, name))
        if not add_argument(arguments, name, value):
            return Found(len(text), issue=TWICE)
        place = after_space(text, end[1])
    closing = frame.closer.match(text, place)
    if closing is not None:
        return Found(closing.end(), (ReadCall(tool, arguments),))
    return Found(len(text), issue=CUT_OFF) if place == len(text) else None


def _is_parameter(source: Source, tool: str, name: str) -> bool:
    properties = source.schemas.get(tool, {}).get("properties", {})
    if isinstance(properties, Mapping) and properties:
        return name in properties
    return _NO_NAME.fullmatch(name) is None


def _value_end(source: Source, name: str, start: int, frame: Frame) -> tuple[int, int] | None:
    """Where a value ends and where its closing tag ends; None if that is not certain.

    The closer stands before the next element or the end of the call, and balances what the value
    opened; a value that only mentions its own tag is ended by the one that ends the call.
    """
    text = source.text
    depth = 0
    mention: tuple[int, int] | None = None
    inner_call = source.search(frame.opener, start)
    limit = inner_call.start() if inner_call is not None else len(text)
    for edge in _edges(name).finditer(text, start):
        if not source.spend(LOOK):
            return None
        if edge["slash"] is None:
            depth += 1
            continue
        place = after_space(text, edge.end())
        closing = frame.closer.match(text, place)
        if not depth and (closing is not None or _ELEMENT.match(text, place) or place == len(text)):
            return edge.span()
        ends_call = closing is not None and _REGION_END.match(text, closing.end()) is not None
        if ends_call and edge.start() < limit:
            mention = mention or edge.span()
        depth = max(0, depth - 1)
    return mention


@lru_cache(maxsize=256)
def _edges(name: str) -> re.Pattern[str]:
    return re.compile(rf"<(?P<slash>/)?{re.escape(name)}>")
