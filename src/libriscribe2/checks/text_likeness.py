"""How alike chapters begin and end, by their words of content."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from libriscribe2.checks.text import ChapterText

EDGE_WORDS: Final = 75


@dataclass(frozen=True, slots=True)
class EdgePair:
    """Two chapters with like openings or endings.

    Attributes:
        likeness: Jaccard similarity of their content words, 0 to 1.
        first: Index of the earlier chapter.
        second: Index of the later chapter.
    """

    likeness: float
    first: int
    second: int


def opening_pairs(chapters: Sequence[ChapterText]) -> list[EdgePair]:
    """Every pair of chapters by how alike they begin, the most alike first."""
    return _pairs([edge_content(one, 0) for one in chapters])


def ending_pairs(chapters: Sequence[ChapterText]) -> list[EdgePair]:
    """Every pair of chapters by how alike they end, the most alike first."""
    return _pairs([edge_content(one, -1) for one in chapters])


def edge_content(chapter: ChapterText, index: int) -> frozenset[str]:
    """The words of content of the first (0) or the last (-1) 75 words of a chapter."""
    edge = chapter.words[-EDGE_WORDS:] if index else chapter.words[:EDGE_WORDS]
    return frozenset(edge).difference(chapter.function_words)


def likeness(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """Jaccard similarity of the content of two edges, 0 to 1."""
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0


def _pairs(sets: Sequence[frozenset[str]]) -> list[EdgePair]:
    """All pairs with their likeness."""
    found = [
        EdgePair(likeness(ours, theirs), first, second)
        for (first, ours), (second, theirs) in combinations(enumerate(sets), 2)
    ]
    return sorted(found, key=lambda pair: (-pair.likeness, pair.first, pair.second))
