"""Where JSON values stand in a reply: one pass from left to right, strings never entered.

Every plausible opening bracket is read strictly; what fails is kept as a damaged span with its
whole extent, so that an object nested in a damaged one is never taken for the answer.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.utils.repair import RepairOutcome, repair_json
from libriscribe2.utils.scanner import find_json_end_string_safe
from libriscribe2.utils.strict_json import StrictParse, strict_parse

MAX_FAILURES: Final = 2_000
MAX_SPANS: Final = 50_000
_QUOTES: Final = "\"'“”„«‘’`＂"
_WORD: Final = r"[^\W\d][\w$-]{0,60}"
_MARK: Final = re.compile(
    rf"""
    (?P<fence>`{{3,}}|~{{3,}})
    | [{{｛](?=\s*(?:[{_QUOTES}]|\\[n"]|&quot;|&\#|//|/\*|\#|,|\{{\s*"|{_WORD}["'”]?\s*[:：=]))
    | [\[［](?=\s*(?:[\[\{{｛{_QUOTES}]|-?\d|\\["n]|&quot;|(?:true|false|null|True|False|None)\b))
    """,
    re.VERBOSE,
)
_INFO: Final = re.compile(r"[ \t]*([\w+#./-]*)")
_LINE_START: Final = re.compile(r"(?:^|\n)[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?$")
_RESTART: Final = re.compile(
    r"\n[ \t]*(?:`{3,}|~{3,})[ \t]*\w|\n[ \t]*\n[ \t]*[^\W\d][^\n]*\n\s*(?=[{\[])"
)
_GOES_ON: Final = re.compile(r"""\s*[,，]?\s*(?:"[^"\n]{1,80}"|'[^'\n]{1,80}')\s*[:：]""")
_WORK_FACTOR: Final = 6


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
    """

    start: int
    end: int
    value: Any
    failure: StrictParse | None = None
    outcome: RepairOutcome | None = None
    fence: str | None = None


@dataclass(slots=True)
class _Fence:
    marks: str
    language: str


def find_spans(text: str) -> list[Span]:
    """All values of a text in order, strict and damaged, never nested in each other.

    The work on damaged spans is bounded by a multiple of the text's length.
    """
    spans: list[Span] = []
    fence: _Fence | None = None
    failures = position = 0
    budget = _WORK_FACTOR * len(text)
    while failures < MAX_FAILURES and len(spans) < MAX_SPANS and budget >= 0:
        mark = _MARK.search(text, position)
        if mark is None:
            break
        position = mark.end()
        if mark["fence"]:
            fence = _pass_fence(text, mark, fence)
            continue
        span = _read_span(text, mark.start(), None if fence is None else fence.language)
        if span.failure is not None:
            failures += 1
            budget -= span.outcome.work if span.outcome else 0
        if span.end > mark.end():
            spans.append(span)
            position = span.end
    return spans


def _pass_fence(text: str, mark: re.Match[str], fence: _Fence | None) -> _Fence | None:
    """The fence that is open after this run of marks."""
    marks = mark["fence"]
    if fence is None:
        info = _INFO.match(text, mark.end())
        return _Fence(marks, info[1].lower() if info else "")
    closes = marks[0] == fence.marks[0] and len(marks) >= len(fence.marks)
    return None if closes else fence


def _read_span(text: str, start: int, fence: str | None) -> Span:
    """Read the value at `start` strictly, else by repair; find its extent in any case."""
    parsed = strict_parse(text, start)
    if parsed.end >= 0 and not _GOES_ON.match(text, parsed.end):
        return Span(start, parsed.end, parsed.value, fence=fence)
    if parsed.end >= 0:
        parsed = StrictParse(None, -1, parsed.end, "Extra data", "syntax")
    outcome = repair_json(text, start)
    return Span(start, _extent(text, start, outcome), None, parsed, outcome, fence)


def _extent(text: str, start: int, outcome: RepairOutcome) -> int:
    """How far a damaged value reaches; `start` itself for what is hardly JSON."""
    if outcome.trouble is None or outcome.value is not None:
        return outcome.end
    if outcome.members == 0 and outcome.trouble.kind in ("syntax", "ambiguous"):
        return start
    restart = _RESTART.search(text, start)
    limit = restart.start() if restart is not None else len(text)
    balanced = find_json_end_string_safe(text, start, limit)
    return balanced if balanced > outcome.trouble.position else limit
