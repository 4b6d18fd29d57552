"""Where the headers of a reply stand: the lines that open a section.

A model that was asked for `[Plan]` writes `[Plan]`, `## [Plan]`, `**[Plan]:**`, `[plan]` or
`【Plan】`, now and then with the text behind it on the same line. All of these are headers; a
mention inside a sentence is none.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import islice
from typing import Final, NamedTuple

MAX_MARKS: Final = 5_000

_BRACKETS: Final = str.maketrans("【】［］：", "[][]:")
_DECORATION: Final = "#*_>~` \t"
_NUMBER: Final = re.compile(r"[#*_ \t]*\d{1,3}[.)][ \t]+")
_FENCE: Final = ("```", "~~~")
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
    exact = {header.strip(): header for header in reversed(headers)}
    folded = {_fold(header): header for header in reversed(headers)}
    bare = {_fold(header).strip("[]"): header for header in reversed(headers)}
    longest = _MARGIN + _FOLDED * max(map(len, headers))
    shortest = -(-min(map(len, bare)) // _FOLDED)
    marks = (
        _exact(line, exact)
        or (_decorated(line, folded) if len(line.text) <= longest else None)
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


def _exact(line: Line, exact: Mapping[str, str]) -> Mark | None:
    header = exact.get(line.text.strip())
    return line.opens(header, Form.WHOLE_LINE) if header is not None else None


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
