"""Labels for what stands around or inside a reply that asked for plain JSON."""

import re
from typing import Final

from libriscribe2.utils.emphasis import strip_value_emphasis
from libriscribe2.utils.normalise import normalise
from libriscribe2.utils.scanner import find_json_end_string_safe
from libriscribe2.utils.strict_json import strict_parse

MARKDOWN_CODE_BLOCKS: Final = "markdown_code_blocks"
UNICODE_ESCAPES: Final = "unicode_escapes"
MARKDOWN_EMPHASIS: Final = "markdown_emphasis"
SURROUNDING_TEXT: Final = "surrounding_text"
_FENCE: Final = re.compile(r"```|^[ \t>]*~~~", re.MULTILINE)
# Control characters must be escaped in JSON, all others need not be.
_ESCAPE: Final = re.compile(r"\\u(?!00[01])[0-9A-Fa-f]{4}")
_ESCAPE_RAW: Final = re.compile(_ESCAPE.pattern.encode())
_FENCE_LABEL: Final = re.compile(r"(?:```+|~~~+)[\w+-]*")
_TEXT: Final = re.compile(r"\w")


def value_artifacts(text: str, value: object, raw: bytes = b"") -> tuple[str, ...]:
    """The labels of strict JSON text itself: escapes and emphasis in its strings.

    Args:
        text: The text.
        value: Its value.
        raw: The text in UTF-8, where it is at hand: patterns are searched faster in it.
    """
    found = []
    if "\\" in text and (_ESCAPE_RAW.search(raw) if raw else _ESCAPE.search(text)):
        found.append(UNICODE_ESCAPES)
    if "*" in text:
        stripped = strip_value_emphasis(value, lambda _: True)
        if stripped.bold or stripped.italic:
            found.append(MARKDOWN_EMPHASIS)
    return tuple(found)


def around_artifacts(before: str, after: str) -> tuple[str, ...]:
    """The labels of the text before and after the JSON of a reply."""
    found = []
    if _FENCE.search(before) or _FENCE.search(after):
        found.append(MARKDOWN_CODE_BLOCKS)
    if _TEXT.search(_FENCE_LABEL.sub("", before + after)):
        found.append(SURROUNDING_TEXT)
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
