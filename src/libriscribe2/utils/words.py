"""Counting words in any language."""

import re
from typing import Final

import regex

_WORD: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}\p{N}]+(?:['\u2019\-][\p{L}\p{M}\p{N}]+)*"
)


# The same where no letter stands for a word and none takes a mark of its own: several times
# as fast, and most books are such.
_PLAIN_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019\-][^\W_]+)*")
_BEYOND_LATIN: Final = re.compile(r"[\u0300-\u200f\u2027-\U0010ffff]")


def count_words(text: str) -> int:
    """How many words a text has.

    A Han character or kana counts as one; elsewhere a word is a run of letters and digits with
    inner apostrophes and hyphens.
    """
    if _BEYOND_LATIN.search(text) is None:
        return len(_PLAIN_WORD.findall(text))
    return len(_WORD.findall(text))
