"""Other texts behind a reply: the same content under one more layer of quoting or escaping.

A view is tried only when the text itself gave no answer. Each undoes one layer exactly.
"""

import json
import re
from collections.abc import Iterator
from typing import Final

from libriscribe2.utils.entities import with_characters
from libriscribe2.utils.normalise import ZERO_WIDTH
from libriscribe2.utils.python_tuples import without_tuples
from libriscribe2.utils.repair.patterns import MEMBER

_QUOTED_LINE: Final = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
# Lines in a row that carry the mark of a quotation.
_QUOTED_BLOCK: Final = re.compile(r"^[ \t]*>[^\n]*+(?:\n[ \t]*>[^\n]*+)*+", re.MULTILINE)
_CHUNK: Final = 50_000
_QUOTED_VALUE: Final = re.compile(r"^[ \t]*>[ \t>]*[{\[][^\n]*\n[ \t]*>", re.MULTILINE)
_ENTITY_START: Final = re.compile(r"[{\[]\s*&(?:quot|#34|#x22|ldquo|amp;quot);")
# The brackets before a first quote; without that quote they are passed as one.
_ESCAPED_START: Final = re.compile(r'[{\[](?:[\s{\[]|\\[nrt])*+(?P<quote>\\+")?')
_PREFILL: Final = re.compile(
    r"""(?:^|```\w*[ \t]*\n|\n[ \t]*\n|:[ \t]*\n)[ \t]*(?P<key>"[^"\n]{1,80}"\s*:)"""
)
_PLAIN_START: Final = re.compile(r"""\{\s*["'“]|\[\s*["'“{\[]""")
_ZERO_WIDTH: Final = re.compile(
    rf"(?:^|(?<=[{{}}\[\],:]))[{ZERO_WIDTH}]++"
    rf"|(?<![{ZERO_WIDTH}])[{ZERO_WIDTH}]++(?:$|(?=[{{}}\[\],:]))",
    re.MULTILINE,
)
_VISIBLE: Final = re.compile(rf"[^{ZERO_WIDTH}]")
# Line breaks and tabs between the tokens that are written as escapes: {\n  "title": ...
_LAYOUT_START: Final = re.compile(r"""[{\[]\s*+(?:[{\[]\s*+)?\\[nrt](?:\s|\\[nrt])*+["'{\[]""")
_NEAR: Final = 100
_LAYOUT: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|\\(?P<layout>[nrt])', re.DOTALL)
_BREAKS: Final = {"n": "\n", "r": "\r", "t": "\t"}
_MAX_LAYOUT: Final = 200_000
_STRING: Final = re.compile(r'"(?:[^"\\\n]++|\\.)*+(?P<end>"?)', re.DOTALL)


def views(text: str) -> Iterator[tuple[str, str]]:
    """Name and text of each other reading of a reply, cheapest assumption first."""
    if text.startswith('"'):
        yield from _named("json_string", _decoded_string(text))
    if ">" in text:
        yield from _named("block_quote", _without_quote_marks(text))
    plain = _PLAIN_START.search(text)
    limit = plain.start() if plain else len(text)
    if "&" in text and _ENTITY_START.search(text, 0, limit + 1):
        yield "html_entities", with_characters(text)
    if '\\"' in text[:limit]:
        yield from _named("escaped_quotes", _unescaped(text, limit))
        yield from _named("json_string", _inner_string(text))
    if _escapes_layout(text, limit):
        yield from _named("escaped_line_breaks", _with_line_breaks(text))
    if not text.isascii():
        yield from _named("zero_width_characters", _without_zero_width(text))
    yield from _named("python_tuple", without_tuples(text))
    yield from _named("missing_opening_brace", _with_brace(text, limit))


def _named(name: str, text: str) -> Iterator[tuple[str, str]]:
    if text:
        yield name, text


def _decoded(literal: str) -> str:
    """The text of a JSON string literal, raw line breaks allowed; "" when it is none."""
    try:
        decoded = json.loads(literal, strict=False)
    except ValueError:
        return ""
    return decoded.strip() if isinstance(decoded, str) else ""


def _decoded_string(text: str) -> str:
    """The text inside a reply that is one JSON string."""
    return _decoded(text) if text.endswith('"') else ""


def _inner_string(text: str) -> str:
    """The text of the longest JSON string in prose that holds a JSON value."""
    literals = [
        found.group() for found in _STRING.finditer(text) if found["end"] and '\\"' in found.group()
    ]
    decoded = _decoded(max(literals, key=len, default=""))
    return decoded if decoded[:1] in ("{", "[") else ""


def _without_quote_marks(text: str) -> str:
    """The text without the `>` of a quoted block, when its JSON lines all carry one."""
    block = _QUOTED_BLOCK.search(text)
    if block is None or _QUOTED_BLOCK.search(text, block.end()) is not None:
        return ""
    return "".join(_QUOTED_LINE.sub("", chunk) for chunk in _line_chunks(text))


def _line_chunks(text: str) -> Iterator[str]:
    """The text in parts of whole lines: replacing takes memory for each place that it changes."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _CHUNK) + 1 or len(text)
        yield text[start:end]
        start = end


def _without_zero_width(text: str) -> str:
    """The text without zero-width characters at its lines' edges and beside its structure."""
    bare = "".join(_bare_chunks(text))
    return bare if len(bare) < len(text) else ""


def _bare_chunks(text: str) -> Iterator[str]:
    """The text in parts without those characters, each cut before one that is none of them."""
    start = 0
    while start < len(text):
        cut = _VISIBLE.search(text, start + _CHUNK)
        end = len(text) if cut is None else cut.start()
        # The character behind the cut tells what the last ones before it stand beside.
        part = _ZERO_WIDTH.sub("", text[start : end + 1])
        yield part if cut is None else part[:-1]
        start = end


def _unescaped(text: str, limit: int) -> str:
    """The text of JSON whose quotes all carry one backslash too many."""
    starts = _ESCAPED_START.finditer(text, 0, limit)
    start = next((found for found in starts if found["quote"]), None)
    end = max(text.rfind("}"), text.rfind("]"))
    if start is None or end < start.start():
        return ""
    body = text[start.start() : end + 1]
    return _decoded(f'"{body}"')


def _escapes_layout(text: str, limit: int) -> bool:
    """Whether the first value, which begins at `limit` at the latest, has escapes as its layout."""
    found = _LAYOUT_START.search(text, 0, limit + _NEAR)
    return found is not None and found.start() <= limit


def _with_line_breaks(text: str) -> str:
    """The text with escaped breaks and tabs between its tokens decoded; "" when it is very long."""
    if len(text) > _MAX_LAYOUT:
        return ""
    return _LAYOUT.sub(lambda found: _BREAKS.get(found["layout"], found.group()), text)


def hides_value(text: str) -> bool:
    """Whether the whole value shows only in a view, so that a value found as is would be a part.

    It is one JSON string, or all its quotes or line breaks are escaped, or its lines carry the
    marks of a quoted block, or its opening brace is missing.
    """
    if text.startswith('"') and _decoded_string(text)[:1] in ("{", "["):
        return True
    if ">" in text and _QUOTED_VALUE.search(text) is not None:
        return True
    plain = _PLAIN_START.search(text)
    limit = plain.start() if plain else len(text)
    if _escapes_layout(text, limit):
        return True
    return bool(_with_brace(text, limit) or ('\\"' in text[:limit] and _unescaped(text, limit)))


def _with_brace(text: str, limit: int) -> str:
    """The text from its first member on, with the brace that an assistant prefill swallowed."""
    first = _PREFILL.search(text, 0, limit + 1)
    if first is None or MEMBER.match(text, first.start("key")) is None:
        return ""
    return "{" + text[first.start("key") :]
