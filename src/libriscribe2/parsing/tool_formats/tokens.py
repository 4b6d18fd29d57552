"""Calls between begin and end tokens, as DeepSeek, Kimi and the seed's composite write them.

- seed: `<|tool_call_begin|>{"name": "f", "arguments": {}}<|tool_call_end|>`
- Kimi K2: `<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>`
- DeepSeek V3 and R1: `<｜tool▁call▁begin｜>function<｜tool▁sep｜>f` and a fenced JSON block
- DeepSeek V3.1: `<｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜>`
- Step 3: `<｜tool_call_begin｜>function<｜tool_sep｜>` and an `invoke` tag
"""

import re
from collections.abc import Mapping
from typing import Final

from libriscribe2.parsing.tool_formats.call_objects import clean_name, read_arguments
from libriscribe2.parsing.tool_formats.json_values import CUT_OFF, json_at, json_region
from libriscribe2.parsing.tool_formats.reading import REPAIR, Found, ReadCall, Source, after_space
from libriscribe2.parsing.tool_formats.tag_grammar import TAG_OPENER
from libriscribe2.parsing.tool_formats.whole_json import whole_json

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
