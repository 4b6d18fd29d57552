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
_NO_APOSTROPHE: Final = re.compile(r"(?<!\w)'|'(?!\w)")
# "the dogs'" and "walkin'" end with an apostrophe, "late'" does not.
_NO_ELISION: Final = re.compile(r"[^\s\dsxzno]'\Z", re.IGNORECASE)
_TAILS: Final = {"}": "{", "]": "[", "”": "“„", "»": "«"}


def is_misread(raw: str, quote: str, *, lost: bool = False) -> bool:
    """Whether the content of a string holds what must have been structure or a delimiter.

    Args:
        raw: What stands between its quotes, of which some are bare.
        quote: The quote that began it.
        lost: Whether its closing quote is missing.
    """
    if lost:
        return _has_tail(raw)
    return _SWALLOWED.search(raw) is not None or _is_doubled(raw, quote)


def _has_tail(raw: str) -> bool:
    """Whether content without a closing quote ends with a bracket or quote that opens nowhere."""
    end = raw.rstrip(f" \t\r\n{SEPARATORS}")[-1:]
    openers = _TAILS.get(end, "")
    return bool(openers) and sum(map(raw.count, openers)) < raw.count(end)


def _is_doubled(raw: str, quote: str) -> bool:
    """Whether a quote at an edge of the content has no partner: its delimiter stands twice."""
    if quote == "'":
        odd = len(_NO_APOSTROPHE.findall(raw)) % 2
        return bool(odd and _NO_ELISION.search(raw))
    if quote != '"' or _CURLY.search(raw) or raw.count('"') % 2 == 0:
        return False
    return raw.startswith('"') or (raw.endswith('"') and _FEET.search(raw) is None)
