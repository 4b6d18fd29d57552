"""A chapter as paragraphs and sentences, and the passages of it that hold given words."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Final

import regex

from libriscribe2.toolchain.folding import fold

_BLANK_LINE: Final = regex.compile(r"\n[^\S\n]*\n")
_HEADING: Final = regex.compile(r" {0,3}#{1,6}(?:\s|$)")
_LETTER: Final = r"[\p{L}\p{M}\p{N}]"
_SAYS_SOMETHING: Final = regex.compile(_LETTER)
_WORD: Final = regex.compile(rf"{_LETTER}+(?:['\-]{_LETTER}+)*")
_UNSPACED: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
)
"""Letters of scripts that put no spaces between words."""

_ABBREVIATIONS: Final = "Mr|Mrs|Ms|Mx|Dr|Prof|St|Capt|Lt|Col|Gen|Sgt|Rev|Hon|Jr|Sr|vs|Mme|Mlle|Sra"
_SENTENCE_END: Final = regex.compile(
    rf"""(?x)
    (?<![.!?\u2026\u061f\u0964])[.!?\u2026\u061f\u0964]++   # the marks, from the first of a run
    (?<!\b(?:{_ABBREVIATIONS}|\p{{Lu}})\.)                  # but no title and no initial
    ["'\u201d\u2019\u00bb)\]*_]*+ \s++                      # what closes, and a space
    (?=["'\u201c\u2018\u00ab\u201e(\[*_\u00bf\u00a1\u2014-]*+[\p{{Lu}}\p{{Lt}}\p{{Lo}}\p{{N}}])
    | [\u3002\uff01\uff1f]++[\u201d\u2019\u300d\u300f\uff09]*+   # Chinese and Japanese
    """
)

Pattern = regex.Pattern[str]


def paragraphs(chapter: str) -> list[str]:
    """The paragraphs of a chapter in Markdown, each on one line.

    Headings, scene breaks and other lines without a letter are none, so they do not count.
    """
    blocks = (
        " ".join(" ".join(line for line in block.split("\n") if not _HEADING.match(line)).split())
        for block in _BLANK_LINE.split(chapter)
    )
    return [block for block in blocks if _SAYS_SOMETHING.search(block)]


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph, each with the space after it: joined they are the paragraph.

    After a title such as `Dr.` or an initial a sentence goes on; where in doubt it is not cut.
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(paragraph)]
    cuts = [0, *(end for end in ends if end < len(paragraph)), len(paragraph)]
    return [paragraph[start:end] for start, end in pairwise(cuts)]


def word_patterns(query: str) -> list[Pattern]:
    """A pattern over folded text for every different word of a query; none where it has no word.

    A word is found as a whole word; in a script without spaces it is found anywhere.
    """
    words = dict.fromkeys(_WORD.findall(fold(query)))
    return [_word_pattern(word) for word in words]


def passages(paragraph: str, patterns: Collection[Pattern]) -> Iterator[str]:
    """Every shortest run of sentences that together hold all words, in order.

    Args:
        paragraph: One paragraph.
        patterns: The words (`word_patterns`), at least one.
    """
    whole = fold(paragraph)
    if not all(pattern.search(whole) for pattern in patterns):
        return
    parts = sentences(paragraph)
    folded = [fold(part) for part in parts]
    held = [[pattern for pattern in patterns if pattern.search(part)] for part in folded]
    for start, end in _shortest_runs(held, len(patterns)):
        yield "".join(parts[start : end + 1]).strip()


def _shortest_runs(held: Sequence[Sequence[Pattern]], wanted: int) -> Iterator[tuple[int, int]]:
    """First and last index of every run that holds `wanted` patterns and no shorter such run."""
    last_seen: dict[Pattern, int] = {}
    before = -1
    for end, patterns in enumerate(held):
        last_seen.update(dict.fromkeys(patterns, end))
        # The earliest of the latest places is the latest start from which nothing is missing.
        if len(last_seen) == wanted and (start := min(last_seen.values())) > before:
            yield start, end
            before = start


def _word_pattern(word: str) -> Pattern:
    if _UNSPACED.search(word):
        return regex.compile(regex.escape(word))
    return regex.compile(rf"(?<!{_LETTER}){regex.escape(word)}(?!{_LETTER})")
