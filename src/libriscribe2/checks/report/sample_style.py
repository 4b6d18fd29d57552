"""The voice of an author's samples: its numbers, its typical passages, how far a book is from it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean, median
from typing import Final

from libriscribe2.checks.report.metric import Metric, note, worst
from libriscribe2.checks.text import ChapterText, sentences, words
from libriscribe2.checks.text_figures import SHORT_SENTENCE, mattr, rhythm, spoken_words
from libriscribe2.models.findings import Place
from libriscribe2.models.style import MOST_PASSAGES, PASSAGE_WORDS, StyleNumbers, StylePassage

_DIGITS = 3
"""Digits that are kept: a file must not differ where only the last bit of a sum does."""


NAME: Final = "distance to the samples"

_COMPARED: Final = {
    "sentence_words": "words per sentence",
    "short_share": "short sentences",
    "sentence_variation": "sentence variation",
    "paragraph_words": "words per paragraph",
    "paragraph_variation": "paragraph variation",
    "spoken_share": "spoken words",
    "vocabulary": "vocabulary",
}
_SMALL: Final = 0.05
"""Values below this count as this: a share of one in a hundred is like none."""


_FEWEST: Final = PASSAGE_WORDS // 3
"""Words that a passage should have to show a voice; shorter ones serve where there is no longer."""

_LEAST_SPREAD: Final = 1e-6
_FAR: Final = 9.0
"""Spreads from which on a trait is simply untypical."""


def style_numbers(samples: Sequence[ChapterText]) -> StyleNumbers:
    """How some texts move together; all zero without prose."""
    tokens = [word for sample in samples for word in sample.words]
    if not tokens:
        return StyleNumbers()
    pace = rhythm(samples)
    lengths = [len(words(one.text)) for sample in samples for one in sample.paragraphs]
    return StyleNumbers(
        words=len(tokens),
        sentence_words=round(pace.sentence_words, _DIGITS),
        short_share=round(pace.short_share, _DIGITS),
        sentence_variation=round(pace.sentence_variation, _DIGITS),
        paragraph_words=round(fmean(lengths), _DIGITS),
        paragraph_variation=round(pace.paragraph_variation, _DIGITS),
        spoken_share=round(pace.spoken_share, _DIGITS),
        vocabulary=round(mattr(tokens), _DIGITS),
    )


def distance(one: StyleNumbers, other: StyleNumbers) -> float:
    """The mean difference of two voices' numbers, each as a share of the larger: 0 to 1."""
    return fsum(_difference(one, other, name) for name in _COMPARED) / len(_COMPARED)


def distance_metric(chapters: Sequence[ChapterText], samples: StyleNumbers) -> Metric:
    """How far a book is from its author's samples, with the chapters that are farthest."""
    measured = [(one, style_numbers([one])) for one in chapters if one.words]
    ranked = sorted(measured, key=lambda pair: -distance(pair[1], samples))
    places = worst(_place(chapter, numbers, samples) for chapter, numbers in ranked)
    return Metric(NAME, "voice", distance(style_numbers(chapters), samples), "of 1", places)


def _place(chapter: ChapterText, numbers: StyleNumbers, samples: StyleNumbers) -> Place:
    """A chapter, with the number that is farthest off."""
    name = max(_COMPARED, key=lambda key: _difference(numbers, samples, key))
    here, there = getattr(numbers, name), getattr(samples, name)
    text = f"{distance(numbers, samples):.2f}; {_COMPARED[name]} {here:g}, in the samples {there:g}"
    return note(chapter, text, chapter.paragraphs[0].line)


def _difference(one: StyleNumbers, other: StyleNumbers, name: str) -> float:
    mine, theirs = (max(_SMALL, float(getattr(numbers, name))) for numbers in (one, other))
    return abs(mine - theirs) / max(mine, theirs)


@dataclass(frozen=True, slots=True)
class _Passage:
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

    def overlaps(self, other: "_Passage") -> bool:
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
    chosen: list[_Passage] = []
    for window in ranked:
        if len(chosen) < MOST_PASSAGES and not any(map(window.overlaps, chosen)):
            chosen.append(window)
    return [StylePassage(file=samples[one.sample].file, text=one.text) for one in chosen]


def _windows(index: int, sample: ChapterText) -> Iterator[_Passage]:
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
            yield _Passage(index, first, after, "\n\n".join(shown), size, _traits(shown))


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


def _by_distance(windows: Sequence[_Passage]) -> list[_Passage]:
    """The windows, the most typical first; of equals the one that stands first."""
    if not windows:
        return []
    columns = list(zip(*(one.traits for one in windows), strict=True))
    middles = [median(column) for column in columns]
    spreads = [
        max(_LEAST_SPREAD, median(abs(value - middle) for value in column))
        for column, middle in zip(columns, middles, strict=True)
    ]

    def untypical(window: _Passage) -> float:
        triples = zip(window.traits, middles, spreads, strict=True)
        return fsum(min(_FAR, abs(value - middle) / spread) for value, middle, spread in triples)

    return sorted(windows, key=lambda one: (untypical(one), one.sample, one.first))
