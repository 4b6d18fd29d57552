"""Command A's text for the user, which stands between tokens of its own beside its actions."""

import re
from typing import Final

from libriscribe2.replies.tool_formats.reading import Found, Source, ToolFormat

COHERE_TEXT_OPENER: Final = r"<\|START_(?:TEXT|RESPONSE)\|>"
_END: Final = re.compile(r"<\|END_(?:TEXT|RESPONSE)\|>")


def read_cohere_text(source: Source, _start: int, body: int) -> Found:
    """What is said to the user; the closing token may be missing."""
    end = source.search(_END, body)
    text_end = end.start() if end is not None else len(source.text)
    after = end.end() if end is not None else text_end
    return Found(after, text=source.text[body:text_end].strip())


NOTATIONS: Final = (ToolFormat("cohere_text", COHERE_TEXT_OPENER, read_cohere_text, rank=110),)
