"""gpt-oss (harmony): messages on channels, of which some are addressed to a tool.

`<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>`
"""

import re
from typing import Final

from libriscribe2.replies.notations.regions import WRAPPER_OPENER
from libriscribe2.replies.tool_formats.call_objects import (
    CUT_OFF,
    clean_name,
    json_at,
    read_arguments,
)
from libriscribe2.replies.tool_formats.elements import TAG_OPENER
from libriscribe2.replies.tool_formats.reading import (
    TAG_START,
    Found,
    ReadCall,
    Source,
    ToolFormat,
    after_space,
)

# A reply may begin behind `<|start|>assistant`, which the prompt ended with.
HARMONY_OPENER: Final = r"<\|start\|>|<\|channel\|>|\A\s*to=(?=[^\s<>]+\s*<\|)"
# Possessive: a run of text could otherwise be split in millions of ways.
_HEAD: Final = re.compile(
    r"(?:<\|start\|>)?+(?:[^<>|]{0,200}+(?:<\|(?:channel|constrain)\|>)?+){1,4}+<\|message\|>"
)
_PERSONS: Final = frozenset({"user", "assistant", "all", "self"})
_RECIPIENT: Final = re.compile(r"\bto=([^\s<>]+)")
_MESSAGE_END: Final = re.compile(r"<\|(?:call|end|return|start|eom|eot)\|>")
_TAGS: Final = re.compile(f"{WRAPPER_OPENER}|{TAG_OPENER}")
_CALL_END: Final = re.compile(r"\s*<\|(?:call|end)\|>")


def read_harmony(source: Source, start: int, _body: int) -> Found | None:
    """One message: a call if it is addressed to a tool, else text for the user or thoughts."""
    head = _HEAD.match(source.text, start)
    if head is None:
        return None
    address = _RECIPIENT.search(head[0])
    recipient = address[1] if address is not None else "user"
    if recipient not in _PERSONS:
        return _call(source, clean_name(recipient), head.end())
    end = source.search(_MESSAGE_END, head.end())
    body_end = end.start() if end is not None else len(source.text)
    after = end.end() if end is not None and end[0] != "<|start|>" else body_end
    shown = "assistant" in head[0] or not head[0].startswith("<|start|>")
    is_text = shown and "analysis" not in head[0] and recipient == "user"
    return Found(after, text=source.text[head.end() : body_end].strip() if is_text else "")


def _call(source: Source, name: str | None, body: int) -> Found:
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
    closing = _CALL_END.match(text, read.end)
    after = closing.end() if closing else read.end
    arguments = read_arguments(read.value) if read.ok else None
    if name is None or arguments is None:
        return Found(after, issue="A tool call without a name or with damaged arguments.")
    return Found(after, (ReadCall(name, arguments),))


NOTATIONS: Final = (
    ToolFormat("harmony", HARMONY_OPENER, read_harmony, rank=120, begins=rf"{TAG_START}|(?m:^)"),
)
