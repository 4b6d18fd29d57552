"""Sentences and paragraphs: how long, how even, how much is spoken."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Final

from libriscribe2.quality.text import ChapterText, plain, words

SHORT_SENTENCE: Final = 5
_SPOKEN: Final = re.compile('"[^"]*"|\u00ab[^\u00bb]*\u00bb|\u300c[^\u300d]*\u300d|\u201e[^"]*"')


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How a text moves.

    Attributes:
        sentence_words: Mean words of a sentence.
        short_share: Share of sentences of at most five words.
        sentence_variation: Standard deviation of sentence lengths over their mean.
        paragraph_variation: The same of paragraphs.
        spoken_share: Share of the words that stand in quotation marks.
    """

    sentence_words: float
    short_share: float
    sentence_variation: float
    paragraph_variation: float
    spoken_share: float


def rhythm(chapters: Sequence[ChapterText]) -> Rhythm:
    """The rhythm of some chapters together; all zero without text."""
    sentences = [len(words(one)) for chapter in chapters for one in chapter.sentences]
    paragraphs = [len(words(one.text)) for chapter in chapters for one in chapter.paragraphs]
    total = sum(paragraphs)
    if not total:
        return Rhythm(0.0, 0.0, 0.0, 0.0, 0.0)
    spoken = sum(spoken_words(one.text) for chapter in chapters for one in chapter.paragraphs)
    return Rhythm(
        sentence_words=fmean(sentences),
        short_share=sum(length <= SHORT_SENTENCE for length in sentences) / len(sentences),
        sentence_variation=variation(sentences),
        paragraph_variation=variation(paragraphs),
        spoken_share=spoken / total,
    )


def variation(values: Sequence[float]) -> float:
    """The coefficient of variation; 0 for fewer than two values."""
    mean = fmean(values) if values else 0.0
    return pstdev(values) / mean if len(values) > 1 and mean else 0.0


def spoken_words(paragraph: str) -> int:
    """How many words of a paragraph stand in quotation marks."""
    return sum(len(words(found)) for found in _SPOKEN.findall(plain(paragraph)))
