"""The public face of the JSON cleanup pipeline, by the names of the original project."""

import json
import logging
from collections.abc import Callable, Collection
from types import UnionType
from typing import Any, Final

from pydantic import BaseModel

from libriscribe2.replies import cleanup, formatting
from libriscribe2.replies.cleanup import (
    clean_text,
    extract_with_report,
    strip_json_text,
    validated_model,
)
from libriscribe2.replies.formatting import strip_value_emphasis
from libriscribe2.replies.schema_fit import Schema
from libriscribe2.replies.strict_json import find_json_end_string_safe
from libriscribe2.telemetry import JSON_EXTRACTION_WARNING

_LOG: Final = logging.getLogger(__name__)
_PREVIEW: Final = 200
_ANY_OBJECT: Final = {"type": "object"}
_ANY_LIST: Final = {"type": "array"}


class JSONProcessor:
    """Reading, cleaning and validating the JSON of model replies."""

    extract_with_report = staticmethod(extract_with_report)
    find_json_end_string_safe = staticmethod(find_json_end_string_safe)
    detect_markdown_artifacts = staticmethod(formatting.detect_markdown_artifacts)
    flatten_nested_dict = staticmethod(cleanup.flatten_nested_dict)
    normalize_dict_keys = staticmethod(cleanup.normalize_dict_keys)
    extract_list_from_json = staticmethod(cleanup.extract_list_from_json)
    extract_string_from_json = staticmethod(cleanup.extract_string_from_json)
    extract_int_from_json = staticmethod(cleanup.extract_int_from_json)
    validate_required_fields = staticmethod(cleanup.validate_required_fields)
    validate_json_structure = staticmethod(cleanup.validate_json_structure)
    clean_json_data = staticmethod(cleanup.clean_json_data)
    merge_json_objects = staticmethod(cleanup.merge_json_objects)
    validated_model = staticmethod(validated_model)

    @staticmethod
    def extract_json_from_llm_response(
        response: str | None, schema: Schema | None = None
    ) -> dict[str, Any] | None:
        """The JSON object of a reply, or None when there is none to be trusted.

        A value that may lack content is never returned; the reason is logged, and
        `extract_with_report` says it in full.
        """
        found: dict[str, Any] | None = _read(response, schema or _ANY_OBJECT, "an object", dict)
        return found

    @staticmethod
    def extract_json_list_from_response(
        response: str | None, schema: Schema | None = None
    ) -> list[Any] | None:
        """The JSON list of a reply; a single object becomes a list of one; None when refused."""
        found = _read(response, schema or _ANY_LIST, "a list", list | dict)
        return [found] if isinstance(found, dict) else found

    @staticmethod
    def extract_json_from_response(response: str | None) -> dict[str, Any] | None:
        """The older name of `extract_json_from_llm_response`; warns of markdown in the reply."""
        found = formatting.detect_markdown_artifacts(response or "")
        if found:
            _LOG.warning("%s: %s", JSON_EXTRACTION_WARNING, ", ".join(found))
        return JSONProcessor.extract_json_from_llm_response(response)

    @staticmethod
    def clean_llm_response(response: str | None) -> str:
        """The JSON text of a reply: fence, prose and emphasis in its values removed.

        A reply without JSON comes back unchanged.
        """
        cleaned, stripped = clean_text(response or "")
        formatting.log_stripped(stripped, "cleanLLMResponse/clean_llm_response")
        return cleaned

    @staticmethod
    def strip_markdown_from_json(text: str) -> str:
        """JSON text whose string values have no `**bold**` or `*italic*` marks; keys stay."""
        stripped = strip_json_text(text)
        formatting.log_stripped(stripped)
        return stripped.text

    @staticmethod
    def strip_emphasis(value: Any, fields: Collection[str] | Callable[[str], bool]) -> Any:
        """A copy of a JSON value without emphasis marks in the named fields."""
        return strip_value_emphasis(value, fields).value

    @staticmethod
    def safe_json_loads(json_str: str) -> Any | None:
        """The value of a JSON text, or None with the error logged beside a short preview."""
        try:
            return json.loads(json_str)
        except (ValueError, RecursionError) as error:
            position = getattr(error, "pos", 0)
            _LOG.error("Not JSON: %s (position %d): %r", error, position, _preview(json_str))
            return None

    @staticmethod
    def safe_json_dumps(obj: Any, **kwargs: Any) -> str:
        """The JSON text of a value, or "{}" with the error logged when it has none."""
        try:
            return json.dumps(obj, **kwargs)
        except (TypeError, ValueError) as error:
            _LOG.error("Not writable as JSON: %s", error)
            return "{}"

    @staticmethod
    def validate_json_with_pydantic(
        data: Any, model_class: type[BaseModel]
    ) -> tuple[bool, list[str]]:
        """Whether data fit a model, and messages such as "concept.title: Field required"."""
        instance, errors = validated_model(data, model_class)
        return instance is not None, errors


def _read(response: str | None, schema: Schema, name: str, kind: type | UnionType) -> Any:
    """The value of a reply, of a kind; None with the reason logged."""
    report = extract_with_report(response, schema)
    if report.ok and isinstance(report.value, kind):
        return report.value
    reason = report.refusal.reason if report.refusal else f"the value is not {name}"
    kind_name = name.partition(" ")[2]
    _LOG.error("No JSON %s in the reply: %s; it begins %r", kind_name, reason, _preview(response))
    return None


def _preview(text: str | None) -> str:
    return (text or "")[:_PREVIEW]
