"""Prose as text: the author's notes in it, its words counted, and how much of it fits a budget."""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from unicodedata import east_asian_width

import regex

# Every repetition gives nothing back, so that no text takes more than linear time.
NOTE: Final = re.compile(r"<!--\s*+libriscribe2\s*+:(?P<said>(?:(?!-->|<!--).)*+)-->", re.DOTALL)
"""One note; `said` is what it says."""

_ONE: Final = NOTE.pattern.replace("?P<said>", "?:")
_LINES: Final = re.compile(rf"^[^\S\n]*+(?:{_ONE}[^\S\n]*+)++(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_INSIDE: Final = re.compile(rf"(?<![^\S\n])[^\S\n]*+{_ONE}", re.DOTALL)
_BLANKS: Final = re.compile(r"\n{3,}")


def without_notes(text: str) -> str:
    """A text as readers see it: lines that hold notes only are gone, as are notes in others."""
    if NOTE.search(text) is None:
        return text
    return _BLANKS.sub("\n\n", _INSIDE.sub("", _LINES.sub("", text))).lstrip("\n")


_TITLE: Final = re.compile(r"\A\s*#[^\n]*\n+")


SPACE: Final = (
    " \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f"
)
"""White space but for U+3000, which indents Chinese and Japanese paragraphs."""


def trimmed(text: str) -> str:
    """Prose without white space around it; an ideographic indent at its beginning stays."""
    return text.lstrip(SPACE).rstrip()


def divided(text: str) -> tuple[str, str]:
    """A chapter's title with the blank lines after it, "" where it has none, and the rest."""
    title = found[0] if (found := _TITLE.match(text)) else ""
    return title, text[len(title) :]


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


def round_words(words: int) -> int:
    """A number of words as one speaks of it."""
    step = 1 if words < 20 else 10 if words < 500 else 50
    return max(1, round(words / step) * step)


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


_WIDE: Final = 4
_OTHER: Final = 2
_ASCII: Final = 128
_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
# Most books can be spelled in one byte per character; none of these characters is a wide one.
_BEYOND_ASCII: Final = bytes(range(_ASCII, 256))


def weigh(text: str) -> int:
    """How much of a budget a text takes."""
    if text.isascii():
        return len(text)
    try:
        plain = text.encode(_WESTERN).translate(None, _BEYOND_ASCII)
    except UnicodeEncodeError:
        return len(text) + sum(_weight(character) - 1 for character in _FOREIGN.findall(text))
    return len(plain) + _OTHER * (len(text) - len(plain))


def room(text: str, budget: int) -> int:
    """How many characters at the start of `text` fit `budget`."""
    fits = min(len(text), max(0, budget))
    over = weigh(text[:fits]) - budget
    while over > 0:
        fits -= 1
        over -= _weight(text[fits])
    return fits


def room_at_end(text: str, budget: int) -> int:
    """How many characters at the end of `text` fit `budget`."""
    return room(text[: -budget - 1 : -1], budget) if budget > 0 else 0


def _weight(character: str) -> int:
    """What a character counts."""
    if ord(character) < _ASCII:
        return 1
    return _WIDE if east_asian_width(character) in "WF" else _OTHER


CUT: Final = " [\u2026]"
"""Ends a text that is cut inside a sentence, so that nobody takes it for a whole one."""


_STOP: Final = re.compile(r"(?<!\b\w)[.!?](?= )|\u3002")
"""Where a sentence ends; an initial ends none."""


def shorten(text: str, budget: int) -> str:
    """The beginning of a text within `budget`, cut at the end of a sentence, else marked as cut."""
    fits = room(text, budget)
    if fits == len(text):
        return text
    head = text[:fits]
    stop = max((found.start() for found in _STOP.finditer(head)), default=-1)
    if stop >= fits // 2:
        return head[: stop + 1]
    head = text[: room(text, max(0, budget - weigh(CUT)))]
    kept = head[: max(head.rfind(" "), len(head) // 2)].rstrip()
    return f"{kept}{CUT}" if kept else ""


def lines_within(lines: Iterable[str], budget: int) -> list[str]:
    """The first lines that fit a budget, joined by line breaks; no more are asked for."""
    kept: list[str] = []
    for line in lines:
        budget -= weigh(line) + 1
        if budget < 0:
            break
        kept.append(line)
    return kept


def tail(text: str, budget: int) -> str:
    """The end of a text within `budget`, begun at a paragraph or word."""
    fits = room_at_end(text, budget)
    if fits == len(text):
        return text
    end = text[len(text) - fits :]
    start = end.find("\n\n")
    if 0 <= start <= fits // 2:
        return end[start:].strip()
    return end[end.find(" ") + 1 :].strip()


def parts(text: str, budget: int) -> list[str]:
    """A text in as few parts within `budget` as its paragraphs allow.

    A paragraph that is longer than the budget is cut where the budget ends.
    """
    groups: list[list[str]] = [[]]
    taken = 0
    for paragraph, whole in _weighed(text):
        cut = _pieces(paragraph, budget) if whole > budget else ((paragraph, whole),)
        for piece, weight in cut:
            if taken and taken + weight + 2 > budget:
                groups.append([piece])
                taken = weight
            else:
                groups[-1].append(piece)
                taken += weight + 2 * bool(taken)
    return ["\n\n".join(group) for group in groups]


def _weighed(text: str) -> tuple[tuple[str, int], ...]:
    """The paragraphs of a text with their weights."""
    return tuple((one, weigh(one)) for one in text.split("\n\n") if one)


def _pieces(paragraph: str, budget: int) -> Iterator[tuple[str, int]]:
    """A paragraph cut into pieces within `budget`, each with its weight."""
    start = 0
    while start < len(paragraph):
        # No character weighs less than 1: what fits is among the next `budget` of them.
        near = paragraph[start : start + max(1, budget)]
        piece = near[: max(1, room(near, budget))]
        yield piece, weigh(piece)
        start += len(piece)
