"""Calls in tags that bear the tool's own name, as Cline and Roo Code ask for them.

`<read_file><path>a.md</path></read_file>`; only names of existing tools are tags of this kind.
"""

import re
from typing import Final

from libriscribe2.replies.tool_formats.call_objects import UNBALANCED
from libriscribe2.replies.tool_formats.elements import Frame, read_elements
from libriscribe2.replies.tool_formats.reading import Found, Source, ToolFormat, after_space

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


def _frame(name: str) -> Frame:
    return Frame(f"<{name}>", re.compile(f"</{re.escape(name)}>"))


def _edges(name: str) -> re.Pattern[str]:
    return re.compile(rf"<(?P<slash>/)?{re.escape(name)}>")


NOTATIONS: Final = (ToolFormat("own_tags", OWN_TAG_OPENER, read_own_tag, rank=160),)
