"""What the book has already leaned on: its own phrases, and how its chapters begin and end."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import regex

from libriscribe2.prose import shorten, weigh
from libriscribe2.quality.text import STOPWORDS, ChapterText, Gram, grams, in_a_row, plain

MOST_PHRASES: Final = 25
LAST_EDGES: Final = 6
EDGE_BUDGET: Final = 160

_PHRASE_WORDS: Final = 4
_MOST_STOPWORDS: Final = 2
_FEWEST_USES: Final = 3
_SHARED: Final = 3
"""Of two phrases that share so many words in a row, only the first is told."""

_INSIDE: Final = regex.compile(r"(?<=[\p{Ll},;] )\p{Lu}[\p{L}'\u2019]+")

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
    chapters = [one for text in texts if (one := ChapterText(0, "", text)).words]
    last = chapters[-LAST_EDGES:]
    edges = _within(
        [_edge(one, 0) for one in last], [_edge(one, -1) for one in last], budget * 3 // 5
    )
    left = budget - weigh(edges) - bool(edges)
    phrases = _listed(_PHRASES, crutch_phrases(chapters), left)
    return "\n".join(line for line in (phrases, edges) if line)


def crutch_phrases(chapters: Sequence[ChapterText]) -> list[str]:
    """Up to 25 phrases of four words, those first that stand most often in most chapters.

    A phrase counts from three uses on. Left out is what is mostly function words, or nothing
    but names besides them.
    """
    uses, spread = Counter[Gram](), Counter[Gram]()
    for chapter in chapters:
        phrases = grams(chapter.words, _PHRASE_WORDS)
        uses.update(phrases)
        spread.update(set(phrases))
    # Looked at one by one are the few that stand often; most phrases stand once.
    ranked = sorted(
        (-count * spread[gram], " ".join(gram))
        for gram, count in uses.items()
        if count >= _FEWEST_USES and sum(word in STOPWORDS for word in gram) <= _MOST_STOPWORDS
    )
    names = frozenset[str]().union(*map(_names, chapters))
    return _apart(one for _, one in ranked if not names.issuperset(_content(one)))


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


def _names(chapter: ChapterText) -> set[str]:
    """Words of a chapter that have a capital in the middle of a sentence."""
    prose = map(plain, chapter.prose)
    return {found.casefold() for text in prose for found in _INSIDE.findall(text)}


def _edge(chapter: ChapterText, index: int) -> str:
    """The first or the last sentence of a chapter, in short."""
    told = chapter.sentences_of[index] or chapter.prose
    return shorten(told[index], EDGE_BUDGET)


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
