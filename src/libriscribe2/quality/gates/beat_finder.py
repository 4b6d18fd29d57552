"""Where a chapter holds the words of its plan, in one version after another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import fsum
from typing import Protocol

from libriscribe2.quality.beats import STEP, WINDOW, stem, stems
from libriscribe2.quality.stopwords import STOPWORDS
from libriscribe2.quality.text import PARAGRAPHS, ChapterText, paragraph_words, words


class StemWeight(Protocol):
    """Says what a stem weighs."""

    def __call__(self, stem: str, *, is_here: bool) -> float:
        """The weight of a stem, given whether the chapter has it as a word of content."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The passage of a chapter that comes nearest to a beat.

    Attributes:
        share: The weighted share of the beat's stems that it has, as `beat_coverage`.
        start: The index of its first word; of several that are as near, the first one's.
    """

    share: float
    start: int


@dataclass(frozen=True, slots=True)
class _Held:
    """What a paragraph has of the plan, each stem as a bit.

    Attributes:
        words: How many words it has.
        places: Indices of words with the bits of their stems.
        bits: All of these bits together.
        content: The stems that stand there as more than function words.
    """

    words: int
    places: tuple[tuple[int, int], ...]
    bits: int
    content: int


class _Weights(dict[int, float]):
    """The weights of stems together, each set of them added up once.

    Args:
        weights: The bit of every stem with its weight.
    """

    def __init__(self, weights: Sequence[tuple[int, float]]) -> None:
        super().__init__()
        self._weights = weights

    def __missing__(self, mask: int) -> float:
        self[mask] = total = fsum(weight for bit, weight in self._weights if bit & mask)
        return total


class BeatFinder:
    """Looks for the stems of beats.

    Args:
        beats: What the plan says happens.
        weigh: The weights of stems, the same at every call.
    """

    def __init__(self, beats: Sequence[str], weigh: StemWeight) -> None:
        self._weigh = weigh
        wanted = [sorted(stems(words(beat))) for beat in beats]
        known = dict.fromkeys(one for own in wanted for one in own)
        self._bits = {one: 1 << at for at, one in enumerate(known)}
        self._beats = {
            beat: sum(map(self._bits.__getitem__, own))
            for beat, own in zip(beats, wanted, strict=True)
        }
        self._bit_of = cache(lambda word: self._bits.get(stem(word), 0))
        self._held = lru_cache(maxsize=PARAGRAPHS)(self._held_by)
        # Versions of a chapter hold much the same words of the plan.
        self._weights = lru_cache(maxsize=2)(self._weights_with)

    def nearest(self, chapter: ChapterText) -> Mapping[str, Nearest]:
        """The passage of a version of the chapter that comes nearest to each beat."""
        windows, content = self._windows(chapter)
        weights = self._weights(content)
        found = {}
        for beat, mask in self._beats.items():
            shown = [weights[window & mask] for window in windows]
            best, total = max(shown), weights[mask]
            found[beat] = Nearest(best / total if total else 1.0, STEP * shown.index(best))
        return found

    def _weights_with(self, content: int) -> _Weights:
        """What the stems weigh where the chapter has these as words of content."""
        weigh = self._weigh
        return _Weights([
            (bit, weigh(one, is_here=bool(content & bit))) for one, bit in self._bits.items()
        ])  # fmt: skip

    def _windows(self, chapter: ChapterText) -> tuple[list[int], int]:
        """The stems in each passage of 250 words, and those that are content anywhere."""
        steps = [0] * (chapter.word_count // STEP + 2)
        passed = content = 0
        for held in map(self._held, chapter.prose):
            step, end = passed // STEP, passed + held.words
            if end <= (step + 1) * STEP:
                steps[step] |= held.bits
            else:
                for place, bit in held.places:
                    steps[(passed + place) // STEP] |= bit
            passed = end
            content |= held.content
        count = len(range(0, max(1, passed - WINDOW + STEP), STEP))
        return [steps[at] | steps[at + 1] for at in range(count)], content

    def _held_by(self, paragraph: str) -> _Held:
        own = paragraph_words(paragraph)
        places = [(at, bit) for at, bit in enumerate(map(self._bit_of, own)) if bit]
        bits = content = 0
        for at, bit in places:
            bits |= bit
            if own[at] not in STOPWORDS:
                content |= bit
        return _Held(len(own), tuple(places), bits, content)
