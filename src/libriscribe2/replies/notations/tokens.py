"""Calls between or behind control tokens, one section for each family of models."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from libriscribe2.replies.call_elements import TAG_OPENER, Grammar, read_parameters
from libriscribe2.replies.call_objects import (
    CUT_OFF,
    TWICE,
    UNBALANCED,
    add_argument,
    clean_name,
    json_at,
    json_region,
    named_call,
    read_json_call,
    typed_value,
)
from libriscribe2.replies.call_source import (
    CONTROL,
    REPAIR,
    TAG_START,
    Found,
    JsonObject,
    ReadCall,
    Source,
    ToolFormat,
    after_space,
    no_call,
    passed,
    whole_json,
)
from libriscribe2.replies.normalise import attributes_of
from libriscribe2.replies.notations.tags import WRAPPER_OPENER
from libriscribe2.replies.strict_json import strict_parse

_BAR: Final = "[|｜]"
_GAP: Final = "[_▁: ]"
CALL_BEGIN: Final = rf"<{_BAR}tool{_GAP}call{_GAP}begin{_BAR}>"
CALLS_EDGE: Final = (
    rf"<{_BAR}tool{_GAP}calls(?:{_GAP}section)?{_GAP}(?:begin|end){_BAR}>"
    rf"|<{_BAR}tool{_GAP}(?:call{_GAP}end|sep){_BAR}>"
)
_CALL_END: Final = re.compile(rf"\s*<{_BAR}tool{_GAP}call{_GAP}end{_BAR}>")
_HEAD: Final = re.compile(
    rf"\s*(?:[^\s<>{{}}]*<\|tool_call:name\|>)?([^\s<>{{}}]+)\s*"
    rf"<{_BAR}(?:tool{_GAP}sep|tool{_GAP}call{_GAP}arg(?:s|ument{_GAP}begin)){_BAR}>"
)
_NAME_LINE: Final = re.compile(r"[ \t]*([^\s<>{}`]+)\s*")
_TICKS: Final = re.compile(r"\s*`{3,}(?:json)?\s*")
_INVOKE: Final = re.compile(TAG_OPENER)
_NUMBER: Final = re.compile(r":\d+$")


def read_token_call(source: Source, _start: int, body: int) -> Found | None:
    """One call behind a begin token."""
    text = source.text
    head = _HEAD.match(text, body)
    if head is None:
        return json_region(source, body, _CALL_END) or _cut_head(source, body)
    name, place = head[1], head.end()
    start = after_space(text, place)
    if _INVOKE.match(text, start):
        return Found(start)
    if text[start : start + 1] not in {"{", "`"}:
        line = _NAME_LINE.match(text, place)
        if line is None:
            return Found(len(text), issue=CUT_OFF)
        name, place = line[1], line.end()
    place = after_space(text, passed(_TICKS, text, place))
    return _with_arguments(source, clean_name(_NUMBER.sub("", name)), place)


def _cut_head(source: Source, body: int) -> Found | None:
    """A begin token whose call has no end is cut off; one in running text is prose."""
    is_cut = source.search(_CALL_END, body) is None and len(source.text) - body < 200
    return Found(len(source.text), issue=CUT_OFF) if is_cut else None


def _with_arguments(source: Source, name: str | None, place: int) -> Found:
    text = source.text
    value, end = json_at(source, place) if text[place : place + 1] == "{" else (None, -1)
    if end < 0:
        return _unclosed(source, name, place)
    return named_call(name, value, passed(_CALL_END, text, passed(_TICKS, text, end)))


def _unclosed(source: Source, name: str | None, place: int) -> Found:
    """Arguments that lack only their last brackets before the token that ends the call."""
    end = source.search(_CALL_END, place)
    if end is None or not source.spend(REPAIR):
        return Found(len(source.text), issue=CUT_OFF)
    value, _ = whole_json(source.text[place : end.start()].rstrip("`"), was_closed=True)
    if value is None:
        return Found(len(source.text), issue=CUT_OFF)
    return named_call(name, value, end.end())


GEMMA_OPENER: Final = r"<start_function_call>|<\|tool_call>"
_GEMMA_HEAD: Final = re.compile(r"\s*:?call:([^\s{}()<>]+)\s*(?=[{(])")
_EDGE: Final = re.compile(
    r"""(?P<quote><escape>|<\|"\|>)|<end_function_call>|<(?:tool_call|turn)\|>"""
)
_BARE_KEY: Final = re.compile(r"([{(,]\s*)([A-Za-z_][\w.-]*)\s*[:=]")


def read_gemma_call(source: Source, _start: int, body: int) -> Found | None:
    """One call behind its opening token."""
    head = _GEMMA_HEAD.match(source.text, body)
    if head is None:
        return None
    pieces: list[str] = []
    place, in_text = head.end(), False
    for edge in _EDGE.finditer(source.text, head.end()):
        if edge["quote"] is not None:
            pieces.append(source.text[place : edge.start()])
            place, in_text = edge.end(), not in_text
        elif not in_text:
            pieces.append(source.text[place : edge.start()])
            return _gemma_call(head[1], pieces, edge.end())
    return Found(len(source.text), issue=CUT_OFF)


def _gemma_call(raw_name: str, pieces: list[str], end: int) -> Found:
    """The call from its pieces: structure at even places, texts at odd ones."""
    written = "".join(
        json.dumps(piece) if index % 2 else _BARE_KEY.sub(r'\1"\2":', piece)
        for index, piece in enumerate(pieces)
    ).strip()
    if written.startswith("(") and written.endswith(")"):
        written = f"{{{written[1:-1]}}}"
    parsed = strict_parse(written)
    value = parsed.value if parsed.end == len(written) else None
    return named_call(clean_name(raw_name), value, end)


K3_OPENER: Final = r"<\|open\|>call\s[^<>]*<\|sep\|>"
K3_EDGE: Final = r"<\|(?:open|close)\|>tools<\|sep\|>"
_K3: Final = Grammar(
    closer=re.compile(r"<\|close\|>call<\|sep\|>"),
    parameter=re.compile(r"<\|open\|>(?:argument|json)\b[^<>]*<\|sep\|>"),
    edge=r"<\|(?:open|(?P<slash>close))\|>(?:(?P<call>call)|argument|json)\b[^<>]*<\|sep\|>",
)


def read_k3_call(source: Source, start: int, body: int) -> Found | None:
    """One call from its opening element; None if it names no tool."""
    name = clean_name(attributes_of(source.text[start:body]).get("tool"))
    if name is None:
        return None
    found = read_parameters(source, _K3, name, after_space(source.text, body))
    return replace(found, calls=()) if found.issue else found


_MARK: Final = "]<]minimax[>["
M3_OPENER: Final = rf"{re.escape(_MARK)}<tool_call>"
_M3_END: Final = re.compile(rf"{re.escape(_MARK)}</tool_call>")
_TAG: Final = re.compile(r"""<(/?)([\w.\-]+)(?:\s+name\s*=\s*["']([^"'<>]*)["'])?\s*>""")
_MAX_DEPTH: Final = 32


@dataclass(slots=True)
class _Element:
    """An element: its word, its `name` attribute, the text behind its tag, what is in it."""

    word: str
    name: str = ""
    text: str = ""
    inner: list["_Element"] = field(default_factory=list)


def read_m3_calls(source: Source, _start: int, body: int) -> Found:
    """The calls between the two `tool_call` tags."""
    closing = source.search(_M3_END, body)
    if closing is None:
        return Found(len(source.text), issue=CUT_OFF)
    elements = _elements(source.text[body : closing.start()])
    if elements is None:
        return Found(closing.end(), issue=UNBALANCED)
    calls: list[ReadCall] = []
    for element in elements:
        arguments: dict[str, Any] = {}
        name = clean_name(element.name)
        if name is None:
            return Found(closing.end(), tuple(calls), issue="A tool call has no name.")
        if not _add_values(source, name, element, arguments):
            return Found(closing.end(), tuple(calls), issue=TWICE)
        calls.append(ReadCall(name, arguments))
    return Found(closing.end(), tuple(calls))


def _elements(text: str) -> list[_Element] | None:
    """The outermost elements; None if tags do not match or text stands beside elements."""
    root = _Element("")
    path = [root]
    before, *pieces = text.split(_MARK)
    for piece in pieces:
        tag = _TAG.match(piece)
        if tag is None or len(path) > _MAX_DEPTH:
            return None
        behind = piece[tag.end() :]
        if tag[1]:
            if path.pop().word != tag[2] or behind.strip():
                return None
            continue
        if path[-1].text.strip():
            return None
        element = _Element(tag[2], tag[3] or "", behind)
        path[-1].inner.append(element)
        path.append(element)
    return root.inner if len(path) == 1 and not before.strip() else None


def _add_values(source: Source, tool: str, call: _Element, arguments: dict[str, Any]) -> bool:
    """Fill in the arguments; False if one is there twice, with different values."""
    return all(
        add_argument(arguments, inner.word, _value(inner, source.property_schema(tool, inner.word)))
        for inner in call.inner
    )


def _value(element: _Element, schema: JsonObject | None) -> Any:
    if not element.inner:
        return typed_value(element.text, schema)
    if all(inner.word == "item" for inner in element.inner):
        return [_value(inner, _under(schema, "items")) for inner in element.inner]
    kinds = _under(schema, "properties")
    return {inner.word: _value(inner, _under(kinds, inner.word)) for inner in element.inner}


def _under(schema: JsonObject | None, key: str) -> JsonObject | None:
    inner = schema.get(key) if schema is not None else None
    return inner if isinstance(inner, Mapping) else None


# A reply may begin behind `<|start|>assistant`, which the prompt ended with.
HARMONY_OPENER: Final = r"<\|start\|>|<\|channel\|>|\A\s*to=(?=[^\s<>]+\s*<\|)"
# Possessive: a run of text could otherwise be split in millions of ways.
_HARMONY_HEAD: Final = re.compile(
    r"(?:<\|start\|>)?+(?:[^<>|]{0,200}+(?:<\|(?:channel|constrain)\|>)?+){1,4}+<\|message\|>"
)
_PERSONS: Final = frozenset({"user", "assistant", "all", "self"})
_RECIPIENT: Final = re.compile(r"\bto=([^\s<>]+)")
_MESSAGE_END: Final = re.compile(r"<\|(?:call|end|return|start|eom|eot)\|>")
_INNER_TAGS: Final = re.compile(f"{WRAPPER_OPENER}|{TAG_OPENER}")
_HARMONY_END: Final = re.compile(r"\s*<\|(?:call|end)\|>")


def read_harmony(source: Source, start: int, _body: int) -> Found | None:
    """One message: a call if it is addressed to a tool, else text for the user or thoughts."""
    head = _HARMONY_HEAD.match(source.text, start)
    if head is None:
        return None
    address = _RECIPIENT.search(head[0])
    recipient = address[1] if address is not None else "user"
    if recipient not in _PERSONS:
        return _harmony_call(source, clean_name(recipient), head.end())
    end = source.search(_MESSAGE_END, head.end())
    body_end = end.start() if end is not None else len(source.text)
    after = end.end() if end is not None and end[0] != "<|start|>" else body_end
    shown = "assistant" in head[0] or not head[0].startswith("<|start|>")
    is_text = shown and "analysis" not in head[0] and recipient == "user"
    return Found(after, text=source.text[head.end() : body_end].strip() if is_text else "")


def _harmony_call(source: Source, name: str | None, body: int) -> Found:
    text = source.text
    place = after_space(text, body)
    if _INNER_TAGS.match(text, place):
        return Found(place)
    if text[place : place + 1] != "{":
        end = source.search(_MESSAGE_END, place)
        after = end.end() if end is not None else len(text)
        return Found(after, issue="A tool call whose arguments are not a JSON object.")
    return read_json_call(source, name, place, _HARMONY_END)


COHERE_TEXT_OPENER: Final = r"<\|START_(?:TEXT|RESPONSE)\|>"
_COHERE_END: Final = re.compile(r"<\|END_(?:TEXT|RESPONSE)\|>")


def read_cohere_text(source: Source, _start: int, body: int) -> Found:
    """What is said to the user; the closing token may be missing."""
    end = source.search(_COHERE_END, body)
    text_end = end.start() if end is not None else len(source.text)
    after = end.end() if end is not None else text_end
    return Found(after, text=source.text[body:text_end].strip())


NOTATIONS: Final = (
    ToolFormat("call_tokens", CALL_BEGIN, read_token_call, rank=60),
    ToolFormat("gemma", GEMMA_OPENER, read_gemma_call, rank=70),
    ToolFormat("calls_edge", CALLS_EDGE, no_call, rank=CONTROL),
    ToolFormat("kimi_k3", K3_OPENER, read_k3_call, rank=40),
    ToolFormat("kimi_k3_edge", K3_EDGE, no_call, rank=CONTROL),
    ToolFormat("minimax_m3", M3_OPENER, read_m3_calls, rank=50, begins=r"\]"),
    ToolFormat("harmony", HARMONY_OPENER, read_harmony, rank=120, begins=rf"{TAG_START}|(?m:^)"),
    ToolFormat("cohere_text", COHERE_TEXT_OPENER, read_cohere_text, rank=110),
)
