"""The readers as a library: `read`, `calls` and `sections`; docs/library.md shows them in use.

A value is whole here only if its schema takes it: what is required is there, counts and types are
as declared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from libriscribe2.replies.cleanup import extract_with_report, field_errors
from libriscribe2.replies.formatting import strip_value_emphasis
from libriscribe2.replies.headed import multi_section_parser
from libriscribe2.replies.outcome import ExtractionReport, Refusal, refusal
from libriscribe2.replies.remarks import has_gap
from libriscribe2.replies.schema_fit import as_json_schema
from libriscribe2.replies.tool_calls import LLMToolCallResponse, parse_llm_response

ValueT = TypeVar("ValueT")
ModelT = TypeVar("ModelT", bound=BaseModel)
_MOST_FAULTS = 12
COUNTING_GAP = "counting_gap"
"""The label of a value with a list whose items count from the start and skip a number."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[ValueT]):
    """What became of a reply.

    Attributes:
        value: The model's instance, or the JSON value of a schema; None if refused.
        report: How it was found: repairs, what stands before and behind it, other values.
        refusal: Why there is no value, with feedback for the model; None if there is one.
    """

    value: ValueT | None
    report: ExtractionReport
    refusal: Refusal | None = None

    @property
    def ok(self) -> bool:
        """Whether the reply answers as a whole."""
        return self.refusal is None


@overload
def read(text: str, shape: type[ModelT]) -> Answer[ModelT]: ...
@overload
def read(text: str, shape: Mapping[str, Any]) -> Answer[Any]: ...
def read(text: str, shape: type[BaseModel] | Mapping[str, Any]) -> Answer[Any]:
    """Read the one value of a reply.

    Args:
        text: The reply.
        shape: The wanted model, or its JSON Schema.

    Returns:
        The value, or the refusal; never raises on any text.
    """
    report = extract_with_report(text, shape)
    if not report.ok:
        return Answer(None, report, report.refusal or refusal("no_json"))
    value = strip_value_emphasis(report.value, (), as_json_schema(shape)).value
    if has_gap(value):
        report = report._replace(issues=(*report.issues, COUNTING_GAP))
    if isinstance(shape, Mapping):
        found = Draft202012Validator(shape).iter_errors(value)
        faults = [f"{error.json_path}: {error.message:.160}" for error in found]
        whole = value
    else:
        try:
            whole, faults = shape.model_validate(value), []
        except ValidationError as error:
            whole, faults = None, field_errors(error)
    if faults:
        return Answer(
            None, report, refusal("wrong_fields", detail="; ".join(faults[:_MOST_FAULTS]))
        )
    return Answer(whole, report)


def calls(text: str, tools: Mapping[str, Mapping[str, Any]]) -> LLMToolCallResponse:
    """Read the tool calls of a reply.

    Args:
        text: The reply.
        tools: The JSON Schema of the parameters of each tool, by its name; calls of others, and
            calls that do not fit, are named in `issues`.
    """
    return parse_llm_response(text, tools.keys(), tools)


def sections(text: str, headers: Sequence[str]) -> dict[str, str]:
    """Read the sections of a reply.

    Args:
        text: The reply.
        headers: The headers as they were asked for, such as `[Plan]`.

    Returns:
        Each header's text.

    Raises:
        ValueError: A section is missing or empty; the message is the feedback for the model.
    """
    result = multi_section_parser(text, headers)
    if result["status"] == "error":
        raise ValueError(result["feedback"])
    return result["sections"]
