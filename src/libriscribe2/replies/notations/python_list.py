"""A list of calls in Python's spelling on lines of its own, with no mark around it."""

import re
from typing import Final

from libriscribe2.replies.tool_formats.call_objects import CUT_OFF
from libriscribe2.replies.tool_formats.python_calls import code_end, read_python_calls
from libriscribe2.replies.tool_formats.reading import Found, Source, ToolFormat

PYTHON_LIST_OPENER: Final = (
    r"(?m:^)[ \t]*\[(?:Calling tools?:)?"
    r"""(?=\s*[A-Za-z_][\w.]*\(\s*(?:[A-Za-z_]\w*\s*=|\)|\{\s*["']))"""
)
_LINE_END: Final = re.compile(r"[ \t]*+(?:<\|\w+\|>)?[ \t]*+$", re.MULTILINE)


def read_python_list(source: Source, start: int, body: int) -> Found | None:
    """The calls of a list that ends where a line ends; None if it is anything else."""
    text = source.text
    end = code_end(text, text.index("[", start))
    if end < 0:
        return Found(len(text), issue=CUT_OFF)
    line_end = _LINE_END.match(text, end)
    calls = read_python_calls(source, f"[{text[body : end - 1]}]") if line_end else ()
    if line_end is None or not calls:
        return Found(end, issue="A list of calls could not be read; use keyword arguments.")
    return Found(line_end.end(), calls)


NOTATIONS: Final = (
    ToolFormat("python_list", PYTHON_LIST_OPENER, read_python_list, rank=150, begins=r"(?m:^)"),
)
