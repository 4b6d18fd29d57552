"""A text in passages of a size that a model reads at once, with their places."""

import re
from collections.abc import Iterator
from typing import Final

from libriscribe2.project.research_files import SavedText
from libriscribe2.prose import room

WINDOW: Final = 1_200
"""Characters of English that a passage has at most; see `utils.text_budget`."""

_PARAGRAPH: Final = re.compile(r"(?:(?!\n[^\S\n]*\n).)+", re.DOTALL)
_CUT: Final = re.compile(r"(?<=[.!?\u2026])\s|(?<=[\u3002\uff01\uff1f])|\s")

Window = tuple[int, int]
"""The first character of a passage and the one after its last."""


def windows(document: SavedText) -> Iterator[Window]:
    """Passages of whole paragraphs, none across the border of two sections.

    A paragraph that is longer than a passage is cut, at the end of a sentence where there is one.
    """
    text = document.text
    for start, end in _sections(document):
        begun = until = start
        for first, last in _paragraphs(text, start, end):
            if until > begun and room(text[begun:last], WINDOW) < last - begun:
                yield begun, until
                begun = first
            elif until == begun:
                begun = first
            while room(text[begun:last], WINDOW) < last - begun:
                cut = _cut(text, begun, last)
                yield begun, cut
                begun = cut
            until = last
        if until > begun:
            yield begun, until


def _sections(document: SavedText) -> Iterator[Window]:
    if not document.saved.sections:
        yield 0, len(document.text)
    for section in document.saved.sections:
        yield section.start, min(section.end, len(document.text))


def _paragraphs(text: str, start: int, end: int) -> Iterator[Window]:
    for match in _PARAGRAPH.finditer(text, start, end):
        if match.group().strip():
            yield match.span()


def _cut(text: str, start: int, end: int) -> int:
    """Where to cut a long paragraph: after a sentence in its second half, else after a word."""
    most = start + max(1, room(text[start:end], WINDOW))
    half = start + (most - start) // 2
    best = most
    for match in _CUT.finditer(text, half, most):
        best = match.end()
        # Sentences come before words, the last one first.
        if match.start() and text[match.start() - 1] in ".!?\u2026\u3002\uff01\uff1f":
            sentence = match.end()
            best = max(sentence, half + 1)
    return max(best, start + 1)
