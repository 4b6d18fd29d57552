"""Which passages of the samples are typical: nearest to what the samples are like in the middle."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean, median
from typing import Final

from libriscribe2.models.style import MOST_PASSAGES, PASSAGE_WORDS, StylePassage
from libriscribe2.quality.text import ChapterText, sentences, words
from libriscribe2.quality.text_figures import SHORT_SENTENCE, spoken_words

_FEWEST: Final = PASSAGE_WORDS // 3
"""Words that a passage should have to show a voice; shorter ones serve where there is no longer."""

_LEAST_SPREAD: Final = 1e-6
_FAR: Final = 9.0
"""Spreads from which on a trait is simply untypical."""


@dataclass(frozen=True, slots=True)
class _Window:
    """Paragraphs that stand together.

    Attributes:
        sample: Index of the sample.
        first: Index of the first paragraph there.
        after: Index after the last.
        text: Their text.
        size: Their words.
        traits: What they are like: words per sentence, share of short ones, paragraph length,
            share of speech.
    """

    sample: int
    first: int
    after: int
    text: str
    size: int
    traits: tuple[float, ...]

    def overlaps(self, other: "_Window") -> bool:
        """Whether both hold a paragraph."""
        apart = self.after <= other.first or other.after <= self.first
        return self.sample == other.sample and not apart


def typical_passages(samples: Sequence[ChapterText]) -> list[StylePassage]:
    """At most three passages of whole paragraphs, the most typical first.

    A paragraph that is too long for a passage is cut after a sentence.

    Args:
        samples: The samples in order; equal samples give equal passages.
    """
    windows = [one for index, sample in enumerate(samples) for one in _windows(index, sample)]
    long_enough = [one for one in windows if one.size >= _FEWEST] or windows
    ranked = _by_distance(long_enough)
    chosen: list[_Window] = []
    for window in ranked:
        if len(chosen) < MOST_PASSAGES and not any(map(window.overlaps, chosen)):
            chosen.append(window)
    return [StylePassage(file=samples[one.sample].file, text=one.text) for one in chosen]


def _windows(index: int, sample: ChapterText) -> Iterator[_Window]:
    """From every paragraph on, as many as a passage holds."""
    texts = [_cut(paragraph.text) for paragraph in sample.paragraphs]
    sizes = [len(words(text)) for text in texts]
    for first in range(len(texts)):
        after, size = first, 0
        while after < len(texts) and 0 < sizes[after] <= PASSAGE_WORDS - size:
            size += sizes[after]
            after += 1
        if size:
            shown = texts[first:after]
            yield _Window(index, first, after, "\n\n".join(shown), size, _traits(shown))


def _cut(paragraph: str) -> str:
    """A paragraph, or its first sentences where it is too long; nothing where even one is."""
    if len(words(paragraph)) <= PASSAGE_WORDS:
        return paragraph
    kept, size = list[str](), 0
    for sentence in sentences(paragraph):
        size += len(words(sentence))
        if size > PASSAGE_WORDS:
            break
        kept.append(sentence)
    return " ".join(kept)


def _traits(paragraphs: Sequence[str]) -> tuple[float, ...]:
    lengths = [len(words(one)) for text in paragraphs for one in sentences(text)] or [0]
    size = sum(len(words(text)) for text in paragraphs)
    return (
        fmean(lengths),
        sum(length <= SHORT_SENTENCE for length in lengths) / len(lengths),
        size / len(paragraphs),
        sum(map(spoken_words, paragraphs)) / size,
    )


def _by_distance(windows: Sequence[_Window]) -> list[_Window]:
    """The windows, the most typical first; of equals the one that stands first."""
    if not windows:
        return []
    columns = list(zip(*(one.traits for one in windows), strict=True))
    middles = [median(column) for column in columns]
    spreads = [
        max(_LEAST_SPREAD, median(abs(value - middle) for value in column))
        for column, middle in zip(columns, middles, strict=True)
    ]

    def distance(window: _Window) -> float:
        triples = zip(window.traits, middles, spreads, strict=True)
        return fsum(min(_FAR, abs(value - middle) / spread) for value, middle, spread in triples)

    return sorted(windows, key=lambda one: (distance(one), one.sample, one.first))
