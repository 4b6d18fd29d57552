"""Whether a chapter holds what its plan says: stems of the plan in the text's best passage."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import fsum, log
from typing import Final

from libriscribe2.quality.stopwords import STOPWORDS
from libriscribe2.quality.text import words

WINDOW: Final = 250
STEP: Final = 125
"""Passages that are compared begin so many words apart."""

_ENDINGS: Final = ("ing", "ed", "es", "s", "ly")
_SHORTEST_STEM: Final = 3


def beat_coverage(beat: str, text: Sequence[str], weights: Mapping[str, float]) -> float:
    """The weighted share of a beat's stems in the passage of 250 words that has most of them.

    Args:
        beat: What the plan says happens.
        text: The words of the chapter.
        weights: Weight of each stem, from `stem_weights`.

    Returns:
        0 to 1; 1 where the beat has no word of content.
    """
    wanted = stems(words(beat))
    total = fsum(weights.get(one, 1.0) for one in wanted)
    if not total:
        return 1.0
    stemmed = [stem(word) for word in text]
    starts = range(0, max(1, len(stemmed) - WINDOW + STEP), STEP)
    best = max(
        fsum(weights.get(one, 1.0) for one in wanted & set(stemmed[start : start + WINDOW]))
        for start in starts
    )
    return best / total


def stem_weights(texts: Sequence[Sequence[str]]) -> dict[str, float]:
    """Inverse document frequency of every stem: what stands in each chapter tells little."""
    holders = Counter(one for text in texts for one in stems(text))
    return {one: stem_weight(held, len(texts)) for one, held in holders.items()}


def stem_weight(held: int, texts: int) -> float:
    """The weight of a stem that so many of the texts have."""
    return log((1 + texts) / (1 + held)) + 0.1


def stems(tokens: Sequence[str]) -> set[str]:
    """The stems of the words of content."""
    return {stem(token) for token in tokens if token not in STOPWORDS}


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A word without the commonest English endings; other languages keep theirs."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word
