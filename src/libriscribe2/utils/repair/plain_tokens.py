"""What a run of plain JSON is made of: a member, an element or a bracket in one match each.

A token matches only before sound structure, so that its strings end where they seem to.
"""

import re
from collections.abc import Sequence
from typing import Final

_KEY: Final = r'"([^"\\\x00-\x1f]{1,120}+)"'
_SINGLE_KEY: Final = r"'([^'‘’‹›:\\\x00-\x1f]{1,80}+)'"
_BARE_KEY: Final = r"([^\W\d]\w{0,60}+)"
_TEXT: Final = r'"([^"\\\x00-\x1f]*+)"'
_SINGLE_TEXT: Final = r"'([^'\\\x00-\x1f]*+)'"
_SCALAR: Final = r"(-?(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?|true|false|null|True|False|None)"
_ESCAPED: Final = (
    r"""("[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\x00-\x1f]*+)++\""""
    r"""|'[^'\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^'\\\x00-\x1f]*+)++')"""
)
# A list of strings and nothing else.
_STRING: Final = r"""(?:"[^"\\\x00-\x1f]*+"|'[^'\\\x00-\x1f]*+')"""
_LAST: Final = r"\](?:\s*+[}\]]){0,200}+\s*+(?:,|\Z)"
_FLAT_LIST: Final = rf"(\[\s*+{_STRING}(?:\s*+,\s*+{_STRING})*+\s*+(?={_LAST})\])"
_VALUE: Final = rf"(?:{_TEXT}|{_SINGLE_TEXT}|{_SCALAR}|{_ESCAPED}|{_FLAT_LIST})"
_OPENING: Final = r"(\[|\{(?!\{))"
# What the next key looks like; all of these are taken by `patterns.KEY`, too.
_KEY_AHEAD: Final = (
    r"""(?:"[^"\\\n]{1,80}+"\s*+:|'[^'‘’‹›\\\n]{1,80}+'\s*+:|[^\W\d]\w{0,60}+\s*+:(?!//))"""
)
_MEMBER_END: Final = (
    rf"(?:\s*+,(?=\s*+{_KEY_AHEAD})|(?=\s*+(?:,\s*+[}}\]]|[}}\]]\s*+(?:[,}}\]]|\Z))))"
)
_ELEMENT_END: Final = (
    rf"""(?:[ \t\r\n]*+,(?=\s*+(?:["'{{\[\d]|-\d))|(?=[ \t\r\n]*+(?:,\s*+[}}\]]|{_LAST})))"""
)
# A closing bracket, perhaps after a comma too many, and the comma before the next value.
_CLOSING: Final = r"""(?:(,)\s*+)?+([}\]])(?:\s*+,(?=\s*+(?:["'{\[\w]|-\d))|(?=\s*+,?+\s*+[}\]]))"""
# The kind of a token is its last group; where there is none, no run goes on.
TOKEN: Final = re.compile(
    rf"\s*+(?:(?:{_KEY}|{_SINGLE_KEY}|{_BARE_KEY})\s*+:\s*+(?:{_VALUE}{_MEMBER_END}|{_OPENING})"
    rf"|{_VALUE}{_ELEMENT_END}|{_OPENING}|{_CLOSING})|"
)
KEY, SINGLE_KEY, BARE_KEY = 1, 2, 3
TEXT, SINGLE_TEXT, SCALAR, ESCAPED, FLAT_LIST, OPENING = range(4, 10)
FIRST_ELEMENT: Final = 10
ELEMENTS: Final = FIRST_ELEMENT - TEXT  # from the group in a member to the same one in a list
COMMA, CLOSING = 16, 17
# A key and its colon, whatever the value is.
PLAIN_KEY: Final = re.compile(rf"(?:{_KEY}|{_SINGLE_KEY}|{_BARE_KEY}(?=\s*+:(?!//)))\s*+:(?![:=])")
_ITEM: Final = re.compile(r""""([^"]*+)"|'([^']*+)'""")
_NEXT_SINGLE: Final = re.compile(
    r"""[^"']*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"']*+)*+(?:('[^'\\]*+(?:\\.[^'\\]*+)*+')|\Z)""",
    re.DOTALL,
)


def flat_items(written: str) -> list[str]:
    """The strings of a flat list."""
    return [double or single for double, single in _ITEM.findall(written)]


def single_quoted(text: str, start: int, end: int) -> Sequence[int]:
    """Where the strings in single quotes begin between two places of a run."""
    return [found.start(1) for found in _NEXT_SINGLE.finditer(text, start, end) if found.lastindex]
