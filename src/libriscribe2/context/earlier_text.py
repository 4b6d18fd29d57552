"""Of earlier chapters: passages about a scene's subject, and phrases used up."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import log
from typing import Final

import regex

from libriscribe2.context.parts import Rendered, block, frame
from libriscribe2.context.people_and_facts import told_of
from libriscribe2.context.prompt_context import PromptContext
from libriscribe2.models.story import ScenePlan
from libriscribe2.prose import parts, shorten, weigh
from libriscribe2.quality.text import STOPWORDS, ChapterText, Gram, grams, in_a_row, plain, words

SATURATION: Final = 1.2
LENGTH: Final = 0.75
FEWEST_SHARED: Final = 2
"""Fewer words than these in common are chance."""


class PassageIndex:
    """Passages by the words that say what they are about; nobody may change it.

    Args:
        passages: The passages.

    Attributes:
        passages: As given.
        lengths: How many such words each passage has.
        holders: For each word the places of the passages that hold it, and how often they do.
    """

    def __init__(self, passages: Sequence[str]) -> None:
        counts = [Counter(terms(text)) for text in passages]
        self.passages = tuple(passages)
        self.lengths = [count.total() for count in counts]
        self.holders = defaultdict[str, list[tuple[int, int]]](list)
        for place, count in enumerate(counts):
            for term, often in count.items():
                self.holders[term].append((place, often))


def best(query: str, passages: Sequence[str], most: int) -> list[int]:
    """The places of the passages that fit best, best first; the earlier of two that are alike.

    Args:
        query: What they should be about.
        passages: The passages.
        most: How many are wanted at most; a passage has to share some words with the query.
    """
    return best_in(query, [PassageIndex(passages)], most)


def best_in(query: str, indexes: Sequence[PassageIndex], most: int) -> list[int]:
    """As `best` over the passages of several indexes, their places counted through."""
    lengths = [length for one in indexes for length in one.lengths]
    mean = max(1.0, sum(lengths) / max(1, len(lengths)))
    longer = [1 - LENGTH + LENGTH * length / mean for length in lengths]
    hits: defaultdict[int, list[float]] = defaultdict(list)
    # Floats are added in the order of the words: another order has another sum.
    for term in sorted(frozenset(terms(query))):
        held = _holding(term, indexes)
        rarity = _rarity(len(held), len(lengths))
        for place, often in held:
            hits[place].append(rarity * _hits(often, longer[place]))
    scores = [(-sum(own), place) for place, own in hits.items() if len(own) >= FEWEST_SHARED]
    return [place for _, place in sorted(scores)[:most]]


def terms(text: str) -> list[str]:
    """The words of a text that say what it is about."""
    plain = (word.removesuffix("'s") for word in words(text))
    return [word for word in plain if word not in STOPWORDS]


def _holding(term: str, indexes: Sequence[PassageIndex]) -> list[tuple[int, int]]:
    """Which passages hold a word, and how often."""
    found, passed = [], 0
    for one in indexes:
        found += [(passed + place, often) for place, often in one.holders.get(term, ())]
        passed += len(one.lengths)
    return found


def _rarity(holding: int, passages: int) -> float:
    """What a word counts that so many passages hold."""
    return log(1 + (passages - holding + 0.5) / (holding + 0.5))


def _hits(often: int, longer: float) -> float:
    """What a passage gets for holding a word so often, less the longer it is."""
    return often * (SATURATION + 1) / (often + SATURATION * longer)


DISTANCE: Final = 3
"""How many chapters back a passage is at least: the nearer ones are remembered otherwise."""

MOST_PASSAGES: Final = 2
PASSAGE_BUDGET: Final = 1_000
"""About 200 words."""

REMARK: Final = (
    "From earlier chapters, word for word: for what was said and seen, not for its style."
)
_HEADING: Final = re.compile(r"(?m)^(?:#.*|[*\s]+)$")


def passages_part(plan: ScenePlan, state: PromptContext, budget: int) -> Rendered:
    """The passages that fit the scene's plan best, in the order of the text."""
    numbers = sorted(n for n in state.texts if n <= state.number - DISTANCE)
    indexes = [_indexed(state.texts[number]) for number in numbers]
    query = f"{told_of(plan)} {state.chapter.title}"
    chosen = best_in(query, indexes, MOST_PASSAGES)
    found = [
        (number, passage)
        for number, index in zip(numbers, indexes, strict=True)
        for passage in index.passages
    ]
    room = budget - frame("passages", remark=REMARK)
    kept: list[int] = []
    for place in chosen:
        room -= weigh(_shown(*found[place])) + 2
        if room < 0:
            break
        kept.append(place)
    told = "\n\n".join(_shown(*found[place]) for place in sorted(kept))
    chapters = tuple(sorted({found[place][0] for place in kept}))
    return Rendered(
        block("passages", told, remark=REMARK), cut=len(kept) < len(chosen), chapters=chapters
    )


def _shown(number: int, passage: str) -> str:
    """A passage with where it stands."""
    return f"Chapter {number}: {shorten(passage, PASSAGE_BUDGET)}"


@lru_cache(maxsize=512)
def _indexed(text: str) -> PassageIndex:
    """A chapter in passages of whole paragraphs, without headings and scene breaks."""
    prose = _HEADING.sub("", text)
    cut = (passage.strip() for passage in parts(prose, PASSAGE_BUDGET))
    return PassageIndex([passage for passage in cut if passage])


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


def overused_block(texts: Iterable[str], budget: int) -> str:
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
    phrases = _listed(_PHRASES, overused_phrases(chapters), left)
    return "\n".join(line for line in (phrases, edges) if line)


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
