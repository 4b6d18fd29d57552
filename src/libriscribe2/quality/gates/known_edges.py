"""How the chapters begin or end that a chapter must not begin or end like."""

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Final

from libriscribe2.quality.edges import likeness
from libriscribe2.quality.text import ChapterText, paragraph_words, sentences

FEWEST_WORDS: Final = 3
"""A shorter sentence may begin or end two chapters."""


class KnownEdges:
    """The openings or the endings of several chapters.

    Args:
        chapters: The chapters; those without words are left out.
        index: 0 for their openings, -1 for their endings.
        content: What an edge is about (`quality.edges`).

    Attributes:
        index: As given.
        likeness: How much the content of an edge is like that of the nearest of them, 0 to 1.
    """

    def __init__(
        self,
        chapters: Iterable[ChapterText],
        index: int,
        content: Callable[[ChapterText], frozenset[str]],
    ) -> None:
        written = [chapter for chapter in chapters if chapter.word_count]
        known = [content(chapter) for chapter in written]
        self.index = index
        self.likeness = cache(lambda here: max((likeness(one, here) for one in known), default=0.0))
        said = (paragraph_words(edge_sentence(one.prose[index], index)) for one in written)
        self._said = frozenset(one for one in said if len(one) >= FEWEST_WORDS)

    def has(self, sentence: str) -> bool:
        """Whether one of the chapters begins or ends with the words of a sentence."""
        return paragraph_words(sentence) in self._said


@lru_cache(maxsize=256)
def edge_sentence(paragraph: str, index: int) -> str:
    """The first (0) or the last (-1) sentence of a paragraph."""
    return (sentences(paragraph) or [paragraph])[index]
