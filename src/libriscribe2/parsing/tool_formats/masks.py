"""Text in which a call is never meant: reasoning, results that the model made up, examples."""

import re
from collections.abc import Mapping
from typing import Final

from libriscribe2.parsing.tool_formats.call_objects import marked_call
from libriscribe2.parsing.tool_formats.json_values import json_at
from libriscribe2.parsing.tool_formats.reading import (
    LOOK,
    Found,
    Source,
    after_space,
)
from libriscribe2.utils.lines import begins_line

_REASONING: Final = r"(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis)"
_ASIDES: Final = (
    r"(?:tool_response|tool_results?|function_results?|function_response|tools|examples?"
    r"|available_tools|tool_definitions?|system|documentation)"
)
REASONING_OPENER: Final = (
    rf"(?i:<{_REASONING}(?:\s[^<>]*)?>|◁think▷|\[THINK\]"
    r"|<\|START_THINKING\|>|<\|channel>thought\b)"
)
REASONING_CLOSER: Final = rf"(?i:</{_REASONING}\s*>|◁/think▷|\[/THINK\]|<\|END_THINKING\|>)"
_COMMENT: Final = "<!--"
ASIDE_OPENER: Final = rf"(?i:<{_ASIDES}\s*>|{_COMMENT})"
_TOOLS_END: Final = re.compile(r"\s*</tools>", re.IGNORECASE)
_CALL_KEYS: Final = frozenset({"name", "arguments"})
_REASONING_EDGE: Final = re.compile(rf"(?P<open>{REASONING_OPENER})|{REASONING_CLOSER}|<channel\|>")
_COMMENT_END: Final = re.compile("-->")
_EMPTY_LINE: Final = re.compile(r"\n\n")
_ASIDE_END: Final = re.compile(rf"</{_ASIDES}\s*>", re.IGNORECASE)


def reasoning_end(source: Source, start: int, body: int) -> int | None:
    """Where the reasoning that opens at `start` ends.

    Returns:
        The end of its closing tag; the end of the text when nothing closes it (there is no answer
        then); None when the tag stands inside a line of prose and nothing closes it.
    """
    depth = 1
    for edge in _REASONING_EDGE.finditer(source.text, body):
        depth += 1 if edge["open"] else -1
        if depth == 0:
            return edge.end()
        if not source.spend(LOOK):
            break
    return len(source.text) if begins_line(source.text, start) else None


def aside_end(source: Source, start: int, body: int) -> int:
    """Where a made-up result, a list of tools, an example or a comment ends.

    A tag that begins a line and is never closed is cut off and reaches to the end of the text; any
    other unclosed one is only mentioned, and `body` is returned.
    """
    if source.text.startswith(_COMMENT, start):
        return _comment_end(source, start, body)
    closing = source.search(_ASIDE_END, body)
    if closing is not None:
        return closing.end()
    return len(source.text) if begins_line(source.text, start) else body


def call_among_tools(source: Source, start: int, body: int) -> Found | None:
    """The call between the tags that declare the tools, where Qwen2.5-Coder writes it.

    Only a whole object of a name and arguments, with nothing beside it, is a call there.
    """
    place = after_space(source.text, body)
    if not source.text.startswith("<tools", start) or source.text[place : place + 1] != "{":
        return None
    read = json_at(source, place, repair=False)
    end = _TOOLS_END.match(source.text, read.end) if read.ok else None
    if end is None or not isinstance(read.value, Mapping) or read.value.keys() != _CALL_KEYS:
        return None
    call = marked_call(read.value)
    return Found(end.end(), (call,)) if call is not None and call.name in source.tools else None


def _comment_end(source: Source, start: int, body: int) -> int:
    """Where an HTML comment ends; `body` where `<!--` only stands in prose or is never closed.

    A comment within a line ends in its paragraph, and none ends inside a call: the `-->` of an
    argument closes nothing.
    """
    closing = source.search(_COMMENT_END, body)
    if closing is None:
        return body
    end = closing.start()
    opened = source.last("<tool_call", end)
    if opened >= body and opened > source.last("</tool_call", end):
        return body
    empty_line = source.search(_EMPTY_LINE, body)
    in_paragraph = empty_line is None or empty_line.end() > end
    return closing.end() if in_paragraph or begins_line(source.text, start) else body
