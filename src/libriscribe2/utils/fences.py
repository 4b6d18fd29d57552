"""Markdown code: fenced blocks, code spans, and the fence that a model puts around a whole reply.

A fence may begin behind text on its line and may end right behind its last line, as models write
it; it ends at the first run of as many of the same marks that closes a line.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

FENCE_OPENER: Final = r"`{3,}|(?m:^)[ \t]*~{3,}"
_OPENING: Final = re.compile(
    r"[ \t]*+(?P<marks>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^\n`]*+)(?P<break>\n|\Z)"
)
_ONE_LINE: Final = re.compile(r"(?P<marks>`{3,})(?P<inside>[^`\n]++)(?P=marks)")
_WITH_LANGUAGE: Final = re.compile(r"[ \t]*+(?P<info>[\w+-]*+)[ \t]*+(?=[^`\n])")
_PROSE: Final = frozenset({"markdown", "md", "text", "txt", "plaintext", "prose"})
_LONGEST_SPAN: Final = 4_000
_TICKS: Final = re.compile(r"`+")


@dataclass(frozen=True, slots=True)
class Fence:
    """One fenced block; all places are indexes of the text.

    Attributes:
        start: Where the opening marks begin.
        body_start: Where the code begins.
        body_end: Where the code ends, without the last line break.
        end: Where the closing marks end; the end of the text when nothing closes the block.
        language: The first word behind the opening marks, in lower case.
        closed: Whether closing marks were found.
    """

    start: int
    body_start: int
    body_end: int
    end: int
    language: str
    closed: bool


def fence_at(text: str, start: int, code_until: int | None = None) -> Fence | None:
    """The fenced block whose opening marks stand at `start`.

    Args:
        text: Any text.
        start: Where the marks (or the blanks before them) stand.
        code_until: A place up to which the block is known to hold code, such as the end of a JSON
            value; marks before it close nothing.

    Returns:
        The block, or None if the marks open none.
    """
    opening = _OPENING.match(text, start)
    if opening is None:
        return _one_line_fence(text, start)
    marks = opening["marks"]
    search_from = opening.end() if code_until is None else max(opening.end(), code_until)
    closing = _closing_marks(marks[0], len(marks)).search(text, search_from)
    words = opening["info"].split()
    language = words[0].lower() if words else ""
    if closing is None:
        return Fence(opening.start(), opening.end(), len(text), len(text), language, closed=False)
    body_end = max(opening.end(), _line_break_before(text, search_from, closing.start()))
    return Fence(opening.start(), opening.end(), body_end, closing.end(), language, closed=True)


def code_span_end(text: str, start: int) -> int:
    """The end of the code span whose ticks begin at `start`; the end of the ticks if none closes.

    A span never crosses an empty line and holds at most 4,000 characters.
    """
    ticks = _TICKS.match(text, start)
    if ticks is None:
        return start
    limit = min(len(text), ticks.end() + _LONGEST_SPAN)
    paragraph_end = text.find("\n\n", ticks.end(), limit)
    limit = limit if paragraph_end < 0 else paragraph_end
    for closing in _TICKS.finditer(text, ticks.end(), limit):
        if len(closing[0]) == len(ticks[0]):
            return closing.end()
    return ticks.end()


def unwrap_whole_fence(text: str) -> str:
    """The text inside the fence if one fence is around all of it, else the text as it is.

    Only white space may stand outside. Fences of the same length may stand inside when they close
    each other; without a language they do so only in a fence of prose (`markdown`, `text`), since
    two plain blocks one after the other look the same.
    """
    stripped = text.strip()
    opening = _OPENING.match(stripped)
    if opening is None:
        return text
    marks = opening["marks"]
    last_line_start = stripped.rfind("\n") + 1
    last_line = stripped[last_line_start:].strip()
    if last_line_start < opening.end() or last_line.strip(marks[0]) or len(last_line) < len(marks):
        return text
    inner = stripped[opening.end() : last_line_start].removesuffix("\n")
    holds_prose = opening["info"].strip().lower() in _PROSE
    return inner if _is_balanced(inner, marks, holds_prose=holds_prose) else text


def _is_balanced(inner: str, marks: str, *, holds_prose: bool) -> bool:
    """Whether the fences inside close each other, so that the outer marks belong together."""
    opened = False
    for line in inner.split("\n"):
        plain = line.strip()
        if not plain.startswith(marks):
            continue
        is_bare = not plain.strip(marks[0])
        if not opened and is_bare and not holds_prose:
            return False
        if not opened or is_bare:
            opened = not opened
    return not opened


@cache
def _closing_marks(mark: str, count: int) -> re.Pattern[str]:
    return re.compile(rf"(?m)(?<!{mark}){mark}{{{count},}}+[ \t\r]*+$")


def _line_break_before(text: str, start: int, marks: int) -> int:
    """Where the break stands before the line of closing marks; where the marks stand, if none."""
    place = start + len(text[start:marks].rstrip(" \t>"))
    if place > start and text[place - 1] == "\n":
        place -= 1
        place -= place > start and text[place - 1] == "\r"
    return place


def _one_line_fence(text: str, start: int) -> Fence | None:
    """A block on one line: three ticks, a language, the code, three ticks; one word is code."""
    whole = _ONE_LINE.match(text, start)
    if whole is None:
        return None
    opening = _WITH_LANGUAGE.match(text, whole.start("inside"))
    body_start = opening.end() if opening else whole.start("inside")
    info = opening["info"].lower() if opening else ""
    return Fence(start, body_start, whole.end("inside"), whole.end(), info, closed=True)
