"""A chapter's text as the figures see it: words, sentences and paragraphs with their lines."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from operator import itemgetter
from typing import Final

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

PARAGRAPHS: Final = 2_048
"""So many paragraphs are remembered: more than the chapters have that are compared at once."""

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
        for block in self._told:
            prose, before, breaks = _prose(block)
            if prose:
                found.append(Paragraph(prose, line + before))
            line += breaks + 1
        return tuple(found)

    @cached_property
    def prose(self) -> tuple[str, ...]:
        """The texts of its paragraphs, which are there sooner than the lines are."""
        return tuple(filter(None, map(itemgetter(0), map(_prose, self._told))))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words in lower case, in order."""
        return tuple(chain.from_iterable(map(paragraph_words, self.prose)))

    @cached_property
    def word_count(self) -> int:
        """How many words it has."""
        return sum(map(len, map(paragraph_words, self.prose)))

    @cached_property
    def is_ideographic(self) -> bool:
        """Whether most of its words are single ideographs (`is_ideographic`)."""
        return 2 * sum(map(ideographs_in, self.prose)) > self.word_count

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Its sentences in order."""
        return tuple(chain.from_iterable(map(paragraph_sentences, self.prose)))

    def place_of(self, word: int) -> Paragraph:
        """The paragraph that holds the word with this index in `words`."""
        passed = 0
        for paragraph in self.paragraphs:
            passed += len(paragraph_words(paragraph.text))
            if word < passed:
                return paragraph
        return self.paragraphs[-1]

    @property
    def _told(self) -> tuple[str, ...]:
        """Its blocks without its comments, every line of which stays."""
        if _COMMENT_BEGINS not in self.text:
            return self.blocks
        text = _COMMENT.sub(lambda comment: _INK.sub(" ", comment.group()), self.text)
        return tuple(_BLANK_LINE.split(text))


@lru_cache(maxsize=PARAGRAPHS)
def _prose(block: str) -> tuple[str, int, int]:
    """The paragraph that a block holds, in one line; the lines before it; the block's breaks."""
    stripped = block.strip()
    if not stripped or _NO_PROSE.fullmatch(stripped):
        return "", 0, block.count("\n")
    lead = len(block) - len(block.lstrip())
    return " ".join(stripped.split()), block.count("\n", 0, lead), block.count("\n")


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


@lru_cache(maxsize=PARAGRAPHS)
def paragraph_words(text: str) -> tuple[str, ...]:
    """`words` of a paragraph; most paragraphs are the same in the next version of a chapter."""
    return tuple(words(text))


@lru_cache(maxsize=PARAGRAPHS)
def paragraph_sentences(text: str) -> tuple[str, ...]:
    """`sentences` of a paragraph."""
    return tuple(sentences(text))


@lru_cache(maxsize=PARAGRAPHS)
def ideographs_in(paragraph: str) -> int:
    """How many words of a paragraph are single ideographs."""
    if _IDEOGRAPH.search(paragraph) is None:
        return 0
    return sum(_IDEOGRAPH.fullmatch(word) is not None for word in paragraph_words(paragraph))


def is_ideographic(tokens: tuple[str, ...]) -> bool:
    """Whether most words are single ideographs, so that a phrase has about twice as many."""
    if _IDEOGRAPH.search("".join(tokens)) is None:
        return False
    return 2 * sum(_IDEOGRAPH.fullmatch(token) is not None for token in tokens) > len(tokens)


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
