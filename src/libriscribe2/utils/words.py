"""Counting words in any language."""

import re
from typing import Final

import regex

from libriscribe2.utils.author_notes import without_notes

_WORD: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[\p{L}\p{M}\p{N}]+(?:['\u2019\-][\p{L}\p{M}\p{N}]+)*"
)


# The same where no letter stands for a word and none takes a mark of its own: several times
# as fast, and most books are such.
_PLAIN_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019\-][^\W_]+)*")
_BEYOND_LATIN: Final = re.compile(r"[\u0300-\u200f\u2027-\U0010ffff]")


_HEADING: Final = re.compile(r"^#{1,6}[ \t].*$", re.MULTILINE)
_NOTE_MARK: Final = re.compile(r"\[@?n-[^\]\n]{0,400}\]")


# Most books can be spelled in one byte per character, each of which is then a letter or digit
# (`a`), a mark that words may have inside (`-`), or neither.
_WESTERN: Final = "cp1252"
_KINDS: Final = bytes(
    ord("a" if mark.isalnum() else "-" if mark in "'\u2019-" else " ")
    for mark in bytes(range(256)).decode(_WESTERN, "replace")
)


def count_words(text: str) -> int:
    """How many words a text has.

    A Han character or kana counts as one; elsewhere a word is a run of letters and digits with
    inner apostrophes and hyphens.
    """
    try:
        kinds = b" " + text.encode(_WESTERN).translate(_KINDS)
    except UnicodeEncodeError:
        return _count_by_pattern(text)
    # A letter begins a word unless a letter, or one mark behind a letter, stands before it.
    return kinds.count(b" a") + kinds.count(b" -a") + kinds.count(b"--a")


def prose_words(text: str) -> int:
    """How many words of a chapter are its prose: the one count that every command tells.

    Headings, marks of research notes and the author's notes to the program are none. A book has
    the words of its chapters; front matter and the list of references add nothing.
    """
    prose = without_notes(text)
    if "#" in prose:
        prose = _HEADING.sub("", prose)
    return count_words(_NOTE_MARK.sub("", prose) if "[" in prose else prose)


def _count_by_pattern(text: str) -> int:
    """The same for any script."""
    if _BEYOND_LATIN.search(text) is None:
        return len(_PLAIN_WORD.findall(text))
    return len(_WORD.findall(text))
