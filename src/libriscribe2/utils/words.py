"""Counting words in any language."""

from typing import Final

import regex

_WORD: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}\p{N}]+(?:['\u2019\-][\p{L}\p{M}\p{N}]+)*"
)


def count_words(text: str) -> int:
    """How many words a text has.

    A Han character or kana counts as one; elsewhere a word is a run of letters and digits with
    inner apostrophes and hyphens.
    """
    return len(_WORD.findall(text))
