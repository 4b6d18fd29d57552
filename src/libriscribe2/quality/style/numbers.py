"""What is counted in the samples of an author."""

from collections.abc import Sequence
from statistics import fmean

from libriscribe2.models.style import StyleNumbers
from libriscribe2.quality.text import ChapterText, words
from libriscribe2.quality.text_figures import mattr, rhythm

_DIGITS = 3
"""Digits that are kept: a file must not differ where only the last bit of a sum does."""


def style_numbers(samples: Sequence[ChapterText]) -> StyleNumbers:
    """How some texts move together; all zero without prose."""
    tokens = [word for sample in samples for word in sample.words]
    if not tokens:
        return StyleNumbers()
    told = rhythm(samples)
    lengths = [len(words(one.text)) for sample in samples for one in sample.paragraphs]
    return StyleNumbers(
        words=len(tokens),
        sentence_words=round(told.sentence_words, _DIGITS),
        short_share=round(told.short_share, _DIGITS),
        sentence_variation=round(told.sentence_variation, _DIGITS),
        paragraph_words=round(fmean(lengths), _DIGITS),
        paragraph_variation=round(told.paragraph_variation, _DIGITS),
        spoken_share=round(told.spoken_share, _DIGITS),
        vocabulary=round(mattr(tokens), _DIGITS),
    )
