"""Cleaning on the level of text: the JSON part of a reply, without emphasis in its values."""

import json
import re
from typing import Final

from libriscribe2.utils.emphasis import Stripped, strip_emphasis
from libriscribe2.utils.normalise import normalise
from libriscribe2.utils.spans import Span, find_spans
from libriscribe2.utils.strict_json import strict_parse

_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"(?P<key>\s*:)?', re.DOTALL)


def clean_text(reply: str) -> tuple[str, Stripped]:
    """The JSON text of a reply with emphasis stripped from its string values.

    Returns:
        The text, and what was stripped. A reply without any bracketed value is unchanged, and so is
        one whose damaged value has no certain extent.
    """
    part, sound = _json_part(reply)
    if not sound and _json_part(part)[0] != part:
        return reply, Stripped(reply)
    stripped = strip_json_text(part) if sound else Stripped(part)
    return stripped.text, stripped


def _json_part(reply: str) -> tuple[str, bool]:
    """The text of the best value, and whether it is strict JSON; without any, all of the reply."""
    text = normalise(reply).text
    spans = find_spans(text)
    if not spans:
        return reply, False
    best = max(spans, key=_preference)
    return text[best.start : best.end].strip(), best.failure is None


def _preference(span: Span) -> tuple[bool, bool, bool, int]:
    sound = span.failure is None
    fenced = span.fence in ("json", "jsonc", "json5")
    return sound, isinstance(span.value, dict), fenced, -span.start


def strip_json_text(text: str) -> Stripped:
    """Strip emphasis from the string values of JSON text, all else byte for byte the same.

    Text that is no JSON at all counts as one string value; damaged JSON is left alone.
    """
    if "*" not in text:
        return Stripped(text)
    whole = text.strip()
    if strict_parse(whole).end != len(whole):
        damaged = whole[:1] in ("{", "[", '"')
        return Stripped(text) if damaged else strip_emphasis(text)
    bold = italic = 0

    def change(literal: re.Match[str]) -> str:
        nonlocal bold, italic
        if literal["key"] or "*" not in literal.group():
            return literal.group()
        stripped = strip_emphasis(json.loads(literal.group(), strict=False))
        if not stripped.bold and not stripped.italic:
            return literal.group()
        bold += stripped.bold
        italic += stripped.italic
        return json.dumps(stripped.text, ensure_ascii=False)

    return Stripped(_STRING.sub(change, text), bold, italic)
