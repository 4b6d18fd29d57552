"""Signs that a string was not read as it was meant: what its content says against its ends."""

import re
from typing import Final

from libriscribe2.utils.repair.patterns import (
    MEMBER,
    OPEN_QUOTES,
    QUOTED_KEY,
    SEPARATORS,
)

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
