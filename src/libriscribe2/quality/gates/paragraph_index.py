"""Finding paragraphs that say the same as one that is known."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import chain

from libriscribe2.quality.repetition import DUPLICATE_SHARE, DUPLICATE_WORDS, Gram, grams
from libriscribe2.quality.text import PARAGRAPHS, paragraph_words


class ParagraphIndex:
    """Paragraphs of 25 words and more by their phrases of five words.

    It may grow with every version of a chapter: what it answers about a paragraph stays known.

    Args:
        paragraphs: What is known; shorter ones are left out.
    """

    def __init__(self, paragraphs: Iterable[str] = ()) -> None:
        self._phrases: set[Gram] = set()
        self._known: dict[str, frozenset[Gram]] = {}
        self._like: dict[str, set[str]] = {}
        self._paired: set[str] = set()
        # Most phrases stand in one paragraph; lists are made for the others alone.
        self._first: dict[Gram, str] = {}
        self._later = defaultdict[Gram, list[str]](list)
        for paragraph in paragraphs:
            self._learn(paragraph)

    def like(self, paragraph: str) -> set[str]:
        """The known paragraphs that share half of their phrases with one, which is known then.

        A long paragraph is like itself. Nobody may change the answer.
        """
        if paragraph not in self._like:
            self._learn(paragraph)
            found = set(self._alike(phrases_of(paragraph)))
            self._like[paragraph] = found
            if len(found) > 1:
                self._paired |= found
            for other in found & self._like.keys():
                self._like[other].add(paragraph)
        return self._like[paragraph]

    def paired_in(self, prose: Sequence[str]) -> set[str]:
        """The paragraphs of a text that are like another known one, or stand in it again."""
        for paragraph in prose:
            if paragraph not in self._like:
                self.like(paragraph)
        found = self._paired.intersection(prose)
        if len(frozenset(prose)) < len(prose):
            found |= {one for one, uses in Counter(prose).items() if uses > 1}
        return found

    def has_like(self, paragraph: str) -> bool:
        """Whether one that is known shares half of the phrases of a paragraph."""
        return any(True for _ in self._alike(phrases_of(paragraph)))

    def _learn(self, paragraph: str) -> None:
        own = phrases_of(paragraph)
        if not own or paragraph in self._known:
            return
        for gram in own & self._phrases:
            self._later[gram].append(paragraph)
        self._first.update(dict.fromkeys(own - self._phrases, paragraph))
        self._phrases |= own
        self._known[paragraph] = own

    def _alike(self, own: frozenset[Gram]) -> Iterator[str]:
        """The known paragraphs that share half of these phrases."""
        shared = own & self._phrases
        if not own or len(shared) < DUPLICATE_SHARE * len(own):
            return
        later = chain.from_iterable(map(self._later.__getitem__, shared & self._later.keys()))
        held = Counter(chain(map(self._first.__getitem__, shared), later))
        for text, count in held.items():
            if count >= DUPLICATE_SHARE * (len(own) + len(self._known[text]) - count):
                yield text


def is_half_in(own: Set[Gram], known: Set[Gram]) -> bool:
    """Whether at least half of some phrases are known."""
    return bool(own) and len(own & known) >= DUPLICATE_SHARE * len(own)


@lru_cache(maxsize=PARAGRAPHS)
def phrases_of(paragraph: str) -> frozenset[Gram]:
    """The phrases of a long paragraph; most are the same in the next version of a chapter."""
    tokens = paragraph_words(paragraph)
    return frozenset(grams(tokens, 5)) if len(tokens) >= DUPLICATE_WORDS else frozenset()
