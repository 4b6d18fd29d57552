"""What a gate brings back: issues, and one figure that is the higher the worse."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, islice
from typing import Final

from libriscribe2.models.reviews import Issue, Severity
from libriscribe2.quality.text import PARAGRAPHS, ChapterText, Paragraph, sentences, words

MOST_OF_A_GATE: Final = 6
"""Most issues of one gate: they are samples, the figure counts all."""

SENTENCE_WORDS: Final = 8
"""A shorter sentence may well be said twice."""

_LONGEST_QUOTE: Final = 240


def nothing() -> Iterable[Issue]:
    """No issues."""
    return ()


@dataclass(frozen=True, slots=True)
class Found:
    """What a gate finds.

    Attributes:
        figure: How bad it is, 0 where nothing is wrong.
        tell: Says where it is wrong; of many issues the first six. The figure alone is needed
            far more often, so nothing is looked up before it is asked for.
    """

    figure: float = 0.0
    tell: Callable[[], Iterable[Issue]] = nothing

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Where it is wrong."""
        return tuple(islice(self.tell(), MOST_OF_A_GATE))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a chapter.

    Attributes:
        text: The sentence in one line.
        words: Its words in lower case.
        paragraph: The paragraph that holds it.
    """

    text: str
    words: tuple[str, ...]
    paragraph: Paragraph


@dataclass(frozen=True, slots=True)
class Gatekeeper:
    """Writes the issues of one gate.

    Attributes:
        name: The gate's name.
    """

    name: str

    def issue(self, severity: Severity, quote: str, line: int, why: str, fix: str = "") -> Issue:
        """An issue at a place."""
        return Issue(
            kind=self.name,
            severity=severity,
            detector=self.name,
            quote=clipped(quote),
            line=line,
            why=why,
            fix=fix,
        )


@lru_cache(maxsize=PARAGRAPHS)
def sentences_in(paragraph: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The sentences of a paragraph with their words; most are the same in the next version."""
    return tuple((text, tuple(words(text))) for text in sentences(paragraph))


@lru_cache(maxsize=PARAGRAPHS)
def long_sentences(paragraph: str) -> tuple[tuple[str, str], ...]:
    """The sentences of a paragraph of 8 words and more, each with its words as one text."""
    told = sentences_in(paragraph)
    return tuple((text, " ".join(said)) for text, said in told if len(said) >= SENTENCE_WORDS)


@lru_cache(maxsize=PARAGRAPHS)
def sentence_keys(paragraph: str) -> tuple[str, ...]:
    """The words of each of the `long_sentences`, as one text."""
    return tuple(key for _, key in long_sentences(paragraph))


def sentences_at(chapter: ChapterText, places: Sequence[int]) -> list[Sentence]:
    """The sentences that hold the words with these indices in the chapter's words."""
    held = [one for one in chapter.paragraphs if sentences_in(one.text)]
    ends = list(accumulate(_words_in(one.text) for one in held))
    found = []
    for place in places:
        index = min(bisect_right(ends, place), len(held) - 1)
        paragraph = held[index]
        passed = ends[index] - _words_in(paragraph.text)
        found.append(_sentence_at(paragraph, place - passed))
    return found


def _sentence_at(paragraph: Paragraph, place: int) -> Sentence:
    """The sentence of a paragraph that holds its word with this index; the last one beyond."""
    told = sentences_in(paragraph.text)
    ends = list(accumulate(len(said) for _, said in told))
    text, said = told[min(bisect_right(ends, place), len(told) - 1)]
    return Sentence(text, said, paragraph)


@lru_cache(maxsize=PARAGRAPHS)
def _words_in(paragraph: str) -> int:
    """How many words the sentences of a paragraph have."""
    return sum(len(said) for _, said in sentences_in(paragraph))


def clipped(quote: str) -> str:
    """The first words of a quote, so many that they fit a line or two."""
    if len(quote) <= _LONGEST_QUOTE:
        return quote
    return quote[:_LONGEST_QUOTE].rpartition(" ")[0] or quote[:_LONGEST_QUOTE]
