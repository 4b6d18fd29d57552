"""Parsers for values of a shape: a raw reply becomes a validated value, or feedback for the model."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError as SchemaError
from pydantic import BaseModel, ValidationError

from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.contract import (
    EMPTY_REPLY,
    ParserResult,
    failure,
    has_text,
)
from libriscribe2.replies.formatting import strip_value_emphasis
from libriscribe2.replies.report import ExtractionReport
from libriscribe2.replies.schema_fit import Limits

_MAX_SHOWN: Final = 80
_MAX_FIELDS: Final = 12
_AGAIN: Final = "Please reply again with the whole JSON, all fields included, and nothing else."
_NO_JSON: Final = "No JSON value could be read from your reply."


def pydantic_parser(
    model: type[BaseModel], *, strict: bool = False, emphasis_fields: Collection[str] = ()
) -> Callable[[str], ParserResult]:
    """A parser for replies that must be one JSON value of a model.

    Args:
        model: The wanted model; its schema also chooses among several values in a reply.
        strict: Take only JSON that is valid as written, without repairs.
        emphasis_fields: Names of fields whose strings lose `**bold**` and `*italic*` marks: titles
            and names, never prose.

    Returns:
        A parser whose `data` is the validated instance. Its feedback names each wrong field, what
        was there and what is wanted. `report` is always present.
    """

    def parse(raw_reply: str) -> ParserResult:
        if not has_text(raw_reply):
            return failure(EMPTY_REPLY)
        report = extract_with_report(raw_reply, schema=model, strict=strict)
        result = _validated(report, model, emphasis_fields)
        result["report"] = report
        return result

    return parse


def _validated(
    report: ExtractionReport, model: type[BaseModel], emphasis_fields: Collection[str]
) -> ParserResult:
    if not report.ok:
        return failure(_refused(report))
    value = strip_value_emphasis(report.value, emphasis_fields).value
    try:
        return {"status": "success", "data": model.model_validate(value)}
    except ValidationError as error:
        return failure(_field_feedback(error))


def _refused(report: ExtractionReport) -> str:
    """The refusal's own feedback; it always ends with the wish for the whole JSON."""
    said = report.refusal.feedback if report.refusal is not None else _NO_JSON
    return said if "whole JSON" in said else f"{said} {_AGAIN}"


def _field_feedback(error: ValidationError) -> str:
    """One line for each wrong field: path, what was there, what is wanted."""
    details = error.errors(include_url=False, include_context=False)
    lines = [
        f"- {_path(detail['loc'])}: {detail['msg']} ({_was(detail)})"
        for detail in details[:_MAX_FIELDS]
    ]
    if len(details) > _MAX_FIELDS:
        lines.append(f"- and {len(details) - _MAX_FIELDS} more")
    return "\n".join(["These fields of your JSON are not as wanted:", *lines, _AGAIN])


def _path(location: Sequence[int | str]) -> str:
    return ".".join(str(part) for part in location) or "the whole value"


def _was(detail: Mapping[str, Any]) -> str:
    """What stood in the field, at most 80 characters of it."""
    if detail["type"] == "missing":
        return "it is missing"
    shown = repr(detail["input"])
    return f"it was {shown if len(shown) <= _MAX_SHOWN else shown[:_MAX_SHOWN] + '...'}"


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


def _feedback(error: SchemaError) -> str:
    """One fault in words for the model."""
    where = ".".join(str(part) for part in error.absolute_path)
    if error.validator in ("minItems", "maxItems"):
        wanted = "at least" if error.validator == "minItems" else "at most"
        items = error.instance if isinstance(error.instance, list) else []
        return f"{where}: {len(items)} items; wanted {wanted} {error.validator_value}"
    if error.validator == "enum":
        return f"{where}: {error.instance!r} is not one of {error.validator_value}"
    return f"{where}: {error.message}"
