"""Paper: trims, margins, gutters and spines, as shops that print on demand publish them.

The figures are those of guides to Amazon KDP's rules for paperbacks, read in November 2026.
"""

from dataclasses import dataclass
from typing import Final

TRIMS: Final = {
    "5x8": (5.0, 8.0),
    "5.25x8": (5.25, 8.0),
    "5.5x8.5": (5.5, 8.5),
    "6x9": (6.0, 9.0),
    "a5": (5.827, 8.268),
}
"""Width and height in inches."""

PAPERS: Final = {"cream": 0.0025, "white": 0.002252, "color": 0.002347}
"""Inches that a page adds to the spine."""

BLEED: Final = 0.125
"""Inches by which what is cut off goes over the trim."""

FEWEST_PAGES: Final = 24
MOST_PAGES: Final = 828
LEAST_OUTSIDE: Final = 0.25
"""Inches between text and the outer edges; with bleed 0.375, from the trim 0.25 just the same."""

FEWEST_FOR_SPINE: Final = 79
"""Pages from which a spine has room for words."""

LEAST_RESOLUTION: Final = 300
"""Pixels of a picture in an inch of the page."""

_GUTTERS: Final = ((150, 0.375), (300, 0.5), (500, 0.625), (700, 0.75), (MOST_PAGES, 0.875))
_AIR: Final = 0.25
"""Inches between the least gutter and the text, so that a page opens well."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a book, in inches.

    Attributes:
        width: Of the trimmed page.
        height: Of the trimmed page.
        inside: Margin at the spine.
        outside: Margin at the outer edge.
        top: Margin above the text.
        bottom: Margin below it.
        bleed: By how much a sheet is larger at the outer edges.
    """

    width: float
    height: float
    inside: float
    outside: float
    top: float
    bottom: float
    bleed: float


def least_gutter(pages: int) -> float:
    """The least margin at the spine of a book of so many pages, in inches."""
    return next((gutter for most, gutter in _GUTTERS if pages <= most), _GUTTERS[-1][1])


def page_for(trim: str, pages: int, *, bleed: bool, printed: bool) -> Page:
    """The page of a book.

    Args:
        trim: A key of `TRIMS`.
        pages: How many pages it will have.
        bleed: Whether sheets are larger than the trim.
        printed: Whether it is bound; on a screen there is no gutter.
    """
    width, height = TRIMS[trim]
    outside = width * 0.105
    inside = max(outside, least_gutter(pages) + _AIR) if printed else width * 0.13
    return Page(
        width, height, inside, outside, height * 0.095, height * 0.09, BLEED if bleed else 0.0
    )


def spine(pages: int, paper: str) -> float:
    """The width of the spine in inches."""
    return pages * PAPERS[paper]
