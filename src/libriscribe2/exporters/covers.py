"""Which cover a book gets: a design that suits its genre, seeded by its title."""

import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from libriscribe2.errors import ConfigError
from libriscribe2.exporters.export_book import ExportBook

DESIGNS: Final = (
    *("tide", "rays", "ripples", "tiles", "bands", "city", "stars", "peaks"),
    *("frame", "block", "leaves", "maze", "dots", "halves", "contours", "arch"),
)
PICTURE: Final = "picture"
"""The design that sets title and author on the author's picture."""

_SHADES: Final = {"dark": 0, "light": 9}
_PALETTES_OF_A_SHADE: Final = 9
_SUITED: Final = {
    "romance": ("leaves", "arch", "frame", "tide"),
    "thriller": ("block", "city", "bands", "halves"),
    "crime": ("block", "city", "bands", "maze"),
    "mystery": ("city", "block", "maze", "frame"),
    "science fiction": ("stars", "ripples", "contours", "rays"),
    "space": ("stars", "ripples", "rays", "bands"),
    "fantasy": ("arch", "peaks", "stars", "leaves"),
    "horror": ("ripples", "arch", "block", "leaves"),
    "histor": ("frame", "leaves", "arch", "contours"),
    "literary": ("halves", "ripples", "tide", "frame"),
    "adventure": ("peaks", "tide", "contours", "rays"),
    "business": ("tiles", "dots", "bands", "block"),
    "computer": ("tiles", "maze", "dots", "bands"),
    "technology": ("tiles", "maze", "dots", "bands"),
    "science": ("dots", "contours", "ripples", "tiles"),
    "cook": ("leaves", "tiles", "dots", "halves"),
    "garden": ("leaves", "tiles", "rays", "frame"),
    "travel": ("contours", "peaks", "tide", "rays"),
    "child": ("dots", "rays", "tiles", "halves"),
}
"""Designs by what the author calls the genre; any other genre has all of its kind."""

_OF_FACTS: Final = ("tiles", "bands", "dots", "contours", "halves", "rays", "block", "maze")
_DICE: Final = 160


def cover_name(book: ExportBook) -> str:
    """The design of a book's cover, with its shade.

    Raises:
        ConfigError: The setting names no design, or a picture where there is none.
    """
    wanted, _, shade = book.edition.cover.partition("-")
    shades = [shade] if shade in _SHADES else [*_SHADES]
    if wanted == PICTURE and book.cover is not None:
        return f"{PICTURE}-dark"
    if wanted and (wanted not in DESIGNS or (shade and shade not in _SHADES)):
        listed = ", ".join((*DESIGNS, PICTURE))
        raise ConfigError(
            f"There is no cover {book.edition.cover!r}.",
            why="the book has no picture" if wanted == PICTURE else "",
            fix=f"Choose from {listed}; -dark or -light may follow.",
        )
    names = [wanted] if wanted else _suited(book)
    seed = _seed(book, "design")
    return f"{names[seed % len(names)]}-{shades[seed // 64 % len(shades)]}"


def _suited(book: ExportBook) -> tuple[str, ...]:
    genre = book.genre.casefold()
    named = next((designs for word, designs in _SUITED.items() if word in genre), ())
    return named or (_OF_FACTS if book.is_of_facts else DESIGNS)


def all_covers() -> Iterator[str]:
    """Every design in both shades."""
    return (f"{design}-{shade}" for design in DESIGNS for shade in _SHADES)


def cover_record(book: ExportBook) -> dict[str, Any]:
    """What the Typst files of covers know of a book."""
    palettes = {
        name: _SHADES[name.partition("-")[2]] + _seed(book, name) % _PALETTES_OF_A_SHADE
        for name in (*all_covers(), f"{PICTURE}-dark")
    }
    return {
        "cover": cover_name(book),
        "palettes": palettes,
        "dice": [_seed(book, str(number)) % 1000 / 1000 for number in range(_DICE)],
        "picture": _staged(book) if book.cover is not None else "",
        "whole": book.cover is not None and book.edition.cover != PICTURE,
        "sheet": [*all_covers()],
    }


def put_picture(book: ExportBook, folder: Path) -> None:
    """Put the author's picture where the Typst files find it."""
    if book.cover is not None:
        shutil.copyfile(book.cover, folder / _staged(book))


def _staged(book: ExportBook) -> str:
    return f"own-cover{book.cover.suffix.lower()}" if book.cover is not None else ""


def _seed(book: ExportBook, purpose: str) -> int:
    digest = sha256(f"{book.title}|{book.identifier}|{purpose}".encode()).digest()
    return int.from_bytes(digest[:6], "big")
