"""Other texts behind a reply: the same content under one more layer of quoting or escaping.

A view is tried only when the text itself gave no answer. Each undoes one layer exactly.
"""

import html
import json
import re
from collections.abc import Iterator
from typing import Final

_QUOTED_LINE: Final = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_ENTITY_START: Final = re.compile(r"[{\[]\s*(?:[{\[]\s*)*&(?:quot|#34|#x22|ldquo|amp;quot);")
_ESCAPED_START: Final = re.compile(r'[{\[](?:\s|\\[nrt])*(?:[{\[](?:\s|\\[nrt])*)*\\+"')
_PREFILL: Final = re.compile(
    r"""(?:^|```[\w]*[ \t]*\n|\n[ \t]*\n|:[ \t]*\n)\s*(?P<key>"[^"\n]{1,80}"\s*:)"""
)
_HEADLESS: Final = re.compile(r"""(?:```+[\w]*[ \t]*\n)?\s*"[^"\n]{1,80}"\s*:\s*\S""")
_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"', re.DOTALL)


def views(text: str) -> Iterator[tuple[str, str]]:
    """Name and text of each other reading of a reply, cheapest assumption first."""
    if text.startswith('"'):
        yield from _named("json_string", _decoded_string(text))
    if ">" in text:
        yield from _named("block_quote", _without_quote_marks(text))
    if "&" in text and _ENTITY_START.search(text):
        yield "html_entities", html.unescape(text)
    if '\\"' in text:
        yield from _named("escaped_quotes", _unescaped(text))
        yield from _named("json_string", _inner_string(text))
    yield from _named("missing_opening_brace", _with_brace(text))


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
    literals = [found.group() for found in _STRING.finditer(text) if '\\"' in found.group()]
    decoded = _decoded(max(literals, key=len, default=""))
    return decoded if decoded[:1] in ("{", "[") else ""


def _without_quote_marks(text: str) -> str:
    """The text without the `>` of a quoted block, when its JSON lines all carry one."""
    lines = text.splitlines()
    marked = [bool(_QUOTED_LINE.match(line)) for line in lines]
    if True not in marked:
        return ""
    first, last = marked.index(True), len(marked) - marked[::-1].index(True)
    if not all(marked[first:last]):
        return ""
    return "\n".join(_QUOTED_LINE.sub("", line) for line in lines)


def _unescaped(text: str) -> str:
    """The text of JSON whose quotes all carry one backslash too many."""
    start = _ESCAPED_START.search(text)
    end = max(text.rfind("}"), text.rfind("]"))
    if start is None or end < start.start():
        return ""
    body = text[start.start() : end + 1]
    return _decoded(f'"{body}"')


def lacks_opening_brace(text: str) -> bool:
    """Whether a reply, or the fence it starts with, begins with a member instead of a brace."""
    return _HEADLESS.match(text) is not None


def _with_brace(text: str) -> str:
    """The text from its first member on, with the brace that an assistant prefill swallowed."""
    first = _PREFILL.search(text)
    brace = text.find("{")
    if first is None or 0 <= brace < first.start("key"):
        return ""
    return "{" + text[first.start("key") :]
