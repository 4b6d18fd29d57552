"""Strict JSON: a parser that notices what `json.loads` lets pass, scanning, walks over values."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple


class LossyJsonError(ValueError):
    """JSON that the standard decoder would read by dropping content.

    Attributes:
        kind: "conflicting_keys" or "not_a_number".
        detail: The key or the constant.
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


class StrictParse(NamedTuple):
    """A value read strictly, or why not.

    Attributes:
        value: The JSON value; None unless `end` is set.
        end: Where the value ended, or -1 when it could not be read.
        position: Where the trouble stands.
        message: The decoder's message with line and column; "" on success.
        kind: Slug of the trouble: "syntax", "too_deep", "number_too_long" or a lossy kind.
    """

    value: Any
    end: int
    position: int = 0
    message: str = ""
    kind: str = ""


def merge_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members as a dict.

    Raises:
        LossyJsonError: The same key stands twice with different values.
    """
    merged = dict(pairs)
    if len(merged) == len(pairs):
        return merged
    for key, value in pairs:
        if not same_json(merged[key], value):
            raise LossyJsonError("conflicting_keys", key)
    return merged


def scan_string(text: str, start: int) -> tuple[str, int]:
    """The string whose content begins at `start`, and the index after its closing quote.

    Control characters may stand in it as they are.

    Raises:
        ValueError: It has no end, or an escape that JSON does not know.
    """
    content: tuple[str, int] = scanstring(text, start, 0)
    return content


def same_json(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal and of equal types (1, 1.0 and true differ)."""
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, dict):
            if one.keys() != other.keys():
                return False
            pending.extend((one[key], other[key]) for key in one)
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            pending.extend(zip(one, other, strict=True))
        elif one != other:
            return False
    return True


def _refuse_constant(name: str) -> Any:
    raise LossyJsonError("not_a_number", name)


_CAREFUL: Final = json.JSONDecoder(object_pairs_hook=merge_pairs, parse_constant=_refuse_constant)


def strict_parse(text: str, start: int = 0) -> StrictParse:
    """Read one strict JSON value that begins exactly at `start`; never raises.

    Args:
        text: The text; it may go on after the value.
        start: Index of the value's first character.
    """
    try:
        value, end = _CAREFUL.raw_decode(text, start)
    except json.JSONDecodeError as error:
        same = json_error(error)
        return StrictParse(None, -1, same.pos, str(same), "syntax")
    except LossyJsonError as error:
        return StrictParse(None, -1, start, str(error), error.kind)
    except RecursionError:
        return StrictParse(None, -1, start, "nested too deeply", "too_deep")
    except ValueError as error:  # an integer beyond the interpreter's digit limit
        return StrictParse(None, -1, start, str(error), "number_too_long")
    if _is_too_deep(text, start, end):
        return StrictParse(None, -1, start, "nested too deeply", "too_deep")
    return StrictParse(value, end)


def json_error(error: json.JSONDecodeError) -> json.JSONDecodeError:
    """The error in the words of every Python, since a model is told them and a request has a key.

    From 3.13 on a trailing comma has words and a place of its own.
    """
    if not error.msg.startswith("Illegal trailing comma"):
        return error
    in_object = error.msg.endswith("object")
    words = "Expecting property name enclosed in double quotes" if in_object else "Expecting value"
    after = error.doc[error.pos + 1 :]
    return json.JSONDecodeError(words, error.doc, len(error.doc) - len(after.lstrip(" \t\n\r")))


_DEEPEST: Final = 900
"""Deepest value that is read: below where any Python stops, so that all read the same."""


def _is_too_deep(text: str, start: int, end: int) -> bool:
    if text.count("[", start, end) + text.count("{", start, end) <= _DEEPEST:
        return False
    depth = 0
    for piece in _PIECE.finditer(text, start, end):
        mark = piece.group()
        depth += (mark in ("{", "[")) - (mark in ("}", "]"))
        if depth > _DEEPEST:
            return True
    return False


# Possessive, so that a long string is scanned once; an open string runs to the end of the text.
_PIECE: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}\[\]]', re.DOTALL)


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
    return -1


@dataclass(slots=True)
class Searches:
    """Searches of a text that stay linear however often one is asked for.

    The last answer for each pattern is kept: a closer that is missing is missed once, not once for
    each of a hundred thousand openers.

    Attributes:
        text: The text.
    """

    text: str
    _found: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = field(
        default_factory=dict, init=False
    )

    def search(self, pattern: re.Pattern[str], start: int) -> re.Match[str] | None:
        """The first match of `pattern` at or after `start`."""
        asked, match = self._found.get(pattern, (-1, None))
        if 0 <= asked <= start and (match is None or start <= match.start()):
            return match
        match = pattern.search(self.text, start)
        self._found[pattern] = (start, match)
        return match


def map_strings(value: Any, change: Callable[[str, str], Any]) -> Any:
    """A copy of a JSON value with every string value replaced by `change(field, text)`, in order.

    `field` is the nearest key above the string, or "". Keys stay as they are.
    """
    root: list[Any] = [value]
    pending: list[tuple[Any, Any, str]] = [(root, 0, "")]
    while pending:
        parent, slot, field = pending.pop()
        node = parent[slot]
        if isinstance(node, str):
            parent[slot] = change(field, node)
        elif isinstance(node, dict):
            parent[slot] = copy = dict(node)
            pending.extend((copy, key, key) for key in reversed(copy))
        elif isinstance(node, list):
            parent[slot] = items = list(node)
            pending.extend((items, index, field) for index in reversed(range(len(items))))
    return root[0]


HALF_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def string_leaves(value: Any) -> Iterator[tuple[str, str]]:
    """Every string value with its field, in order."""
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        field, node = pending.pop()
        if isinstance(node, str):
            yield field, node
        elif isinstance(node, dict):
            pending.extend(reversed(node.items()))
        elif isinstance(node, list):
            pending.extend((field, item) for item in reversed(node))
