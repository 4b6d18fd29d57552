"""Strict JSON: a parser that notices what `json.loads` lets pass, scanning, walks over values."""

import json
import re
from collections.abc import Callable, Generator, Iterator
from itertools import repeat
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, Final, NamedTuple

import jiter

_LARGE: Final = 16_000
_PLAIN: Final = 200
_HEAD: Final = 1_000
_SAMPLE: Final = 200
_CHUNK: Final = 100_000
_PER_ESCAPE: Final = 4
_FAR: Final = 4_000
_WINDOW: Final = 2_000
_LONGEST_TOKEN: Final = 20
_SHORT_MEMBER: Final = 100


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
    lenient = False
    content: tuple[str, int] = scanstring(text, start, lenient)
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


def _merge(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    merged = dict(pairs)
    return merged if len(merged) == len(pairs) else merge_pairs(pairs)


_CAREFUL: Final = json.JSONDecoder(object_pairs_hook=_merge, parse_constant=_refuse_constant)


def _counting() -> Generator[Any, dict[str, Any] | None, None]:
    """Count the members of each object that is sent, and send it back; for None, the count."""
    total = 0
    members = yield
    while members is not None:
        total += len(members)
        members = yield members
    yield total


def _is_dense(text: str, start: int, end: int) -> bool:
    """Whether a part of a text is long and has many short members, by its first 1,000 characters.

    Work per member is then dearer than work per character, and its colons all follow keys.
    """
    if end - start < _LARGE:
        return False
    head = start + _HEAD
    members = text.count('":', start, head)
    return members * _SHORT_MEMBER > _HEAD and text.count(":", start, head) == members


def _scan_dense(text: str, start: int) -> tuple[Any, int]:
    """Read many short members at the decoder's own speed, and prove that no key is lost.

    A key that stood twice makes the objects hold fewer members than the text has colons. Where
    colons in the content hide that, the members are compared one by one.
    """
    counting = _counting()
    next(counting)
    decoder = json.JSONDecoder(object_hook=counting.send, parse_constant=_refuse_constant)
    value, end = decoder.raw_decode(text, start)
    if text.count(":", start, end) == counting.send(None):
        return value, end
    return _CAREFUL.raw_decode(text, start)


def plain_bytes(text: str, start: int = 0, end: int | None = None) -> bytes:
    """A part of a text in UTF-8 if the fast decoder gains anything on it, else b"".

    It loses on short texts, and on those with characters beyond ASCII unless they have escapes as
    well, which cost the standard decoder more.
    """
    end = len(text) if end is None else end
    if end - start < _PLAIN or (not text.isascii() and _is_foreign(text, (start + end) // 2)):
        return b""
    try:
        if text.isascii() or end - start <= _CHUNK:
            return text[start:end].encode()
        # In one piece the encoder takes three times the memory, fresh from the system.
        starts = range(start, end, _CHUNK)
        return b"".join([text[at : min(at + _CHUNK, end)].encode() for at in starts])
    except UnicodeEncodeError:  # a lone surrogate
        return b""


def _is_foreign(text: str, middle: int) -> bool:
    """Whether the characters from `middle` on are dear to read as UTF-8."""
    sample = text[middle : middle + _SAMPLE]
    if "\\" not in sample:
        return not sample.isascii()
    beyond = len(sample.encode("utf-8", "replace")) - len(sample)
    return beyond > _PER_ESCAPE * sample.count("\\")


def parse_plain(raw: bytes) -> Any:
    """The value of a text that is one strict JSON value, fast.

    Args:
        raw: The `plain_bytes` of the text.

    Returns:
        The value, or None when the text is anything else; `strict_parse` knows what.
    """
    try:
        return jiter.from_json(
            raw, cache_mode="keys", catch_duplicate_keys=True, allow_inf_nan=False
        )
    except ValueError:
        return None


def parse_whole(text: str, start: int, end: int, raw: bytes) -> Any:
    """The object or list that is all of a part of a text, or None when it is not strict JSON.

    Args:
        text: The text.
        start: Where the part begins.
        end: Where it ends.
        raw: The `plain_bytes` of the part.
    """
    value = parse_plain(raw) if raw else None
    if value is not None:
        return value
    scan = _scan_dense if _is_dense(text, start, end) else _CAREFUL.raw_decode
    try:
        value, value_end = scan(text, start)
    except (ValueError, RecursionError):
        return None
    return value if value_end == end else None


def brief_parse(text: str, start: int, *, part: bool = False) -> StrictParse:
    """`strict_parse` without line and column in its message.

    To tell them the decoder counts the lines before the trouble, which deep inside a long text
    costs more than the parse.
    """
    if start < _FAR:
        return strict_parse(text, start, part=part)
    window = text[start : start + _WINDOW]
    try:
        value, end = _CAREFUL.raw_decode(window)
    except json.JSONDecodeError as error:
        # What stands at the window's end, or runs over it, may be sound in the whole text.
        if error.pos < len(window) - _LONGEST_TOKEN and not error.msg.startswith("Unterminated"):
            return StrictParse(None, -1, start + error.pos, error.msg, "syntax")
    except (ValueError, RecursionError):  # judged by the whole text below
        pass
    else:
        return StrictParse(value, start + end)
    return strict_parse(text, start, part=part)


def strict_parse(text: str, start: int = 0, *, part: bool = False) -> StrictParse:
    """Read one strict JSON value that begins exactly at `start`; never raises.

    Args:
        text: The text; it may go on after the value.
        start: Index of the value's first character.
        part: Whether the value is probably a small part of the text.
    """
    dense = not part and _is_dense(text, start, len(text))
    scan = _scan_dense if dense else _CAREFUL.raw_decode
    try:
        value, end = scan(text, start)
    except json.JSONDecodeError as error:
        return StrictParse(None, -1, error.pos, str(error), "syntax")
    except LossyJsonError as error:
        return StrictParse(None, -1, start, str(error), error.kind)
    except RecursionError:
        return StrictParse(None, -1, start, "nested too deeply", "too_deep")
    except ValueError as error:  # an integer beyond the interpreter's digit limit
        return StrictParse(None, -1, start, str(error), "number_too_long")
    return StrictParse(value, end)


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


_CONTAINERS: Final = (dict, list)


def map_strings(value: Any, change: Callable[[str, str], str]) -> Any:
    """A copy of a JSON value with every string value replaced by `change(field, text)`.

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
            pending.extend((copy, key, key) for key in copy)
        elif isinstance(node, list):
            parent[slot] = items = list(node)
            pending.extend((items, index, field) for index in range(len(items)))
    return root[0]


def string_leaves(value: Any) -> Iterator[tuple[str, str]]:
    """Every string value with its field, in no promised order."""
    pending: list[tuple[str, Any]] = [("", [value])]
    while pending:
        field, node = pending.pop()
        members = node.items() if isinstance(node, dict) else zip(repeat(field), node)
        for name, item in members:
            if isinstance(item, str):
                yield name, item
            elif isinstance(item, _CONTAINERS):
                pending.append((name, item))
