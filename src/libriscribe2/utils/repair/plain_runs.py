"""Runs of sound members and elements inside damaged JSON, one pattern match for each.

Most of a damaged reply is sound. What is read here is what the parser's single steps would read,
with the same result: texts without escapes, plain numbers and literals, before sound structure.
"""

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from libriscribe2.utils.repair.cursor import Cursor
from libriscribe2.utils.repair.frames import KEY_STATE, VALUE_STATE, Frame

Put: TypeAlias = Callable[[Frame, Any], None]

_TEXT: Final = r'"[^"\\\x00-\x1f]*+"'
_SCALAR: Final = r"-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?|true|false|null"
_MEMBER: Final = re.compile(
    rf'\s*+"(?P<key>[^"\\\x00-\x1f]{{1,120}}+)"\s*+:\s*+(?P<value>{_TEXT}|{_SCALAR})'
    r'(?=\s*+(?:,\s*+(?:"[^"\\\n]{1,80}+"\s*+:|[}\]])|[}\]]\s*+[,}\]]))(?P<comma>\s*+,(?=\s*+"))?+'
)
_ELEMENT: Final = re.compile(
    rf'\s*+(?P<value>{_TEXT})(?=\s*+(?:,\s*+["}}\]]|\]\s*+,))(?P<comma>\s*+,(?=\s*+"))?+'
)
_LITERALS: Final = {"true": True, "false": False, "null": None}


def read_members(cursor: Cursor, frame: Frame, put: Put) -> int:
    """Read the sound members that stand here, and pass them with the commas between them.

    Args:
        cursor: The cursor, at a key.
        frame: The object.
        put: Adds a value to its container.

    Returns:
        How many members were read.
    """
    start, count = cursor.at, 0
    while (found := _MEMBER.match(cursor.text, cursor.at)) is not None:
        cursor.at = found.end("value")
        frame.key = found["key"]
        put(frame, _value(found["value"]))
        count += 1
        if not _pass_comma(cursor, frame, found, KEY_STATE):
            break
    if count:
        cursor.contents.append((start, _end_of_content(cursor, frame)))
    return count


def read_elements(cursor: Cursor, frame: Frame, put: Put) -> bool:
    """Read the sound strings of a list that stand here, and pass them; False if there are none."""
    start = cursor.at
    while (found := _ELEMENT.match(cursor.text, cursor.at)) is not None:
        cursor.at = found.end("value")
        put(frame, found["value"][1:-1])
        frame.plain_last = True
        if not _pass_comma(cursor, frame, found, VALUE_STATE):
            break
    if cursor.at > start:
        cursor.contents.append((start, _end_of_content(cursor, frame)))
    return cursor.at > start


def _pass_comma(cursor: Cursor, frame: Frame, found: re.Match[str], state: int) -> bool:
    """Go to the next member or element after the comma that was found; False without one."""
    if found["comma"] is None:
        return False
    frame.comma = found.end() - 1
    frame.state = state
    cursor.at = found.end()
    return True


def _end_of_content(cursor: Cursor, frame: Frame) -> int:
    """Where the last value ended: before the comma that was passed, if one was."""
    return cursor.at if frame.comma < 0 else frame.comma


def _value(written: str) -> Any:
    if written[0] == '"':
        return written[1:-1]
    if written in _LITERALS:
        return _LITERALS[written]
    return float(written) if "." in written else int(written)
