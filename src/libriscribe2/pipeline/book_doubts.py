"""The doubts of a review: which chapters are read together, what a request shows of them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from math import ceil
from typing import Final

from libriscribe2.checks.patching import GAP
from libriscribe2.context.earlier_text import best
from libriscribe2.models.reviews import MOST_DOUBTS, Doubt, Doubts
from libriscribe2.prose import parts, shorten, weigh, without_notes

MOST_READINGS: Final = 3
"""Requests that the summaries are shown in; a book of 24 chapters needs one."""

# Characters of each part of a request (`text_budget`).
SUMMARIES_BUDGET: Final = 22_000
OTHERS_BUDGET: Final = 6_000
TEXT_BUDGET: Final = 13_000
PASSAGE_BUDGET: Final = 1_000
FIELD_BUDGET: Final = 600

_OF_TWO: Final = frozenset({"contradiction", "repetition"})
"""Kinds of doubts that two chapters have to prove."""


def readings(summaries: Mapping[int, str]) -> list[Sequence[int]]:
    """The chapters in order, in groups that are read together."""
    numbers = sorted(summaries)
    whole = sum(weigh(text) for text in summaries.values())
    count = min(MOST_READINGS, max(1, ceil(whole / SUMMARIES_BUDGET)))
    ends = [len(numbers) * at // count for at in range(count + 1)]
    return [numbers[start:end] for start, end in pairwise(ends) if start < end]


def can_be_proven(doubt: Doubt, texts: Mapping[int, str]) -> bool:
    """Whether there is the text that would have to prove a doubt."""
    needs_other = doubt.kind in _OF_TWO
    return doubt.chapter in texts and (bool(other_text(doubt, texts)) or not needs_other)


def other_text(doubt: Doubt, texts: Mapping[int, str]) -> str:
    """The text of the chapter that a doubt sets its own beside; "" for none."""
    return texts.get(doubt.other, "") if doubt.other != doubt.chapter else ""


def summary_lines(numbers: Sequence[int], summaries: Mapping[int, str], budget: int) -> str:
    """Chapters in a line each, within a budget for all of them."""
    each = max(60, budget // max(1, len(numbers)) - 20)
    lines = (f"{n}. {shorten(' '.join(summaries[n].split()), each)}" for n in numbers)
    return shorten("\n".join(lines), budget)


def in_turn(told: Sequence[Doubts]) -> Iterator[Doubt]:
    """The doubts of all readings, the worst of each first, one of a kind and place only once."""
    seen: set[tuple[str, int, int]] = set()
    for row in zip_longest(*(one.doubts[:MOST_DOUBTS] for one in told)):
        for doubt in filter(None, row):
            key = doubt.kind, doubt.chapter, doubt.other
            if key not in seen:
                seen.add(key)
                yield doubt


def excerpts(text: str, doubt: Doubt) -> str:
    """A chapter, or of a long one the passages that speak of a doubt."""
    whole = without_notes(text)
    if weigh(whole) <= TEXT_BUDGET:
        return whole
    pieces = parts(whole, PASSAGE_BUDGET)
    chosen = best(f"{doubt.about} {doubt.why}", pieces, TEXT_BUDGET // (PASSAGE_BUDGET + len(GAP)))
    return GAP.join(pieces[at] for at in sorted(chosen)) or shorten(whole, TEXT_BUDGET)


def shortened(value: object) -> object:
    """A field of a doubt as a prompt shows it."""
    return shorten(value, FIELD_BUDGET) if isinstance(value, str) else value
