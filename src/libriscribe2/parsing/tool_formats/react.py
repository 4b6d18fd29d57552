"""A line with the tool's name and a line with a JSON object.

ReAct's `Action:` and `Action Input:`, Qwen-Agent's `✿FUNCTION✿:` and `✿ARGS✿:`.
"""

import re
from typing import Final

from libriscribe2.parsing.tool_formats.call_objects import clean_name, read_arguments
from libriscribe2.parsing.tool_formats.json_values import CUT_OFF, json_at
from libriscribe2.parsing.tool_formats.reading import Found, ReadCall, Source

REACT_OPENER: Final = r"(?m:^)[ \t]*\**Action:\**(?=[ \t]*[`\w\"'\[])"
QWEN_AGENT_OPENER: Final = r"✿FUNCTION✿:"
_INPUT: Final = re.compile(
    r"""[ \t]*[`"'\[]?([\w.\-/:]+)[`"'\]]?[ \t]*\r?\n\s*\**Action[ ]Input:\**\s*(?=\{)"""
)
_OBSERVATION: Final = re.compile(r"\s*\**Observation:")
_QWEN_INPUT: Final = re.compile(r"[ \t]*([\w.\-/:]+)[ \t]*\r?\n\s*✿ARGS✿:\s*(?=\{)")
_QWEN_RESULT: Final = re.compile(r"\s*✿RESULT✿")


def read_react(source: Source, _start: int, body: int) -> Found | None:
    """The call of an action; an observation that the model made up ends the reply."""
    return _read(source, body, _INPUT, _OBSERVATION)


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
    read = json_at(source, head.end())
    if read.end < 0:
        return Found(len(source.text), issue=CUT_OFF)
    arguments = read_arguments(read.value) if read.ok else None
    if arguments is None:
        return Found(read.end, issue=f"The input of `{name}` is not a JSON object.")
    made_up = result.match(source.text, read.end)
    end = len(source.text) if made_up else read.end
    return Found(end, (ReadCall(name, arguments),))
