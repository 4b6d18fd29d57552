"""The cleanup pipeline: what turns a model's reply into a JSON value, a flag or a refusal.

The steps, in their order:

1. `normalise`: marks at the edges go, reasoning moves out.
2. fast path: the whole text (or the fence around it) is strict JSON; no heuristics.
3. `candidates`: every value of the text, string-aware, each read strictly; damaged ones by extent.
4. `repair`: damaged values read again, lenient mode only, every change named.
5. `selection`: the value that fits the wanted schema best; strict before repaired, then the first.
6. `normalise.views`: when nothing fits, the text under one layer of quoting or escaping, steps 3 to 5 again.
   Behind them `foreign`: other notations of values (YAML, tables, XML), each a function of its list.
7. `outcome.refusal`: when there is no whole value, why, in words for the model.

Emphasis is no step of this order: `formatting.strip_value_emphasis` works on the value afterwards,
only in the fields that ask for it.
"""

import json
import logging
import re
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from libriscribe2.replies.candidates import Span, find_spans
from libriscribe2.replies.choice import FULL, judge
from libriscribe2.replies.formatting import (
    MARKDOWN_CODE_BLOCKS,
    Stripped,
    detect_markdown_artifacts,
    log_stripped,
    strip_emphasis,
    value_artifacts,
)
from libriscribe2.replies.normalise import Normalised, hides_value, normalise, plain_keys, views
from libriscribe2.replies.outcome import DIRECT_PARSE, MARKDOWN_BLOCK, ExtractionReport, refusal
from libriscribe2.replies.schema_fit import Schema, as_json_schema
from libriscribe2.replies.selection import best_reading, under_layers
from libriscribe2.replies.strict_json import HALF_SURROGATE, json_error, strict_parse, string_leaves
from libriscribe2.telemetry import JSON_EXTRACTION_WARNING

_LOG: Final = logging.getLogger(__name__)

MAX_REPLY: Final = 8_000_000
_MAX_LAYERS: Final = 3
_STRICT_VIEWS: Final = ("json_string", "block_quote")
_NO_VALUE: Final = ("no_json", "wrong_shape", "placeholder", "several_items", "ambiguous", "syntax")
_FENCE: Final = "```"
_CLOSERS: Final = {"{": "}", "[": "]"}
_FENCE_HEAD: Final = 40
_MARKUP: Final = ("<!doctype", "<html", "<?xml", "<head", "<body")


def extract_with_report(
    reply: str | None, schema: Schema | None = None, *, strict: bool = False
) -> ExtractionReport:
    """Read the JSON value of a reply.

    Args:
        reply: The model's text; None and blank text are refused.
        schema: The wanted model or JSON Schema; it chooses among several values and undoes
            wrappers. Without it any object or list will do.
        strict: Take only JSON that is valid as written; nothing is repaired or coerced.

    Returns:
        The report; this function never raises on any text.
    """
    if not isinstance(reply, str):
        return ExtractionReport(None, refusal=refusal("empty"))
    wanted = None if schema is None else as_json_schema(schema)
    report = _fast_path(reply, wanted, strict=strict) or _slow_path(reply, wanted, strict=strict)
    if any(HALF_SURROGATE.search(text) for _, text in string_leaves(report.value)):
        return report._replace(refusal=refusal("lone_surrogate"))
    return report


def _slow_path(reply: str, wanted: Mapping[str, Any] | None, *, strict: bool) -> ExtractionReport:
    """The report of a reply that holds more than a clean value."""
    if len(reply) > MAX_REPLY:
        return ExtractionReport(None, refusal=refusal("too_large"))
    text = normalise(reply)
    if refused := _hopeless(text):
        return ExtractionReport(None, issues=text.labels, refusal=refusal(refused))
    read_as = text.text if strict else plain_keys(text.text)
    report = _layered(read_as, wanted, strict=strict)
    if report.value is not None:
        return report._replace(issues=(*text.labels, *report.issues))
    refused_as = refusal("unclosed_reasoning") if text.unclosed_reasoning else report.refusal
    return report._replace(issues=tuple(detect_markdown_artifacts(reply)), refusal=refused_as)


_ANY_OBJECT: Final = {"type": "object"}
_PREVIEW: Final = 200


def extract_json_from_llm_response(
    response: str | None, schema: Schema = _ANY_OBJECT, *, strict: bool = False
) -> dict[str, Any] | None:
    """The JSON object of a reply, or None when there is none to be trusted.

    A value that may lack content is never returned; the reason is logged.

    Args:
        response: As for `extract_with_report`, which says the reason in full.
        schema: The wanted object.
        strict: As for `extract_with_report`.
    """
    report = extract_with_report(response, schema, strict=strict)
    value: dict[str, Any] | None = _trusted(report, response, dict)
    return value


def extract_json_from_response(response: str | None) -> Any:
    """The JSON object or list of a reply that an older program kept; None when there is none.

    What has to be cleaned away of it is logged.
    """
    report = extract_with_report(response)
    if report.issues:
        _LOG.warning("%s: %s", JSON_EXTRACTION_WARNING, ", ".join(report.issues))
    return _trusted(report, response, object)


def _trusted(report: ExtractionReport, response: str | None, kind: type) -> Any:
    """The value of a report if it is whole and of a kind; None, and why in the log, if not."""
    if report.ok and isinstance(report.value, kind):
        return report.value
    reason = report.refusal.reason if report.refusal else "the value is not an object"
    begin = (response or "")[:_PREVIEW]
    _LOG.error("No JSON object in the reply: %s; it begins %r", reason, begin)
    return None


def safe_json_loads(json_str: str | bytes) -> Any:
    """The value of a JSON text; None with the error, its place and a short preview logged."""
    try:
        return json.loads(json_str)
    except (ValueError, RecursionError) as error:
        same = json_error(error) if isinstance(error, json.JSONDecodeError) else error
        position = getattr(same, "pos", 0)
        _LOG.error("Not JSON: %s (position %d): %r", same, position, json_str[:_PREVIEW])
        return None


def _fast_path(
    reply: str, wanted: Mapping[str, Any] | None, *, strict: bool
) -> ExtractionReport | None:
    """The report of a clean reply, bare or fenced as a whole; None when it is neither."""
    start = reply.find("\n", 0, _FENCE_HEAD) + 1 if reply[:3] == _FENCE else 0
    closer = _CLOSERS.get(reply[start : start + 1])
    if closer is None:
        return None
    end = reply.rfind(closer) + 1
    if end < len(reply) and reply[end:].strip().strip("`" if start else ""):
        return None
    parsed = strict_parse(reply, start)
    lost = wanted is not None and not strict and ("\\b" in reply or "\\f" in reply)
    if parsed.end != end or lost:
        return None
    value, verdict = parsed.value, judge(parsed.value, wanted, strict=strict)
    if verdict.applied or verdict.trouble or (wanted is not None and verdict.level < FULL):
        return None
    issues = value_artifacts(reply, value)
    if start:
        issues = (MARKDOWN_CODE_BLOCKS, *issues)
    return ExtractionReport(value, method=MARKDOWN_BLOCK if start else DIRECT_PARSE, issues=issues)


def _hopeless(text: Normalised) -> str:
    """The refusal kind of a reply that needs no further look, or ""."""
    if not text.text:
        return "unclosed_reasoning" if text.unclosed_reasoning else "empty"
    return "markup_document" if text.text[:9].lower().startswith(_MARKUP) else ""


def _layered(text: str, wanted: Mapping[str, Any] | None, *, strict: bool) -> ExtractionReport:
    """The best reading of the text, or of the text under up to three layers of quoting."""
    first = best_reading(text, wanted, strict=strict)
    hidden = hides_value(text)
    if first.refusal is None and not hidden:
        return first
    pending: list[tuple[tuple[str, ...], str]] = [((), text)]
    for _ in range(_MAX_LAYERS):
        layers = [
            ((*names, name), view)
            for names, source in pending
            for name, view in views(source)
            if (not strict or name in _STRICT_VIEWS) and (wanted or name != "bare_amounts")
        ]
        for names, view in layers:
            reading = best_reading(view, wanted, strict=strict)
            if reading.refusal is None:
                return under_layers(reading, names)
        pending = layers[:2]
    if wanted is not None and not strict and first.refusal and first.refusal.kind in _NO_VALUE:
        return _foreign(text, wanted) or first
    if first.refusal is None:
        return ExtractionReport(None, refusal=refusal("ambiguous", text, 0))
    return first


def _foreign(text: str, wanted: Mapping[str, Any]) -> ExtractionReport | None:
    """The reading of a text in another notation than JSON."""
    from libriscribe2.replies import foreign  # noqa: PLC0415 - few replies need it

    for name, view in foreign.readings(text, wanted):
        reading = best_reading(view, wanted)
        if reading.ok and judge(reading.value, wanted).level == FULL:
            return under_layers(reading, [name])
    return None


ModelT = TypeVar("ModelT", bound=BaseModel)


def field_errors(error: ValidationError) -> list[str]:
    """One message per wrong field, as "concept.title: Field required".

    An error of the whole object has no field; its message then stands alone.
    """
    details = error.errors(include_url=False, include_context=False)
    told = ((".".join(map(str, detail["loc"])), detail["msg"]) for detail in details)
    return [f"{path}: {message}" if path else message for path, message in told]


def validated_model(data: Any, model: type[ModelT]) -> tuple[ModelT | None, list[str]]:
    """The validated, normalised model instance, or None and the field errors."""
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, field_errors(error)


def validate_json_with_pydantic(data: Any, model: type[BaseModel]) -> tuple[bool, list[str]]:
    """Whether data fit a model, and messages such as "concept.title: Field required"."""
    instance, errors = validated_model(data, model)
    return instance is not None, errors


_STRING: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"(?P<key>\s*:)?', re.DOTALL)


def clean_llm_response(reply: str) -> str:
    """The JSON text of a reply: reasoning, fence, prose and emphasis in its values removed.

    A reply without any bracketed value is unchanged, and so is one whose damaged value has no
    certain extent.
    """
    part, sound = _json_part(reply)
    if not sound:
        return part if _json_part(part)[0] == part else reply
    stripped = strip_json_text(part)
    log_stripped(stripped, "cleanLLMResponse/clean_llm_response")
    return str(stripped.value)


def _json_part(reply: str) -> tuple[str, bool]:
    """The text of the best value, and whether it is strict JSON; without any, all of the reply."""
    text = normalise(reply).text
    spans = find_spans(text)
    if not spans:
        return reply, False
    best = max(spans, key=_preference)
    return text[best.start : best.end].strip(), best.failure is None


def _preference(span: Span) -> tuple[bool, bool, bool, int]:
    fenced = span.fence in ("json", "jsonc", "json5")
    return span.failure is None, isinstance(span.value, dict), fenced, -span.start


def strip_json_text(text: str) -> Stripped:
    """Strip emphasis from the string values of JSON text, all else byte for byte the same.

    Text that is no JSON at all counts as one string value; damaged JSON is left alone.
    """
    if "*" not in text:
        return Stripped(text)
    whole = text.strip()
    if strict_parse(whole).end != len(whole):
        damaged = whole[:1] in ("{", "[", '"')
        return Stripped(text) if damaged else strip_emphasis(text)
    bold = italic = 0

    def change(literal: re.Match[str]) -> str:
        nonlocal bold, italic
        if literal["key"] or "*" not in literal.group():
            return literal.group()
        stripped = strip_emphasis(json.loads(literal.group(), strict=False))
        if not stripped.bold and not stripped.italic:
            return literal.group()
        bold += stripped.bold
        italic += stripped.italic
        return json.dumps(stripped.value, ensure_ascii=False)

    return Stripped(_STRING.sub(change, text), bold, italic)
