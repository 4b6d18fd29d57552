"""Tokens of strings in damaged JSON, and what a lost quotation mark would swallow."""

import re
from dataclasses import dataclass
from typing import Final

from libriscribe2.replies.repair.patterns import (
    MEMBER,
    OPEN_QUOTES,
    PAIRS,
    QUOTED_KEY,
    SEPARATORS,
    unescape,
)

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


# A key and its value behind a separator or a bracket.
_SWALLOWED: Final = re.compile(
    rf"[{{\[.{SEPARATORS}]\s*+(?=[\\{OPEN_QUOTES}])(?:{MEMBER.pattern}|{QUOTED_KEY}\s*-?[\d.]+\s*\Z)"
)
_CURLY: Final = re.compile("[„“”]")
_FEET: Final = re.compile(r"\d'\s?\d{1,2}\"\Z")
_INCHES: Final = re.compile(r"\d\"")
# The next item of a list, on a line of its own.
_NEXT_LINE: Final = re.compile(r",[ \t\r]*\n[ \t]*'")
_NO_APOSTROPHE: Final = re.compile(r"(?<!\w)'|'(?!\w)")
# "the dogs'" and "walkin'" end with an apostrophe, "late'" does not.
_NO_ELISION: Final = re.compile(r"[^\s\dsxzno]'\Z", re.IGNORECASE)
_STRAIGHT: Final = ("'", '"')
_CURLY_OPENERS: Final = "„“«"
_TAILS: Final = {"}": "{", "]": "[", "”": "“„", "»": "«"}


def is_misread(raw: str, quotes: str, *, lost: bool = False) -> bool:
    """Whether the content of a string holds what must have been structure or a delimiter.

    Args:
        raw: What stands between its quotes, of which some are bare.
        quotes: The quote that began it, and the one that ended it or what stands in its place.
        lost: Whether its closing quote is missing.
    """
    if lost:
        return _has_tail(raw, quotes[0])
    if quotes[0] in _CURLY_OPENERS and quotes[1] == '"':
        return True  # its own partner stands inside: a straight quote was lost before it
    return _SWALLOWED.search(raw) is not None or _is_doubled(raw, quotes[0])


def _has_tail(raw: str, quote: str) -> bool:
    """Whether content without a closing quote ends with a bracket or quote that opens nowhere.

    A straight quote of the other kind there may be the closing one.
    """
    end = raw.rstrip(f" \t\r\n{SEPARATORS}")[-1:]
    if end in _STRAIGHT and quote in _STRAIGHT and end != quote:
        return True
    openers = _TAILS.get(end, "")
    return bool(openers) and sum(map(raw.count, openers)) < raw.count(end)


def _is_doubled(raw: str, quote: str) -> bool:
    """Whether a quote of the content has no partner.

    Its delimiter stands twice, or a string that lost a quote swallowed the next ones. A mark of
    inches and an apostrophe have none.
    """
    if quote == "'":
        if _NEXT_LINE.search(raw):
            return True
        odd = len(_NO_APOSTROPHE.findall(raw)) % 2
        return bool(odd and _NO_ELISION.search(raw))
    # A low quote's partner is often a straight one.
    straight = raw.count('"') + len(_CURLY.findall(raw)) % 2
    if quote != '"' or straight % 2 == 0:
        return False
    return _INCHES.search(raw) is None or raw.startswith('"') or _ends_doubled(raw)


def _ends_doubled(raw: str) -> bool:
    return raw.endswith('"') and _FEET.search(raw) is None


_NEXT_LOW: Final = re.compile(rf"[{SEPARATORS}]?\s*„")


@dataclass(slots=True)
class Quotations:
    """The quotations that are open at one place of a string.

    Attributes:
        depth: How many are open.
        low: How many of them a low quote opened, as in German; “, ” or a straight quote ends these.
    """

    depth: int = 0
    low: int = 0

    def take(self, char: str, quote: str, *, sound: bool) -> bool:
        """Let a quote open or close a quotation; False when it does neither.

        Args:
            char: The quote.
            quote: The quote that began the string.
            sound: Whether what follows a “ is structure, so that it may end the string.
        """
        if char == "„":
            self.low += 1
        elif char in "“”" and self.low > 0:
            return self.close_low()
        if char in "„«" or (char == "“" and quote != "„" and not sound):
            self.depth += 1
            return True
        if self.depth == 0:
            return False
        self.depth -= 1
        return True

    def go_on(self, text: str, position: int) -> bool:
        """Whether a quotation with a low quote is open, and after it the next one begins."""
        return self.low > 0 and _NEXT_LOW.match(text, position) is not None

    def close_low(self) -> bool:
        """Close a quotation that a low quote opened; False when there is none."""
        if self.low == 0:
            return False
        self.low -= 1
        self.depth -= 1
        return True
