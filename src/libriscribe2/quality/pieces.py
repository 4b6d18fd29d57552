"""The phrases of a text by its paragraphs, most of which are the same in the next version."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress
from typing import Final

from libriscribe2.quality.repetition import Gram, in_a_row
from libriscribe2.quality.stopwords import STOPWORDS
from libriscribe2.quality.tally import alike, alike_at_end
from libriscribe2.quality.text import PARAGRAPHS, ChapterText, paragraph_words

SHORT: Final = 4
"""Words of the phrases that a book may lean on."""

LONG: Final = 5
"""Words of the phrases that two chapters may share."""

_REACH: Final = LONG - 1
"""With so many words a phrase reaches into the paragraphs that follow."""

_MOST_STOPWORDS: Final = 2


@dataclass(frozen=True, eq=False)
class Piece:
    """The phrases that begin in a part of a text, whatever words of the next part they end with.

    Attributes:
        words: The part's own words.
        following: The words that come next, as many as a phrase may need.
        size: How many times as many words its phrases have: 2 where a word is one ideograph.
    """

    words: tuple[str, ...]
    following: tuple[str, ...] = ()
    size: int = 1

    @cached_property
    def short(self) -> tuple[Gram, ...]:
        """The phrases of four words."""
        return self._phrases(self.size * SHORT)

    @cached_property
    def long(self) -> tuple[Gram, ...]:
        """The phrases of five words."""
        return self._phrases(self.size * LONG)

    @cached_property
    def telling(self) -> tuple[str, ...]:
        """The phrases of four words of which two at most are function words, each as one text.

        Of a text Python remembers by what it finds it in a dictionary, of a tuple it does not.
        """
        is_stopword = tuple(map(STOPWORDS.__contains__, (*self.words, *self.following)))
        counts = map(sum, in_a_row(is_stopword, self.size * SHORT))
        return tuple(map(" ".join, compress(self.short, map(_MOST_STOPWORDS.__ge__, counts))))

    def _phrases(self, size: int) -> tuple[Gram, ...]:
        return tuple(in_a_row((*self.words, *self.following[: size - 1]), size))


def pieces_of(chapter: ChapterText) -> tuple[Piece, ...]:
    """A text's phrases by its paragraphs; one piece for all of an ideographic text."""
    if chapter.is_ideographic:
        return (Piece(chapter.words, size=2),)
    return _pieces(chapter.prose)


class PieceLine:
    """The pieces of versions of a text that is not ideographic; what stays keeps its piece."""

    def __init__(self) -> None:
        self._prose: tuple[str, ...] = ()
        self._pieces: tuple[Piece, ...] = ()

    def of(self, prose: tuple[str, ...]) -> tuple[Piece, ...]:
        """The pieces of a version, given its paragraphs."""
        then = self._prose
        start = alike(prose, then)
        end = alike_at_end(prose, then, min(len(prose), len(then)) - start)
        first, last = _reaching(prose, start), len(prose) - end
        came = _pieces(prose[first:last], _first_words(prose[last:]))
        self._pieces = self._pieces[:first] + came + self._pieces[len(then) - end :]
        self._prose = prose
        return self._pieces


def _pieces(prose: Sequence[str], following: tuple[str, ...] = ()) -> tuple[Piece, ...]:
    """The pieces of paragraphs, given the first words after the last one."""
    found = []
    for paragraph in reversed(prose):
        found.append(_piece(paragraph, following))
        first = paragraph_words(paragraph)[:_REACH]
        following = first + following[: _REACH - len(first)]
    return tuple(reversed(found))


@lru_cache(maxsize=PARAGRAPHS)
def _piece(paragraph: str, following: tuple[str, ...]) -> Piece:
    """The piece of a paragraph, given the first four words after it."""
    return Piece(paragraph_words(paragraph), following)


def _first_words(prose: Sequence[str]) -> tuple[str, ...]:
    """The first words of paragraphs, as many as a phrase may need."""
    found: tuple[str, ...] = ()
    for paragraph in prose:
        if len(found) >= _REACH:
            break
        found += paragraph_words(paragraph)
    return found[:_REACH]


def _reaching(prose: Sequence[str], start: int) -> int:
    """The first paragraph that has a phrase with words of the one at `start`."""
    first, between = start, 0
    while first and between < _REACH:
        first -= 1
        between += len(paragraph_words(prose[first]))
    return first
