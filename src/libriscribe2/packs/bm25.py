"""Which passages fit a question best: BM25 (Robertson and Walker) over a handful of texts."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import log
from typing import Final

from libriscribe2.quality.stopwords import STOPWORDS
from libriscribe2.quality.text import words

SATURATION: Final = 1.2
LENGTH: Final = 0.75
FEWEST_SHARED: Final = 2
"""Fewer words than these in common are chance."""


def best(query: str, passages: Sequence[str], most: int) -> list[int]:
    """The places of the passages that fit best, best first; the earlier of two that are alike.

    Args:
        query: What they should be about.
        passages: The passages.
        most: How many are wanted at most; a passage has to share some words with the query.
    """
    wanted = set(terms(query))
    counts = [_counts(text) for text in passages]
    lengths = [_length(text) for text in passages]
    shared = [sorted(wanted & one.keys()) for one in counts]
    holding = Counter(term for one in shared for term in one)
    rarity = {term: _rarity(held, len(counts)) for term, held in holding.items()}
    mean = max(1.0, sum(lengths) / max(1, len(lengths)))
    scores: list[tuple[float, int]] = []
    for place, (one, own) in enumerate(zip(counts, shared, strict=True)):
        if len(own) >= FEWEST_SHARED:
            longer = 1 - LENGTH + LENGTH * lengths[place] / mean
            score = sum(rarity[term] * _hits(one[term], longer) for term in own)
            scores.append((-score, place))
    return [place for _, place in sorted(scores)[:most]]


def terms(text: str) -> list[str]:
    """The words of a text that say what it is about."""
    plain = (word.removesuffix("'s") for word in words(text))
    return [word for word in plain if word not in STOPWORDS]


@lru_cache(maxsize=8192)
def _counts(text: str) -> Counter[str]:
    """How often each word stands in a passage; nobody may change it."""
    return Counter(terms(text))


@lru_cache(maxsize=8192)
def _length(text: str) -> int:
    """How many words a passage has that say what it is about."""
    return _counts(text).total()


def _rarity(holding: int, passages: int) -> float:
    """What a word counts that so many passages hold."""
    return log(1 + (passages - holding + 0.5) / (holding + 0.5))


def _hits(often: int, longer: float) -> float:
    """What a passage gets for holding a word so often, less the longer it is."""
    return often * (SATURATION + 1) / (often + SATURATION * longer)
