"""Replies that may call tools, from any model, in one canonical form.

The canonical form is the response-parser design's envelope: `content`, `toolCalls` and
`needsMoreWork`. Nothing here executes anything.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import inf, isfinite
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from libriscribe2.replies.call_objects import (
    SIDE_KEYS,
    SURE_ARGUMENTS,
    add_argument,
    marked_call,
    marked_calls,
    read_envelope,
    read_open_calls,
)
from libriscribe2.replies.call_scanner import Reading, scan_reply
from libriscribe2.replies.call_source import (
    ReadCall,
    Source,
    ToolFormat,
    after_space,
    is_shown,
    own_turn,
)
from libriscribe2.replies.choice import Coercion
from libriscribe2.replies.cleanup import extract_with_report
from libriscribe2.replies.notations import FORMATS
from libriscribe2.replies.notations.lines import answers, read_python_calls
from libriscribe2.replies.notations.tokens import read_stripped
from libriscribe2.replies.remarks import LEFT_OUT, is_hole
from libriscribe2.replies.schema_fit import fit, missing_keys, properties_of
from libriscribe2.replies.strict_json import HALF_SURROGATE

EXECUTING: Final = "Executing tools"
MAX_CHARS: Final = 8_000_000
_MOST_PER_GAP: Final = 3
_MAX_DEPTH: Final = 64
# A text that brackets stand around as a whole is to be filled in, in every language, and so is a
# variable or a function of somebody else's template engine.
_FRAME: Final = re.compile(
    r"<(?=[^<>/\n ]*+ )[^<>/\n]*+>|\[[^\[\]\n\"']+\]|（[^（）\n]+）|\{[^{}\n\"']+\}"
    r"|\{\{-?\s*(?:\$|\w+\()[^{}]{0,200}\}\}"
)
_REFERENCE: Final = re.compile(r"\{\{[^{}]{1,200}\}\}")
_BARE_INPUT: Final = (
    r"""(?:\[["']?([^\n\[\]{}"']+)["']?\]|\s*\nAction Input:[ \t]*["']?([^\s{\["'][^\n{}"']*)["']?)"""
    r"(?:\s*\nObservation:)?\s*"
)
_TEXT: Final = {"type": "string"}
_MEMBERS: Final = {"name": _TEXT, "tool": _TEXT, "arguments": {"type": "object"}}
_CALL: Final = {"type": "object", "properties": _MEMBERS}


class ToolCall(BaseModel):
    """One call: the tool's name and its arguments by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class LLMToolCallResponse(BaseModel):
    """The canonical form of a reply.

    Attributes:
        content: Text for the user.
        tool_calls: The calls in the order of the reply; None if there are none.
        needs_more_work: True: the loop goes on. False: the work is complete. None: not said.
        issues: What was wrong with calls that were not accepted, to be told to the model; not part
            of the serialised form.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    content: str | None = None
    tool_calls: list[ToolCall] | None = Field(default=None, alias="toolCalls")
    needs_more_work: bool | None = Field(default=None, alias="needsMoreWork")
    issues: tuple[str, ...] = Field(default=(), exclude=True)


def parse_llm_response(
    raw_content: str,
    allowed_tools: Collection[str] | None = None,
    schemas: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    formats: Sequence[ToolFormat] = FORMATS,
    max_chars: int = MAX_CHARS,
) -> LLMToolCallResponse:
    """Read a reply; any string gives a valid response and never an exception.

    Marked calls (tags, tokens) come before JSON envelopes, these before bare call objects. Calls
    that are quoted, shown as an example, cut off or damaged are not returned.

    Args:
        raw_content: The reply.
        allowed_tools: The tools that exist; calls of others are left out and named in `issues`.
        schemas: JSON Schema of the parameters, by tool name; types the parameters of tags.
        formats: The tool formats, most specific first.
        max_chars: A longer reply is returned as text, unread.

    Returns:
        The canonical response. Without calls, its content is the original text, trimmed.
    """
    if len(raw_content) > max_chars:
        issue = f"The reply has more than {max_chars} characters."
        return _response(raw_content.strip(), [], [issue], more=None)
    known = None if allowed_tools is None else frozenset(allowed_tools)
    for name in known or ():
        if (escaped := name.replace("_", "\\_")) != name and escaped in raw_content:
            raw_content = raw_content.replace("\\_", "_")  # as in Markdown, in all names
    raw_content = own_turn(raw_content)
    reading = scan_reply(Source(raw_content, schemas or {}, known or frozenset()), formats)
    gate = _Gate(known, schemas or {})
    marked = gate.admit(reading.calls)
    if marked:
        content = _remaining(raw_content, reading) or EXECUTING
        return _response(content, marked, [*reading.issues, *gate.issues], more=True)
    return _from_data(raw_content, reading, gate)


def parse_native_tool_calls(
    content: str | None, tool_calls: Sequence[Mapping[str, Any]]
) -> LLMToolCallResponse:
    """The canonical form of a native message: calls that the provider has already separated.

    Args:
        content: The message's text.
        tool_calls: `{"function": {"name": ..., "arguments": "<JSON>"}}` objects, as dicts.

    Returns:
        The calls whose arguments are a whole JSON object; the others are named in `issues`.
    """
    gate = _Gate(None, {})
    read, dropped = marked_calls([*tool_calls])
    calls = gate.admit(read)
    return _response(content or "", calls, [dropped, *gate.issues], more=bool(calls) or None)


class _UnfitError(ValueError):
    """A call that does not run, and why."""


class _Gate:
    """Lets a call through only if its tool exists and its arguments can be used."""

    def __init__(self, known: frozenset[str] | None, schemas: Mapping[str, Any]) -> None:
        self.known = known
        self.schemas = schemas
        self.issues: list[str] = []

    def admit(self, calls: Sequence[ReadCall]) -> list[ToolCall]:
        admitted: list[ToolCall] = []
        for call in (one for packed in calls for one in _unpacked(packed)):
            try:
                admitted.append(self._admitted(call))
            except _UnfitError as unfit:
                self.issues.append(str(unfit))
        return admitted

    def _admitted(self, call: ReadCall) -> ToolCall:
        spaced = [one for one in self.known or () if one.partition(".")[2] == call.name]
        if len(spaced) == 1 and call.name not in (self.known or ()):
            call = replace(call, name=spaced[0])
        name = f"`{call.name:.80}`"
        if self.known is not None and call.name not in self.known:
            names = ", ".join(sorted(self.known)) or "none"
            raise _UnfitError(f"There is no tool {name}. The tools are: {names}.")
        schema = self.schemas.get(call.name) or {}
        arguments = _settled(call, schema)
        if not _is_plain(arguments):
            raise _UnfitError(f"The arguments of {name} cannot be used as JSON text.")
        hole = _first_hole(arguments)
        if hole is not None:
            raise _UnfitError(f"The argument `{hole:.80}` of {name} is a placeholder.")
        fitted = Coercion(schema).apply(arguments) if properties_of(schema) else arguments
        fault = _misfit(arguments, fitted, schema)
        if fault:
            raise _UnfitError(f"A call of {name} does not fit the tool: {fault}.")
        return ToolCall(name=call.name, arguments=fitted)


def _unpacked(call: ReadCall) -> Sequence[ReadCall]:
    """The calls that are the argument of OpenAI's `multi_tool_use.parallel`, or the call itself."""
    inner, dropped = marked_calls(call.arguments.get("tool_uses"))
    return inner if inner and not dropped and len(call.arguments) == 1 else [call]


def _settled(call: ReadCall, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with every member of the call's object used.

    What the tool's schema knows is an argument. Other members belong to a report or a log; where
    the schema is not known they may be notes beside the arguments.
    """
    known = properties_of(schema).keys()
    arguments = dict(call.arguments)
    wrapper = next(iter(arguments), "") if known and len(arguments) == 1 else ""
    if wrapper in SURE_ARGUMENTS and wrapper not in known:  # f(parameters={...})
        wrapped = arguments[wrapper]
        arguments = dict(wrapped) if isinstance(wrapped, dict) else arguments
    used = [add_argument(arguments, key, call.beside[key]) for key in call.beside if key in known]
    foreign = call.beside.keys() - known - SIDE_KEYS
    if not all(used) or (foreign and (known or not arguments)):
        beside = ", ".join(f"`{key:.40}`" for key in call.beside)
        raise _UnfitError(f"A call of `{call.name:.80}` has {beside} outside its arguments.")
    return arguments


def _misfit(
    arguments: Mapping[str, Any], fitted: Mapping[str, Any], schema: Mapping[str, Any]
) -> str:
    """What is wrong with arguments and their values in the types of the tool, or ""."""
    known = properties_of(schema)
    if not known:
        return ""
    lacking = missing_keys(schema, arguments)
    if lacking:
        return f"`{lacking[0]}` is missing"
    foreign = [key for key in arguments if key not in known]
    if foreign and not schema.get("additionalProperties"):
        return f"it has no `{foreign[0]:.80}`"
    defined = {name: schema[name] for name in ("$defs", "definitions") if name in schema}
    for key, value in fitted.items():
        part = known.get(key)
        part = {**defined, **part} if isinstance(part, Mapping) else {}
        fault = "has another type" if fit(value, part).mistyped else _out_of_bounds(value, part)
        refers = isinstance(value, str) and "{{" in value  # to an earlier result
        if fault and not refers:
            return f"`{key}` {fault}"
    return ""


def _out_of_bounds(value: Any, schema: Mapping[str, Any]) -> str:
    """What is wrong with a number that is less or more than a tool takes, or ""."""
    if not isinstance(value, int | float):
        return ""
    # The bounds of draft 4 are true or false here, and Python's True is an int.
    bounds = {key: one for key, one in schema.items() if type(one) in (int, float)}
    least, most = bounds.get("minimum", -inf), bounds.get("maximum", inf)
    if not least <= value <= most:
        return f"is not between {least} and {most}"
    above, below = bounds.get("exclusiveMinimum"), bounds.get("exclusiveMaximum")
    if above is not None and value <= above:
        return f"is not more than {above}"
    if below is not None and value >= below:
        return f"is not less than {below}"
    return ""


def _first_hole(arguments: Mapping[str, Any]) -> str | None:
    """The first argument whose whole text is a placeholder such as `...`.

    References to other results are such where nothing else is given, or a variable is named.
    """
    texts = {name: one.strip() for name, one in arguments.items() if isinstance(one, str)}
    referring = [name for name, one in texts.items() if _REFERENCE.fullmatch(one)]
    if len(referring) > 1 and len(referring) == len(arguments):
        return referring[0]
    constants = [name for name, one in texts.items() if _is_constant(one)]
    for name, one in texts.items():
        shared = set(one.casefold().split("_")) & set(name.casefold().split("_"))
        # A name in capitals may be a constant where another text stands beside it.
        is_name = name in constants and (shared or len(constants) == len(texts))
        if (
            is_name
            or is_hole(one)
            or _is_gapped(one)
            or LEFT_OUT.search(one)
            or _FRAME.fullmatch(one)
        ):
            return name
    return None


def _is_gapped(text: str) -> bool:
    """Whether much of a text is dots, as in `SELECT ... FROM ...`."""
    words = text.split()
    dots = sum(word in ("...", "…") for word in words)
    return dots > 1 and dots * _MOST_PER_GAP >= len(words)


def _is_constant(text: str) -> bool:
    """Whether a text is a name in capitals, such as `YOUR_QUERY`."""
    return "_" in text and text.isupper() and text.replace("_", "").isalpha()


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Whether arguments can be written as UTF-8 JSON: no half surrogates, no absurd depth."""
    if isinstance(value, str):
        return HALF_SURROGATE.search(value) is None
    if isinstance(value, float) and not isfinite(value):
        return False
    inner = [*value, *value.values()] if isinstance(value, Mapping) else value
    if not isinstance(inner, list):
        return True
    return depth <= _MAX_DEPTH and all(_is_plain(one, depth + 1) for one in inner)


def _from_data(raw: str, reading: Reading, gate: _Gate) -> LLMToolCallResponse:
    """The response of a reply without marked calls: an envelope, bare calls, or text."""
    envelopes = [one for value, _ in reading.parts if (one := read_envelope(value))]
    envelope = next((one for one in envelopes if one.calls), envelopes[0] if envelopes else None)
    if envelope is not None:
        calls = gate.admit(envelope.calls)
        issues = [*reading.issues, envelope.issue, *gate.issues]
        return _response(envelope.content, calls, issues, more=envelope.needs_more_work)
    calls = []
    for value, span in reading.parts:
        admitted = gate.admit(read_open_calls(value, gate.known))
        calls += admitted
        reading.removed += [span] if admitted else []
    issues = [*reading.issues, *gate.issues]
    if not calls and gate.known and not issues:
        calls = gate.admit(_written_alone(raw, gate))
        if calls:
            return _response("", calls, issues, more=True)
        issues = gate.issues
    if not calls:
        reading.removed = reading.removed if reading.said else []
        return _response(_remaining(raw, reading) or raw.strip(), [], issues, more=None)
    return _response(_remaining(raw, reading), calls, issues, more=True)


def _written_alone(raw: str, gate: _Gate) -> Sequence[ReadCall]:
    """The call of a reply that is nothing but a call of a known tool, in a spelling without marks.

    It is Python's (also as a list of texts), a name and an object, ReAct's with one bare argument,
    or an object that had to be repaired or is YAML.
    """
    names = "|".join(re.escape(name) for name in gate.known or ())
    raw = raw.strip()
    if raw.startswith(("//", "#")):
        return []
    if raw[:3] == raw[-3:] == "```" and "\n" not in raw:  # a fence on one line
        raw = raw.strip("` ")
    if re.match(rf"""(?:\[\s*['"]?)?(?:{names})\(""", raw) is not None:
        return read_python_calls(Source(raw, gate.schemas), raw)
    source, place = Source(raw, gate.schemas, gate.known or frozenset()), 0
    stripped: list[ReadCall] = []
    while (found := read_stripped(source, place, alone=True)) is not None and found.calls:
        stripped += found.calls
        place = after_space(raw, found.end)
    if place == len(raw):
        return stripped
    if (acted := re.search(rf"(?m:^)Action:\s*({names}){_BARE_INPUT}\Z", raw)) is not None:
        return _acted(source, acted, gate.schemas.get(acted[1]) or {})
    if raw.startswith(("<", "~", ">", "|", "```py")):
        return []
    report = extract_with_report(raw, _CALL)
    undone = {one.name for one in report.repairs}
    # What an object holds beside other members, or in a text, is one of its parts.
    inner = undone & {"json_string", "escaped_quotes"} and not raw.startswith(('"', "{", "["))
    inner = inner or "unwrapped" in undone
    alone = report.ok and not (report.before or report.after or report.unread or inner)
    call = marked_call(report.value) if alone else None
    known = (one for name in gate.known or () for one in (name, name.partition(".")[2]))
    return [call] if call is not None and call.name in known else []


def _acted(source: Source, acted: re.Match[str], schema: Mapping[str, Any]) -> Sequence[ReadCall]:
    """ReAct's call with one bare argument, where the tool wants one and the call is meant."""
    needed = list(schema.get("required") or ())
    start, end = acted.span()
    shown = is_shown(source.text, start, end, marked=True) or answers(source, start)
    fits = len(needed) == 1 or not properties_of(schema)
    given = dict.fromkeys(needed, acted[2] or acted[3])
    return [ReadCall(acted[1], given)] if fits and not shown else []


def _response(
    content: str | None, calls: list[ToolCall], issues: list[str], *, more: bool | None
) -> LLMToolCallResponse:
    return LLMToolCallResponse(
        content=content,
        tool_calls=calls or None,
        needs_more_work=more,
        issues=tuple(filter(None, dict.fromkeys(issues))),
    )


def _remaining(raw: str, reading: Reading) -> str:
    """The text for the user: what stands between the removed spans, and marked messages."""
    pieces: list[tuple[int, str]] = list(reading.said)
    place = 0
    for start, end in sorted([*reading.removed, *reading.reasoning]):
        pieces.append((place, raw[place:start]))
        place = max(place, end)
    pieces.append((place, raw[place:]))
    texts = [text.strip() for _, text in sorted(pieces, key=lambda piece: piece[0])]
    return "\n\n".join(text for text in texts if text)


def calls(text: str, tools: Mapping[str, Mapping[str, Any]]) -> LLMToolCallResponse:
    """Read the tool calls of a reply.

    Args:
        text: The reply.
        tools: The JSON Schema of the parameters of each tool, by its name; calls of others, and
            calls that do not fit, are named in `issues`.

    Raises:
        TypeError: `tools` is something else, such as the list that OpenAI's API takes.
    """
    given: Any = tools
    if not (isinstance(given, Mapping) and all(isinstance(one, Mapping) for one in given.values())):
        raise TypeError(
            "tools must map each tool's name to the JSON Schema of its parameters; of OpenAI's list: "
            "{one['function']['name']: one['function']['parameters'] for one in tools}"
        )
    return parse_llm_response(text, tools.keys(), tools)
