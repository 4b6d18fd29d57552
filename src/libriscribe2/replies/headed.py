"""Replies in sections: headers found, bodies cut out, missing ones named in the feedback."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import islice
from typing import Final, NamedTuple

from libriscribe2.replies.contract import (
    EMPTY_REPLY,
    ParserResult,
    failure,
    has_text,
    plain_reply,
    success,
)

MAX_MARKS: Final = 5_000

_BRACKETS: Final = str.maketrans("【】［］：", "[][]:")
_DECORATION: Final = "#*_>~` \t"
_NUMBER: Final = re.compile(r"[#*_ \t]*\d{1,3}[.)][ \t]+")
_FENCE: Final = ("```", "~~~")
_FENCE_ALONE: Final = re.compile(r"\A(?:`{3}|~{3})[^\n]*\Z")
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


@dataclass(frozen=True, slots=True)
class Mark:
    """One line that opens a section.

    Attributes:
        start: Where the line begins in the text.
        end: Where it ends.
        key: The header under which the section is returned.
        inline: Text of the section on the header's own line, or "".
        form: How sure the reading is.
    """

    start: int
    end: int
    key: str
    inline: str
    form: Form


class Line(NamedTuple):
    """One line of a text, with its place."""

    start: int
    end: int
    text: str

    def opens(self, key: str, form: Form, inline: str = "") -> Mark:
        """The mark that this line is."""
        return Mark(self.start, self.end, key, inline, form)


def lines_of(text: str) -> Iterator[Line]:
    """The lines of a text, one at a time: a list of short ones takes ten times the text."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield Line(start, end, text[start:end])
        start = end + 1
    yield Line(start, len(text), text[start:])


def find_marks(text: str, headers: Sequence[str]) -> list[Mark]:
    """Every line that opens one of the headers, top to bottom.

    Args:
        text: The reply.
        headers: The headers as they were asked for.

    Returns:
        The marks, at most one for a line and one more than `MAX_MARKS` in all.
    """
    folded = {_fold(header): header for header in reversed(headers)}
    bare = {_fold(header).strip("[]"): header for header in reversed(headers)}
    longest = _MARGIN + _FOLDED * max(map(len, headers))
    shortest = -(-min(map(len, bare)) // _FOLDED)
    marks = (
        (_decorated(line, folded) if len(line.text) <= longest else None)
        or _inline(line, folded, longest)
        or (_alone(line, folded, bare) if len(line.text) <= longest else None)
        for line in lines_of(text)
        if line.text and len(line.text) >= shortest
    )
    return _first(_beside_fences(text, (mark for mark in marks if mark is not None)))


def _beside_fences(text: str, marks: Iterable[Mark]) -> Iterator[Mark]:
    """The marks, those inside a code block as the least sure: a block may show a header."""
    if not any(fence in text for fence in _FENCE):
        yield from marks
        return
    place, inside = 0, False
    for mark in marks:
        between = text[place : mark.start]
        fences = sum(line.text.lstrip().startswith(_FENCE) for line in lines_of(between))
        inside, place = inside != bool(fences % 2), mark.start
        yield replace(mark, form=Form.IN_FENCE) if inside else mark


def find_pattern_marks(text: str, patterns: Sequence[re.Pattern[str]]) -> list[Mark]:
    """Every line that one of the patterns matches from its start, keyed by the line itself."""
    stripped = ((line, line.text.strip()) for line in lines_of(text))
    return _first(
        line.opens(key, Form.WHOLE_LINE)
        for line, key in stripped
        if key and any(pattern.match(key) for pattern in patterns)
    )


def _first(marks: Iterable[Mark]) -> list[Mark]:
    return list(islice(marks, MAX_MARKS + 1))


def _fold(text: str) -> str:
    """The text without decoration, trailing colon, width and case."""
    folded = text.translate(_BRACKETS).strip(_DECORATION)
    return folded.rstrip(":").strip(_DECORATION).casefold()


def _decorated(line: Line, folded: Mapping[str, str]) -> Mark | None:
    header = folded.get(_fold(line.text))
    return line.opens(header, Form.WHOLE_LINE) if header is not None else None


def _inline(line: Line, folded: Mapping[str, str], longest: int) -> Mark | None:
    """A header with text behind it: after a colon, or right after a closing bracket."""
    head = line.text[:longest]
    plain = head.translate(_BRACKETS).lstrip(_DECORATION)
    for name, header in folded.items():
        if not name or plain[: len(name)].casefold() != name:
            continue
        rest = plain[len(name) :].lstrip(_DECORATION)
        behind = len(head) - len(rest)
        if rest.startswith(":"):
            return line.opens(header, Form.WHOLE_LINE, _behind(line.text, behind + 1))
        if name.endswith(_CLOSERS):
            return line.opens(header, Form.INLINE, _behind(line.text, behind))
    return None


def _behind(line: str, start: int) -> str:
    """A line from `start` on, without what is left of the header's emphasis."""
    text = line[start:].strip()
    return text[2:].strip() if text.startswith("**") and text.count("**") % 2 else text


def _alone(line: Line, folded: Mapping[str, str], bare: Mapping[str, str]) -> Mark | None:
    """A header with something less usual about it: a number before it, no brackets."""
    return _numbered(line, folded) or _without_brackets(line, bare)


def _numbered(line: Line, folded: Mapping[str, str]) -> Mark | None:
    """A bracketed header as a point of a list, such as `1. [Plan]`; it may be a mere list."""
    number = _NUMBER.match(line.text)
    if number is None:
        return None
    name = _fold(line.text[number.end() :])
    header = folded.get(name) if name.endswith(_CLOSERS) else None
    return line.opens(header, Form.INLINE) if header is not None else None


def _without_brackets(line: Line, bare: Mapping[str, str]) -> Mark | None:
    """A decorated line that says the header without its brackets, such as `## Plan`."""
    plain = line.text.strip()
    if _fold(plain) == plain.casefold():
        return None
    header = bare.get(_fold(plain).strip("[]"))
    return line.opens(header, Form.WITHOUT_BRACKETS) if header is not None else None


_MIN_DIVIDER: Final = 5
_MATCH_MODES: Final = ("ALL", "ANY")
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
    """Each mark with the stripped text up to the next mark; a line of a fence alone says nothing."""
    edges = [*(mark.start for mark in marks), len(text)]
    bodies = (
        f"{mark.inline}{text[mark.end : end]}".strip()
        for mark, end in zip(marks, edges[1:], strict=True)
    )
    return [(mark, _FENCE_ALONE.sub("", body)) for mark, body in zip(marks, bodies, strict=True)]


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
    return (before[-1:].isalpha() and (body[:1].islower() or "\n" not in body)) or (
        before[-1:] == "," and body[:1].islower()
    )


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
