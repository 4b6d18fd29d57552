"""Markdown emphasis in string values: `**bold**` and `*italic*`, told apart from other asterisks.

The marks are read by CommonMark's idea of flanking, narrowed: an opening mark stands at the start
or after white space or opening punctuation, a closing mark mirrors it, and neither touches a word
character, a slash or a backslash on its outer side. So products, powers, globs, pointers,
footnotes and list bullets keep their asterisks. Marks never span lines, code spans are skipped, and
an italic span is shorter than 100 characters and holds no brace, bracket, tab or double quote.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Final

from libriscribe2.utils.tree import map_strings

MAX_ITALIC: Final = 100
_TOKEN: Final = re.compile(r"\*+|`+|\n")
_ITALIC_BLOCKER: Final = re.compile(r'[\t{}\[\]"]')
_NEVER_EMPHASISED_FIRST: Final = frozenset("/\\.,;:!?)]}")
_OPENING: Final = frozenset("([{<\"'“‘«—–-:,;¿¡")


@dataclass(frozen=True, slots=True)
class Stripped:
    """A text without its emphasis marks, and how many spans of each kind there were."""

    text: str
    bold: int = 0
    italic: int = 0


@dataclass(slots=True)
class _Line:
    """Unmatched opening marks of the current line, by mark length, and the marks to cut."""

    openers: dict[int, list[int]] = field(default_factory=lambda: {1: [], 2: [], 3: []})
    cuts: list[tuple[int, int]] = field(default_factory=list)
    bold: int = 0
    italic: int = 0

    def forget(self) -> None:
        for positions in self.openers.values():
            positions.clear()

    def close(self, length: int, end: int, text: str) -> bool:
        """Match a closing mark at `end` with the nearest opening mark of its length."""
        positions = self.openers[length]
        if not positions:
            return False
        start = positions[-1] + length
        if length == 1 and not _is_italic_content(text, start, end):
            return False
        opened = positions.pop()
        for others in self.openers.values():
            while others and others[-1] > opened:
                others.pop()
        self.cuts += [(opened, opened + length), (end, end + length)]
        self.bold += length > 1
        self.italic += length != 2
        return True


def _is_italic_content(text: str, start: int, end: int) -> bool:
    return 0 < end - start < MAX_ITALIC and not _ITALIC_BLOCKER.search(text, start, end)


def _opens(text: str, start: int, end: int) -> bool:
    """Whether the run of asterisks at [start, end) can begin emphasis."""
    before = text[start - 1] if start else " "
    after = text[end : end + 1]
    if not (before.isspace() or before in _OPENING):
        return False
    return bool(after) and not after.isspace() and after not in _NEVER_EMPHASISED_FIRST


def _closes(text: str, start: int, end: int) -> bool:
    """Whether the run of asterisks at [start, end) can end emphasis."""
    before = text[start - 1] if start else " "
    after, next_after = text[end : end + 1], text[end + 1 : end + 2]
    if before.isspace() or before in "\\/" or after in ("/", "\\", "_"):
        return False
    # "*.txt,*.md" is a list of globs: a dot that starts a suffix does not end a sentence.
    return not after.isalnum() and not (after == "." and next_after.isalnum())


def strip_emphasis(text: str) -> Stripped:
    """Remove the marks of bold and italic spans from one string value, in linear time."""
    if "*" not in text:
        return Stripped(text)
    line = _Line()
    position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        position = token.end()
        mark = token.group()
        if mark == "\n":
            line.forget()
        elif mark[0] == "`":
            position = _after_code_span(text, token)
        elif len(mark) <= 3:
            closed = _closes(text, token.start(), position) and line.close(
                len(mark), token.start(), text
            )
            if not closed and _opens(text, token.start(), position):
                line.openers[len(mark)].append(token.start())
    return Stripped(_without(text, sorted(line.cuts)), line.bold, line.italic)


def _after_code_span(text: str, opening: re.Match[str]) -> int:
    """Where the code span that begins here ends; right after the ticks when it never does."""
    ticks = opening.group()
    end = text.find(ticks, opening.end())
    if end < 0 or text.find("\n", opening.end(), end) >= 0:
        return opening.end()
    return end + len(ticks)


def _without(text: str, cuts: list[tuple[int, int]]) -> str:
    kept, position = [], 0
    for start, end in cuts:
        kept.append(text[position:start])
        position = end
    return "".join([*kept, text[position:]])


@dataclass(frozen=True, slots=True)
class StrippedValue:
    """A JSON value without emphasis marks, and how many spans of each kind there were."""

    value: Any
    bold: int = 0
    italic: int = 0


def strip_value_emphasis(
    value: Any, fields: Collection[str] | Callable[[str], bool]
) -> StrippedValue:
    """A copy of a JSON value whose chosen string values have no emphasis marks.

    Args:
        value: Any JSON value; keys and structure are never changed.
        fields: The names of the fields to strip, or a predicate on the field name. A string in a
            list belongs to the field that holds the list; a string outside any object to "".
    """
    wanted = fields if callable(fields) else fields.__contains__
    bold = italic = 0

    def change(field_name: str, text: str) -> str:
        nonlocal bold, italic
        if "*" not in text or not wanted(field_name):
            return text
        stripped = strip_emphasis(text)
        bold += stripped.bold
        italic += stripped.italic
        return stripped.text

    changed = map_strings(value, change)
    return StrippedValue(changed, bold, italic)
