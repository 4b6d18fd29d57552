"""Values brought to a parameter's type where nothing is lost, and refused where something would be.

A refusal is the value `UNFIT`, never a 0, a False or an empty text in place of what was there.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from libriscribe2.models.tooling import Parameter
from libriscribe2.project.texts import canonical_json

UNFIT: Final = object()
"""Stands for "this value has no exact reading in that type"."""

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,400}(?:\.0{1,50})?")
_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]{1,300}(?:\.[0-9]{0,300})?|\.[0-9]{1,300})(?:[eE][+-]?[0-9]{1,3})?"
)
_TRUTH: Final = {"true": True, "false": False, "1": True, "0": False}
_LARGEST_EXACT: Final = 2**53

_SYNONYMS: Final = {
    "number": "number",
    "float": "number",
    "float32": "number",
    "float64": "number",
    "double": "number",
    "integer": "integer",
    "int": "integer",
    "int32": "integer",
    "int64": "integer",
    "string": "string",
    "str": "string",
    "boolean": "boolean",
    "bool": "boolean",
    "array": "array",
    "list": "array",
    "object": "object",
    "map": "object",
    "dict": "object",
}
"""Names of types, as other languages spell them, with JSON Schema's name."""


@cache
def canonical_type(name: str) -> str:
    """JSON Schema's name of a type; `any` for one that nobody knows."""
    return _SYNONYMS.get(name.strip().lower(), "any")


def coerce_value(value: Any, type_name: str) -> Any:
    """The value in the type, or `UNFIT`; null has no reading in any type but an unknown one."""
    return _CASTS[canonical_type(type_name)](value)


def coerce(value: Any, parameter: Parameter) -> Any:
    """The value as the parameter takes it, the items of a list included, or `UNFIT`."""
    if value is None:
        return UNFIT
    changed = coerce_value(value, parameter.type)
    if isinstance(changed, list):
        changed = _items(changed, parameter.schema.get("items"))
    if changed is UNFIT or (parameter.enum and changed not in parameter.enum):
        return UNFIT
    return changed


def changed_type(before: Any, after: Any) -> bool:
    """Whether a text became a number or a truth value."""
    return isinstance(before, str) and isinstance(after, bool | int | float)


def _items(values: list[Any], wanted: Any) -> Any:
    """A list whose items have the wanted type."""
    kind = wanted.get("type") if isinstance(wanted, Mapping) else None
    if not isinstance(kind, str):
        return values
    changed = [coerce_value(value, kind) for value in values]
    return UNFIT if any(item is UNFIT for item in changed) else changed


def _to_number(value: Any) -> Any:
    if isinstance(value, bool):
        return UNFIT
    if isinstance(value, int):
        return float(value) if abs(value) <= _LARGEST_EXACT else value
    if isinstance(value, float):
        return value
    return _number_in(value.strip()) if isinstance(value, str) else UNFIT


def _number_in(text: str) -> Any:
    """The number that a text is; one that is too small or too large for a float is none."""
    if not _NUMBER.fullmatch(text):
        return UNFIT
    if _INTEGER.fullmatch(text):
        return _to_number(_to_integer(text))
    number = float(text)
    vanished = number == 0 and re.search(r"[1-9]", text.lower().partition("e")[0]) is not None
    return UNFIT if vanished or abs(number) == float("inf") else number


def _to_integer(value: Any) -> Any:
    if isinstance(value, bool):
        return UNFIT
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else UNFIT
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    return UNFIT


def _to_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _TRUTH.get(value.strip().lower(), UNFIT)
    return bool(value) if isinstance(value, int) and value in (0, 1) else UNFIT


def _to_string(value: Any) -> Any:
    if isinstance(value, str):
        return value
    return canonical_json(value) if isinstance(value, bool | int | float) else UNFIT


def _to_list(value: Any) -> Any:
    return value if isinstance(value, list) else UNFIT


def _to_object(value: Any) -> Any:
    return value if isinstance(value, dict) else UNFIT


def _as_it_is(value: Any) -> Any:
    return value


_CASTS: Final[dict[str, Callable[[Any], Any]]] = {
    "number": _to_number,
    "integer": _to_integer,
    "boolean": _to_boolean,
    "string": _to_string,
    "array": _to_list,
    "object": _to_object,
    "any": _as_it_is,
}
