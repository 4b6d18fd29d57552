"""Counting what a chapter repeats, from one version to the next by what differs."""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import attrgetter

from libriscribe2.quality.pieces import LONG, SHORT, Piece, PieceLine, pieces_of
from libriscribe2.quality.repetition import Gram
from libriscribe2.quality.tally import Tally
from libriscribe2.quality.text import PARAGRAPHS, ChapterText


@dataclass(frozen=True, slots=True)
class Repeated:
    """What a chapter says again.

    Attributes:
        short: How many phrases of four words it has.
        again: How many of them have stood before in it.
        long: How many phrases of five words it has.
        seen: How many of them another text has.
        pieces: The phrases themselves.
    """

    short: int
    again: int
    long: int
    seen: int
    pieces: tuple[Piece, ...]

    @property
    def shorts(self) -> tuple[Gram, ...]:
        """The phrases of four words, in order."""
        return tuple(chain.from_iterable(piece.short for piece in self.pieces))

    @property
    def longs(self) -> Iterator[Gram]:
        """The phrases of five words, in order."""
        return chain.from_iterable(piece.long for piece in self.pieces)


class PhraseTally:
    """Counts the phrases of versions of a chapter, of which the next is mostly like the last.

    Args:
        known: Phrases of five words that other texts have.

    Attributes:
        seen_of: The phrases of a piece that other texts have.
    """

    def __init__(self, known: Set[Gram]) -> None:
        self._known = known
        self.seen_of = lru_cache(maxsize=PARAGRAPHS)(self._seen)
        self._tally = Tally[Piece, Gram](attrgetter("short"), self.seen_of)
        self._line = PieceLine()

    def of(self, chapter: ChapterText) -> Repeated:
        """What a version repeats."""
        count = chapter.word_count
        if chapter.is_ideographic:
            return self._of_ideographs(chapter)
        pieces = self._line.of(chapter.prose)
        self._tally.move_to(pieces)
        uses, seen = self._tally.counts
        short, long = max(0, count - SHORT + 1), max(0, count - LONG + 1)
        return Repeated(short, short - len(uses), long, seen.total(), pieces)

    def _of_ideographs(self, chapter: ChapterText) -> Repeated:
        """The same where phrases have twice as many words."""
        pieces = pieces_of(chapter)
        (piece,) = pieces
        short, long = piece.short, piece.long
        seen = len(self._seen(piece))
        return Repeated(len(short), len(short) - len(set(short)), len(long), seen, pieces)

    def _seen(self, piece: Piece) -> tuple[Gram, ...]:
        return tuple(filter(self._known.__contains__, piece.long))


def phrases_in(chapter: ChapterText) -> frozenset[Gram]:
    """The phrases of five words of a text."""
    return frozenset(chain.from_iterable(piece.long for piece in pieces_of(chapter)))
