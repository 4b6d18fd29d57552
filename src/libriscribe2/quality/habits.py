"""What the book has already leaned on: its own phrases, and how its chapters begin and end."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final

import regex

from libriscribe2.quality.repetition import Gram, grams
from libriscribe2.quality.stopwords import STOPWORDS
from libriscribe2.quality.tally import Tally
from libriscribe2.quality.text import ChapterText, plain, sentences
from libriscribe2.utils.text_budget import shorten, weigh

MOST_PHRASES: Final = 25
LAST_EDGES: Final = 6
EDGE_BUDGET: Final = 160
REMEMBERED: Final = 64
"""So many chapters are remembered: more than are looked through at once."""

_SIZE: Final = 4
_MOST_STOPWORDS: Final = 2
_FEWEST_USES: Final = 3
_SHARED: Final = 3
"""Of two phrases that share so many words in a row, only the first is told."""

_INSIDE: Final = regex.compile(r"(?<=[\p{Ll},;] )\p{Lu}[\p{L}'\u2019]+")
_COUNTED: Final = deque[Tally[str, Gram]](maxlen=4)
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
    tally = _tally_of(texts)
    tally.move_to(texts)
    names = frozenset().union(*map(_names, texts))
    uses, spread = tally.counts
    found = [" ".join(gram) for gram in _apart(_ranked(uses, spread, names))]
    _COUNTED.append(tally)
    return found


def _tally_of(texts: Sequence[str]) -> Tally[str, Gram]:
    """What has counted some of these chapters before; nobody else has it until it is put back."""
    for tally in tuple(_COUNTED):
        if tally.has_any(texts):
            _COUNTED.remove(tally)
            return tally
    return Tally(_telling, lambda text: frozenset(_telling(text)))


def _ranked(
    uses: Mapping[Gram, int], spread: Mapping[Gram, int], names: frozenset[str]
) -> Iterator[Gram]:
    """The phrases that stand often, by how often and in how many chapters."""
    ranks: defaultdict[int, list[Gram]] = defaultdict(list)
    for gram, count in uses.items():
        if count >= _FEWEST_USES:
            ranks[count * spread[gram]].append(gram)
    for rank in sorted(ranks, reverse=True):
        yield from (gram for gram in sorted(ranks[rank]) if not names.issuperset(_content(gram)))


def _content(gram: Gram) -> Iterator[str]:
    """The words of a phrase that are no function words."""
    return (word for word in gram if word not in STOPWORDS)


def _apart(ranked: Iterable[Gram]) -> list[Gram]:
    """The first phrases of many, of which none runs into another one."""
    kept: list[Gram] = []
    told: set[Gram] = set()
    for gram in ranked:
        own = {gram[start : start + _SHARED] for start in range(len(gram) - _SHARED + 1)}
        if told.isdisjoint(own):
            kept.append(gram)
            told |= own
        if len(kept) == MOST_PHRASES:
            break
    return kept


@lru_cache(maxsize=REMEMBERED)
def _chapter(text: str) -> ChapterText:
    """A chapter whose words are counted once, however many scenes come after it."""
    return ChapterText(0, "", text)


@lru_cache(maxsize=REMEMBERED)
def _telling(text: str) -> tuple[Gram, ...]:
    """The phrases of a chapter that are not mostly function words."""
    tokens = _chapter(text).words
    found = grams(tokens, _SIZE)
    size = len(found[0]) if found else 0
    before = list(accumulate((word in STOPWORDS for word in tokens), initial=0))
    ends = zip(found, before, before[size:], strict=False)
    return tuple(gram for gram, start, end in ends if end - start <= _MOST_STOPWORDS)


@lru_cache(maxsize=REMEMBERED)
def _names(text: str) -> frozenset[str]:
    """Words of a chapter that have a capital in the middle of a sentence."""
    return frozenset(
        found.casefold()
        for paragraph in _chapter(text).prose
        for found in _INSIDE.findall(plain(paragraph))
    )


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
