"""String-aware scanning for the ends of balanced JSON values, in linear time."""

import re
from typing import Final

# Possessive, so that a long string is scanned once; an open string runs to the end of the text.
_PIECE: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?P<end>"?)|[{}\[\]]', re.DOTALL)


def find_json_end_string_safe(text: str, start: int, limit: int | None = None) -> int:
    """The index just after the bracket that balances the one at `start`.

    Brackets inside double-quoted strings do not count; nothing at or after `limit` is looked at.

    Returns:
        The end, exclusive, or -1 when `start` is not at a bracket or nothing balances it.
    """
    if text[start : start + 1] not in ("{", "["):
        return -1
    depth = 0
    for piece in _PIECE.finditer(text, start, len(text) if limit is None else limit):
        mark = piece.group()
        if mark in ("{", "["):
            depth += 1
        elif mark in ("}", "]"):
            depth -= 1
            if depth == 0:
                return piece.end()
        elif not piece["end"]:
            return -1
    return -1
