"""Calls whose tool name and parameters are child tags.

`<invoke><tool_name>f</tool_name><parameters><a>1</a></parameters></invoke>`
"""

import re
from typing import Any, Final

from libriscribe2.parsing.tool_formats.call_objects import clean_name
from libriscribe2.parsing.tool_formats.json_values import UNBALANCED
from libriscribe2.parsing.tool_formats.reading import Found, ReadCall, Source, after_space
from libriscribe2.parsing.tool_formats.tag_grammar import NAMESPACE
from libriscribe2.parsing.tool_formats.typed_values import typed_value

LEGACY_OPENER: Final = rf"(?i:<{NAMESPACE}invoke\s*>\s*<tool_name>)"
_NAME: Final = re.compile(r"\s*([^\s<>]+)\s*</tool_name>\s*<parameters>\s*", re.IGNORECASE)
_OPENING: Final = re.compile(r"<(\w{1,80})>")
_END: Final = re.compile(rf"</parameters>\s*</{NAMESPACE}invoke\s*>", re.IGNORECASE)


def read_legacy_invoke(source: Source, _start: int, body: int) -> Found | None:
    """One call from its opening tags; None where they stand in prose."""
    text = source.text
    head = _NAME.match(text, body)
    name = clean_name(head[1]) if head else None
    if head is None or name is None:
        return None
    arguments: dict[str, Any] = {}
    place = head.end()
    while (opening := _OPENING.match(text, place)) is not None and source.spend(1):
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        if end < 0:
            return Found(len(text), issue=UNBALANCED)
        schema = source.property_schema(name, opening[1])
        arguments[opening[1]] = typed_value(text[opening.end() : end], schema)
        place = after_space(text, end + len(closing))
    closer = _END.match(text, place)
    if closer is None:
        return Found(len(text), issue=UNBALANCED)
    return Found(closer.end(), (ReadCall(name, arguments),))
