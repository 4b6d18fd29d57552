"""Names misspelt once, as hands and models misspell them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from libriscribe2.quality.canon.gold import GoldBook
from libriscribe2.quality.text import ChapterText

SHORTEST: Final = 5
"""Shorter names have too many neighbours to be told from them."""

_VOWELS: Final = "aeiou"


@dataclass(frozen=True, slots=True)
class Slip:
    """A text with one misspelt name.

    Attributes:
        name: The name as it should be.
        spelling: The name as it stands once.
        chapters: The text with it.
    """

    name: str
    spelling: str
    chapters: Sequence[ChapterText]


def _swap(name: str, at: int) -> str:
    return f"{name[:at]}{name[at + 1]}{name[at]}{name[at + 2 :]}"


def _drop(name: str, at: int) -> str:
    return name[:at] + name[at + 1 :]


def _double(name: str, at: int) -> str:
    return name[: at + 1] + name[at:]


def _vowel(name: str, at: int) -> str:
    spots = [n for n in range(1, len(name)) if name[n] in _VOWELS] or [at]
    spot = spots[at % len(spots)]
    other = _VOWELS[(_VOWELS.find(name[spot]) + 1) % len(_VOWELS)]
    return name[:spot] + other + name[spot + 1 :]


_WAYS: Final[tuple[Callable[[str, int], str], ...]] = (_swap, _drop, _double, _vowel)


def plant_slip(book: GoldBook, dice: Random) -> Slip | None:
    """Misspell one later mention of a name; None where no name of the book is long enough."""
    names = [
        word
        for full in book.names
        for word in re.findall(r"[A-Z][a-z]+", full)
        if len(word) >= SHORTEST and _mentions(book, word)
    ]
    if not names:
        return None
    name = dice.choice(names)
    spelling = name
    while spelling == name or spelling in names:
        spelling = dice.choice(_WAYS)(name, dice.randint(1, len(name) - 2))
    index, at = dice.choice(_mentions(book, name))
    chapter = book.chapters[index]
    text = chapter.text[:at] + spelling + chapter.text[at + len(name) :]
    chapters = [*book.chapters]
    chapters[index] = replace(chapter, text=text)
    return Slip(name, spelling, chapters)


def _mentions(book: GoldBook, name: str) -> list[tuple[int, int]]:
    """Where a name stands in the prose: index of the chapter, and place in its text."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return [
        (index, found.start())
        for index, chapter in enumerate(book.chapters)
        for found in word.finditer(chapter.text)
        if not chapter.text[: found.start()].rsplit("\n", 1)[-1].startswith("#")
    ]
