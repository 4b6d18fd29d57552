"""Arguments in elements that are named like the tool's parameters.

`<path>a.md</path><text>Once.</text>`, as Cline's `<write_file>` and the legacy invoke hold them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
        opener: The tag before them, or what matches it.
        closer: Matches what ends the call.
    """

    opener: re.Pattern[str] | str
    closer: re.Pattern[str]

    def opens_between(self, text: str, start: int, end: int) -> bool:
        """Whether the tag stands in a part of a text."""
        if isinstance(self.opener, str):
            return text.find(self.opener, start, end) >= 0
        return self.opener.search(text, start, end) is not None


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
    mentionable = True
    for edge, end in _edges(text, name, start):
        if not source.spend(LOOK):
            return None
        if text[edge + 1] != "/":
            depth += 1
            continue
        place = after_space(text, end)
        closing = frame.closer.match(text, place)
        if not depth and (closing is not None or _ELEMENT.match(text, place) or place == len(text)):
            return edge, end
        ends_call = closing is not None and _REGION_END.match(text, closing.end()) is not None
        if ends_call and mentionable:
            mention = None if frame.opens_between(text, start, edge) else (edge, end)
            mentionable = False
        depth = max(0, depth - 1)
    return mention


def _edges(text: str, name: str, start: int) -> Iterator[tuple[int, int]]:
    """The opening and closing tags of an element, in order; nothing behind the last is searched."""
    opener, closer = f"<{name}>", f"</{name}>"
    place = start
    while place <= len(text):
        closing = text.find(closer, place)
        until = closing if closing >= 0 else len(text)
        while (opening := text.find(opener, place, until)) >= 0:
            place = opening + len(opener)
            yield opening, place
        place = until + len(closer)
        if closing >= 0:
            yield closing, place
