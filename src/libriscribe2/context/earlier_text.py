"""Of earlier chapters: passages about a scene's subject, and phrases used up."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from math import log
from typing import Final

import regex

from libriscribe2.checks.function_words import STOPWORDS, function_words
from libriscribe2.checks.text import ChapterText, Gram, grams, in_a_row, plain, words
from libriscribe2.prose import parts, shorten, weigh

SATURATION: Final = 1.2
LENGTH: Final = 0.75
FEWEST_SHARED: Final = 2
"""Fewer words than these in common are chance."""


class PassageIndex:
    """Passages by the words that say what they are about.

    Args:
        passages: The passages.
    """

    def __init__(self, passages: Iterable[str]) -> None:
        counts = [Counter(terms(text)) for text in passages]
        lengths = [count.total() for count in counts]
        mean = max(1.0, sum(lengths) / max(1, len(lengths)))
        self._longer = [1 - LENGTH + LENGTH * length / mean for length in lengths]
        self._holders = defaultdict[str, list[tuple[int, int]]](list)
        for place, count in enumerate(counts):
            for term, often in count.items():
                self._holders[term].append((place, often))

    def best(self, query: str, most: int) -> list[int]:
        """The places of the passages that fit best, best first; the earlier of two that are alike.

        Args:
            query: What they should be about.
            most: How many are wanted at most; a passage has to share some words with the query.
        """
        hits: defaultdict[int, list[float]] = defaultdict(list)
        # Floats are added in the order of the words: another order has another sum.
        for term in sorted(frozenset(terms(query))):
            held = self._holders.get(term, ())
            rarity = _rarity(len(held), len(self._longer))
            for place, often in held:
                hits[place].append(rarity * _hits(often, self._longer[place]))
        scores = [(-sum(own), place) for place, own in hits.items() if len(own) >= FEWEST_SHARED]
        return [place for _, place in sorted(scores)[:most]]


def terms(text: str) -> list[str]:
    """The words of a text that say what it is about."""
    plain = (word.removesuffix("'s") for word in words(text))
    return [word for word in plain if word not in STOPWORDS]


def _rarity(holding: int, passages: int) -> float:
    """What a word counts that so many passages hold."""
    return log(1 + (passages - holding + 0.5) / (holding + 0.5))


def _hits(often: int, longer: float) -> float:
    """What a passage gets for holding a word so often, less the longer it is."""
    return often * (SATURATION + 1) / (often + SATURATION * longer)


DISTANCE: Final = 3
"""How many chapters back a passage is at least where there is a record of what the nearer ones state."""

PASSAGE_BUDGET: Final = 1_000
"""About 200 words."""

_HEADING: Final = re.compile(r"(?m)^(?:#.*|[*\s]+)$")


class EarlierPassages:
    """Passages of the chapters that a chapter may look back to, to be asked by each of its scenes.

    Args:
        texts: The chapters by number.
        number: The chapter that is written.
        distance: How many chapters back a passage is at least.
    """

    def __init__(self, texts: Mapping[int, str], number: int, distance: int = DISTANCE) -> None:
        self.passages = [
            (one, passage)
            for one in sorted(n for n in texts if n <= number - distance)
            for passage in _passages(texts[one])
        ]
        self.index = PassageIndex(passage for _, passage in self.passages)


def _passages(text: str) -> list[str]:
    """A chapter in passages of whole paragraphs, without headings and scene breaks."""
    cut = (passage.strip() for passage in parts(_HEADING.sub("", text), PASSAGE_BUDGET))
    return [passage for passage in cut if passage]


MOST_OVERUSED: Final = 25
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


def overused_block(texts: Iterable[str], budget: int, *, phrases: bool = True) -> str:
    """The book's own crutch phrases and the edges of its last chapters, for later scenes to avoid.

    Args:
        texts: Chapters that are written, in order.
        budget: Most that the block takes (`prose.weigh`), of which the edges get three
            fifths: the oldest of them go first, and the least used phrases.
        phrases: Whether phrases are told: what a book of facts says often are its terms.

    Returns:
        Up to three lines; "" where there is nothing to tell.
    """
    chapters = [one for text in texts if (one := ChapterText(0, "", text)).words]
    last = chapters[-LAST_EDGES:]
    edges = _within(
        [_edge(one, 0) for one in last], [_edge(one, -1) for one in last], budget * 3 // 5
    )
    left = budget - weigh(edges) - bool(edges)
    used = _listed(_PHRASES, overused_phrases(chapters), left) if phrases else ""
    return "\n".join(line for line in (used, edges) if line)


def overused_phrases(chapters: Sequence[ChapterText]) -> list[str]:
    """Up to 25 phrases of four words, those first that stand most often in most chapters.

    A phrase counts from three uses on. Left out is what is mostly function words, or nothing
    but names besides them.
    """
    uses, spread = Counter[Gram](), Counter[Gram]()
    for chapter in chapters:
        phrases = grams(chapter.words, _PHRASE_WORDS)
        uses.update(phrases)
        spread.update(set(phrases))
    empty = function_words(chain.from_iterable(one.words for one in chapters))
    # Looked at one by one are the few that stand often; most phrases stand once.
    ranked = sorted(
        (-count * spread[gram], " ".join(gram))
        for gram, count in uses.items()
        if count >= _FEWEST_USES and sum(word in empty for word in gram) <= _MOST_STOPWORDS
    )
    names = frozenset[str]().union(*map(_names, chapters))
    return _apart(one for _, one in ranked if not names.issuperset(set(one.split()) - empty))


def _apart(ranked: Iterable[str]) -> list[str]:
    """The first phrases of many, of which none runs into another one."""
    kept: list[str] = []
    told: set[Gram] = set()
    for phrase in ranked:
        own = set(in_a_row(phrase.split(), _SHARED))
        if told.isdisjoint(own):
            kept.append(phrase)
            told |= own
        if len(kept) == MOST_OVERUSED:
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
