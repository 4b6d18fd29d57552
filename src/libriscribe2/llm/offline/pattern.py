"""A text that a regular expression matches, for the simple patterns that schemas use."""

import re
from functools import cache

_CLASSES = {"d": "0", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a"}
_QUANTIFIER = re.compile(r"\*|\+|\?|\{(\d+)(?:,\d*)?\}")
_TEXTUAL = {"t": "\t", "n": "\n", "r": "\r"}


@cache
def text_matching(pattern: str) -> str | None:
    """The plainest text that matches a pattern, or None where the pattern is beyond this.

    Literals, escapes, classes, groups, alternatives, anchors and quantifiers are understood; the
    first alternative and the lowest count are taken.
    """
    try:
        found, _ = _alternatives(pattern, 0)
        return found if re.search(pattern, found) is not None else None
    except (IndexError, ValueError, re.error):
        return None


def _alternatives(pattern: str, start: int) -> tuple[str, int]:
    """The first alternative from `start` up to a closing bracket or the end."""
    text, position = _sequence(pattern, start)
    while position < len(pattern) and pattern[position] == "|":
        _, position = _sequence(pattern, position + 1)
    return text, position


def _sequence(pattern: str, start: int) -> tuple[str, int]:
    pieces: list[str] = []
    position = start
    while position < len(pattern) and pattern[position] not in "|)":
        piece, position = _atom(pattern, position)
        count, position = _count(pattern, position)
        pieces.append(piece * count)
    return "".join(pieces), position


def _atom(pattern: str, position: int) -> tuple[str, int]:
    char = pattern[position]
    if char in "^$":
        return "", position + 1
    if char == ".":
        return "a", position + 1
    if char == "[":
        return _class(pattern, position + 1)
    if char == "(":
        inner = position + (3 if pattern.startswith("(?:", position) else 1)
        text, end = _alternatives(pattern, inner)
        return text, end + 1
    if char == "\\":
        return _escape(pattern[position + 1]), position + 2
    return char, position + 1


def _escape(char: str) -> str:
    if char in "bBAZz":
        return ""
    return _CLASSES.get(char, _TEXTUAL.get(char, char))


def _class(pattern: str, position: int) -> tuple[str, int]:
    """A member of a character class, and the position behind its bracket."""
    end = pattern.index("]", position + 1)
    body = pattern[position:end]
    if body.startswith("^"):
        outside = (char for char in "aA0 -_~" if re.fullmatch(f"[{body}]", char))
        return next(outside, ""), end + 1
    first = _escape(body[1]) if body[0] == "\\" else body[0]
    return first, end + 1


def _count(pattern: str, position: int) -> tuple[int, int]:
    """How often the atom before `position` has to come, and the position behind that."""
    found = _QUANTIFIER.match(pattern, position)
    if found is None:
        return 1, position
    end = found.end()
    if end < len(pattern) and pattern[end] in "?+":
        end += 1
    if found[1] is not None:
        return int(found[1]), end
    return (1 if found[0] == "+" else 0), end
