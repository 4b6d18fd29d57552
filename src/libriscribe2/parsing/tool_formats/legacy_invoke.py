"""Calls whose tool name and parameters are child tags.

`<invoke><tool_name>f</tool_name><parameters><a>1</a></parameters></invoke>`
"""

import re
from typing import Final

from libriscribe2.parsing.tool_formats.call_objects import clean_name
from libriscribe2.parsing.tool_formats.elements import Frame, read_elements
from libriscribe2.parsing.tool_formats.json_values import UNBALANCED
from libriscribe2.parsing.tool_formats.reading import Found, Source
from libriscribe2.parsing.tool_formats.tag_grammar import NAMESPACE

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
