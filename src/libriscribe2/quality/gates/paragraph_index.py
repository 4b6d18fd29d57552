"""Finding paragraphs that say the same as one that is known."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import lru_cache

from libriscribe2.quality.repetition import DUPLICATE_SHARE, DUPLICATE_WORDS, Gram, grams
from libriscribe2.quality.text import Paragraph, words


class ParagraphIndex:
    """Paragraphs of 25 words and more by their phrases of five words.

    Args:
        paragraphs: What is known; shorter ones are left out.
    """

    def __init__(self, paragraphs: Iterable[Paragraph] = ()) -> None:
        self._sets: list[frozenset[Gram]] = []
        self._answers: dict[str, bool] = {}
        self._holders: defaultdict[Gram, list[int]] = defaultdict(list)
        for paragraph in paragraphs:
            self.add(paragraph)

    def add(self, paragraph: Paragraph) -> None:
        """Know one more."""
        self._answers.clear()
        own = _phrases(paragraph.text)
        for gram in own:
            self._holders[gram].append(len(self._sets))
        self._sets.append(own)

    def has_like(self, paragraph: Paragraph) -> bool:
        """Whether one that is known shares half of the phrases of a paragraph."""
        if paragraph.text not in self._answers:
            self._answers[paragraph.text] = self._has_like(_phrases(paragraph.text))
        return self._answers[paragraph.text]

    def _has_like(self, own: frozenset[Gram]) -> bool:
        """Whether one that is known shares half of these phrases."""
        shared = Counter(index for gram in own for index in self._holders.get(gram, ()))
        return any(
            count >= DUPLICATE_SHARE * len(own | self._sets[index])
            for index, count in shared.items()
        )


@lru_cache(maxsize=512)
def _phrases(paragraph: str) -> frozenset[Gram]:
    """The phrases of a long paragraph; most are the same in the next version of a chapter."""
    tokens = words(paragraph)
    return frozenset(grams(tokens, 5)) if len(tokens) >= DUPLICATE_WORDS else frozenset()
