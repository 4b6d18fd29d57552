"""Whether a call is meant or shown, told by its place alone.

A model that explains a format, quotes a page or asks for leave writes the very text that another
model writes to act. What its sentences mean is never judged: a call counts where it has its lines
for itself. It does not within a sentence, between quotation marks, in a block quote or a table, or
beside a question.
"""

import re
from typing import Final

from libriscribe2.replies.remarks import asks, ends_asking

_REACH: Final = 600
# A line that holds a block quote's marks or a table's row before a call is no longer than this.
_LONGEST_LINE: Final = 4_000
_QUOTES: Final = {
    '"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“", "「": "」", "~": "~", "*": "*",
}  # fmt: skip
_BLOCK_QUOTE: Final = re.compile(r"[ \t]*>[ \t>]*")
_ROW: Final = re.compile(r"[ \t]*\|")
_CELL_END: Final = re.compile(r"[^\n|]*\|")
# What may stand beside a call on its line: marks, tokens, tags, the number of a point, ReAct's word.
_NO_TEXT: Final = re.compile(
    r"(?:[^\w\n<\[]|<\|\w+\|>\w+|</?[^<>\n]*>|\[/?[A-Z_]+\]|\d{1,3}[.)][ \t]|Action:|[<\[])*+"
)
_ENDS_SENTENCE: Final = re.compile(r"[.!…。！؟।>}\]]['\"”’)*_]*\s*\Z")
# Two words or more that the next line completes: they end with a letter or a comma.
_UNFINISHED: Final = re.compile(r"\w[ \t]+[\w'’]*(?:[^\W\d_]['\"”’)]*|,)[ \t]*\n\Z")
_ELEMENT: Final = re.compile(r"<(?!\w*(?:call|func|tool|action|invoke))([a-zA-Z]\w*)[^<>]*>")
_MOST_BEHIND: Final = 40


def is_shown(text: str, start: int, end: int, *, marked: bool = False) -> bool:
    """Whether the region from `start` to `end` is shown to a reader rather than meant.

    Args:
        text: The reply.
        start: Where the call, or the fence around it, begins.
        end: Where it ends.
        marked: Whether tags or tokens say that it is a call: a whole sentence may stand before it
            on its line.
    """
    if is_quoted(text, start, end):
        return True
    lead = text[max(0, start - _REACH) : start]
    line = lead[lead.rfind("\n") + 1 :]
    if _NO_TEXT.fullmatch(line) is None and not (marked and _ENDS_SENTENCE.search(line)):
        return True
    if line.count('"') % 2 or _is_inside_element(text, lead, end):
        return True
    above = lead.removesuffix(line)
    names_format = text.startswith(("Action", "✿"), start)
    return (not names_format and _UNFINISHED.search(above) is not None) or ends_asking(lead)


def is_taken_back(text: str, end: int, until: int, *, marked: bool = False) -> bool:
    """Whether what stands behind the calls shows that nobody waits for their results.

    It asks for leave, goes on with the sentence of the calls, or explains them. What leads on to
    further calls, which begin at `until`, explains nothing.
    """
    behind = text[end : min(until, end + _REACH)]
    line = behind.partition("\n")[0].strip()
    words = _NO_TEXT.sub("", behind).strip()
    if not words:
        return False
    goes_on = line[:1] in (",", ";") or line[:1].islower()
    explains = until == len(text) and (not marked or len(words) > _MOST_BEHIND)
    return goes_on or explains or asks(behind)


def _is_inside_element(text: str, lead: str, end: int) -> bool:
    """Whether the call stands between the tags of an element that is no notation's."""
    behind = text[end : end + _REACH]
    closed = {tag[1] for tag in _ELEMENT.finditer(lead) if f"</{tag[1]}>" in behind}
    return any(lead.rfind(f"<{name}") > lead.rfind(f"</{name}>") for name in closed)


def is_quoted(text: str, start: int, end: int) -> bool:
    """Whether quotation marks stand right around the region, or a block quote or a table does."""
    if _is_marked_line(text, start, end):
        return True
    closing = _QUOTES.get(text[start - 1]) if start else None
    # A quotation may take the comma of the sentence that goes on behind it.
    return (
        closing is not None
        and closing in {text[end : end + 1], text[end + 1 : end + 2]}
        and (text[end] == closing or text[end] in ",.;!?")
    )


def _is_marked_line(text: str, start: int, end: int) -> bool:
    """Whether the line of the region is a block quote's or a table's."""
    reach = max(0, start - _LONGEST_LINE)
    line_start = text.rfind("\n", reach, start) + 1
    if not line_start and reach:
        return False
    if _BLOCK_QUOTE.fullmatch(text, line_start, start):
        return True
    is_row = _ROW.match(text, line_start, start) is not None
    return is_row and _CELL_END.match(text, end, end + _REACH) is not None
