"""Applying patches to a text: each exactly where it belongs, and only if nothing becomes worse."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import regex

from libriscribe2.models.revision import Patch
from libriscribe2.quality.gates.gates import GateFigures
from libriscribe2.utils.words import count_words

MOST_CHANGE: Final = 0.1
"""So much of its length a text may gain or lose by all its patches together."""

_FIXED: Final = regex.compile(
    r"(?m)^[ \t]*[#*_\-=~\u2022\u2042][#*_\-=~\u2022\u2042 \t]{0,8}$"
    r"|\[@?n-[^\]\n]*+\]?|<!--(?s:(?!-->|<!--).)*+(?:-->)?|-->"
)
"""Scene breaks, marks of notes, comments: a patch neither makes nor loses one."""

_UNWELCOME: Final = regex.compile(
    r"(?m)^[ \t]{0,3}#{1,6}[ \t]+\S.*$|^[ \t]{0,3}(?:```|~~~).*$|</?[A-Za-z_][\w-]*+>"
)
"""Headings, fences, tags: a patch makes none."""

_NOWHERE: Final = regex.compile(r"`{3}|\*[ \t]+\*[ \t]+\*")
"""Marks of a fence and of a scene break: a patch adds none inside a line either."""

_TITLE: Final = regex.compile(r"\A\s*+#{1,6}[ \t]+\S.*")

_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]")
_UNSPACED: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}]")

_QUOTES: Final = (("\u00ab", "\u00bb"), ("\u300c", "\u300d"), ("\u300e", "\u300f"))

Judge = Callable[[str], GateFigures]
"""Measures a version of a text."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of one patch.

    Attributes:
        text: The text with the patch; the text as it was where the patch was refused.
        reason: Why it was refused; "" where it was not.
    """

    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Patched:
    """What became of several patches.

    Attributes:
        text: The text with those that were kept.
        kept: The patches that stand in it.
        refused: The others, each with the reason.
    """

    text: str
    kept: tuple[Patch, ...] = ()
    refused: tuple[tuple[Patch, str], ...] = ()


def apply(text: str, patch: Patch) -> Applied:
    """Put a patch into a text, if its words stand there exactly once.

    White space around `find` does not count, inside it every character does. What becomes empty
    takes the blanks on one side along. A patch is refused that makes a heading, a fence or a tag,
    or that touches the title, a scene break, the mark of a note or a comment, or that leaves a
    quotation open.
    """
    find, replace = patch.find.strip(), patch.replace.strip()
    reason = _not_once(find, text)
    if reason:
        return Applied(text, reason)
    if find == replace:
        return Applied(text, "it changes nothing")
    start = text.index(find)
    before, after = text[:start], text[start + len(find) :]
    changed = f"{before}{replace}{after}" if replace else _joined(before, after)
    reason = _misplaced(text, changed)
    return Applied(text, reason) if reason else Applied(changed)


def kept(old: str, new: str, judge: Judge) -> str:
    """Why a new version of a text is not to replace the old one; "" where it may.

    Args:
        old: The text as it is.
        new: The text with a patch.
        judge: Measures both.
    """
    if _off_length(old, new):
        return _off_length(old, new)
    worse = judge(new).worse_than(judge(old))
    return f"worse by: {', '.join(worse)}" if worse else ""


def patched(text: str, patches: Iterable[Patch], judge: Judge) -> Patched:
    """Put patches into a text one after the other, each only if the text is no worse with it.

    All of them together change its length by at most a tenth.
    """
    now, taken, refused = text, list[Patch](), list[tuple[Patch, str]]()
    measured = lru_cache(maxsize=2)(judge)
    for patch in patches:
        tried = apply(now, patch)
        reason = tried.reason or _off_length(text, tried.text) or kept(now, tried.text, measured)
        if reason:
            refused.append((patch, reason))
        else:
            now = tried.text
            taken.append(patch)
    return Patched(now, tuple(taken), tuple(refused))


def _not_once(find: str, text: str) -> str:
    """Why `find` names no one place of the text; "" where it does."""
    if not find:
        return "it names no words of the text"
    start = text.find(find)
    if start < 0:
        return "its words do not stand in the text"
    if text.find(find, start + 1) >= 0:
        return "its words stand more than once in the text"
    end = start + len(find)
    if _splits(text, start) or _splits(text, end):
        return "it begins or ends inside a word"
    return ""


def _misplaced(old: str, new: str) -> str:
    """Why a text may not have the marks of its new version; "" where it may."""
    if _FIXED.findall(old) != _FIXED.findall(new):
        return "it makes or loses a scene break, the mark of a note or a comment"
    if _TITLE.findall(old) != _TITLE.findall(new):
        return "it changes the title"
    if any(Counter(one.findall(new)) - Counter(one.findall(old)) for one in (_UNWELCOME, _NOWHERE)):
        return "it makes a heading, a fence or a tag"
    if _half_quotes(new) > _half_quotes(old):
        return "it leaves a quotation without its beginning or its end"
    return ""


def _half_quotes(text: str) -> int:
    """How many quotation marks of a text have no counterpart in their paragraph."""
    return sum(map(_half_quotes_in, text.split("\n\n")))


def _half_quotes_in(paragraph: str) -> int:
    """The same in one paragraph; where `\u201e` opens, `\u201c` and `\u201d` close."""
    count = paragraph.count
    low, left, right = count("\u201e"), count("\u201c"), count("\u201d")
    high = abs(low - left - right) if low else abs(left - right)
    others = sum(abs(count(one) - count(other)) for one, other in _QUOTES)
    return high + others + count('"') % 2


def _splits(text: str, place: int) -> bool:
    """Whether a place lies inside a word; where no blanks part words, anywhere may be one's end."""
    if not 0 < place < len(text):
        return False
    pair = text[place - 1 : place + 1]
    return all(_WORD.match(one) for one in pair) and not _UNSPACED.search(pair)


def _joined(before: str, after: str) -> str:
    """Two texts between which something was taken out, with the wider of the gaps left."""
    left, right = before.rstrip(), after.lstrip()
    gaps = (before[len(left) :], after[: len(after) - len(right)])
    if not left or not right:
        return left + right + ("" if right else gaps[1])
    if not all(gaps):
        return before + after
    return left + max(gaps, key=lambda gap: (gap.count("\n"), len(gap))) + right


def _off_length(old: str, new: str) -> str:
    """Whether the length changes by more than a tenth, in words; "" where it does not."""
    count, was = count_words(new), count_words(old)
    return "" if abs(count - was) <= MOST_CHANGE * was else "it changes the length too much"
