"""Runs of plain members and elements inside damaged JSON, one pattern match for each.

Most of a damaged reply is sound, or damaged all over in the same harmless way: keys without
quotes, single quotes, Python's literals. What is read here is what the parser's single steps would
read, with the same result: texts without escapes, plain numbers and literals, before sound
structure.
"""

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from libriscribe2.utils.repair.cursor import Cursor
from libriscribe2.utils.repair.frames import KEY_STATE, SEPARATOR_STATE, VALUE_STATE, Frame

Put: TypeAlias = Callable[[Frame, Any], None]

_KEY: Final = r'"([^"\\\x00-\x1f]{1,120}+)"'
_SINGLE_KEY: Final = r"'([^'‘’‹›:\\\x00-\x1f]{1,80}+)'"
_BARE_KEY: Final = r"([^\W\d]\w{0,60}+)"
_TEXT: Final = r'"[^"\\\x00-\x1f]*+"'
_LOOSE_TEXT: Final = rf"{_TEXT}|'[^'\\\x00-\x1f]*+'"
_SCALAR: Final = r"-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?|true|false|null"
# What the next key looks like; all of these are taken by `patterns.KEY`, too.
_KEY_AHEAD: Final = (
    r"""(?:"[^"\\\n]{1,80}+"\s*+:|'[^'‘’‹›\\\n]{1,80}+'\s*+:|[^\W\d]\w{0,60}+\s*+:(?!//))"""
)
_MEMBER_END: Final = (
    rf"(?=\s*+(?:,\s*+(?:{_KEY_AHEAD}|[}}\]])|[}}\]]\s*+[,}}\]]))"
    r"""(\s*+,(?=\s*+["'\w]))?+"""
)
_MEMBER: Final = re.compile(rf"\s*+{_KEY}\s*+:\s*+({_TEXT}|{_SCALAR}){_MEMBER_END}")
_LOOSE_MEMBER: Final = re.compile(
    rf"\s*+(?:{_KEY}|{_SINGLE_KEY}|{_BARE_KEY})\s*+:\s*+"
    rf"({_LOOSE_TEXT}|{_SCALAR}|True|False|None){_MEMBER_END}"
)
_PLAIN_KEY: Final = re.compile(rf"(?:{_KEY}|{_SINGLE_KEY}|{_BARE_KEY}(?=\s*+:(?!//)))\s*+:")
_ELEMENT: Final = re.compile(
    rf"""\s*+({_LOOSE_TEXT})"""
    r"""(?=\s*+(?:,\s*+["'}\]]|\](?:\s*+[}\]]){0,200}+\s*+,))(\s*+,(?=\s*+["']))?+"""
)
# A closing bracket, perhaps after a comma too many, and the comma before the next value.
_END: Final = re.compile(r"""\s*+(?:(,)\s*+)?+([}\]])(\s*+,(?=\s*+["'{\[\w]))?+""")
_LITERALS: Final = {"true": True, "false": False, "null": None}
_PYTHON: Final = {"True": True, "False": False, "None": None}


def read_members(cursor: Cursor, frame: Frame, put: Put) -> bool:
    """Read the plain members that stand here, and pass them with the commas between them.

    Args:
        cursor: The cursor, at a key.
        frame: The object.
        put: Adds a value to its container.

    Returns:
        Whether there was one.
    """
    text, start = cursor.text, cursor.at
    members: Any = frame.value
    comma: str | None = ","
    while comma is not None:
        found = _MEMBER.match(text, cursor.at)
        if found is not None:
            key, written, comma = found.groups()
            value = written[1:-1] if written[0] == '"' else _scalar(written)
        else:
            found = _LOOSE_MEMBER.match(text, cursor.at)
            if found is None:
                break
            key, value, comma = _loose(cursor, found)
        if key in members:
            cursor.at, frame.key = found.end() - len(comma or ""), key
            put(frame, value)
        members[key] = value
        cursor.at = found.end()
    return _leave(cursor, frame, start, KEY_STATE if comma else SEPARATOR_STATE)


def read_elements(cursor: Cursor, frame: Frame) -> bool:
    """Read the plain strings of a list that stand here, and pass them; False if there are none."""
    text, start = cursor.text, cursor.at
    items: Any = frame.value
    comma: str | None = ","
    while comma is not None and (found := _ELEMENT.match(text, cursor.at)) is not None:
        written, comma = found.groups()
        items.append(written[1:-1])
        frame.plain_last = written[0] == '"'
        if not frame.plain_last:
            _note_single(cursor, found.start(1), len(written))
        cursor.at = found.end()
    return _leave(cursor, frame, start, VALUE_STATE if comma else SEPARATOR_STATE)


def read_plain_key(cursor: Cursor) -> str:
    """Read the plain key that stands here, and pass it with its colon; "" if there is none."""
    found = _PLAIN_KEY.match(cursor.text, cursor.at)
    if found is None:
        return ""
    key, single, bare = found.groups()
    if key is None:
        _note_key(cursor, found, single)
    cursor.contents.append(found.span(found.lastindex or 0))
    cursor.at = found.end()
    return key or single or bare


def leave_plain(cursor: Cursor, stack: list[Frame]) -> bool:
    """Leave the inner containers that end here as they should, with the comma behind them."""
    count, frame = len(stack), stack[-1]
    found = _END.match(cursor.text, cursor.at)
    while found is not None and len(stack) > 1 and frame.is_object == (found[2] == "}"):
        if found[1]:
            cursor.note("trailing_comma", found.start(1))
        cursor.at = found.end()
        stack.pop()
        frame = stack[-1]
        if found[3]:
            frame.comma = cursor.at - 1
            frame.state = KEY_STATE if frame.is_object else VALUE_STATE
            break
        found = _END.match(cursor.text, cursor.at)
    return len(stack) < count


def _leave(cursor: Cursor, frame: Frame, start: int, state: int) -> bool:
    """Settle the container where a run ended, behind a comma or a value; False if none was read."""
    if cursor.at == start:
        return False
    frame.state = state
    frame.comma = -1 if state == SEPARATOR_STATE else cursor.at - 1
    cursor.contents.append((start, cursor.at if frame.comma < 0 else frame.comma))
    return True


def _loose(cursor: Cursor, found: re.Match[str]) -> tuple[str, Any, str | None]:
    """Key, value and comma of a member that is not quite JSON, with its repairs noted."""
    key, single, bare, written, comma = found.groups()
    if key is None:
        _note_key(cursor, found, single)
    if written[0] == '"':
        value: Any = written[1:-1]
    elif written[0] == "'":
        value = written[1:-1]
        _note_single(cursor, found.start(4), len(written))
    elif written in _PYTHON:
        value = _PYTHON[written]
        cursor.note("python_literal", found.start(4))
    else:
        value = _scalar(written)
    return key or single or bare, value, comma


def _note_key(cursor: Cursor, found: re.Match[str], single: str | None) -> None:
    """Note a key that stands in single quotes or in none."""
    if single is None:
        cursor.note("unquoted_key", found.start(3))
    else:
        _note_single(cursor, found.start(2) - 1, len(single) + 2)


def _note_single(cursor: Cursor, start: int, length: int) -> None:
    """Note a string in single quotes, whose end was looked for as the search does it."""
    cursor.note("single_quotes", start)
    cursor.strings.scanned += length - 1


def _scalar(written: str) -> Any:
    if written in _LITERALS:
        return _LITERALS[written]
    return float(written) if "." in written else int(written)
