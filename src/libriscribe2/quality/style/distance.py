"""How far a text is from the numbers of a voice."""

from collections.abc import Sequence
from math import fsum
from typing import Final

from libriscribe2.models.style import StyleNumbers
from libriscribe2.quality.card.figure import Figure, Place, worst
from libriscribe2.quality.style.numbers import style_numbers
from libriscribe2.quality.text import ChapterText

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


def distance(one: StyleNumbers, other: StyleNumbers) -> float:
    """The mean difference of two voices' numbers, each as a share of the larger: 0 to 1."""
    return fsum(_difference(one, other, name) for name in _COMPARED) / len(_COMPARED)


def distance_figure(chapters: Sequence[ChapterText], samples: StyleNumbers) -> Figure:
    """How far a book is from its author's samples, with the chapters that are farthest."""
    told = [(one, style_numbers([one])) for one in chapters if one.words]
    ranked = sorted(told, key=lambda pair: -distance(pair[1], samples))
    places = worst(_place(chapter, numbers, samples) for chapter, numbers in ranked)
    return Figure(NAME, "voice", distance(style_numbers(chapters), samples), "of 1", places)


def _place(chapter: ChapterText, numbers: StyleNumbers, samples: StyleNumbers) -> Place:
    """A chapter, with the number that is farthest off."""
    name = max(_COMPARED, key=lambda key: _difference(numbers, samples, key))
    here, there = getattr(numbers, name), getattr(samples, name)
    said = f"{distance(numbers, samples):.2f}; {_COMPARED[name]} {here:g}, in the samples {there:g}"
    return Place(chapter.file, chapter.paragraphs[0].line, said)


def _difference(one: StyleNumbers, other: StyleNumbers, name: str) -> float:
    mine, theirs = (max(_SMALL, float(getattr(numbers, name))) for numbers in (one, other))
    return abs(mine - theirs) / max(mine, theirs)
