"""FunctionGemma and Gemma 4: `call:f{a:<escape>text<escape>,b:5}` between control tokens.

Text stands between delimiters instead of quotes, and keys are bare.
"""

import json
import re
from typing import Final

from libriscribe2.parsing.tool_formats.call_objects import clean_name, read_arguments
from libriscribe2.parsing.tool_formats.json_values import CUT_OFF
from libriscribe2.parsing.tool_formats.reading import Found, ReadCall, Source
from libriscribe2.utils.strict_json import strict_parse

GEMMA_OPENER: Final = r"<start_function_call>|<\|tool_call>"
_HEAD: Final = re.compile(r"\s*:?call:([^\s{}<>]+)\s*(?=\{)")
_EDGE: Final = re.compile(
    r"""(?P<quote><escape>|<\|"\|>)|<end_function_call>|<(?:tool_call|turn)\|>"""
)
_BARE_KEY: Final = re.compile(r"([{,]\s*)([A-Za-z_][\w.-]*)\s*:")


def read_gemma_call(source: Source, _start: int, body: int) -> Found | None:
    """One call behind its opening token."""
    head = _HEAD.match(source.text, body)
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
