"""A chapter's text as the figures see it: words, sentences and paragraphs with their lines."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Final, TypeVar

import regex

_WORD: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}\p{N}]+(?:['\u2019][\p{L}\p{M}\p{N}]+)*"
)
# The same where no letter stands for a word and none takes a mark of its own: twice as fast.
_LATIN_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_BEYOND_LATIN: Final = re.compile(r"[\u0300-\u200f\u2027-\U0010ffff]")
_IDEOGRAPH: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_SENTENCE_END: Final = regex.compile(
    r"""[.!?\u2026]+["'\u2019\u201d\u00bb)\]]*\s+(?=["'\u2018\u201c\u00ab(\[\u00bf\u00a1]*[\p{Lu}\p{N}])"""
    r"""|[\u3002\uff01\uff1f\u061f\u0964]+["'\u2019\u201d\u300d\u300f)]*\s*"""
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|sr|jr|vs|etc|no|vol|capt|col|gen|lt|sgt|rev|hon)|\b[a-z])\.$",
    re.IGNORECASE,
)
_ABBREVIATED: Final = 6
"""Characters that hold the longest abbreviation, its full stop and what stands before it."""

_NO_PROSE: Final = re.compile(r"\s*(?:#{1,6}\s.*|[#*_\-=~\u2022\s]{1,9})\s*")

LONG_SENTENCE: Final = 8
"""A sentence of fewer words may well be said twice."""

PHRASE_WORDS: Final = 5
"""Words of the phrases by which texts are compared."""

Gram = tuple[str, ...]
T = TypeVar("T")

_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*(?=\n)")
_COMMENT_BEGINS: Final = "<!--"
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_INK: Final = re.compile(r"\S")
_PLAIN: Final = (
    ("\u2018", "'"),
    ("\u2019", "'"),
    ("\u201c", '"'),
    ("\u201d", '"'),
    ("\u00a0", " "),
)


_FUNCTION_WORDS: Final = (
    "a about above after again all am an and any are as at away back be been before being below "
    "but by can could did do does down each even every few for from had has have he her here "
    "hers him his how i if in into is it its just like me more most my no nor not now of off on "
    "once one only or other our out over own said same she should so some such than that the "
    "their them then there these they this those through to too two under until up upon us very "
    "was we were what when where which while who whom why will with would you your"
)

STOPWORDS: Final = frozenset(_FUNCTION_WORDS.split())
"""English function words, which say nothing about what a passage is about."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of prose.

    Attributes:
        text: The paragraph in one line.
        line: The line of the file where it begins, from 1.
    """

    text: str
    line: int


@dataclass(frozen=True)
class Sentence:
    """A sentence of a chapter.

    Attributes:
        text: The sentence in one line.
        line: The line of the file where its paragraph begins, from 1.
    """

    text: str
    line: int


@dataclass(frozen=True)
class ChapterText:
    """A chapter to be measured.

    Attributes:
        number: Its number, from 1.
        file: The name of its file, for the places that a figure points to.
        text: Its Markdown.
    """

    number: int
    file: str
    text: str

    @cached_property
    def blocks(self) -> tuple[str, ...]:
        """What stands between its blank lines, as it is; one line break parts two of them."""
        return tuple(_BLANK_LINE.split(self.text))

    @cached_property
    def paragraphs(self) -> tuple[Paragraph, ...]:
        """Its prose in order: no headings, no scene breaks, no comments."""
        found, line = [], 1
        for block in self._without_comments:
            stripped = block.strip()
            if stripped and not _NO_PROSE.fullmatch(stripped):
                before = block.count("\n", 0, len(block) - len(block.lstrip()))
                found.append(Paragraph(" ".join(stripped.split()), line + before))
            line += block.count("\n") + 1
        return tuple(found)

    @cached_property
    def prose(self) -> tuple[str, ...]:
        """The texts of its paragraphs."""
        return tuple(one.text for one in self.paragraphs)

    @cached_property
    def words_of(self) -> tuple[tuple[str, ...], ...]:
        """The words of each paragraph in lower case."""
        return tuple(tuple(words(paragraph)) for paragraph in self.prose)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words in lower case, in order."""
        return tuple(chain.from_iterable(self.words_of))

    @property
    def word_count(self) -> int:
        """How many words it has."""
        return len(self.words)

    @cached_property
    def phrases(self) -> tuple[Gram, ...]:
        """Its phrases of five words, in order (`grams`)."""
        return tuple(grams(self.words, PHRASE_WORDS))

    @cached_property
    def sentences_of(self) -> tuple[tuple[str, ...], ...]:
        """The sentences of each paragraph."""
        return tuple(tuple(sentences(paragraph)) for paragraph in self.prose)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Its sentences in order."""
        return tuple(chain.from_iterable(self.sentences_of))

    @cached_property
    def long_sentences(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """The sentences of each paragraph of 8 words and more, with their words as one text."""
        return tuple(tuple(_long(told)) for told in self.sentences_of)

    def place_of(self, word: int) -> Paragraph:
        """The paragraph that holds the word with this index in `words`."""
        passed = 0
        for paragraph, held in zip(self.paragraphs, self.words_of, strict=True):
            passed += len(held)
            if word < passed:
                return paragraph
        return self.paragraphs[-1]

    def sentence_at(self, word: int) -> Sentence:
        """The sentence that holds the word with this index in `words`; the last one beyond."""
        every = [
            Sentence(told, paragraph.line)
            for paragraph, own in zip(self.paragraphs, self.sentences_of, strict=True)
            for told in own
        ]
        ends = list(accumulate(len(words(one.text)) for one in every))
        return every[min(bisect_right(ends, word), len(every) - 1)]

    @property
    def _without_comments(self) -> tuple[str, ...]:
        """Its blocks without its comments, every line of which stays."""
        if _COMMENT_BEGINS not in self.text:
            return self.blocks
        text = _COMMENT.sub(lambda comment: _INK.sub(" ", comment.group()), self.text)
        return tuple(_BLANK_LINE.split(text))


def _long(told: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The long ones of some sentences, each with its words as one text."""
    for one in told:
        said = words(one)
        if len(said) >= LONG_SENTENCE:
            yield one, " ".join(said)


def plain(text: str) -> str:
    """The text with straight quotation marks and ordinary spaces."""
    if not text.isascii():
        for mark, usual in _PLAIN:
            text = text.replace(mark, usual)
    return text


def words(text: str) -> list[str]:
    """The words of a text in lower case; an ideograph or kana counts as a word."""
    folded = plain(text).casefold()
    is_latin = folded.isascii() or _BEYOND_LATIN.search(folded) is None
    return (_LATIN_WORD if is_latin else _WORD).findall(folded)


def is_ideographic(tokens: Sequence[str]) -> bool:
    """Whether most words are single ideographs, so that a phrase has about twice as many."""
    if _IDEOGRAPH.search("".join(tokens)) is None:
        return False
    return 2 * sum(_IDEOGRAPH.fullmatch(token) is not None for token in tokens) > len(tokens)


def in_a_row(items: Sequence[T], size: int) -> Iterator[tuple[T, ...]]:
    """Every so many items in a row."""
    return zip(*(items[start:] for start in range(size)), strict=False)


def grams(tokens: Sequence[str], size: int) -> list[Gram]:
    """The phrases of `size` words; twice as many where a word is one ideograph."""
    return list(in_a_row(tokens, 2 * size if is_ideographic(tokens) else size))


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph; an abbreviation does not end one."""
    found, start = [], 0
    for end in _SENTENCE_END.finditer(paragraph):
        stop = end.start() + 1
        if _ABBREVIATION.search(paragraph, max(start, stop - _ABBREVIATED), stop):
            continue
        found.append(paragraph[start : end.end()].strip())
        start = end.end()
    found.append(paragraph[start:].strip())
    return [one for one in found if _WORD.search(one)]
