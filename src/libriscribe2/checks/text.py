"""A chapter's text as the figures see it: words, sentences, paragraphs, phrases said again."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, combinations
from typing import Final, TypeVar

import regex

from libriscribe2.checks.function_words import function_words

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

_NO_PROSE: Final = re.compile(
    r"\s*(?:#{1,6}\s.*|[#*_\-=~\u2022\s]{1,9}|\[[^\]^\n]+\]:(?:\s.*)?)\s*"
)

LONG_SENTENCE: Final = 8
"""A sentence of fewer words may well be said twice."""

PHRASE_WORDS: Final = 5
"""Words of the phrases by which texts are compared."""

Gram = tuple[str, ...]
T = TypeVar("T")

_BLANK_LINE: Final = re.compile(r"\n[^\S\n]*(?=\n)")
_UNREAD_BEGINS: Final = ("<", "```", "~~~", "](", "://")
_UNREAD: Final = re.compile(
    r"<!--(?s:.*?)-->|(?m:^)[ \t]*(?P<fence>```|~~~)(?s:.*?)\n[ \t]*(?P=fence)[`~]*[ \t]*(?m:$)"
    r"|(?m:^)[ \t]*(?:</?[A-Za-z][^<>\n]*>[ \t]*)+(?m:$)"
    r"|!\[[^\[\]\n]*\]\((?:[^()\n]|\([^()\n]*\))*\)"
    r"|(?<=\])\((?:[^()\n]|\([^()\n]*\))*\)|\bhttps?://[^\s<>()\[\]]+"
)
"""What is no prose in a text: comments, code, lines of tags, pictures, and where a link leads."""

_INK: Final = re.compile(r"\S")
_PLAIN: Final = (
    ("\u2018", "'"),
    ("\u2019", "'"),
    ("\u201c", '"'),
    ("\u201d", '"'),
    ("\u00a0", " "),
)


_UNITS: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
"""The months in English."""

DAY_PARTS: Final = ("dawn", "morning", "noon", "afternoon", "evening")
"""Night is not among them: it belongs to the day before as well as to the day after."""

NUMBER_WORDS: Final = {
    **dict(zip(_UNITS, range(20), strict=True)),
    **dict(zip(_TENS, range(20, 100, 10), strict=True)),
}
"""What English words for numbers below a hundred stand for, one word each."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of prose, or a sentence of one.

    Attributes:
        text: Its words in one line.
        line: The line of the file where the paragraph begins, from 1.
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
        """Its prose in order: no headings, no scene breaks, and nothing of `_UNREAD`."""
        return tuple(Paragraph(" ".join(text.split()), line) for text, line in self.prose_blocks)

    @cached_property
    def prose_blocks(self) -> tuple[tuple[str, int], ...]:
        """The texts of its paragraphs with their line breaks, and where each begins."""
        found, line = list[tuple[str, int]](), 1
        for block in self._read_blocks:
            stripped = block.strip()
            if stripped and not _NO_PROSE.fullmatch(stripped):
                before = block.count("\n", 0, len(block) - len(block.lstrip()))
                found.append((stripped, line + before))
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

    @cached_property
    def function_words(self) -> frozenset[str]:
        """The words of its language that say nothing of what it is about."""
        return function_words(self.words)

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

    def sentence_at(self, word: int) -> Paragraph:
        """The sentence that holds the word with this index in `words`; the last one beyond."""
        every = [
            Paragraph(told, paragraph.line)
            for paragraph, own in zip(self.paragraphs, self.sentences_of, strict=True)
            for told in own
        ]
        ends = list(accumulate(len(words(one.text)) for one in every))
        return every[min(bisect_right(ends, word), len(every) - 1)]

    @property
    def _read_blocks(self) -> tuple[str, ...]:
        """Its blocks without what is not read, every line of which stays."""
        if not any(sign in self.text for sign in _UNREAD_BEGINS):
            return self.blocks
        text = _UNREAD.sub(lambda unread: _INK.sub(" ", unread.group()), self.text)
        return tuple(_BLANK_LINE.split(text))


def _long(told: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The long ones of some sentences, each with its words as one text."""
    for one in told:
        said = words(one)
        if len(said) >= _counted(LONG_SENTENCE, said):
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
    return list(in_a_row(tokens, _counted(size, tokens)))


def _counted(size: int, tokens: Sequence[str]) -> int:
    """How many tokens so many words are; an ideograph is half a word."""
    return 2 * size if is_ideographic(tokens) else size


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


WINDOW: Final = 1_000
"""Words of one window: short texts repeat less, so figures are compared at one size."""

DUPLICATE_WORDS: Final = 25
DUPLICATE_SHARE: Final = 0.5
_COMMON_GRAM: Final = 50
"""A phrase that more paragraphs share than these says nothing about any two of them."""


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
    empty = function_words(chain.from_iterable(one.words for one in chapters))

    def has_content(gram: Gram) -> bool:
        return 2 * sum(word in empty for word in gram) <= len(gram)

    found = [
        StockPhrase(" ".join(gram), count[gram], len(where))
        for gram, where in within.items()
        if len(where) >= fewest and has_content(gram) and not known.intersection(gram)
    ]
    return sorted(found, key=lambda one: (-one.chapters, -one.count, one.text))


def duplicate_paragraphs(chapters: Sequence[ChapterText]) -> list[DuplicatePair]:
    """Pairs of paragraphs of 25 words and more that share half of their phrases of five words."""
    kept = [
        (index, paragraph, frozenset(grams(tokens, 5)))
        for index, chapter in enumerate(chapters)
        for paragraph in chapter.paragraphs
        if len(tokens := words(paragraph.text)) >= DUPLICATE_WORDS
    ]
    shared = shared_grams([found for _, _, found in kept], _COMMON_GRAM)
    pairs = []
    for (left, right), common in shared.items():
        (first, one, ours), (second, other, theirs) = kept[left], kept[right]
        likeness = common / len(ours | theirs)
        if likeness >= DUPLICATE_SHARE:
            pairs.append(DuplicatePair(likeness, (first, one), (second, other)))
    return sorted(pairs, key=lambda pair: (-pair.likeness, pair.first[0], pair.first[1].line))


def shared_grams(sets: Sequence[frozenset[Gram]], most: int) -> Counter[tuple[int, int]]:
    """How many phrases each pair of passages shares; pairs that share none are left out.

    Args:
        sets: The phrases of each passage.
        most: A phrase of more passages than these is a refrain, and counts for none.
    """
    holders: defaultdict[Gram, list[int]] = defaultdict(list)
    for index, found in enumerate(sets):
        for gram in found:
            holders[gram].append(index)
    shared: Counter[tuple[int, int]] = Counter()
    for places in holders.values():
        if 1 < len(places) <= most:
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
    if len(tokens) < _counted(DUPLICATE_WORDS, tokens):
        return frozenset()
    return frozenset(grams(tokens, PHRASE_WORDS))


EDGE_WORDS: Final = 75
"""So many words of a chapter are its opening, or its ending."""


@dataclass(frozen=True, slots=True)
class EdgePair:
    """Two chapters with like openings or endings.

    Attributes:
        likeness: Jaccard similarity of their content words, 0 to 1.
        first: Index of the earlier chapter.
        second: Index of the later chapter.
    """

    likeness: float
    first: int
    second: int


def opening_pairs(chapters: Sequence[ChapterText]) -> list[EdgePair]:
    """Every pair of chapters by how alike they begin, the most alike first."""
    return _pairs_by_likeness([edge_content(one, 0) for one in chapters])


def ending_pairs(chapters: Sequence[ChapterText]) -> list[EdgePair]:
    """Every pair of chapters by how alike they end, the most alike first."""
    return _pairs_by_likeness([edge_content(one, -1) for one in chapters])


def edge_content(chapter: ChapterText, index: int) -> frozenset[str]:
    """The words of content of the first (0) or the last (-1) 75 words of a chapter.

    None of a text in ideographs, where a word is one of them and says little.
    """
    edge = chapter.words[-EDGE_WORDS:] if index else chapter.words[:EDGE_WORDS]
    return frozenset() if is_ideographic(edge) else frozenset(edge) - chapter.function_words


def likeness(ours: frozenset[str], theirs: frozenset[str]) -> float:
    """Jaccard similarity of the content of two edges, 0 to 1."""
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0


def _pairs_by_likeness(sets: Sequence[frozenset[str]]) -> list[EdgePair]:
    """All pairs with their likeness."""
    found = [
        EdgePair(likeness(ours, theirs), first, second)
        for (first, ours), (second, theirs) in combinations(enumerate(sets), 2)
    ]
    return sorted(found, key=lambda pair: (-pair.likeness, pair.first, pair.second))
