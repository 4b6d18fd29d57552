"""By their words of content: how alike chapters begin and end, and whether a text holds a beat.

A beat is what a plan says happens. A text holds it where one passage of 250 words has most of the
beat's stems, each weighed by how few chapters have it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from math import fsum, log
from typing import Final

from libriscribe2.checks.text import STOPWORDS, ChapterText, words

EDGE_WORDS: Final = 75

WINDOW: Final = 250
STEP: Final = 125
"""Passages that are compared begin so many words apart."""

_ENDINGS: Final = ("ing", "ed", "es", "s", "ly")
_SHORTEST_STEM: Final = 3


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
    return frozenset(edge).difference(STOPWORDS)


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


@dataclass(frozen=True, slots=True)
class Nearest:
    """The passage of a text that comes nearest to a beat.

    Attributes:
        share: The weighted share of the beat's stems that it has, 0 to 1; 1 where the beat has no
            word of content.
        start: The index of its first word; of several that are as near, the first one's.
    """

    share: float
    start: int


def beat_coverage(beat: str, text: Sequence[str], weights: Mapping[str, float]) -> float:
    """The weighted share of a beat's stems in the passage of 250 words that has most of them.

    Args:
        beat: What the plan says happens.
        text: The words of the chapter.
        weights: Weight of each stem, from `stem_weights`.

    Returns:
        0 to 1; 1 where the beat has no word of content.
    """
    (nearest,) = nearest_passages([beat], text, weights)
    return nearest.share


def nearest_passages(
    beats: Sequence[str], text: Sequence[str], weights: Mapping[str, float]
) -> list[Nearest]:
    """The passage that comes nearest to each beat; arguments as of `beat_coverage`."""
    wanted = [stems(words(beat)) for beat in beats]
    every = frozenset().union(*wanted)
    known = {word: one for word in frozenset(text) if (one := stem(word)) in every}
    steps: list[set[str]] = [set() for _ in range(len(text) // STEP + 2)]
    for at, word in enumerate(text):
        if word in known:
            steps[at // STEP].add(known[word])
    count = len(range(0, max(1, len(text) - WINDOW + STEP), STEP))
    windows = [steps[at] | steps[at + 1] for at in range(count)]
    return [_nearest(own, windows, weights) for own in wanted]


def _nearest(
    wanted: Set[str], windows: Sequence[Set[str]], weights: Mapping[str, float]
) -> Nearest:
    """The first of the windows that has most of some stems by their weights."""
    total = fsum(weights.get(one, 1.0) for one in wanted)
    shown = [fsum(weights.get(one, 1.0) for one in wanted & window) for window in windows]
    best = max(shown)
    return Nearest(best / total if total else 1.0, STEP * shown.index(best))


def stem_weights(texts: Sequence[Sequence[str]]) -> dict[str, float]:
    """Inverse document frequency of every stem: what stands in each chapter tells little."""
    holders = Counter(one for text in texts for one in stems(text))
    return {one: stem_weight(held, len(texts)) for one, held in holders.items()}


def stem_weight(held: int, texts: int) -> float:
    """The weight of a stem that so many of the texts have."""
    return log((1 + texts) / (1 + held)) + 0.1


def stems(tokens: Iterable[str]) -> set[str]:
    """The stems of the words of content."""
    return {stem(token) for token in frozenset(tokens).difference(STOPWORDS)}


def stem(word: str) -> str:
    """A word without the commonest English endings; other languages keep theirs."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word
