"""The JSON pipeline by the names of the original project; each is the function that runs.

What no command needs of it, readers of loose objects by their keys, is here itself.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from libriscribe2.replies import cleanup, formatting
from libriscribe2.replies.strict_json import find_json_end_string_safe


class JSONProcessor:
    """Reading, cleaning and validating the JSON of model replies."""

    extract_with_report = staticmethod(cleanup.extract_with_report)
    extract_json_from_llm_response = staticmethod(cleanup.extract_json_from_llm_response)
    extract_json_from_response = staticmethod(cleanup.extract_json_from_response)
    clean_llm_response = staticmethod(cleanup.clean_llm_response)
    safe_json_loads = staticmethod(cleanup.safe_json_loads)
    find_json_end_string_safe = staticmethod(find_json_end_string_safe)
    detect_markdown_artifacts = staticmethod(formatting.detect_markdown_artifacts)
    validated_model = staticmethod(cleanup.validated_model)
    validate_json_with_pydantic = staticmethod(cleanup.validate_json_with_pydantic)

    @staticmethod
    def strip_markdown_from_json(text: str) -> str:
        """JSON text whose string values have no `**bold**` or `*italic*` marks; keys stay."""
        stripped = cleanup.strip_json_text(text)
        formatting.log_stripped(stripped)
        return str(stripped.value)

    @staticmethod
    def strip_emphasis(value: Any, fields: Collection[str] | Callable[[str], bool]) -> Any:
        """A copy of a JSON value without emphasis marks in the named fields."""
        return formatting.strip_value_emphasis(value, fields).value

    @staticmethod
    def flatten_nested_dict(data: Mapping[str, Any]) -> dict[str, str]:
        """Turn every value into text; an inner object becomes "key: value key: value"."""
        return {
            key: " ".join(f"{name}: {_as_text(item)}" for name, item in value.items())
            if isinstance(value, Mapping)
            else _as_text(value)
            for key, value in data.items()
        }

    @staticmethod
    def normalize_dict_keys(data: Mapping[str, Any]) -> dict[str, Any]:
        """The same members under lower-case keys; of keys that differ only by case the last stays."""
        return {key.lower(): value for key, value in data.items()}

    @staticmethod
    def extract_list_from_json(data: Any, key: str, default: list[Any] | None = None) -> list[Any]:
        """The list under `key`; a string is split at its commas; else `default` or an empty list."""
        value = _member(data, key)
        if isinstance(value, str):
            return [item.strip() for item in value.split(",") if item.strip()]
        return value if isinstance(value, list) else default or []

    @staticmethod
    def extract_string_from_json(data: Any, key: str, default: str = "") -> str:
        """The trimmed text under `key`; another value as text; `default` when absent or null."""
        value = _member(data, key)
        return default if value is None else str(value).strip()

    @staticmethod
    def extract_int_from_json(data: Any, key: str, default: int = 0) -> int:
        """The integer under `key`, also written as a string; `default` for anything else.

        True and False are not numbers here, and a fraction is not cut to an integer.
        """
        value = _member(data, key)
        try:
            return default if isinstance(value, bool | float) else int(value)
        except (TypeError, ValueError):
            return default

    @staticmethod
    def validate_required_fields(
        data: Mapping[str, Any], required_fields: Iterable[str]
    ) -> list[str]:
        """The required fields that are absent or blank, in the order asked for; 0 and False count."""
        return [name for name in required_fields if _is_blank(data.get(name))]

    @staticmethod
    def clean_json_data(data: Mapping[str, Any]) -> dict[str, Any]:
        """The object without null and white values, strings trimmed; empty lists stay."""
        trimmed = {
            key: value.strip() if isinstance(value, str) else value for key, value in data.items()
        }
        return {key: value for key, value in trimmed.items() if value is not None and value != ""}

    @staticmethod
    def merge_json_objects(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
        """Both objects as one new object; where both have a key, the second's value."""
        return {**first, **second}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _member(data: Any, key: str) -> Any:
    return data.get(key) if isinstance(data, Mapping) else None


def _is_blank(value: Any) -> bool:
    """Whether a field holds nothing: null, an empty or white string, an empty list or object."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, list | dict) and not value)
