"""Calls behind a single token that nothing closes.

- Mistral: `[TOOL_CALLS][{"name": "f", "arguments": {}}]`, `[TOOL_CALLS]f{...}`,
  `[TOOL_CALLS]f[CALL_ID]x[ARGS]{...}`
- Llama 3: `<|python_tag|>{"name": "f", "parameters": {}}` or `<|python_tag|>f.call(a="b")`
- Phi-4 mini and xLAM: `functools[{"name": "f", "arguments": {}}]`
"""

import re
from typing import Final

from libriscribe2.replies.notations.regions import json_region_or_python
from libriscribe2.replies.tool_formats.call_objects import (
    CUT_OFF,
    clean_name,
    json_at,
    json_region,
    read_arguments,
)
from libriscribe2.replies.tool_formats.reading import Found, ReadCall, Source, ToolFormat

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


NOTATIONS: Final = (
    ToolFormat("mistral", MISTRAL_OPENER, read_mistral, rank=80, begins=r"\["),
    ToolFormat("python_tag", PYTHON_TAG_OPENER, read_python_tag, rank=90),
    ToolFormat("functools", FUNCTOOLS_OPENER, read_functools, rank=100, begins="functools"),
)
