"""Composing a text of a wanted length out of pieces, without saying anything twice."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from libriscribe2.llm.offline.english import count_words, sentences

TOLERANCE = 50
"""A text may miss its length by one word in so many, and by one word in any case."""

_TRIES = 120
"""How many fillers are looked at for one that closes the gap."""

_SHORTEST = 12
"""A gap of fewer words than this may find no sentence that fits."""


class Writer(Protocol):
    """Whoever finds the pieces; a piece is a sentence or some paragraphs.

    Attributes:
        shares: The parts of a text that its head and its tail may take.
    """

    shares: tuple[float, float]

    def head(self) -> list[str]:
        """Sentences to begin with, the most important first; they make one paragraph."""
        ...

    def body(self) -> Iterator[str]:
        """Blocks of one or more paragraphs, without end."""
        ...

    def tail(self) -> list[str]:
        """Sentences to end with, the most important last; they make one paragraph."""
        ...

    def filler(self) -> str:
        """One more sentence, of any length, that fits anywhere."""
        ...


def compose(writer: Writer, words: int, known: Iterable[str] = ()) -> str:
    """A text of about `words` words in whole sentences.

    Args:
        writer: Finds the pieces.
        words: The wanted length; met within two percent, or one word, from some 40 words on.
        known: Text that has been said before: none of its sentences comes again.
    """
    draft = _Draft(words, known)
    head = draft.begin(writer.head(), writer.shares[0])
    tail = draft.end(writer.tail(), writer.shares[1])
    misses = 0
    for block in writer.body():
        misses = 0 if draft.add(block) else misses + 1
        if misses >= 6 or draft.missing < 2 * _SHORTEST:
            break
    fillers = draft.fill(writer)
    return "\n\n".join(part for part in (head, *draft.blocks, *fillers, tail) if part)


class _Draft:
    """The blocks so far, the words still missing and the sentences that are used up."""

    def __init__(self, words: int, known: Iterable[str]) -> None:
        self.blocks: list[str] = []
        self.missing = words
        self._words = words
        self._slack = max(1, words // TOLERANCE)
        self._used = {sentence for text in known for sentence in sentences(text)}

    def begin(self, found: list[str], share: float) -> str:
        """The first sentences that fit into a share of the text; one at least."""
        kept: list[str] = []
        room = int(self._words * share)
        for sentence in found:
            size = count_words(sentence)
            if (not kept or size <= room) and self._take(sentence):
                kept.append(sentence)
                room -= size
        return " ".join(kept)

    def end(self, found: list[str], share: float) -> str:
        """The last sentences that fit into a share of the text."""
        kept: list[str] = []
        room = min(int(self._words * share), self.missing)
        for sentence in reversed(found):
            size = count_words(sentence)
            if size <= room and self._take(sentence):
                kept.insert(0, sentence)
                room -= size
        return " ".join(kept)

    def add(self, block: str) -> bool:
        """Take a block if it fits and is new."""
        size = count_words(block)
        left = self.missing - size
        if left < -self._slack or self._slack < left < _SHORTEST:
            return False
        if not self._take(block):
            return False
        self.blocks.append(block)
        return True

    def fill(self, writer: Writer) -> list[str]:
        """Close the gap with single sentences, in paragraphs of up to four."""
        found: list[str] = []
        while self.missing > self._slack:
            sentence = self._best(writer)
            if sentence is None:
                break
            found.append(sentence)
        return [" ".join(found[start : start + 4]) for start in range(0, len(found), 4)]

    def _best(self, writer: Writer) -> str | None:
        """A new sentence after which nothing, or enough for another one, is missing."""
        for _ in range(_TRIES):
            sentence = writer.filler()
            left = self.missing - count_words(sentence)
            fits = abs(left) <= self._slack or left >= _SHORTEST
            if fits and self._take(sentence):
                return sentence
        return None

    def _take(self, text: str) -> bool:
        """Count a text in, unless a sentence of it has been used or stands in it twice."""
        said = sentences(text)
        if len(set(said)) < len(said) or not self._used.isdisjoint(said):
            return False
        self._used.update(said)
        self.missing -= count_words(text)
        return True
