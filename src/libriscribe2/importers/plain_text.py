"""Text files as blocks of Markdown."""

import re
from statistics import median
from typing import Final

from libriscribe2.importers.blocks import Block
from libriscribe2.importers.inline import safe_start
from libriscribe2.toolchain.sources.reading import tidy

_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_GUTENBERG: Final = re.compile(r"(?m)^\*{3} ?(START|END) OF TH(?:E|IS) PROJECT GUTENBERG.*$")
_WRAPPED: Final = 45
"""Characters from which on lines that are about equally long are one wrapped paragraph."""


def text_blocks(text: str) -> list[Block]:
    """The paragraphs of a text.

    Blank lines stand between them; in a text without any, every line is one. Lines of a
    paragraph that were wrapped are joined; shorter ones stay lines, as in verse. Marks of
    emphasis (`_so_`, `*so*`) are left as they are, since Markdown reads them the same.
    """
    whole = _without_licence(tidy(text)).strip("\n")
    pieces = _BLANK_LINE.split(whole)
    if len(pieces) == 1:
        pieces = whole.split("\n")
    return [Block(_paragraph(piece)) for piece in pieces if piece.strip()]


def _paragraph(piece: str) -> str:
    lines = [" ".join(line.split()) for line in piece.split("\n") if line.strip()]
    if len(lines) > 1 and median(len(line) for line in lines[:-1]) >= _WRAPPED:
        lines = [" ".join(lines)]
    return "\n".join(safe_start(line.replace("<", r"\<")) for line in lines)


def _without_licence(text: str) -> str:
    """A text of Project Gutenberg without what is put around the book."""
    marks = {found[1]: found for found in _GUTENBERG.finditer(text)}
    first = marks["START"].end() if "START" in marks else 0
    last = marks["END"].start() if "END" in marks else len(text)
    return text[first:last] if first < last else text
