"""Calls that stand on lines of their own, with no mark around them.

- a line with the tool's name and a line with a JSON object: ReAct's `Action:` and `Action Input:`,
  Qwen-Agent's `✿FUNCTION✿:` and `✿ARGS✿:`
- a list of calls in Python's spelling
"""

import re
from dataclasses import replace
from typing import Final

from libriscribe2.replies.tool_formats.call_objects import CUT_OFF, clean_name, read_json_call
from libriscribe2.replies.tool_formats.python_calls import code_end, read_python_calls
from libriscribe2.replies.tool_formats.reading import (
    FAILURE,
    UNCLOSED,
    UNCLOSED_PER,
    Found,
    Source,
    ToolFormat,
)

REACT_OPENER: Final = r"(?m:^)[ \t]*\**Action(?:[ ]\d{1,3})?:\**(?=[ \t]*[`\w\"'\[])"
QWEN_AGENT_OPENER: Final = r"✿FUNCTION✿:"
_INPUT: Final = re.compile(
    r"""[ \t]*[`"'\[]?([\w.\-/:]+)[`"'\]]?[ \t]*\r?\n\s*\**Action[ ]Input(?:[ ]\d{1,3})?:\**\s*(?:`{3,}\w*\s*)?(?=\{)"""
)
_CALL: Final = re.compile(r"[ \t]*`?(?=[A-Za-z_][\w.]*\()")
_LINE_END: Final = re.compile(r"`?[ \t]*$", re.MULTILINE)
_TICKS: Final = re.compile(r"\s*`{3,}")
_OBSERVATION: Final = re.compile(r"\s*\**Observation(?: \d{1,3})?:")
_QWEN_INPUT: Final = re.compile(r"[ \t]*([\w.\-/:]+)[ \t]*\r?\n\s*✿ARGS✿:\s*(?=\{)")
_QWEN_RESULT: Final = re.compile(r"\s*✿RESULT✿")


def read_react(source: Source, _start: int, body: int) -> Found | None:
    """The call of an action; an observation that the model made up ends the reply."""
    call = _CALL.match(source.text, body)
    if call is not None:
        return _written_call(source, call.end())
    return _read(source, body, _INPUT, _OBSERVATION)


def _written_call(source: Source, start: int) -> Found | None:
    """An action that is a call in Python's spelling, alone on its line."""
    end = code_end(source.text, start) if source.effort_left > 0 else -1
    line_end = _LINE_END.match(source.text, end) if end >= 0 else None
    calls = read_python_calls(source, source.text[start:end]) if line_end is not None else ()
    if line_end is None or not calls:
        looked_through = (end if end >= 0 else len(source.text)) - start
        source.spend((UNCLOSED if end < 0 else FAILURE) + looked_through // UNCLOSED_PER)
        return None
    made_up = _OBSERVATION.match(source.text, line_end.end())
    return Found(len(source.text) if made_up else line_end.end(), calls)


def read_qwen_agent(source: Source, _start: int, body: int) -> Found | None:
    """The call of a Qwen-Agent function; a result that the model made up ends the reply."""
    return _read(source, body, _QWEN_INPUT, _QWEN_RESULT)


def _read(
    source: Source, body: int, lines: re.Pattern[str], result: re.Pattern[str]
) -> Found | None:
    head = lines.match(source.text, body)
    name = clean_name(head[1]) if head else None
    if head is None or name is None:
        return None
    found = read_json_call(source, name, head.end(), _TICKS)
    made_up = found.calls and result.match(source.text, found.end)
    return replace(found, end=len(source.text)) if made_up else found


PYTHON_LIST_OPENER: Final = (
    r"(?m:^)[ \t]*\[(?:Calling tools?:)?"
    r"""(?=\s*[A-Za-z_][\w.]*\(\s*(?:[A-Za-z_]\w*\s*=|\)|\{\s*["']))"""
)
_LIST_END: Final = re.compile(r"[ \t]*+(?:<\|\w+\|>)?[ \t]*+$", re.MULTILINE)


def read_python_list(source: Source, start: int, body: int) -> Found | None:
    """The calls of a list that ends where a line ends; None if it is anything else."""
    text = source.text
    end = code_end(text, text.index("[", start))
    if end < 0:
        return Found(len(text), issue=CUT_OFF)
    line_end = _LIST_END.match(text, end)
    calls = read_python_calls(source, f"[{text[body : end - 1]}]") if line_end else ()
    if line_end is None or not calls:
        return Found(end, issue="A list of calls could not be read; use keyword arguments.")
    return Found(line_end.end(), calls)


NOTATIONS: Final = (
    ToolFormat("react", REACT_OPENER, read_react, rank=130, begins=r"(?m:^)"),
    ToolFormat("qwen_agent", QWEN_AGENT_OPENER, read_qwen_agent, rank=140, begins="✿"),
    ToolFormat("python_list", PYTHON_LIST_OPENER, read_python_list, rank=150, begins=r"(?m:^)"),
)
