"""Fitting a text to what a schema says of it: length, pattern, format."""

import re
from collections.abc import Mapping
from typing import Any

from libriscribe2.llm.offline.english import shorten
from libriscribe2.llm.offline.pattern import text_matching

_FORMATS = {
    "date": "2024-05-01",
    "time": "09:30:00Z",
    "date-time": "2024-05-01T09:30:00Z",
    "duration": "PT1H",
    "email": "author@example.org",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.org/",
    "url": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000001",
}
_MORE = " More can be said of it, and some of it will be."


def text_within(schema: Mapping[str, Any], said: str, item: int = 0) -> str:
    """A text as a schema wants it.

    Args:
        schema: `minLength`, `maxLength`, `pattern` and `format` are kept to; a pattern together
            with lengths only where the plainest match has a fitting length.
        said: What the field would like to say.
        item: A number that tells the items of a list apart.
    """
    fixed = _FORMATS.get(str(schema.get("format")))
    if fixed is not None:
        return fixed
    low, high = int(schema.get("minLength", 0)), schema.get("maxLength")
    text = _long_enough(said, low)
    if high is not None and len(text) > high:
        text = _long_enough(shorten(text, int(high)), low)[: int(high)]
    pattern = schema.get("pattern")
    if pattern is None or _matches(str(pattern), text):
        return text
    plainest = text_matching(str(pattern))
    return text if plainest is None else plainest + _tail(str(pattern), plainest, item, low)


def _long_enough(text: str, low: int) -> str:
    """The text, lengthened by whole sentences and then cut off by nobody."""
    while len(text) < low:
        text = f"{text}{_MORE}" if text else _MORE.strip()
    return text


def _tail(pattern: str, text: str, item: int, low: int) -> str:
    """More of the last character where the pattern lets the text grow to its least length."""
    missing = max(low - len(text), item if _matches(pattern, text + text[-1:] * item) else 0)
    more = text[-1:] * missing
    return more if _matches(pattern, text + more) else ""


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:
        return True
