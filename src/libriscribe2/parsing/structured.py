"""Structured replies: JSON that a Pydantic model accepts, or feedback on every wrong field."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from libriscribe2.parsing.contract import EMPTY_REPLY, ParserResult, failure, has_text
from libriscribe2.utils.emphasis import strip_value_emphasis
from libriscribe2.utils.json_utils import JSONProcessor
from libriscribe2.utils.report import ExtractionReport

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
        report = JSONProcessor.extract_with_report(raw_reply, schema=model, strict=strict)
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
