"""Replies in sections: headers found, bodies cut out, missing ones named in the feedback."""

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import islice
from typing import Final, NamedTuple

from libriscribe2.replies.contract import (
    EMPTY_REPLY,
    FENCE_LINE,
    ParserResult,
    failure,
    has_text,
    plain_reply,
    success,
)

_MAX_MARKS: Final = 5_000
_BRACKETS: Final = str.maketrans("【】［］：", "[][]:")
_DECORATION: Final = "#*_>~` \t"
_NUMBER: Final = re.compile(r"\A[#*_ \t]*\d{1,3}[.)][ \t]+")
_CLOSERS: Final = ("]", ")", ">", "}")
# Decoration that a header line has at most.
_MARGIN: Final = 200
# A folded character has up to three.
_FOLDED: Final = 3


class Form(IntEnum):
    """How surely a line is a header; a lower number is surer."""

    WHOLE_LINE = 0
    INLINE = 1
    WITHOUT_BRACKETS = 2
    IN_FENCE = 3


class Mark(NamedTuple):
    """One line that opens a section.

    Attributes:
        start: Where the line begins in the text.
        end: Where it ends.
        key: The header under which the section is returned.
        form: How sure the reading is.
        inline: Text of the section on the header's own line, or "".
    """

    start: int
    end: int
    key: str
    form: Form = Form.WHOLE_LINE
    inline: str = ""


def _marks(text: str, headers: Sequence[str]) -> Iterator[Mark]:
    """Every line that opens one of the headers, top to bottom; a code block may show one."""
    folded = {_fold(header): header for header in reversed(headers)}
    bare = {name.strip("[]"): header for name, header in folded.items()}
    longest = _MARGIN + _FOLDED * max(map(len, headers))
    fences = [fence.start() for fence in FENCE_LINE.finditer(text)]
    for line in re.finditer(r"[^\n]+", text):
        plain = _fold(line[0]) if len(line[0]) <= longest else None
        found: Opened = (folded[plain], Form.WHOLE_LINE, "") if plain in folded else None
        found = found or _inline(line[0], folded, longest)
        found = found or (_alone(line[0], plain, folded, bare) if plain else None)
        if found is not None:
            key, form, inline = found
            form = Form.IN_FENCE if bisect_left(fences, line.start()) % 2 else form
            yield Mark(line.start(), line.end(), key, form, inline)


def _fold(text: str) -> str:
    """The text without decoration, trailing colon, width and case."""
    folded = text.translate(_BRACKETS).strip(_DECORATION)
    return folded.rstrip(":").strip(_DECORATION).casefold()


Opened = tuple[str, Form, str] | None
"""The header that a line opens, how surely, and what else the line says."""


def _inline(line: str, folded: Mapping[str, str], longest: int) -> Opened:
    """A header with text behind it: after a colon, or right after a closing bracket."""
    head = line[:longest]
    plain = head.translate(_BRACKETS).lstrip(_DECORATION)
    for name, header in folded.items():
        if not name or plain[: len(name)].casefold() != name:
            continue
        rest = plain[len(name) :].lstrip(_DECORATION)
        behind = len(head) - len(rest)
        if rest.startswith(":"):
            return header, Form.WHOLE_LINE, _behind(line, behind + 1)
        if rest and name.endswith(_CLOSERS):
            return header, Form.INLINE, _behind(line, behind)
    return None


def _behind(line: str, start: int) -> str:
    """A line from `start` on, without what is left of the header's emphasis."""
    text = line[start:].strip()
    return text[2:].strip() if text.startswith("**") and text.count("**") % 2 else text


def _alone(line: str, plain: str, folded: Mapping[str, str], bare: Mapping[str, str]) -> Opened:
    """A header with a number before it, or one without its brackets.

    A point of a list, such as `1. [Plan]`, may be a mere list; without brackets (`## Plan`) a
    line has to be decorated.
    """
    numbered = _fold(_NUMBER.sub("", line, count=1))
    if numbered in folded and numbered.endswith(_CLOSERS):
        return folded[numbered], Form.INLINE, ""
    unlike = plain != line.strip().casefold() and plain.strip("[]") in bare
    return (bare[plain.strip("[]")], Form.WITHOUT_BRACKETS, "") if unlike else None


_DIVIDER: Final = re.compile(r"(?m)^[^\S\n]*+={5,}+[^\S\n]*+$")
_POINTS_ELSEWHERE: Final = re.compile(r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]|[\s.…\-–—]+")


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
    if match_mode not in ("ALL", "ANY"):
        raise ValueError(f'match_mode must be "ALL" or "ANY", not {match_mode!r}')
    headers = _checked_headers(section_headers)
    if not has_text(raw_reply):
        return failure(EMPTY_REPLY)
    text = plain_reply(raw_reply).replace("\r\n", "\n").replace("\r", "\n")
    if not headers:
        return _between_dividers(text, allow_empty=allow_empty)
    patterns = {header: _compiled(header) for header in headers} if regex_mode else {}
    opened = _matches(text, patterns.values()) if regex_mode else _marks(text, headers)
    marks = list(islice(opened, _MAX_MARKS + 1))
    if len(marks) > _MAX_MARKS:
        return failure("The reply repeats its headers without end. Please write each section once.")
    found: dict[str, str] = {}
    for mark, body in _bodies(text, marks if regex_mode else _boundaries(text, marks)):
        found[mark.key] = body or found.get(mark.key, "")
    missing = [one for one in headers if one not in found]
    if regex_mode:
        missing = [one for one in headers if not any(map(patterns[one].match, found))]
    if match_mode == "ALL" and missing:
        return failure(f"Missing required sections: {missing}")
    return _result([*found] if regex_mode else headers, found, match_mode, allow_empty=allow_empty)


def _checked_headers(headers: Sequence[str] | None) -> list[str]:
    wanted = [headers] if isinstance(headers, str) else list(headers or ())
    if not all(header.strip() for header in wanted):
        raise ValueError("section_headers must not hold a blank header")
    return list(dict.fromkeys(wanted))


def _between_dividers(text: str, *, allow_empty: bool) -> ParserResult:
    """The text between the last two divider lines; five "=" inside a sentence divide nothing."""
    dividers = deque(_DIVIDER.finditer(text), maxlen=2)
    if len(dividers) < 2:
        return failure("No content divider found")
    content = text[dividers[0].end() : dividers[1].start()].strip()
    if not content and not allow_empty:
        return failure(
            "There is no text between the last two divider lines. "
            "Please write the content between two lines of `=====`."
        )
    return success(content)


def _compiled(header: str) -> re.Pattern[str]:
    try:
        return re.compile(header)
    except re.error as error:
        raise ValueError(f"section header {header!r} is not a valid pattern: {error}") from error


def _matches(text: str, patterns: Collection[re.Pattern[str]]) -> Iterator[Mark]:
    """Every line that one of the patterns matches from its start, keyed by the line itself."""
    for line in re.finditer(r"[^\n]+", text):
        key = line[0].strip()
        if key and any(pattern.match(key) for pattern in patterns):
            yield Mark(line.start(), line.end(), key)


def _bodies(text: str, marks: Sequence[Mark]) -> list[tuple[Mark, str]]:
    """Each mark with the stripped text up to the next mark; a line of a fence alone says nothing."""
    edges = [*(mark.start for mark in marks), len(text)]
    found = []
    for mark, end in zip(marks, edges[1:], strict=True):
        body = f"{mark.inline}{text[mark.end : end]}".strip()
        found.append((mark, "" if FENCE_LINE.fullmatch(body) else body))
    return found


def _boundaries(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """The marks that really open a section.

    A later repetition of a header may be a mention ("as promised in", "[Plan]", "(see above)"),
    and a header without brackets or with text on its line may be prose. Where a surer occurrence
    of the same header says something, such a line is text of the section around it.
    """
    outside = {one.key for one, body in _bodies(text, marks) if body and one.form < Form.IN_FENCE}
    marks = [one for one in marks if one.form < Form.IN_FENCE or one.key not in outside]
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
    # Right below a line that ends without a stop, it goes on with that line.
    return (before[-1:].isalpha() or before[-1:] == ",") and (
        body[:1].islower() or "\n" not in body
    )


def _result(
    order: Sequence[str], found: Mapping[str, str], match_mode: str, *, allow_empty: bool
) -> ParserResult:
    if not found:
        return failure("No sections found")
    sections = {key: found[key] for key in order if key in found and (found[key] or allow_empty)}
    empty = [key for key in order if key in found and key not in sections]
    if empty and (match_mode == "ALL" or not sections):
        return failure(
            f"Empty sections: {empty}. Please write the text of each section under its header line."
        )
    return {"status": "success", "sections": sections}


def sections(text: str, headers: Sequence[str]) -> dict[str, str]:
    """Read the sections of a reply.

    Args:
        text: The reply.
        headers: The headers as they were asked for, such as `[Plan]`.

    Returns:
        Each header's text.

    Raises:
        ValueError: A section is missing or empty; the message is the feedback for the model.
    """
    result = multi_section_parser(text, headers)
    if result["status"] == "error":
        raise ValueError(result["feedback"])
    return result["sections"]
