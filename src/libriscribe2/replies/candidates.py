"""Where values may stand in a reply: fences, and every balanced bracket, found in linear time."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.replies.outcome import RepairOutcome
from libriscribe2.replies.repair import repair_json
from libriscribe2.replies.repair.patterns import COMMA, OPEN_QUOTES, QUOTED_KEY
from libriscribe2.replies.strict_json import (
    Searches,
    StrictParse,
    find_json_end_string_safe,
    strict_parse,
)

MAX_FAILURES: Final = 500
MAX_SPANS: Final = 20_000
_DOUBLE_BRACE: Final = re.compile(r"\{\s*(?=\{)")
# A comma where the colon after the first key should stand.
_COMMA_KEY: Final = re.compile(r"""\{\s*"[^"\\\n]{1,60}"\s*[,;]\s*[{\[]\s*["{\[]""")
_NEXT_OBJECT: Final = re.compile(r"\s*,\s*\{")
# What cannot stand behind the end of a value: the quotes inside were counted wrongly.
_MORE: Final = re.compile(r"\s*[,}\]]")
_MAX_SET: Final = 20_000
_BLANK: Final = r"[\s\u200b-\u200f\u2060\ufeff]*"
_WORD: Final = r"[^\W\d][\w$-]{0,60}"
_MARK: Final = re.compile(
    rf"""
    (?P<fence>`{{3,}}|~{{3,}})(?=[ \t]*(?P<language>[\w+\#./-]*))
    | (?P<comment>/\*|<!--)
    | [{{｛](?={_BLANK}(?:[{OPEN_QUOTES}]|\\[n"]|&quot;|&\#|//|/\*|<!--|\#|,|\{{\s*"|{_WORD}["'”]?\s*[:：=]))
    | (?<!CDATA)[\[［](?={_BLANK}(?:[\[\{{｛{OPEN_QUOTES}]|-?\d|\\["n]|&quot;|(?:true|false|null|True|False|None)\b))
    """,
    re.VERBOSE,
)
_EMPTY: Final = re.compile(r"(?:\{\s*\}|\[\s*\])\s*\Z")
_RESTART: Final = re.compile(
    r"\n[ \t]*(?:`{3,}|~{3,})[ \t]*\w"
    r"|\n[ \t]*\n(?:[ \t]*[^\W\d](?:[^\n]*\n\s*|[^\n{\[\"]{0,80}:[ \t]*))?(?=[{\[]\s*[\"'{\[])"
)
# More of a value although its last bracket was read: a key, or a string behind a comma.
_GOES_ON: Final = re.compile(
    rf"""{COMMA.pattern}["'“”„«]\w|\s*{QUOTED_KEY}|(?<=\]){COMMA.pattern}\{{\s*{QUOTED_KEY}"""
)
_MAX_COMMENT: Final = 4_000
_COMMENT_ENDS: Final = {"/*": re.compile(r"\*/"), "<!--": re.compile("-->")}
# What stands before a value that is the member of something unread.
_KEY_BEFORE: Final = re.compile(
    r"""(?:^|[{,\n])[ \t>]*(?:[-+•*]{1,2}[ \t]*|\d{1,3}[.)][ \t]*)?(?:"+[^"\n]{1,60}"+|'[^'\n]{1,60}'|“[^”\n]{1,60}”)(?:\*\*)?\s*[:：]\s*$"""
)
_MAX_MARGIN: Final = 100
_WORK_FACTOR: Final = 8
_MIN_WORK: Final = 10_000


@dataclass(frozen=True, slots=True)
class Span:
    """One value or one damaged value in the text.

    Attributes:
        start: Index of the opening bracket.
        end: Where it ends, exclusive; of a damaged span, as far as could be told.
        value: The strict value; None when damaged.
        failure: The strict failure of a damaged span.
        outcome: What the repair parser made of a damaged span.
        fence: The language of the fence around it, lower case; None outside fences.
        nested: Whether a key stands before it: it is a part of something that was not read.
    """

    start: int
    end: int
    value: Any
    failure: StrictParse | None = None
    outcome: RepairOutcome | None = None
    fence: str | None = None
    nested: bool = False


def find_spans(text: str, schema: Mapping[str, Any] | None = None) -> list[Span]:
    """All values of a text in order, strict and damaged, never nested in each other.

    The work on damaged spans is bounded by a multiple of the text's length.

    Args:
        text: The text.
        schema: The wanted JSON Schema, if known; it guides the repair of missing brackets.
    """
    if _EMPTY.match(text):
        return [Span(0, len(text), {} if text[0] == "{" else [])]
    spans: list[Span] = []
    fence: re.Match[str] | None = None
    searches = Searches(text)
    failures = position = 0
    budget = _MIN_WORK + _WORK_FACTOR * len(text)
    while failures < MAX_FAILURES and len(spans) < MAX_SPANS and budget >= 0:
        mark = _MARK.search(text, position)
        if mark is None:
            break
        position = mark.end()
        if mark["comment"]:
            position = _after_comment(searches, mark)
            continue
        if mark["fence"]:
            fence = _pass_fence(mark, fence)
            continue
        language = None if fence is None else fence["language"].lower()
        span = _read_span(searches, mark.start(), language, schema)
        if span.failure is not None:
            failures += 1
            budget -= span.outcome.work if span.outcome else 0
        if span.end > mark.end():
            spans.append(span)
            position = span.end
    return spans


def _after_comment(searches: Searches, mark: re.Match[str]) -> int:
    """Where a comment ends; right after its mark when it never does."""
    closing = searches.search(_COMMENT_ENDS[mark["comment"]], mark.end())
    if closing is None or closing.end() - mark.end() >= _MAX_COMMENT:
        return mark.end()
    return closing.end()


def _pass_fence(mark: re.Match[str], fence: re.Match[str] | None) -> re.Match[str] | None:
    """The fence that is open after this run of marks, by the match of its opening one."""
    if fence is None:
        return mark
    return None if mark["fence"].startswith(fence["fence"]) else fence


def _read_span(
    searches: Searches, start: int, fence: str | None, schema: Mapping[str, Any] | None
) -> Span:
    """Read the value at `start` strictly, else by repair; find its extent in any case."""
    text = searches.text
    parsed = strict_parse(text, start)
    nested = _KEY_BEFORE.search(text, max(0, start - _MAX_MARGIN), start) is not None
    if parsed.end >= 0 and not _GOES_ON.match(text, parsed.end):
        return Span(start, parsed.end, parsed.value, fence=fence, nested=nested)
    if parsed.end >= 0:
        parsed = StrictParse(None, -1, parsed.end, "Extra data", "syntax")
    outcome = repair_json(text, start, schema)
    return Span(start, _extent(searches, start, outcome), None, parsed, outcome, fence, nested)


def _extent(searches: Searches, start: int, outcome: RepairOutcome) -> int:
    """How far a damaged value reaches; `start` itself for what is hardly JSON."""
    if outcome.trouble is None or outcome.value is not None:
        return outcome.end
    text = searches.text
    hardly = outcome.members == 0 and outcome.trouble.kind == "syntax"
    if hardly and not _holds_several(text, start) and _COMMA_KEY.match(text, start) is None:
        return start
    restart = searches.search(_RESTART, start)
    limit = len(text) if restart is None else restart.start()
    balanced = find_json_end_string_safe(text, start, limit)
    ended = balanced > outcome.trouble.position and not _MORE.match(text, balanced)
    return balanced if ended else limit


def _holds_several(text: str, start: int) -> bool:
    """Whether braces stand here around several objects, where a list was meant."""
    double = _DOUBLE_BRACE.match(text, start)
    if double is None:
        return False
    end = find_json_end_string_safe(text, double.end(), start + _MAX_SET)
    return end > 0 and _NEXT_OBJECT.match(text, end) is not None
