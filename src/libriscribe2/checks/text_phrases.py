"""Phrases of so many words, and what a book says again: in a chapter, across chapters, whole paragraphs."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Final, TypeVar

from libriscribe2.checks.text import (
    PHRASE_WORDS,
    STOPWORDS,
    ChapterText,
    Gram,
    Paragraph,
    grams,
    words,
)

WINDOW: Final = 1_000
"""Words of one window: short texts repeat less, so figures are compared at one size."""

DUPLICATE_WORDS: Final = 25
DUPLICATE_SHARE: Final = 0.5
_COMMON_GRAM: Final = 50
"""A phrase that more paragraphs share than these says nothing about any two of them."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StockPhrase:
    """A phrase that the book leans on.

    Attributes:
        text: Its words.
        count: How often it occurs.
        chapters: In how many chapters.
    """

    text: str
    count: int
    chapters: int


@dataclass(frozen=True, slots=True)
class DuplicatePair:
    """Two paragraphs that say the same.

    Attributes:
        likeness: Jaccard similarity of their phrases of five words.
        first: The earlier one: the index of its chapter and the paragraph.
        second: The later one.
    """

    likeness: float
    first: tuple[int, Paragraph]
    second: tuple[int, Paragraph]


def repeated_share(tokens: Sequence[str], size: int = 4) -> float:
    """The share of phrases that have occurred before in the same text; 0 for a short one."""
    found = grams(tokens, size)
    return 1 - len(set(found)) / len(found) if found else 0.0


def windows(tokens: Sequence[T], size: int = WINDOW) -> list[tuple[int, Sequence[T]]]:
    """The text in windows of equal size, each with the index of its first word.

    The rest at the end joins the last window, so that none is short.
    """
    count = max(1, len(tokens) // size)
    starts = [index * size for index in range(count)]
    ends = [*starts[1:], len(tokens)]
    return [(start, tokens[start:end]) for start, end in zip(starts, ends, strict=True)]


def shares_seen_before(chapters: Sequence[ChapterText], size: int = 5) -> list[float]:
    """For each chapter the share of its phrases that an earlier chapter has."""
    seen: set[Gram] = set()
    shares = []
    for chapter in chapters:
        found = grams(chapter.words, size)
        shares.append(sum(one in seen for one in found) / len(found) if found else 0.0)
        seen.update(found)
    return shares


def stock_phrases(
    chapters: Sequence[ChapterText], names: Iterable[str] = (), size: int = 4
) -> list[StockPhrase]:
    """Phrases in three chapters or more (a quarter of a long book), the most spread first.

    Phrases that are mostly function words, or hold a name, are nobody's habit. Of phrases that
    overlap, such as `the roof of his` and `roof of his mouth`, each is told.
    """
    known = {word for name in names for word in words(name)}
    count: Counter[Gram] = Counter()
    within: defaultdict[Gram, set[int]] = defaultdict(set)
    for index, chapter in enumerate(chapters):
        for gram in grams(chapter.words, size):
            count[gram] += 1
            within[gram].add(index)
    fewest = max(3, len(chapters) // 4)
    found = [
        StockPhrase(" ".join(gram), count[gram], len(where))
        for gram, where in within.items()
        if len(where) >= fewest and _has_content(gram) and not known.intersection(gram)
    ]
    return sorted(found, key=lambda one: (-one.chapters, -one.count, one.text))


def _has_content(gram: Gram) -> bool:
    """Whether at least half of a phrase is more than function words."""
    return 2 * sum(word in STOPWORDS for word in gram) <= len(gram)


def duplicate_paragraphs(chapters: Sequence[ChapterText]) -> list[DuplicatePair]:
    """Pairs of paragraphs of 25 words and more that share half of their phrases of five words."""
    kept = [
        (index, paragraph, frozenset(grams(tokens, 5)))
        for index, chapter in enumerate(chapters)
        for paragraph in chapter.paragraphs
        if len(tokens := words(paragraph.text)) >= DUPLICATE_WORDS
    ]
    shared = _shared_grams([found for _, _, found in kept])
    pairs = []
    for (left, right), common in shared.items():
        (first, one, ours), (second, other, theirs) = kept[left], kept[right]
        likeness = common / len(ours | theirs)
        if likeness >= DUPLICATE_SHARE:
            pairs.append(DuplicatePair(likeness, (first, one), (second, other)))
    return sorted(pairs, key=lambda pair: (-pair.likeness, pair.first[0], pair.first[1].line))


def _shared_grams(sets: Sequence[frozenset[Gram]]) -> Counter[tuple[int, int]]:
    """How many phrases each pair of paragraphs shares; pairs that share none are left out."""
    holders: defaultdict[Gram, list[int]] = defaultdict(list)
    for index, found in enumerate(sets):
        for gram in found:
            holders[gram].append(index)
    shared: Counter[tuple[int, int]] = Counter()
    for places in holders.values():
        if 1 < len(places) <= _COMMON_GRAM:
            shared.update(combinations(places, 2))
    return shared


class ParagraphIndex:
    """Long paragraphs by their phrases of five words.

    Args:
        paragraphs: The words of the first ones; those of fewer than 25 words are left out.
    """

    def __init__(self, paragraphs: Iterable[Sequence[str]] = ()) -> None:
        self._sizes: list[int] = []
        self._holders: defaultdict[Gram, list[int]] = defaultdict(list)
        for tokens in paragraphs:
            self.add(paragraph_phrases(tokens))

    @property
    def phrases(self) -> Container[Gram]:
        """The phrases of all of them."""
        return self._holders

    def add(self, phrases: frozenset[Gram]) -> None:
        """Put in one more, given its phrases (`paragraph_phrases`)."""
        for gram in phrases:
            self._holders[gram].append(len(self._sizes))
        self._sizes.append(len(phrases))

    def has_like(self, phrases: frozenset[Gram]) -> bool:
        """Whether one of them shares half of its phrases with a paragraph that has these."""
        held = [self._holders[gram] for gram in phrases if gram in self._holders]
        if len(held) < DUPLICATE_SHARE * len(phrases):
            return False
        return any(
            shared >= DUPLICATE_SHARE * (len(phrases) + self._sizes[place] - shared)
            for place, shared in Counter(chain.from_iterable(held)).items()
        )


def paragraph_phrases(tokens: Sequence[str]) -> frozenset[Gram]:
    """The phrases of five words of a long paragraph; none of a short one."""
    if len(tokens) < DUPLICATE_WORDS:
        return frozenset()
    return frozenset(grams(tokens, PHRASE_WORDS))
