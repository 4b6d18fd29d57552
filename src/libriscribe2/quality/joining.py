"""Putting a piece of prose behind another one."""

from typing import Final

import regex

FEWEST_WORDS: Final = 5
"""A text may well begin with a few words that the one before ends with."""

MOST_TRIES: Final = 64
"""So many places where the beginning of a text may stand are looked at one by one."""

_SENTENCE_ENDS: Final = regex.compile(
    r"""[.!?\u2026:;\u3002\uff01\uff1f\u061f\u0964]["'\u2019\u201d\u00bb\u300d\u300f)\]*_]*\Z"""
    r"""|["\u201d\u00bb\u300d\u300f]\Z"""
)
_WORD: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}\p{N}]+")
_LETTER: Final = regex.compile(r"[\p{L}\p{M}\p{N}]")


def without_repetition(text: str, before: str) -> str:
    """A text without what it repeats, character by character, of the end of the one before it.

    Args:
        text: The text.
        before: What stands before it.

    Returns:
        The rest of the text; the whole text where it begins with words of its own, with fewer
        than five words of the other one, or in the middle of a word.
    """
    own, end = text.lstrip(), before.rstrip()
    size = _overlap(own, end)
    said, rest = own[:size], own[size:]
    if len(_WORD.findall(said)) < FEWEST_WORDS:
        return text
    if rest and _LETTER.match(said[-1]) and _LETTER.match(rest[0]):
        return text
    return rest.lstrip()


def joined(text: str, more: str) -> str:
    """Two pieces of prose as one: in a new paragraph, unless the first ends inside a sentence."""
    start, rest = text.rstrip(), more.strip()
    if not start or not rest:
        return start or rest
    gap = "\n\n" if _SENTENCE_ENDS.search(start) else " "
    return f"{start}{gap}{rest}"


def _overlap(text: str, before: str) -> int:
    """How many characters the longest beginning of a text has that ends the one before.

    0 for one of fewer characters than five words have.
    """
    seed, tries = text[:FEWEST_WORDS], 0
    at = before.find(seed, max(0, len(before) - len(text)))
    while at >= 0 and seed:
        size = len(before) - at
        if before.endswith(text[:size]):
            return size
        tries += 1
        if tries > MOST_TRIES:
            return _overlap_by_borders(text, before)
        at = before.find(seed, at + 1)
    return 0


def _overlap_by_borders(text: str, before: str) -> int:
    """The same in linear time, for texts that say one thing over and over.

    The borders of beginnings are counted as Knuth, Morris and Pratt do.
    """
    end = before[-len(text) :] if text else ""
    borders = [0] * len(text)
    size = 0
    for at in range(1, len(text)):
        while size and text[at] != text[size]:
            size = borders[size - 1]
        size += text[at] == text[size]
        borders[at] = size
    size = 0
    for at, letter in enumerate(end):
        while size and (size == len(text) or letter != text[size]):
            size = borders[size - 1]
        size += letter == text[size]
        if size == len(text) and at < len(end) - 1:
            size = borders[size - 1]
    return size
