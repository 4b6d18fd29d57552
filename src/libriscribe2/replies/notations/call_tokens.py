"""Calls between control tokens, as DeepSeek, Kimi K2 and Gemma write them."""

import json
import re
from collections.abc import Mapping
from typing import Final

from libriscribe2.replies.strict_json import strict_parse
from libriscribe2.replies.tool_formats.call_objects import (
    CUT_OFF,
    clean_name,
    json_at,
    json_region,
    read_arguments,
)
from libriscribe2.replies.tool_formats.elements import TAG_OPENER
from libriscribe2.replies.tool_formats.reading import (
    CONTROL,
    REPAIR,
    Found,
    ReadCall,
    Source,
    ToolFormat,
    after_space,
    no_call,
    whole_json,
)

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
_GEMMA_HEAD: Final = re.compile(r"\s*:?call:([^\s{}<>]+)\s*(?=\{)")
_EDGE: Final = re.compile(
    r"""(?P<quote><escape>|<\|"\|>)|<end_function_call>|<(?:tool_call|turn)\|>"""
)
_BARE_KEY: Final = re.compile(r"([{,]\s*)([A-Za-z_][\w.-]*)\s*:")


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


NOTATIONS: Final = (
    ToolFormat("call_tokens", CALL_BEGIN, read_token_call, rank=60),
    ToolFormat("gemma", GEMMA_OPENER, read_gemma_call, rank=70),
    ToolFormat("calls_edge", CALLS_EDGE, no_call, rank=CONTROL),
)
