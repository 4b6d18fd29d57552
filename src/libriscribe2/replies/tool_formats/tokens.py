"""Calls between the control tokens of model families."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from libriscribe2.replies.normalise import with_characters
from libriscribe2.replies.strict_json import strict_parse
from libriscribe2.replies.tool_formats.call_objects import (
    CUT_OFF,
    TWICE,
    UNBALANCED,
    add_argument,
    clean_name,
    json_at,
    json_region,
    read_arguments,
    typed_value,
)
from libriscribe2.replies.tool_formats.elements import NAMESPACE, TAG_OPENER
from libriscribe2.replies.tool_formats.python_calls import code_end, read_python_calls
from libriscribe2.replies.tool_formats.reading import (
    REPAIR,
    Found,
    JsonObject,
    ReadCall,
    Source,
    ToolFormat,
    after_space,
    whole_json,
)
from libriscribe2.replies.tool_formats.tags import LEGACY_OPENER, read_child_tags, read_glm_call

_BAR: Final = "[|｜]"
_GAP: Final = "[_▁]"
CALL_BEGIN: Final = rf"<{_BAR}tool{_GAP}call{_GAP}begin{_BAR}>"
CALLS_EDGE: Final = (
    rf"<{_BAR}tool{_GAP}calls(?:{_GAP}section)?{_GAP}(?:begin|end){_BAR}>"
    rf"|<{_BAR}tool{_GAP}(?:call{_GAP}end|sep){_BAR}>"
)
_CALL_END: Final = re.compile(rf"\s*<{_BAR}tool{_GAP}call{_GAP}end{_BAR}>")
_HEAD: Final = re.compile(
    rf"\s*([^\s<>{{}}]+)\s*<{_BAR}(?:tool{_GAP}sep|tool{_GAP}call{_GAP}argument{_GAP}begin){_BAR}>"
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
    ticks = _TICKS.match(text, place)
    place = ticks.end() if ticks else after_space(text, place)
    return _with_arguments(source, clean_name(_NUMBER.sub("", name)), place)


def _cut_head(source: Source, body: int) -> Found | None:
    """A begin token whose call has no end is cut off; one in running text is prose."""
    is_cut = source.search(_CALL_END, body) is None and len(source.text) - body < 200
    return Found(len(source.text), issue=CUT_OFF) if is_cut else None


def _with_arguments(source: Source, name: str | None, place: int) -> Found:
    text = source.text
    read = json_at(source, place) if text[place : place + 1] == "{" else None
    if read is None or read.end < 0:
        return _unclosed(source, name, place)
    ticks = _TICKS.match(text, read.end)
    end = _CALL_END.match(text, ticks.end() if ticks else read.end)
    return _found(name, read.value if read.ok else None, end.end() if end else read.end)


def _unclosed(source: Source, name: str | None, place: int) -> Found:
    """Arguments that lack only their last brackets before the token that ends the call."""
    end = source.search(_CALL_END, place)
    if end is None or not source.spend(REPAIR):
        return Found(len(source.text), issue=CUT_OFF)
    written = source.text[place : end.start()].rstrip("`")
    whole = whole_json(written, was_closed=True)
    return (
        _found(name, whole.value, end.end()) if whole.ok else Found(len(source.text), issue=CUT_OFF)
    )


def _found(name: str | None, value: object, end: int) -> Found:
    arguments = read_arguments(value) if isinstance(value, Mapping) else None
    if name is None or arguments is None:
        return Found(end, issue="A tool call without a name or with damaged arguments.")
    return Found(end, (ReadCall(name, arguments),))


GEMMA_OPENER: Final = r"<start_function_call>|<\|tool_call>"
_HEAD_gemma: Final = re.compile(r"\s*:?call:([^\s{}<>]+)\s*(?=\{)")
_EDGE: Final = re.compile(
    r"""(?P<quote><escape>|<\|"\|>)|<end_function_call>|<(?:tool_call|turn)\|>"""
)
_BARE_KEY: Final = re.compile(r"([{,]\s*)([A-Za-z_][\w.-]*)\s*:")


def read_gemma_call(source: Source, _start: int, body: int) -> Found | None:
    """One call behind its opening token."""
    head = _HEAD_gemma.match(source.text, body)
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
            return _call(head[1], pieces, edge.end())
    return Found(len(source.text), issue=CUT_OFF)


def _call(raw_name: str, pieces: list[str], end: int) -> Found:
    """The call from its pieces: structure at even places, texts at odd ones."""
    written = "".join(
        json.dumps(piece) if index % 2 else _BARE_KEY.sub(r'\1"\2":', piece)
        for index, piece in enumerate(pieces)
    ).strip()
    parsed = strict_parse(written)
    arguments = read_arguments(parsed.value) if parsed.end == len(written) else None
    name = clean_name(raw_name)
    if name is None or arguments is None:
        return Found(end, issue="A tool call without a name or with damaged arguments.")
    return Found(end, (ReadCall(name, arguments),))


_WORDS: Final = (
    r"(?:function_calls|tool_calls?|function_call|functioncall|tool_use|toolcall|tool_code)"
)
WRAPPER_OPENER: Final = rf"(?i:<{NAMESPACE}{_WORDS}\s*>)"
WRAPPER_CLOSER: Final = rf"(?i:</{NAMESPACE}{_WORDS}\s*>)"
_INNER_TAG: Final = re.compile(f"{TAG_OPENER}|{LEGACY_OPENER}")
_INNER_WRAPPER: Final = re.compile(WRAPPER_OPENER)
_CALL_OF_NAME: Final = re.compile(r"(?:\[\s*)?[A-Za-z_][\w.]*\(")


@dataclass(frozen=True, slots=True)
class Region:
    """One row: what opens and what closes (patterns without capturing groups)."""

    name: str
    opener: str
    closer: str


REGIONS: Final = (
    Region("wrapper_tags", WRAPPER_OPENER, WRAPPER_CLOSER),
    Region("tool_element", r"(?i:<tool>(?=\s*<(?:tool_)?name>))", r"(?i:</tool>)"),
    Region("tool_call_token", r"<\|tool_call\|>", r"<\|/tool_call\|>"),
    Region("tool_call_start", r"<\|tool_call_start\|>", r"<\|tool_call_end\|>"),
    Region("internlm", r"<\|action_start\|>\s*<\|plugin\|>", r"<\|action_end\|>"),
    Region("cohere", r"<\|START_ACTION\|>", r"<\|END_ACTION\|>"),
    Region("apertus", r"<\|tools_prefix\|>", r"<\|tools_suffix\|>"),
    Region("llama4", r"<\|python_start\|>", r"<\|python_end\|>"),
)


def region_format(region: Region) -> ToolFormat:
    """The tool format of one row."""
    closer = re.compile(region.closer)

    def read(source: Source, _start: int, body: int) -> Found | None:
        return (
            _wrapper(source, body)
            or json_region_or_python(source, body, closer)
            or read_glm_call(source, body)
            or read_child_tags(source, body)
        )

    return ToolFormat(region.name, region.opener, read)


def json_region_or_python(source: Source, body: int, closer: re.Pattern[str]) -> Found | None:
    """A region that holds JSON, or calls in Python's spelling."""
    place = after_space(source.text, body)
    if _CALL_OF_NAME.match(source.text, place) is None:
        return json_region(source, body, closer)
    end = code_end(source.text, place)
    if end < 0:
        return Found(len(source.text), issue=CUT_OFF)
    calls = read_python_calls(source, source.text[place:end])
    closing = closer.match(source.text, after_space(source.text, end))
    after = closing.end() if closing is not None else end
    if not calls:
        return Found(after, issue="A tool call could not be read; use literal keyword arguments.")
    return Found(after, calls)


def _wrapper(source: Source, body: int) -> Found | None:
    """A wrapper around other tags: it ends at once, and what it holds is read on its own."""
    place = after_space(source.text, body)
    inside = _INNER_TAG.match(source.text, place) or _INNER_WRAPPER.match(source.text, place)
    return Found(body) if inside is not None else None


MISTRAL_OPENER: Final = r"\[TOOL_CALLS\]"
PYTHON_TAG_OPENER: Final = r"<\|python_tag\|>"
FUNCTOOLS_OPENER: Final = r"\bfunctools(?=\s*\[\s*\{)"
_MISTRAL_CLOSER: Final = re.compile(r"\s*(?:\[/TOOL_CALLS\]|</s>)|\Z")
_LLAMA_CLOSER: Final = re.compile(r"\s*<\|(?:eom_id|eot_id)\|>|\Z")
_END: Final = re.compile(r"\Z")
_NAMED: Final = re.compile(
    r"\s*([^\s\[\]{}()<>,]+)\s*(?:\[CALL_ID\]\s*[\w-]+\s*)?(?:\[ARGS\]\s*)?(?=\{)"
)


def read_mistral(source: Source, _start: int, body: int) -> Found | None:
    """Calls behind `[TOOL_CALLS]`."""
    named = _NAMED.match(source.text, body)
    if named is None:
        return json_region(source, body, _MISTRAL_CLOSER)
    name = clean_name(named[1])
    read = json_at(source, named.end())
    if read.end < 0:
        return Found(len(source.text), issue=CUT_OFF)
    arguments = read_arguments(read.value) if read.ok else None
    if name is None or arguments is None:
        return Found(read.end, issue="A tool call without a name or with damaged arguments.")
    return Found(read.end, (ReadCall(name, arguments),))


def read_python_tag(source: Source, _start: int, body: int) -> Found | None:
    """Calls behind Llama's `<|python_tag|>`."""
    return json_region_or_python(source, body, _LLAMA_CLOSER)


def read_functools(source: Source, _start: int, body: int) -> Found | None:
    """Calls behind the word `functools`."""
    return json_region(source, body, _END)


# A reply may begin behind `<|start|>assistant`, which the prompt ended with.
HARMONY_OPENER: Final = r"<\|start\|>|<\|channel\|>|\A\s*to=(?=[^\s<>]+\s*<\|)"
# Possessive: a run of text could otherwise be split in millions of ways.
_HEAD_harmony: Final = re.compile(
    r"(?:<\|start\|>)?+(?:[^<>|]{0,200}+(?:<\|(?:channel|constrain)\|>)?+){1,4}+<\|message\|>"
)
_PERSONS: Final = frozenset({"user", "assistant", "all", "self"})
_RECIPIENT: Final = re.compile(r"\bto=([^\s<>]+)")
_MESSAGE_END: Final = re.compile(r"<\|(?:call|end|return|start|eom|eot)\|>")
_TAGS: Final = re.compile(f"{WRAPPER_OPENER}|{TAG_OPENER}")
_CALL_END_harmony: Final = re.compile(r"\s*<\|(?:call|end)\|>")


def read_harmony(source: Source, start: int, _body: int) -> Found | None:
    """One message: a call if it is addressed to a tool, else text for the user or thoughts."""
    head = _HEAD_harmony.match(source.text, start)
    if head is None:
        return None
    address = _RECIPIENT.search(head[0])
    recipient = address[1] if address is not None else "user"
    if recipient not in _PERSONS:
        return _call_harmony(source, clean_name(recipient), head.end())
    end = source.search(_MESSAGE_END, head.end())
    body_end = end.start() if end is not None else len(source.text)
    after = end.end() if end is not None and end[0] != "<|start|>" else body_end
    shown = "assistant" in head[0] or not head[0].startswith("<|start|>")
    is_text = shown and "analysis" not in head[0] and recipient == "user"
    return Found(after, text=source.text[head.end() : body_end].strip() if is_text else "")


def _call_harmony(source: Source, name: str | None, body: int) -> Found:
    text = source.text
    place = after_space(text, body)
    if _TAGS.match(text, place):
        return Found(place)
    if text[place : place + 1] != "{":
        end = source.search(_MESSAGE_END, place)
        after = end.end() if end is not None else len(text)
        return Found(after, issue="A tool call whose arguments are not a JSON object.")
    read = json_at(source, place)
    if read.end < 0:
        return Found(len(text), issue=CUT_OFF)
    closing = _CALL_END_harmony.match(text, read.end)
    after = closing.end() if closing else read.end
    arguments = read_arguments(read.value) if read.ok else None
    if name is None or arguments is None:
        return Found(after, issue="A tool call without a name or with damaged arguments.")
    return Found(after, (ReadCall(name, arguments),))


COHERE_TEXT_OPENER: Final = r"<\|START_(?:TEXT|RESPONSE)\|>"
_END_cohere: Final = re.compile(r"<\|END_(?:TEXT|RESPONSE)\|>")


def read_cohere_text(source: Source, _start: int, body: int) -> Found:
    """What is said to the user; the closing token may be missing."""
    end = source.search(_END_cohere, body)
    text_end = end.start() if end is not None else len(source.text)
    after = end.end() if end is not None else text_end
    return Found(after, text=source.text[body:text_end].strip())


K3_OPENER: Final = r"<\|open\|>call\s[^<>]*<\|sep\|>"
K3_EDGE: Final = r"<\|(?:open|close)\|>tools<\|sep\|>"
_ATTRIBUTE: Final = re.compile(r'(\w+)="([^"<>]*)"')
_ELEMENT: Final = re.compile(r"<\|open\|>(argument|json)\b([^<>]*)<\|sep\|>")
_ENDS: Final = {
    word: re.compile(rf"<\|close\|>{word}<\|sep\|>") for word in ("argument", "json", "call")
}


def read_k3_call(source: Source, start: int, body: int) -> Found | None:
    """One call from its opening element; None if it names no tool."""
    text = source.text
    name = clean_name(_attributes(text[start:body]).get("tool"))
    if name is None:
        return None
    arguments: dict[str, Any] = {}
    place = after_space(text, body)
    while (opening := _ELEMENT.match(text, place)) is not None:
        end = source.search(_ENDS[opening[1]], opening.end())
        if end is None:
            return Found(len(text), issue=CUT_OFF)
        values = _values(source, name, opening, text[opening.end() : end.start()])
        if values is None:
            return Found(len(text), issue=f"The arguments of `{name}` could not be read.")
        if not all(add_argument(arguments, key, value) for key, value in values.items()):
            return Found(len(text), issue=TWICE)
        place = after_space(text, end.end())
    closer = _ENDS["call"].match(text, place)
    if closer is None:
        return Found(len(text), issue=CUT_OFF)
    return Found(closer.end(), (ReadCall(name, arguments),))


def _values(source: Source, tool: str, opening: re.Match[str], text: str) -> dict[str, Any] | None:
    """The arguments that one element gives; None if it has no key or is no object."""
    if opening[1] == "json":
        return read_arguments(whole_json(text).value)
    attributes = _attributes(opening[2])
    key = attributes.get("key")
    if key is None:
        return None
    stated = {"type": attributes["type"]} if "type" in attributes else None
    return {key: typed_value(text, source.property_schema(tool, key) or stated)}


def _attributes(tag: str) -> dict[str, str]:
    return {name: with_characters(value) for name, value in _ATTRIBUTE.findall(tag)}


_MARK: Final = "]<]minimax[>["
M3_OPENER: Final = rf"{re.escape(_MARK)}<tool_call>"
_END_minimax_m3: Final = re.compile(rf"{re.escape(_MARK)}</tool_call>")
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
    closing = source.search(_END_minimax_m3, body)
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
