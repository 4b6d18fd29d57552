"""Replies in sections: text under bracketed headers, or between two divider lines.

Soft formats leave the model free to think; the parser bears what models do with them: echoed
header lists, drafts followed by a second version, decorated headers, empty sections.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from libriscribe2.parsing.contract import EMPTY_REPLY, ParserResult, failure, has_text, success
from libriscribe2.parsing.headers import (
    MAX_MARKS,
    Form,
    Mark,
    find_marks,
    find_pattern_marks,
    lines_of,
)
from libriscribe2.parsing.prose import plain_reply

_MIN_DIVIDER: Final = 5
_MATCH_MODES: Final = ("ALL", "ANY")
_POINTS_ELSEWHERE: Final = re.compile(
    r"\(?\s*(?:see|as|cf\.?|refer to)\b.{0,60}\b(?:above|below|before|earlier)\b.{0,20}"
    r"|\([^()]*\)|（[^（）]*）|[\s.…\-–—]+",
    re.IGNORECASE,
)


def multi_section_parser(
    raw_reply: str,
    section_headers: Sequence[str] | None = None,
    regex_mode: bool = False,  # noqa: FBT001, FBT002 - the design document fixes this signature
    match_mode: str = "ALL",
    *,
    allow_empty: bool = False,
) -> ParserResult:
    r"""Read one or several sections out of a reply.

    Args:
        raw_reply: The model's reply.
        section_headers: The headers as asked for, brackets included. None or empty: the reply is
            one section between its last two lines of five or more "=".
        regex_mode: Whether the headers are patterns (`re.match` on the stripped line); sections
            are then keyed by the lines that matched, in the order of the text.
        match_mode: "ALL": every header must be there. "ANY": at least one.
        allow_empty: Whether a section without text is a result rather than an error.

    Returns:
        `sections` in the order asked for, or `data` for the single section, or feedback.

    Raises:
        ValueError: The match mode is unknown, a header is blank or a pattern is not valid.
    """
    if match_mode not in _MATCH_MODES:
        raise ValueError(f'match_mode must be "ALL" or "ANY", not {match_mode!r}')
    headers = _checked_headers(section_headers)
    if not has_text(raw_reply):
        return failure(EMPTY_REPLY)
    text = plain_reply(raw_reply).replace("\r\n", "\n").replace("\r", "\n")
    if not headers:
        return _between_dividers(text, allow_empty=allow_empty)
    if regex_mode:
        return _by_pattern(text, headers, match_mode, allow_empty=allow_empty)
    marks = find_marks(text, headers)
    if len(marks) > MAX_MARKS:
        return _too_many()
    kept = _boundaries(text, marks)
    found = _by_key(_bodies(text, kept))
    missing = [header for header in headers if header not in found]
    return _result(headers, found, missing, match_mode, allow_empty=allow_empty)


def _checked_headers(headers: Sequence[str] | None) -> list[str]:
    wanted = [headers] if isinstance(headers, str) else list(headers or ())
    if not all(header.strip() for header in wanted):
        raise ValueError("section_headers must not hold a blank header")
    return list(dict.fromkeys(wanted))


def _too_many() -> ParserResult:
    return failure("The reply repeats its headers without end. Please write each section once.")


def _between_dividers(text: str, *, allow_empty: bool) -> ParserResult:
    """The text between the last two divider lines; five "=" inside a sentence divide nothing."""
    dividers = deque(
        (
            line
            for line in lines_of(text)
            if len(line.text.strip()) >= _MIN_DIVIDER and not line.text.strip().strip("=")
        ),
        maxlen=2,
    )
    if len(dividers) < 2:
        return failure("No content divider found")
    content = text[dividers[0].end : dividers[1].start].strip()
    if not content and not allow_empty:
        return failure(
            "There is no text between the last two divider lines. "
            "Please write the content between two lines of `=====`."
        )
    return success(content)


def _by_pattern(
    text: str, headers: Sequence[str], match_mode: str, *, allow_empty: bool
) -> ParserResult:
    patterns = {header: _compiled(header) for header in headers}
    marks = find_pattern_marks(text, list(patterns.values()))
    if len(marks) > MAX_MARKS:
        return _too_many()
    found = _by_key(_bodies(text, marks))
    missing = [
        header
        for header, pattern in patterns.items()
        if not any(pattern.match(key) for key in found)
    ]
    return _result(list(found), found, missing, match_mode, allow_empty=allow_empty)


def _compiled(header: str) -> re.Pattern[str]:
    try:
        return re.compile(header)
    except re.error as error:
        raise ValueError(f"section header {header!r} is not a valid pattern: {error}") from error


def _bodies(text: str, marks: Sequence[Mark]) -> list[tuple[Mark, str]]:
    """Each mark with the stripped text up to the next mark."""
    edges = [*(mark.start for mark in marks), len(text)]
    return [
        (mark, f"{mark.inline}{text[mark.end : end]}".strip())
        for mark, end in zip(marks, edges[1:], strict=True)
    ]


def _by_key(bodies: Iterable[tuple[Mark, str]]) -> dict[str, str]:
    """One text for each header: the last that says something, else the empty one."""
    found: dict[str, str] = {}
    for mark, body in bodies:
        if body or mark.key not in found:
            found[mark.key] = body
    return found


def _boundaries(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """The marks that really open a section.

    A later repetition of a header may be a mention ("as promised in", "[Plan]", "(see above)"),
    and a header without brackets or with text on its line may be prose. Where a surer occurrence
    of the same header says something, such a line is text of the section around it.
    """
    bodies = _bodies(text, marks)
    surest: dict[str, Form] = {}
    for mark, body in bodies:
        if body and not _is_mention(text, mark, body):
            surest[mark.key] = min(mark.form, surest.get(mark.key, mark.form))
    return [
        mark
        for mark, body in bodies
        if not body
        or mark.key not in surest
        or (mark.form == surest[mark.key] and not _is_mention(text, mark, body))
    ]


def _is_mention(text: str, mark: Mark, body: str) -> bool:
    """Whether the header stands inside running text rather than above a section."""
    if _POINTS_ELSEWHERE.fullmatch(body):
        return True
    line_end = max(mark.start - 1, 0)
    before = text[text.rfind("\n", 0, line_end) + 1 : line_end].rstrip()
    mid_sentence = before[-1:].isalpha() or before[-1:] == ","
    return mid_sentence and body[:1].islower()


def _result(
    order: Sequence[str],
    found: Mapping[str, str],
    missing: Sequence[str],
    match_mode: str,
    *,
    allow_empty: bool,
) -> ParserResult:
    if match_mode == "ALL" and missing:
        return failure(f"Missing required sections: {list(missing)}")
    if not found:
        return failure("No sections found")
    sections = {key: found[key] for key in order if key in found and (found[key] or allow_empty)}
    empty = [key for key in order if key in found and not found[key]]
    if empty and not allow_empty and (match_mode == "ALL" or not sections):
        return failure(
            f"Empty sections: {empty}. Please write the text of each section under its header line."
        )
    return {"status": "success", "sections": sections}
