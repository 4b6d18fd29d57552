"""Where the headers of a reply stand: the lines that open a section.

A model that was asked for `[Plan]` writes `[Plan]`, `## [Plan]`, `**[Plan]:**`, `[plan]` or
`【Plan】`, now and then with the text behind it on the same line. All of these are headers; a
mention inside a sentence is none.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

_BRACKETS: Final = str.maketrans("【】［］：", "[][]:")
_DECORATION: Final = "#*_>~ \t"
_CLOSERS: Final = ("]", ")", ">", "}")


class Form(IntEnum):
    """How surely a line is a header; a lower number is surer."""

    WHOLE_LINE = 0
    INLINE = 1
    WITHOUT_BRACKETS = 2


@dataclass(frozen=True, slots=True)
class Mark:
    """One line that opens a section.

    Attributes:
        line: Index of the line in the reply.
        key: The header under which the section is returned.
        inline: Text of the section on the header's own line, or "".
        form: How sure the reading is.
    """

    line: int
    key: str
    inline: str
    form: Form


def find_marks(lines: Sequence[str], headers: Sequence[str]) -> tuple[Mark, ...]:
    """Every line that opens one of the headers, top to bottom.

    Args:
        lines: The lines of the reply.
        headers: The headers as they were asked for.

    Returns:
        The marks, at most one for a line.
    """
    exact = {header.strip(): header for header in reversed(headers)}
    folded = {_fold(header): header for header in reversed(headers)}
    bare = {_fold(header).strip("[]"): header for header in reversed(headers)}
    marks = (
        _exact(index, line, exact)
        or _decorated(index, line, folded)
        or _inline(index, line, folded)
        or _without_brackets(index, line, bare)
        for index, line in enumerate(lines)
    )
    return tuple(mark for mark in marks if mark is not None)


def find_pattern_marks(lines: Sequence[str], patterns: Sequence[re.Pattern[str]]) -> list[Mark]:
    """Every line that one of the patterns matches from its start, keyed by the line itself."""
    stripped = [line.strip() for line in lines]
    return [
        Mark(index, line, "", Form.WHOLE_LINE)
        for index, line in enumerate(stripped)
        if line and any(pattern.match(line) for pattern in patterns)
    ]


def _fold(text: str) -> str:
    """The text without decoration, trailing colon, width and case."""
    folded = text.translate(_BRACKETS).strip(_DECORATION)
    return folded.rstrip(":").strip(_DECORATION).casefold()


def _exact(index: int, line: str, exact: Mapping[str, str]) -> Mark | None:
    header = exact.get(line.strip())
    return Mark(index, header, "", Form.WHOLE_LINE) if header is not None else None


def _decorated(index: int, line: str, folded: Mapping[str, str]) -> Mark | None:
    header = folded.get(_fold(line))
    return Mark(index, header, "", Form.WHOLE_LINE) if header is not None else None


def _inline(index: int, line: str, folded: Mapping[str, str]) -> Mark | None:
    """A header with text behind it: after a colon, or right after a closing bracket."""
    plain = line.translate(_BRACKETS).lstrip(_DECORATION)
    for name, header in folded.items():
        if not name or plain[: len(name)].casefold() != name:
            continue
        rest = plain[len(name) :].lstrip(_DECORATION)
        if rest.startswith(":"):
            return Mark(index, header, _behind(line, len(rest) - 1), Form.WHOLE_LINE)
        if name.endswith(_CLOSERS):
            return Mark(index, header, _behind(line, len(rest)), Form.INLINE)
    return None


def _behind(line: str, length: int) -> str:
    """The last `length` characters of a line, without what is left of the header's emphasis."""
    text = line[len(line) - length :].strip()
    return text[2:].strip() if text.startswith("**") and text.count("**") % 2 else text


def _without_brackets(index: int, line: str, bare: Mapping[str, str]) -> Mark | None:
    """A decorated line that says the header without its brackets, such as `## Plan`."""
    plain = line.strip()
    if _fold(plain) == plain.casefold():
        return None
    header = bare.get(_fold(plain).strip("[]"))
    return Mark(index, header, "", Form.WITHOUT_BRACKETS) if header is not None else None
