"""Markdown around and inside values: detected, and taken off identifiers."""

import logging
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from libriscribe2.replies.contract import code_span_end
from libriscribe2.replies.normalise import normalise
from libriscribe2.replies.schema_fit import identifier_marks
from libriscribe2.replies.strict_json import find_json_end_string_safe, map_strings, strict_parse

_LOG: Final = logging.getLogger(__name__)

MAX_ITALIC: Final = 100
_TOKEN: Final = re.compile(r"\*+|`+|\n")
_ITALIC_BLOCKER: Final = re.compile(r'[\t{}\[\]"]')
_NEVER_EMPHASISED_FIRST: Final = frozenset("/\\.,;:!?)]}")
_OPENING: Final = frozenset("([{<\"'“‘«—–-:,;¿¡")


@dataclass(frozen=True, slots=True)
class Stripped:
    """A text or JSON value without emphasis marks, and how many spans of each kind there were."""

    value: Any
    bold: int = 0
    italic: int = 0


@dataclass(slots=True)
class _Line:
    """Unmatched opening marks of the current line, by mark length, and the marks to cut."""

    openers: dict[int, list[int]] = field(default_factory=lambda: {1: [], 2: [], 3: []})
    cuts: set[int] = field(default_factory=set)
    bold: int = 0
    italic: int = 0

    def close(self, length: int, end: int, text: str) -> bool:
        """Match a closing mark at `end` with the nearest opening mark of its length."""
        positions = self.openers[length]
        if not positions:
            return False
        start = positions[-1] + length
        fits = 0 < end - start < MAX_ITALIC and not _ITALIC_BLOCKER.search(text, start, end)
        if length == 1 and not fits:
            return False
        opened = positions.pop()
        for others in self.openers.values():
            while others and others[-1] > opened:
                others.pop()
        self.cuts.update(range(opened, opened + length), range(end, end + length))
        self.bold += length > 1
        self.italic += length != 2
        return True


def _opens(text: str, start: int, end: int) -> bool:
    """Whether the run of asterisks at [start, end) can begin emphasis."""
    before = text[start - 1] if start else " "
    after = text[end : end + 1] or " "
    is_outside = before.isspace() or before in _OPENING
    return is_outside and not (after.isspace() or after in _NEVER_EMPHASISED_FIRST)


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
    line = _Line()
    position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        position = token.end()
        mark = token.group()
        if mark == "\n":
            for positions in line.openers.values():
                positions.clear()
        elif mark[0] == "`":
            position = code_span_end(text, token.start())
        elif len(mark) <= 3:
            closed = _closes(text, token.start(), position) and line.close(
                len(mark), token.start(), text
            )
            if not closed and _opens(text, token.start(), position):
                line.openers[len(mark)].append(token.start())
    kept = "".join(one for at, one in enumerate(text) if at not in line.cuts)
    return Stripped(kept, line.bold, line.italic)


# A name or id in emphasis as a whole, such as `*weather-tool*`.
_IDENTIFIER: Final = re.compile(r"(\*{1,3}+)[^\W_](?:[^\s*.!?…,;:\"“”]|[ .](?=\w)){0,59}+\1")
_MOST_WORDS: Final = 4
# Fields of the shapes whose value is copied from a text, or goes into one: the marks are its words.
_WORDS_OF_A_TEXT: Final = ("quote", "find", "replace", "text")


def strip_value_emphasis(
    value: Any,
    fields: Collection[str] | Callable[[str], bool],
    schema: Mapping[str, Any] | None = None,
) -> Stripped:
    """A copy of a JSON value whose chosen string values have no emphasis marks.

    Args:
        value: Any JSON value; keys and structure are never changed.
        fields: The names of the fields to strip, or a predicate on the field name. A string in a
            list belongs to the field that holds the list; a string outside any object to "".
        schema: Its JSON Schema: what it marks as an `identifier` is stripped, too, and elsewhere
            a name or id that is emphasised as a whole, but for words of a text.
    """
    wanted = fields if callable(fields) else fields.__contains__
    marks = {} if schema is None else dict(identifier_marks(schema))
    bold = italic = 0

    def change(field_name: str, text: str) -> str:
        nonlocal bold, italic
        if "*" not in text:
            return text
        named = marks.get(field_name) or (
            not field_name.endswith(_WORDS_OF_A_TEXT)
            and _IDENTIFIER.fullmatch(text) is not None
            and text.count(" ") < _MOST_WORDS
        )
        if not (wanted(field_name) or (schema is not None and named)):
            return text
        stripped = strip_emphasis(text)
        bold += stripped.bold
        italic += stripped.italic
        return str(stripped.value)

    return Stripped(map_strings(value, change), bold, italic)


def log_stripped(stripped: Stripped, name: str = "stripMarkdown/strip_markdown_from_json") -> None:
    """Say in the log how many marks were taken off; without any, say nothing."""
    if stripped.bold or stripped.italic:
        _LOG.debug("%s: stripped %d bold, %d italic", name, stripped.bold, stripped.italic)


MARKDOWN_CODE_BLOCKS: Final = "markdown_code_blocks"
_COMMAND: Final = re.compile(r"[\b\f]|[\t\r](?=[A-Za-z])")
_LETTERS: Final = {"\b": "b", "\f": "f", "\t": "t", "\r": "r"}


def with_backslashes(value: Any, written: str) -> Any:
    r"""A value with the backslashes of its texts where `\b` or `\f` was written: `\frac`, `\bword`.

    Nobody means a form feed or a backspace; tabs and returns before letters in such texts,
    and beside them in those with formulas between dollars, are commands, too.
    """
    if not ("\\f" in written or "\\b" in written) or "\f" in written or "\b" in written:
        return value

    def change(_field: str, text: str) -> str:
        is_lost = "\f" in text or "\b" in text or text.count("$") > 1
        return _COMMAND.sub(lambda one: f"\\{_LETTERS[one[0]]}", text) if is_lost else text

    return map_strings(value, change)


_FENCE: Final = re.compile(r"```|^[ \t>]*~~~", re.MULTILINE)
# Control characters must be escaped in JSON, all others need not be.
_ESCAPE: Final = re.compile(r"\\u(?!00[01])[0-9A-Fa-f]{4}")
_FENCE_LABEL: Final = re.compile(r"(?:```+|~~~+)[\w+-]*")
_TEXT: Final = re.compile(r"\w")


def value_artifacts(text: str, value: object) -> tuple[str, ...]:
    """The labels of strict JSON text itself, whose value is given: escapes and emphasis in strings."""
    found = []
    if _ESCAPE.search(text):
        found.append("unicode_escapes")
    stripped = strip_value_emphasis(value, lambda _: True)
    if stripped.bold or stripped.italic:
        found.append("markdown_emphasis")
    return tuple(found)


def around_artifacts(before: str, after: str) -> tuple[str, ...]:
    """The labels of the text before and after the JSON of a reply."""
    found = []
    if _FENCE.search(before) or _FENCE.search(after):
        found.append(MARKDOWN_CODE_BLOCKS)
    if _TEXT.search(_FENCE_LABEL.sub("", before + after)):
        found.append("surrounding_text")
    return tuple(found)


def detect_markdown_artifacts(response: str) -> list[str]:
    """What a reply holds besides plain JSON; an empty list for a clean reply.

    The labels are `byte_order_mark`, `zero_width_characters`, `reasoning_block`,
    `markdown_code_blocks`, `surrounding_text`, `unicode_escapes` and `markdown_emphasis`. Fences
    and tags inside string values are content, not artifacts.
    """
    clean = normalise(response)
    text = clean.text
    parsed = strict_parse(text)
    if parsed.end == len(text):
        return [*clean.labels, *value_artifacts(text, parsed.value)]
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=len(text))
    inner = strict_parse(text, start)
    end = inner.end if inner.end >= 0 else find_json_end_string_safe(text, start)
    body = text[start:end] if end >= 0 else text[start:]
    return [
        *clean.labels,
        *around_artifacts(text[:start], text[start + len(body) :]),
        *value_artifacts(body, body if inner.end < 0 else inner.value),
    ]
