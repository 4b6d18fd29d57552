"""Applying patches to a text: each exactly where it belongs, and only if nothing becomes worse."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import regex

from libriscribe2.models.reviews import Patch
from libriscribe2.prose import count_words
from libriscribe2.quality.gates.gates import GateFigures
from libriscribe2.quality.tally import alike, alike_at_end

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

_GAP: Final = "\n\n"
_COMMENT: Final = (("<", "<!--"), (">", "-->"))
_OFF_LENGTH: Final = "it changes the length too much"

Judge = Callable[[str], GateFigures]
"""Measures a version of a text."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of one patch.

    Attributes:
        text: The text with the patch; the text as it was where the patch was refused.
        reason: Why it was refused; "" where it was not.
        more: How many words the text has more than before.
    """

    text: str
    reason: str = ""
    more: int = 0


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
    was, now = _around_change(text, changed)
    reason = _misplaced(was, now, is_retitled=_title(text) != _title(changed))
    if reason:
        return Applied(text, reason)
    return Applied(changed, more=count_words(now) - count_words(was))


def kept(old: str, new: str, judge: Judge) -> str:
    """Why a new version of a text is not to replace the old one; "" where it may.

    Args:
        old: The text as it is.
        new: The text with a patch.
        judge: Measures both.
    """
    if _is_off_length(count_words(old), count_words(new)):
        return _OFF_LENGTH
    return _worse(old, new, judge)


def patched(text: str, patches: Iterable[Patch], judge: Judge) -> Patched:
    """Put patches into a text one after the other, each only if the text is no worse with it.

    All of them together change its length by at most a tenth.
    """
    now, taken, refused = text, list[Patch](), list[tuple[Patch, str]]()
    # Of two versions the new one is measured first: a third place keeps it for the next patch.
    measured, first = lru_cache(maxsize=3)(judge), count_words(text)
    count = first
    for patch in patches:
        tried = apply(now, patch)
        words, reason = count + tried.more, tried.reason
        if not reason and any(_is_off_length(was, words) for was in (first, count)):
            reason = _OFF_LENGTH
        reason = reason or _worse(now, tried.text, measured)
        if reason:
            refused.append((patch, reason))
        else:
            now, count = tried.text, words
            taken.append(patch)
    return Patched(now, tuple(taken), tuple(refused))


def _worse(old: str, new: str, judge: Judge) -> str:
    """By what a new version is worse than the old one; "" where by nothing."""
    worse = judge(new).worse_than(judge(old))
    return f"worse by: {', '.join(worse)}" if worse else ""


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


def _misplaced(was: str, now: str, *, is_retitled: bool) -> str:
    """Why a passage may not have the marks of its new version; "" where it may."""
    if _FIXED.findall(was) != _FIXED.findall(now):
        return "it makes or loses a scene break, the mark of a note or a comment"
    if is_retitled:
        return "it changes the title"
    if any(Counter(one.findall(now)) - Counter(one.findall(was)) for one in (_UNWELCOME, _NOWHERE)):
        return "it makes a heading, a fence or a tag"
    if _half_quotes(now) > _half_quotes(was):
        return "it leaves a quotation without its beginning or its end"
    return ""


def _title(text: str) -> str:
    """The title above a text; "" where it has none."""
    found = _TITLE.match(text)
    return found.group() if found else ""


def _around_change(old: str, new: str) -> tuple[str, str]:
    """The paragraphs in which two versions of a text differ, as they stand in each.

    Whole versions where comments may reach from one paragraph into another.
    """
    if _has_comment(old) or _has_comment(new):
        return old, new
    start = alike(old, new)
    same = alike_at_end(old, new, min(len(old), len(new)) - start)
    left = old.rfind(_GAP, 0, start)
    first = left + len(_GAP) if left >= 0 else 0
    right = old.find(_GAP, len(old) - same)
    last = len(old) - right if right >= 0 else 0
    return old[first : len(old) - last], new[first : len(new) - last]


def _has_comment(text: str) -> bool:
    """Whether a comment begins or ends in a text; single characters are found sooner than marks."""
    return any(mark in text for sign, mark in _COMMENT if sign in text)


def _half_quotes(text: str) -> int:
    """How many quotation marks of a text have no counterpart in their paragraph."""
    return sum(map(_half_quotes_in, text.split(_GAP)))


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


def _is_off_length(was: int, count: int) -> bool:
    """Whether a number of words changes by more than a tenth."""
    return abs(count - was) > MOST_CHANGE * was
