"""How well lengths meet what was asked, and how even chapters are."""

from collections.abc import Sequence
from statistics import median
from typing import Final

from libriscribe2.quality.rhythm import variation

FIRST_RATIO: Final = 0.9
"""What a model whose habit is not known is taken to give of what it is asked for."""

_LOW, _HIGH = 0.6, 1.6


def length_score(actual: int, wanted: int) -> float:
    """The length score S_l of LongWriter (Bai et al. 2024), 0 to 100; 100 is exact.

    Too long loses a third of the excess, too short half of the shortfall: a text of nothing and
    one of four times the length score 0.
    """
    if actual <= 0 or wanted <= 0:
        return 0.0
    over = (actual / wanted - 1) / 3 if actual > wanted else (wanted / actual - 1) / 2
    return 100 * max(0.0, 1 - over)


def habit(actual: Sequence[int], asked: Sequence[int]) -> float:
    """The median share of the asked words that a model has given, within 0.6 and 1.6."""
    ratios = [got / wish for got, wish in zip(actual, asked, strict=True) if wish > 0]
    return min(_HIGH, max(_LOW, median(ratios) if ratios else FIRST_RATIO))


def chapter_variation(lengths: Sequence[int]) -> float:
    """The coefficient of variation of chapter lengths."""
    return variation(lengths)
