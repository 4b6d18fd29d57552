"""Strict JSON by the standard library, made honest about what it would lose silently.

`json.loads` keeps the last of two conflicting keys and reads NaN and Infinity; both are lossy here
and end the parse. Everything else is the standard decoder, with exact integers and joined
surrogate pairs.
"""

import json
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any


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


@dataclass(frozen=True, slots=True)
class StrictParse:
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


def _merging() -> Generator[dict[str, Any], list[tuple[str, Any]], None]:
    """Merge the members of one object after the other.

    A generator, because its `send` costs half of what a function called from the decoder costs.
    """
    merged: dict[str, Any] = {}
    while True:
        pairs = yield merged
        merged = dict(pairs)
        if len(merged) != len(pairs):
            merged = merge_pairs(pairs)


def strict_parse(text: str, start: int = 0) -> StrictParse:
    """Read one strict JSON value that begins exactly at `start`; never raises."""
    merging = _merging()
    next(merging)
    decoder = json.JSONDecoder(object_pairs_hook=merging.send, parse_constant=_refuse_constant)
    try:
        value, end = decoder.scan_once(text, start)
    except StopIteration as stop:
        return StrictParse(None, -1, stop.value, "Expecting value", "syntax")
    except json.JSONDecodeError as error:
        return StrictParse(None, -1, error.pos, str(error), "syntax")
    except LossyJsonError as error:
        return StrictParse(None, -1, start, str(error), error.kind)
    except RecursionError:
        return StrictParse(None, -1, start, "nested too deeply", "too_deep")
    except ValueError as error:  # an integer beyond the interpreter's digit limit
        return StrictParse(None, -1, start, str(error), "number_too_long")
    return StrictParse(value, end)
