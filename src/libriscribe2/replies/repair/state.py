"""What a repair works with and results in: open brackets, policy, outcome."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.replies.outcome import Repair
from libriscribe2.replies.schema_fit import branch_for, properties_of


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why damaged JSON was not repaired.

    Attributes:
        kind: A slug of `refusals`, such as "cut_off" or "ambiguous".
        position: Where in the text.
        detail: What exactly, or "".
    """

    kind: str
    position: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RepairOutcome:
    """The reading of one damaged value.

    Attributes:
        value: The value, also when it is lossy; None with most troubles.
        end: Where the parser stopped.
        repairs: What was changed, in the order of the text.
        trouble: Why the value is not to be trusted, or None.
        members: How many members and elements were read: 0 means it was hardly JSON.
        work: How many characters were looked at.
    """

    value: Any
    end: int
    repairs: tuple[Repair, ...]
    trouble: Trouble | None = None
    members: int = 0
    work: int = 0


KEY_STATE, VALUE_STATE, SEPARATOR_STATE = range(3)
MAX_DEPTH: Final = 200
UNKNOWN: Final[Mapping[str, Any]] = {}


@dataclass(slots=True)
class Frame:
    """One open container.

    Attributes:
        value: The container.
        is_object: Whether it is an object.
        state: What is read next: a key, a value or a separator.
        node: The schema of the container; empty when nothing is known of it.
        key: The key that the next value belongs to.
        comma: Where the comma stands after which nothing came yet, or -1.
        plain_last: Whether the last value was a string without any damage.
    """

    value: dict[str, Any] | list[Any]
    is_object: bool
    state: int
    node: Mapping[str, Any]
    key: str = ""
    comma: int = -1
    plain_last: bool = False


@dataclass(frozen=True, slots=True)
class Policy:
    """Which of two readings the parser takes where both are possible.

    Attributes:
        structure_wins: Sound structure after a quote ends a string, also inside a quotation.
        closing: The order in which a wrong closing bracket is explained.
        schema: The wanted JSON Schema, when its property names may say which object a key
            belongs to; None otherwise.
    """

    structure_wins: bool = False
    closing: tuple[str, ...] = ("missing_closer", "wrong_closer", "extra_closer")
    schema: Mapping[str, Any] | None = None


def schema_node(
    schema: Mapping[str, Any] | None, parent: Frame | None, value: Any
) -> Mapping[str, Any]:
    """The schema of a container that is just opened; empty when nothing is known of it."""
    if schema is None:
        return UNKNOWN
    if parent is None:
        return branch_for(schema, value, schema) or UNKNOWN
    if parent.is_object:
        node = properties_of(parent.node).get(parent.key)
    else:
        node = parent.node.get("items")
    return (branch_for(node, value, schema) or UNKNOWN) if node else UNKNOWN


def misplaced_by(stack: Sequence[Frame], key: str) -> int:
    """How many containers must have ended before a key, because only an outer object knows it."""
    frame = stack[-1]
    if not frame.node or key in properties_of(frame.node):
        return 0
    for depth, outer in enumerate(reversed(stack)):
        if outer.is_object and key in properties_of(outer.node) and key not in outer.value:
            return depth
    return 0


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
