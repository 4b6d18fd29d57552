"""Counting what a chapter repeats, from one version to the next by what differs."""

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from libriscribe2.quality.repetition import Gram, grams
from libriscribe2.quality.tally import Tally
from libriscribe2.quality.text import PARAGRAPHS, ChapterText, ideographs_in, paragraph_words

WITHIN_WORDS: Final = 4
"""Words of the phrases that a chapter may say too often."""

PHRASE_WORDS: Final = 5
"""Words of the phrases that two chapters may share."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """What a chapter says again.

    Attributes:
        short: How many phrases of four words it has.
        again: How many of them have stood before in it.
        long: How many phrases of five words it has.
        seen: How many of them another text has.
    """

    short: int
    again: int
    long: int
    seen: int


@dataclass(frozen=True, eq=False, slots=True)
class _Piece:
    """The phrases that begin in a paragraph, whatever words of the next they end with."""

    short: tuple[Gram, ...]
    long: tuple[Gram, ...]


class PhraseTally:
    """Counts the phrases of versions of a chapter, of which the next is mostly like the last.

    Args:
        known: Phrases of five words that other texts have.
    """

    def __init__(self, known: Set[Gram]) -> None:
        self._known = known
        self._tally = Tally[_Piece, Gram](lambda one: one.short, self._seen)

    def of(self, chapter: ChapterText) -> Repeated:
        """What a version repeats."""
        count = chapter.word_count
        if _is_ideographic(chapter):
            return self._of_ideographs(chapter)
        self._tally.move_to(_pieces(chapter))
        uses, seen = self._tally.counts
        short, long = max(0, count - WITHIN_WORDS + 1), max(0, count - PHRASE_WORDS + 1)
        return Repeated(short, short - len(uses), long, seen.total())

    def _of_ideographs(self, chapter: ChapterText) -> Repeated:
        """The same where phrases have twice as many words."""
        short, long = grams(chapter.words, WITHIN_WORDS), grams(chapter.words, PHRASE_WORDS)
        seen = sum(gram in self._known for gram in long)
        return Repeated(len(short), len(short) - len(set(short)), len(long), seen)

    def _seen(self, piece: _Piece) -> Iterable[Gram]:
        return filter(self._known.__contains__, piece.long)


def phrases_in(chapter: ChapterText) -> frozenset[Gram]:
    """The phrases of five words of a text."""
    if _is_ideographic(chapter):
        return frozenset(grams(chapter.words, PHRASE_WORDS))
    return frozenset(chain.from_iterable(piece.long for piece in _pieces(chapter)))


def _is_ideographic(chapter: ChapterText) -> bool:
    """As `is_ideographic` of its words."""
    return 2 * sum(map(ideographs_in, chapter.prose)) > chapter.word_count


def _pieces(chapter: ChapterText) -> Iterator[_Piece]:
    """The phrases of a chapter by its paragraphs, the last ones first."""
    following: tuple[str, ...] = ()
    for paragraph in reversed(chapter.prose):
        yield _piece(paragraph, following)
        first = paragraph_words(paragraph)[: PHRASE_WORDS - 1]
        following = first + following[: PHRASE_WORDS - 1 - len(first)]


@lru_cache(maxsize=PARAGRAPHS)
def _piece(paragraph: str, following: tuple[str, ...]) -> _Piece:
    """The phrases of a paragraph, given the first four words after it."""
    own = paragraph_words(paragraph)
    return _Piece(
        tuple(_phrases((*own, *following[: WITHIN_WORDS - 1]), WITHIN_WORDS)),
        tuple(_phrases((*own, *following), PHRASE_WORDS)),
    )


def _phrases(tokens: tuple[str, ...], size: int) -> Iterator[Gram]:
    """The phrases of so many words."""
    return zip(*(tokens[start:] for start in range(size)), strict=False)
