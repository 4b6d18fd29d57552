"""Which passages fit a question best: BM25 (Robertson and Walker) over a handful of texts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import log
from typing import Final

from libriscribe2.quality.stopwords import STOPWORDS
from libriscribe2.quality.text import paragraph_words

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
    wanted = frozenset(terms(query))
    known = [_measured(text) for text in passages]
    shared = [wanted & one.terms for one in known]
    holding = Counter(chain.from_iterable(shared))
    rarity = {term: _rarity(held, len(known)) for term, held in holding.items()}
    mean = max(1.0, sum(one.length for one in known) / max(1, len(known)))
    scores: list[tuple[float, int]] = []
    for place, (one, own) in enumerate(zip(known, shared, strict=True)):
        if len(own) >= FEWEST_SHARED:
            longer = 1 - LENGTH + LENGTH * one.length / mean
            score = sum(rarity[term] * _hits(one.counts[term], longer) for term in sorted(own))
            scores.append((-score, place))
    return [place for _, place in sorted(scores)[:most]]


def terms(text: str) -> list[str]:
    """The words of a text that say what it is about."""
    said = chain.from_iterable(map(paragraph_words, text.split("\n")))
    plain = (word.removesuffix("'s") for word in said)
    return [word for word in plain if word not in STOPWORDS]


@dataclass(frozen=True, slots=True)
class _Measured:
    """A passage as it is compared; nobody may change it.

    Attributes:
        counts: How often each word stands in it.
        terms: Its words.
        length: How many words it has that say what it is about.
    """

    counts: Counter[str]
    terms: frozenset[str]
    length: int


@lru_cache(maxsize=8192)
def _measured(text: str) -> _Measured:
    counts = Counter(terms(text))
    return _Measured(counts, frozenset(counts), counts.total())


def _rarity(holding: int, passages: int) -> float:
    """What a word counts that so many passages hold."""
    return log(1 + (passages - holding + 0.5) / (holding + 0.5))


def _hits(often: int, longer: float) -> float:
    """What a passage gets for holding a word so often, less the longer it is."""
    return often * (SATURATION + 1) / (often + SATURATION * longer)
