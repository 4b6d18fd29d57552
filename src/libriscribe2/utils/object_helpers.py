"""Small readers and reshapers of JSON objects, kept under the names of the original project."""

import json
from collections.abc import Iterable, Mapping
from typing import Any


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def flatten_nested_dict(data: Mapping[str, Any]) -> dict[str, str]:
    """Turn every value into text; an inner object becomes "key: value key: value"."""
    return {
        key: " ".join(f"{name}: {_as_text(item)}" for name, item in value.items())
        if isinstance(value, Mapping)
        else _as_text(value)
        for key, value in data.items()
    }


def normalize_dict_keys(data: Mapping[str, Any]) -> dict[str, Any]:
    """The same members under lower-case keys; of keys that differ only by case the last stays."""
    return {key.lower(): value for key, value in data.items()}


def extract_list_from_json(data: Any, key: str, default: list[Any] | None = None) -> list[Any]:
    """The list under `key`; a string is split at its commas; else `default` or an empty list."""
    value = data.get(key) if isinstance(data, Mapping) else None
    if isinstance(value, list):
        return value
    if isinstance(value, str):
        return [item.strip() for item in value.split(",") if item.strip()]
    return [] if default is None else default


def extract_string_from_json(data: Any, key: str, default: str = "") -> str:
    """The trimmed text under `key`; another value as text; `default` when absent or null."""
    value = data.get(key) if isinstance(data, Mapping) else None
    if value is None:
        return default
    return value.strip() if isinstance(value, str) else str(value)


def extract_int_from_json(data: Any, key: str, default: int = 0) -> int:
    """The integer under `key`, also written as a string; `default` for anything else.

    True and False are not numbers here, and a fraction is not cut to an integer.
    """
    value = data.get(key) if isinstance(data, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int | str):
        return default
    try:
        return int(value)
    except ValueError:
        return default


def is_blank(value: Any) -> bool:
    """Whether a field holds nothing: null, an empty or white string, an empty list or object."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, list | dict) and not value)


def validate_required_fields(data: Mapping[str, Any], required_fields: Iterable[str]) -> list[str]:
    """The required fields that are absent or blank, in the order asked for; 0 and False count."""
    return [name for name in required_fields if is_blank(data.get(name))]


def clean_json_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """The object without null and white values, strings trimmed; empty lists stay."""
    trimmed = {
        key: value.strip() if isinstance(value, str) else value for key, value in data.items()
    }
    return {key: value for key, value in trimmed.items() if value is not None and value != ""}


def merge_json_objects(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Both objects as one new object; where both have a key, the second's value."""
    return {**first, **second}


def validate_json_structure(data: Any, expected_type: type = dict) -> bool:
    """Whether `data` is of the type, and not an empty object where an object is wanted."""
    return isinstance(data, expected_type) and (expected_type is not dict or bool(data))
