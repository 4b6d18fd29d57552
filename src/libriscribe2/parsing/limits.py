"""Counts and choices of one request, checked on the value that came back."""

from collections.abc import Callable
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from pydantic import BaseModel

from libriscribe2.models.request_schema import Limits


def within_limits(parser: Callable[[str], Any], limits: Limits) -> Callable[[str], Any]:
    """A parser that also refuses values outside `limits`.

    Args:
        parser: A parser whose `data` is a model instance.
        limits: JSON Schema keywords by dotted property; list items add no part of their own.

    Returns:
        A parser whose feedback names each property, what was there and what is wanted.
    """
    check = Draft202012Validator(_as_schema(limits))

    def parse(reply: str) -> Any:
        result = parser(reply)
        data = result.get("data")
        if result["status"] != "success" or not isinstance(data, BaseModel):
            return result
        faults = [_feedback(error) for error in check.iter_errors(data.model_dump(mode="json"))]
        if not faults:
            return result
        told = "\n".join(f"- {fault}" for fault in faults[:10])
        feedback = f"The JSON can be read, but it is not what was asked for:\n{told}\n"
        return {
            "status": "error",
            "feedback": feedback + "Please send the whole JSON object again.",
            "report": result.get("report"),
        }

    return parse


def _as_schema(limits: Limits) -> dict[str, Any]:
    """A schema that says no more than the limits."""
    schema: dict[str, Any] = {}
    for path, keywords in limits.items():
        part = schema
        for name in path.split("."):
            part = part.setdefault("properties", {}).setdefault(name, {})
        part.update(keywords)
    return _through_lists(schema)


def _through_lists(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with properties of list items moved under `items`."""
    parts = {name: _through_lists(part) for name, part in schema.get("properties", {}).items()}
    plain = {key: value for key, value in schema.items() if key != "properties"}
    if not parts:
        return plain
    inner = {"properties": parts}
    return {**plain, **inner, "items": inner}


def _feedback(error: ValidationError) -> str:
    """One fault in words for the model."""
    where = ".".join(str(part) for part in error.absolute_path)
    if error.validator in ("minItems", "maxItems"):
        wanted = "at least" if error.validator == "minItems" else "at most"
        items = error.instance if isinstance(error.instance, list) else []
        return f"{where}: {len(items)} items; wanted {wanted} {error.validator_value}"
    if error.validator == "enum":
        return f"{where}: {error.instance!r} is not one of {error.validator_value}"
    return f"{where}: {error.message}"
