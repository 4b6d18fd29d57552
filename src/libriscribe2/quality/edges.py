"""How alike chapters begin and end: content words of the first and last 75 words."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from libriscribe2.quality.stopwords import STOPWORDS
from libriscribe2.quality.text import ChapterText

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
    return _pairs([_content(one.words[:EDGE_WORDS]) for one in chapters])


def ending_pairs(chapters: Sequence[ChapterText]) -> list[EdgePair]:
    """Every pair of chapters by how alike they end, the most alike first."""
    return _pairs([_content(one.words[-EDGE_WORDS:]) for one in chapters])


def _content(tokens: Sequence[str]) -> frozenset[str]:
    """The words that carry content."""
    return frozenset(token for token in tokens if token not in STOPWORDS)


def _pairs(sets: Sequence[frozenset[str]]) -> list[EdgePair]:
    """All pairs with their likeness."""
    found = [
        EdgePair(len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0, first, second)
        for (first, ours), (second, theirs) in combinations(enumerate(sets), 2)
    ]
    return sorted(found, key=lambda pair: (-pair.likeness, pair.first, pair.second))
