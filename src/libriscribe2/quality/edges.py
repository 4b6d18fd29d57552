"""How alike chapters begin and end: content words of the first and last 75 words."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

from libriscribe2.quality.stopwords import STOPWORDS
from libriscribe2.quality.text import ChapterText, paragraph_words

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
    return _pairs([opening_content(one) for one in chapters])


def ending_pairs(chapters: Sequence[ChapterText]) -> list[EdgePair]:
    """Every pair of chapters by how alike they end, the most alike first."""
    return _pairs([ending_content(one) for one in chapters])


def opening_content(chapter: ChapterText) -> frozenset[str]:
    """The words with which a chapter begins, as far as they carry content."""
    return _content(_first_words(chapter.prose)[:EDGE_WORDS])


def ending_content(chapter: ChapterText) -> frozenset[str]:
    """The words with which a chapter ends, as far as they carry content."""
    return _content(_last_words(chapter.prose)[-EDGE_WORDS:])


def likeness(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """Jaccard similarity of the content of two edges, 0 to 1."""
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0


def _first_words(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """The words of the first paragraphs, as many as an edge has at least."""
    found: tuple[str, ...] = ()
    for paragraph in paragraphs:
        if len(found) >= EDGE_WORDS:
            break
        found += paragraph_words(paragraph)
    return found


def _last_words(paragraphs: Sequence[str]) -> tuple[str, ...]:
    """The words of the last paragraphs, as many as an edge has at least."""
    found: tuple[str, ...] = ()
    for paragraph in reversed(paragraphs):
        if len(found) >= EDGE_WORDS:
            break
        found = paragraph_words(paragraph) + found
    return found


@lru_cache(maxsize=256)
def _content(tokens: tuple[str, ...]) -> frozenset[str]:
    """The words that carry content."""
    return frozenset(token for token in tokens if token not in STOPWORDS)


def _pairs(sets: Sequence[frozenset[str]]) -> list[EdgePair]:
    """All pairs with their likeness."""
    found = [
        EdgePair(likeness(ours, theirs), first, second)
        for (first, ours), (second, theirs) in combinations(enumerate(sets), 2)
    ]
    return sorted(found, key=lambda pair: (-pair.likeness, pair.first, pair.second))
