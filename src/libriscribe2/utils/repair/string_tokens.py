"""Strings as they were read from a damaged text."""

import re
from dataclasses import dataclass
from typing import Final

from libriscribe2.utils.repair.escapes import unescape
from libriscribe2.utils.repair.patterns import PAIRS

LOST_QUOTE: Final = "missing_closing_quote"
CONTROL: Final = re.compile(r"[\x00-\x1f]")
_TEMPLATE: Final = re.compile(r"\$\{[^}]*\}")
_BLANK: Final = " \t\r\n,，"


@dataclass(frozen=True, slots=True)
class StringToken:
    """A string as read.

    Attributes:
        text: Its value.
        end: Index just after it.
        closed: Whether its end was found; without, the text is cut off.
        repairs: Names of what was changed.
        inner: Start and end of its content in the source.
        trouble: A refusal kind, or "".
    """

    text: str
    end: int
    closed: bool = True
    repairs: tuple[str, ...] = ()
    inner: tuple[int, int] = (0, 0)
    trouble: str = ""


def unread(text: str, start: int) -> StringToken:
    """The token of the string at `start` whose end is not there."""
    return StringToken("", len(text), closed=False, inner=(start + 1, start + 1))


def string_token(text: str, start: int, end: int, *, lost: bool = False) -> StringToken:
    """The token of the string between two quotes.

    Args:
        text: The text.
        start: Index of the opening quote.
        end: Index of the closing quote.
        lost: Whether the closing quote is missing and `end` is where it should stand.
    """
    quote = text[start]
    raw = text[start + 1 : end]
    if lost:
        raw = _without_tail(raw)
    content_end = start + 1 + len(raw)
    value = unescape(raw)
    template = quote == "`" and _TEMPLATE.search(raw) is not None
    return StringToken(
        value.text,
        content_end if lost else end + 1,
        repairs=_repairs(raw, value.repair, quote, quote if lost else text[end], lost=lost),
        inner=(start + 1, content_end),
        trouble="template" if template else value.trouble,
    )


def _repairs(raw: str, escapes: str, quote: str, closing: str, *, lost: bool) -> tuple[str, ...]:
    """The names of what is unusual about a string."""
    found = {
        LOST_QUOTE: lost,
        escapes: bool(escapes),
        "single_quotes": quote == "'",
        "foreign_quotes": quote not in "\"'" or closing not in "\"'",
        "unescaped_inner_quotes": PAIRS[quote] in raw.replace("\\" + PAIRS[quote], ""),
        "raw_control_character": CONTROL.search(raw) is not None,
    }
    return tuple(name for name, present in found.items() if present)


def _without_tail(raw: str) -> str:
    """The content of a string that lost its quote, without the brackets on lines after it."""
    content = raw.rstrip(_BLANK)
    while (line := content.rfind("\n")) >= 0 and not content[line:].strip(_BLANK + "}]"):
        content = content[:line].rstrip(_BLANK)
    return content
