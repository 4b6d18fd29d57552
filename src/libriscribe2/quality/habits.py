"""What the book has already leaned on: its own phrases, and how its chapters begin and end."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, compress
from typing import Final

import regex

from libriscribe2.quality.pieces import pieces_of
from libriscribe2.quality.repetition import Gram, in_a_row
from libriscribe2.quality.stopwords import STOPWORDS
from libriscribe2.quality.tally import Tally
from libriscribe2.quality.text import PARAGRAPHS, ChapterText, plain, sentences
from libriscribe2.utils.text_budget import shorten, weigh

MOST_PHRASES: Final = 25
LAST_EDGES: Final = 6
EDGE_BUDGET: Final = 160
REMEMBERED: Final = 64
"""So many chapters are remembered: more than are looked through at once."""

_FEWEST_USES: Final = 3
_AT_ONCE: Final = 100
_SHARED: Final = 3
"""Of two phrases that share so many words in a row, only the first is told."""

_INSIDE: Final = regex.compile(r"(?<=[\p{Ll},;] )\p{Lu}[\p{L}'\u2019]+")
_COUNTED: Final = deque["_Count"](maxlen=4)
"""Phrases of chapters that were counted for the books that are written in this process."""

_PHRASES: Final = "Phrases that this book has used often enough: "
_OPENINGS: Final = "How its last chapters began: "
_ENDINGS: Final = "How they ended: "


def habits_block(texts: Iterable[str], budget: int) -> str:
    """The book's own crutch phrases and the edges of its last chapters, for later scenes to avoid.

    Args:
        texts: Chapters that are written, in order.
        budget: Most that the block takes (`utils.text_budget`), of which the edges get three
            fifths: the oldest of them go first, and the least used phrases.

    Returns:
        Up to three lines; "" where there is nothing to tell.
    """
    return _block(tuple(texts), budget)


@lru_cache(maxsize=4)
def _block(texts: tuple[str, ...], budget: int) -> str:
    """The same; one book is asked about at a time."""
    chapters = [one for text in texts if (one := _chapter(text)).words]
    openings = [_edge(one.text, 0) for one in chapters[-LAST_EDGES:]]
    endings = [_edge(one.text, -1) for one in chapters[-LAST_EDGES:]]
    edges = _within(openings, endings, budget * 3 // 5)
    left = budget - weigh(edges) - bool(edges)
    phrases = _listed(_PHRASES, crutch_phrases(chapters), left)
    return "\n".join(line for line in (phrases, edges) if line)


def crutch_phrases(chapters: Sequence[ChapterText]) -> list[str]:
    """Up to 25 phrases of four words, those first that stand most often in most chapters.

    A phrase counts from three uses on. Left out is what is mostly function words, or nothing
    but names besides them.
    """
    texts = [chapter.text for chapter in chapters]
    count = _count_of(texts)
    ranks = count.ranks_in(texts)
    names = frozenset().union(*map(_names, texts))
    found = _apart(one for one in _ranked(ranks) if not names.issuperset(_content(one)))
    _COUNTED.append(count)
    return found


def look_ahead(text: str) -> None:
    """Take apart what is written of a chapter, which will be counted when all of it is there."""
    chapter = ChapterText(0, "", text)
    for piece in pieces_of(chapter):
        _ = piece.telling
    for paragraph in chapter.prose:
        _names_in(paragraph)


class _Count:
    """Counts the phrases of some chapters, and then of others by what differs."""

    def __init__(self) -> None:
        self._tally = Tally[str, str](_telling, _holding)
        self._ranks = dict[str, int]()

    def has_any(self, texts: Iterable[str]) -> bool:
        """Whether some of these chapters were counted last."""
        return self._tally.has_any(texts)

    def ranks_in(self, texts: Sequence[str]) -> Mapping[str, int]:
        """The phrases that stand three times in the chapters together: uses times chapters."""
        came, went = self._tally.move_to(texts)
        uses, spread = self._tally.counts
        for text in went:
            for phrase in self._ranks.keys() & _holding(text):
                del self._ranks[phrase]
        for text in (*came, *went):
            held = tuple(_holding(text))
            is_often = map(_FEWEST_USES.__le__, map(uses.__getitem__, held))
            for phrase in compress(held, is_often):
                self._ranks[phrase] = uses[phrase] * spread[phrase]
        return self._ranks


def _count_of(texts: Sequence[str]) -> _Count:
    """What has counted some of these chapters before; nobody else has it until it is put back."""
    for count in tuple(_COUNTED):
        if count.has_any(texts):
            _COUNTED.remove(count)
            return count
    return _Count()


def _ranked(ranks: Mapping[str, int]) -> Iterator[str]:
    """The phrases by their ranks, highest first, and by the alphabet; some hundred at a time."""
    every = sorted(ranks.values(), reverse=True)
    above, told = float("inf"), 0
    while told < len(every):
        least = every[min(told + _AT_ONCE, len(every)) - 1]
        some = sorted((-rank, one) for one, rank in ranks.items() if least <= rank < above)
        yield from (one for _, one in some)
        above, told = least, told + len(some)


def _content(phrase: str) -> Iterator[str]:
    """The words of a phrase that are no function words."""
    return (word for word in phrase.split() if word not in STOPWORDS)


def _apart(ranked: Iterable[str]) -> list[str]:
    """The first phrases of many, of which none runs into another one."""
    kept: list[str] = []
    told: set[Gram] = set()
    for phrase in ranked:
        own = set(in_a_row(phrase.split(), _SHARED))
        if told.isdisjoint(own):
            kept.append(phrase)
            told |= own
        if len(kept) == MOST_PHRASES:
            break
    return kept


@lru_cache(maxsize=REMEMBERED)
def _chapter(text: str) -> ChapterText:
    """A chapter whose words are counted once, however many scenes come after it."""
    return ChapterText(0, "", text)


@lru_cache(maxsize=REMEMBERED)
def _telling(text: str) -> tuple[str, ...]:
    """The phrases of a chapter that are not mostly function words."""
    return tuple(chain.from_iterable(piece.telling for piece in pieces_of(_chapter(text))))


@lru_cache(maxsize=REMEMBERED)
def _holding(text: str) -> frozenset[str]:
    """The same phrases, each once."""
    return frozenset(_telling(text))


@lru_cache(maxsize=REMEMBERED)
def _names(text: str) -> frozenset[str]:
    """Words of a chapter that have a capital in the middle of a sentence."""
    return frozenset().union(*map(_names_in, _chapter(text).prose))


@lru_cache(maxsize=PARAGRAPHS)
def _names_in(paragraph: str) -> frozenset[str]:
    """The same words of a paragraph."""
    return frozenset(found.casefold() for found in _INSIDE.findall(plain(paragraph)))


@lru_cache(maxsize=2 * REMEMBERED)
def _edge(text: str, index: int) -> str:
    """The first or the last sentence of a chapter, in short."""
    paragraph = _chapter(text).prose[index]
    return shorten((sentences(paragraph) or [paragraph])[index], EDGE_BUDGET)


def _within(openings: Sequence[str], endings: Sequence[str], budget: int) -> str:
    """Both lists of edges in two lines, those of the oldest chapters left out where need be."""
    for start in range(len(openings)):
        lines = (
            _OPENINGS + " / ".join(openings[start:]),
            _ENDINGS + " / ".join(endings[start:]),
        )
        if weigh(text := "\n".join(lines)) <= budget:
            return text
    return ""


def _listed(head: str, phrases: Sequence[str], budget: int) -> str:
    """A line of phrases, as many as fit."""
    for count in range(len(phrases), 0, -1):
        line = head + "; ".join(phrases[:count])
        if weigh(line) <= budget:
            return line
    return ""
