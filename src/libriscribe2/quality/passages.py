"""The passages of a text that matter, each as it stands, within a budget."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from libriscribe2.prose import room, weigh

GAP: Final = "\n\n[\u2026]\n\n"
"""Stands where text is left out."""

LONGEST_PIECE: Final = 3_000
"""A longer paragraph is shown in part."""

_BLANK_LINES: Final = re.compile(r"\n[^\S\n]*\n\s*")


@dataclass(frozen=True, slots=True)
class Passages:
    """A choice of passages.

    Attributes:
        text: The passages in the order of the text, with `GAP` between those that do not touch.
        shown: Which of the wanted groups of places it holds, by their index.
    """

    text: str
    shown: tuple[int, ...]


def passages(text: str, groups: Sequence[Sequence[int]], budget: int) -> Passages:
    """The paragraphs around some places, with their neighbours.

    Args:
        text: The whole text.
        groups: Places that belong together, as offsets; the most important groups first. A group
            is shown with all its places or not at all.
        budget: Most that all passages take (`utils.text_budget`).
    """
    spans = _spans(text)
    chosen: set[int] = set()
    shown: list[int] = []
    for index, places in enumerate(groups):
        own = {_at(spans, place) for place in places}
        around = {at + step for at in own for step in (-1, 0, 1)} & set(range(len(spans)))
        for more in (around, own):
            if weigh(_joined(text, spans, chosen | more)) <= budget:
                chosen |= more
                shown.append(index)
                break
    return Passages(_joined(text, spans, chosen), tuple(shown))


def _spans(text: str) -> list[tuple[int, int]]:
    """Where each paragraph begins and ends; a very long one in pieces."""
    ends = [(found.start(), found.end()) for found in _BLANK_LINES.finditer(text)]
    found, start = [], 0
    for end, following in (*ends, (len(text), len(text))):
        while weigh(text[start:end]) > LONGEST_PIECE:
            cut = start + max(1, room(text[start:end], LONGEST_PIECE))
            blank = text.rfind(" ", start, cut)
            cut = blank + 1 if blank > start else cut
            found.append((start, cut))
            start = cut
        if start < end:
            found.append((start, end))
        start = following
    return found


def _at(spans: Sequence[tuple[int, int]], place: int) -> int:
    """The index of the span that holds a place, or of the next one."""
    return next((at for at, (_, end) in enumerate(spans) if place < end), len(spans) - 1)


def _joined(text: str, spans: Sequence[tuple[int, int]], chosen: set[int]) -> str:
    """The chosen spans as one text; those that follow each other as they stand."""
    runs: list[tuple[int, int]] = []
    last = -2
    for at in sorted(chosen):
        start, end = spans[at]
        if at == last + 1:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
        last = at
    return GAP.join(text[start:end] for start, end in runs)
