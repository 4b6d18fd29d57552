"""Which passages fit a question best: BM25 (Robertson and Walker) over a handful of texts."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import log
from typing import Final

from libriscribe2.quality.text import STOPWORDS, words

SATURATION: Final = 1.2
LENGTH: Final = 0.75
FEWEST_SHARED: Final = 2
"""Fewer words than these in common are chance."""


class PassageIndex:
    """Passages by the words that say what they are about; nobody may change it.

    Args:
        passages: The passages.

    Attributes:
        passages: As given.
        lengths: How many such words each passage has.
        holders: For each word the places of the passages that hold it, and how often they do.
    """

    def __init__(self, passages: Sequence[str]) -> None:
        counts = [Counter(terms(text)) for text in passages]
        self.passages = tuple(passages)
        self.lengths = [count.total() for count in counts]
        self.holders = defaultdict[str, list[tuple[int, int]]](list)
        for place, count in enumerate(counts):
            for term, often in count.items():
                self.holders[term].append((place, often))


def best(query: str, passages: Sequence[str], most: int) -> list[int]:
    """The places of the passages that fit best, best first; the earlier of two that are alike.

    Args:
        query: What they should be about.
        passages: The passages.
        most: How many are wanted at most; a passage has to share some words with the query.
    """
    return best_in(query, [PassageIndex(passages)], most)


def best_in(query: str, indexes: Sequence[PassageIndex], most: int) -> list[int]:
    """As `best` over the passages of several indexes, their places counted through."""
    lengths = [length for one in indexes for length in one.lengths]
    mean = max(1.0, sum(lengths) / max(1, len(lengths)))
    longer = [1 - LENGTH + LENGTH * length / mean for length in lengths]
    hits: defaultdict[int, list[float]] = defaultdict(list)
    # Floats are added in the order of the words: another order has another sum.
    for term in sorted(frozenset(terms(query))):
        held = _holding(term, indexes)
        rarity = _rarity(len(held), len(lengths))
        for place, often in held:
            hits[place].append(rarity * _hits(often, longer[place]))
    scores = [(-sum(own), place) for place, own in hits.items() if len(own) >= FEWEST_SHARED]
    return [place for _, place in sorted(scores)[:most]]


def terms(text: str) -> list[str]:
    """The words of a text that say what it is about."""
    plain = (word.removesuffix("'s") for word in words(text))
    return [word for word in plain if word not in STOPWORDS]


def _holding(term: str, indexes: Sequence[PassageIndex]) -> list[tuple[int, int]]:
    """Which passages hold a word, and how often."""
    found, passed = [], 0
    for one in indexes:
        found += [(passed + place, often) for place, often in one.holders.get(term, ())]
        passed += len(one.lengths)
    return found


def _rarity(holding: int, passages: int) -> float:
    """What a word counts that so many passages hold."""
    return log(1 + (passages - holding + 0.5) / (holding + 0.5))


def _hits(often: int, longer: float) -> float:
    """What a passage gets for holding a word so often, less the longer it is."""
    return often * (SATURATION + 1) / (often + SATURATION * longer)
