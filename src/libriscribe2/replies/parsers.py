"""Parsers for values of a shape, and how each is written down to read the same reply again."""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Generic, Self, TypeVar, overload

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError as SchemaFault
from jsonschema.exceptions import ValidationError as SchemaError
from pydantic import BaseModel, ValidationError

from libriscribe2.replies.cleanup import extract_with_report, validated_model
from libriscribe2.replies.contract import (
    EMPTY_REPLY,
    Parser,
    ParserResult,
    failure,
    has_text,
    prose_parser,
)
from libriscribe2.replies.formatting import log_stripped, strip_value_emphasis
from libriscribe2.replies.outcome import COUNTING_GAP, ExtractionReport, Refusal, refusal
from libriscribe2.replies.remarks import has_gap
from libriscribe2.replies.schema_fit import Limits, as_json_schema

_MAX_SHOWN: Final = 80
_MAX_FIELDS: Final = 12
_AGAIN: Final = "Please reply again with the whole JSON, all fields included, and nothing else."


def safe_extract_json(
    content: str,
    model: type[BaseModel],
    *,
    strict: bool = False,
    emphasis_fields: Collection[str] = (),
) -> ParserResult:
    """Read a reply that must be one JSON value of a model.

    Args:
        content: The reply.
        model: The wanted model; its schema also chooses among several values in a reply.
        strict: Take only JSON that is valid as written, without repairs.
        emphasis_fields: Names of fields whose strings lose `**bold**` and `*italic*` marks beside
            those that the model's schema marks as identifiers.

    Returns:
        The validated, normalised instance as `data`, or feedback that names each wrong field, what
        was there and what is wanted. `report` is always present but for a blank reply.
    """
    if not has_text(content):
        return failure(EMPTY_REPLY)
    report = extract_with_report(content, schema=model, strict=strict)
    if not report.ok:
        refused = report.refusal or refusal("no_json")
        return {**failure(refused.feedback), "report": report}
    stripped = strip_value_emphasis(report.value, emphasis_fields, as_json_schema(model))
    log_stripped(stripped)
    try:
        data = model.model_validate(stripped.value)
    except ValidationError as error:
        return {**failure(_field_feedback(error)), "report": report}
    return {"status": "success", "data": data, "report": report}


def pydantic_parser(
    model: type[BaseModel], *, strict: bool = False, emphasis_fields: Collection[str] = ()
) -> Callable[[str], ParserResult]:
    """The parser that `safe_extract_json` is with these arguments."""
    return partial(safe_extract_json, model=model, strict=strict, emphasis_fields=emphasis_fields)


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
        feedback = (
            f"The JSON can be read, but it is not what was asked for:\n{told}\n"
            "Please send the whole JSON object again."
        )
        return {**failure(feedback), "report": result.get("report")}

    return parse


def _as_schema(limits: Limits) -> dict[str, Any]:
    """A schema that says no more than the limits; an object's members are those of a list's items."""
    schema: dict[str, Any] = {}
    for path, keywords in limits.items():
        part = schema
        for name in path.split("."):
            members = part.setdefault("properties", {})
            part["items"] = {"properties": members}
            part = members.setdefault(name, {})
        part.update(keywords)
    return schema


def _feedback(error: SchemaError) -> str:
    """One fault in words for the model."""
    where = ".".join(str(part) for part in error.absolute_path)
    if error.validator in ("minItems", "maxItems"):
        wanted = "at least" if error.validator == "minItems" else "at most"
        items = error.instance if isinstance(error.instance, list) else []
        return f"{where}: {len(items)} items; wanted {wanted} {error.validator_value}"
    return f"{where}: {error.message}"


@dataclass(frozen=True)
class ReplyReader:
    """A parser that knows how to be written down.

    Attributes:
        parse: The parser itself.
        said: What a dump keeps of it (`as_record`).
    """

    parse: Parser
    said: Mapping[str, Any] = field(compare=False)

    def __call__(self, raw_reply: str) -> ParserResult:
        """What the parser makes of a reply."""
        return self.parse(raw_reply)

    @classmethod
    def for_shape(cls, model: type[BaseModel], limits: Limits) -> Self:
        """Reads a value of a model within limits (`pydantic_parser`, `within_limits`)."""
        name = f"{model.__module__}:{model.__qualname__}"
        asked = {path: dict(keywords) for path, keywords in limits.items()}
        parse = within_limits(pydantic_parser(model), limits)
        return cls(parse, {"shape": name, "limits": asked})

    @classmethod
    def for_prose(cls, min_words: int) -> Self:
        """Reads a text (`prose_parser`)."""
        return cls(prose_parser(min_words), {"min_words": min_words})

    @classmethod
    def for_sections(cls, headers: Sequence[str], *, may_be_empty: bool = False) -> Self:
        """Reads a text in sections, each below its header (`multi_section_parser`)."""
        from libriscribe2.replies.headed import multi_section_parser  # noqa: PLC0415 -- `ask` alone

        parse = partial(
            multi_section_parser, section_headers=tuple(headers), allow_empty=may_be_empty
        )
        return cls(parse, {"sections": list(headers), "may_be_empty": may_be_empty})

    @classmethod
    def from_record(cls, said: Mapping[str, Any]) -> Self | None:
        """The parser that a dump describes; None where its shape is not part of this program.

        Only shapes that are already loaded are looked up: a dump from elsewhere cannot have a
        module imported.

        Raises:
            TypeError: The record is not one of `said`.
            ValueError: As before.
        """
        if "min_words" in said:
            return cls.for_prose(int(said["min_words"]))
        if "sections" in said:
            headers = [str(one) for one in said["sections"]]
            return cls.for_sections(headers, may_be_empty=bool(said.get("may_be_empty")))
        model = _loaded_shape(str(said.get("shape", "")))
        if model is None:
            return None
        limits = dict(said.get("limits", {}))
        try:
            for keywords in limits.values():
                Draft202012Validator.check_schema(keywords)
        except SchemaFault as error:
            raise ValueError(error.message) from error
        return cls.for_shape(model, limits)


def _loaded_shape(name: str) -> type[BaseModel] | None:
    """The shape that a dump names as `module:Class`.

    Modules of shapes have been moved and merged since dumps were first written: where the module
    has no such class, the shape of this program that bears the class's name is meant, or names it
    as `recorded_as`, its older one.
    """
    module, _, qualified = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in qualified.split("."):
        found = getattr(found, part, None)
    if isinstance(found, type) and issubclass(found, BaseModel):
        return found
    own = f"{__name__.partition('.')[0]}."
    ours = [
        one
        for one in _shapes(BaseModel)
        if one.__module__.startswith(own)
        and qualified in (one.__qualname__, vars(one).get("recorded_as"))
    ]
    return ours[0] if len(ours) == 1 and module.startswith(own) else None


def _shapes(base: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Every loaded subclass of a model, at any depth."""
    for one in base.__subclasses__():
        yield one
        yield from _shapes(one)


ValueT = TypeVar("ValueT")
ModelT = TypeVar("ModelT", bound=BaseModel)


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
        whole, faults = value, [f"{error.json_path}: {error.message:.160}" for error in found]
    else:
        whole, faults = validated_model(value, shape)
    if faults:
        told = "; ".join(faults[:_MAX_FIELDS])
        return Answer(None, report, refusal("wrong_fields", detail=told))
    return Answer(whole, report)
