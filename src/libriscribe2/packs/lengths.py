"""How long chapters and scenes are to be."""

from collections.abc import Sequence
from statistics import median
from typing import Final

from libriscribe2.models.brief import Brief
from libriscribe2.models.story import OutlineChapter, ScenePlan

WILD: Final = 3
"""A target of more than so many times the usual one, or of less than its part, is a slip."""


def chapter_words(brief: Brief, chapters: Sequence[OutlineChapter]) -> list[float]:
    """Words of each chapter.

    The plan's targets say how the book's words are shared out, not how many there are: all
    chapters together have the length that the author asked for.
    """
    even = brief.words_per_chapter(len(chapters))
    shares = _shares([chapter.target_words for chapter in chapters], even)
    whole = sum(shares)
    return [even * len(chapters) * share / whole for share in shares]


def scene_words(words: float, scenes: Sequence[ScenePlan]) -> list[int]:
    """Words of each scene of a chapter of so many words, shared out as the plan has it."""
    shares = _shares([scene.target_words for scene in scenes], words / len(scenes))
    return [max(1, round(words * share / sum(shares))) for share in shares]


def _shares(targets: Sequence[int], even: float) -> list[float]:
    """The targets, with an even share where there is none; a wild one counts as less wild."""
    shares = [float(target or even) for target in targets]
    usual = median(shares)
    return [min(max(share, usual / WILD), usual * WILD) for share in shares]
