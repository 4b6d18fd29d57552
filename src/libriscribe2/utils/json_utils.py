"""The JSON pipeline by the names of the original project; each is the function that runs."""

from collections.abc import Callable, Collection
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
    flatten_nested_dict = staticmethod(cleanup.flatten_nested_dict)
    normalize_dict_keys = staticmethod(cleanup.normalize_dict_keys)
    extract_list_from_json = staticmethod(cleanup.extract_list_from_json)
    extract_string_from_json = staticmethod(cleanup.extract_string_from_json)
    extract_int_from_json = staticmethod(cleanup.extract_int_from_json)
    validate_required_fields = staticmethod(cleanup.validate_required_fields)
    clean_json_data = staticmethod(cleanup.clean_json_data)
    merge_json_objects = staticmethod(cleanup.merge_json_objects)

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
