"""Mending a text by patches: which passages are shown, and which patches are kept.

A patch is applied exactly where it belongs, and only if no gate becomes worse.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from typing import Final

import regex

from libriscribe2.checks.gates.gate import GateFigures
from libriscribe2.models.citations import MARK, ids_in, with_known_ids
from libriscribe2.models.reviews import Patch
from libriscribe2.prose import count_words, room, weigh
from libriscribe2.research.quotes import places_of_quote

GAP: Final = "\n\n[\u2026]\n\n"
"""Stands where text is left out."""

LONGEST_PIECE: Final = 3_000
"""A longer paragraph is shown in part."""

_BLANK_LINES: Final = re.compile(r"\n[^\S\n]*\n\s*")

MOST_CHANGE: Final = 0.1
"""So much of its length a text may gain or lose by all its patches together."""

FEW_WORDS: Final = 30
"""So many words, a clause or a sentence, a patch may add to a text that is too long already, or take
from a short one, as long as all patches together change no more than `LITTLE` of it: what mends a
fault is no padding."""

LITTLE: Final = 0.04

LENGTH: Final = "length"
"""The gate that looks at no more than that."""

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

_SINGLE: Final = "'\u2018\u2019\u201a\u201b"
_SIGNS: Final = f'{_SINGLE}"\u201c\u201d\u201e\u201f\u00ab\u00bb'
_ALIKE: Final = (("...", "\u2026"), ("\u2026", "..."), ("--", "\u2014"), ("\u2014", "--"))
_SIGN: Final = re.compile(f"[{_SIGNS}]")

_LEADING: Final = f"-\u2013\u2014{_SIGNS}"

_TWICE: Final = "its words stand more than once in the text"
OFF_LENGTH: Final = "it changes the length too much"
_PARAGRAPH_GAP: Final = "\n\n"
_COMMENT: Final = (("<", "<!--"), (">", "-->"))

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


def apply(text: str, patch: Patch, notes: Collection[str] = ()) -> Applied:
    """Put a patch into a text, if its words stand there exactly once.

    They are looked for as they are, and where they do not stand so as a quote is: typography and
    white space may differ. What is put in takes on the text's typography. What becomes empty takes
    the blanks on one side along. A patch is refused that makes a heading, a fence or a tag, or that
    touches the title, a scene break, the mark of a note or a comment, or that leaves a quotation
    open.

    Args:
        text: The text.
        patch: The patch.
        notes: Ids of notes whose marks it may add, move and take out; none where marks stay.
    """
    place = _place(patch.find.strip(), text)
    if isinstance(place, str):
        return Applied(text, place)
    start, end = place
    before, after = text[:start], text[end:]
    replace = typeset_as(text, with_known_ids(patch.replace.strip(), notes))
    if replace == text[start:end]:
        return Applied(text, "it changes nothing")
    changed = f"{before}{replace}{after}" if replace else _joined(before, after)
    was, now = _around_change(text, changed)
    reason = _misplaced(was, now, notes, is_retitled=_title(text) != _title(changed))
    if reason:
        return Applied(text, reason)
    return Applied(changed, more=count_words(now) - count_words(was))


def patched(
    text: str,
    patches: Iterable[Patch],
    judge: Judge,
    notes: Collection[str] = (),
    errors: Collection[int] = (),
) -> Patched:
    """Put patches into a text one after the other, each only if the text is no worse with it.

    All of them together change its length by at most a tenth.

    Args:
        text: The text.
        patches: The patches.
        judge: Measures a version of the text.
        notes: What it is to `apply`.
        errors: The issues that are errors: a patch of one is refused for no lesser fault.
    """
    now, taken, refused = text, list[Patch](), list[tuple[Patch, str]]()
    figures, first = judge(text), count_words(text)
    count = first
    for patch in patches:
        tried = apply(now, patch, notes)
        words, reason = count + tried.more, tried.reason
        if not reason and any(is_off_length(was, words) for was in (first, count)):
            reason = OFF_LENGTH
        if not reason:
            new = judge(tried.text)
            worse = new.worse_than(figures, errors=patch.issue in errors)
            together = abs(words - first) <= max(FEW_WORDS, LITTLE * first)
            if abs(tried.more) <= FEW_WORDS and together:
                worse = tuple(name for name in worse if name != LENGTH)
            if not worse:
                now, count, figures = tried.text, words, new
                taken.append(patch)
                continue
            reason = f"worse by: {', '.join(worse)}"
        refused.append((patch, reason))
    return Patched(now, tuple(taken), tuple(refused))


def _place(find: str, text: str) -> tuple[int, int] | str:
    """Where a patch's words begin and end; why they name no one place where they do not."""
    if not find:
        return "it names no words of the text"
    start = text.find(find)
    if start < 0:
        places = [(one.start, one.end) for one in islice(places_of_quote(find, text), 2)]
        if not places:
            return "its words do not stand in the text"
        return places[0] if len(places) == 1 else _TWICE
    if text.find(find, start + 1) >= 0:
        return _TWICE
    end = start + len(find)
    if _splits(text, start) or _splits(text, end):
        return "it begins or ends inside a word"
    return start, end


def typeset_as(text: str, words: str) -> str:
    """Words in the typography of a text: quotation marks, apostrophes, dashes, ellipses.

    A sign that the text has itself stays; another becomes the one that the text most often has in
    that position. Where the text has none, it stays, too.
    """
    for mine, theirs in _ALIKE:
        if mine in words and mine not in text and theirs in text:
            words = words.replace(mine, theirs)
    usual = _usual_signs(text) if any(one in words and one not in text for one in _SIGNS) else {}
    made = list(words)
    for kind, where, found in _signs(words):
        if words[found] not in text and (kind, where) in usual:
            made[found] = usual[kind, where].most_common(1)[0][0]
    return "".join(made)


def _usual_signs(text: str) -> dict[tuple[bool, str], Counter[str]]:
    """How often a text has each quotation mark in each position."""
    usual: dict[tuple[bool, str], Counter[str]] = defaultdict(Counter)
    for kind, where, found in _signs(text):
        usual[kind, where][text[found]] += 1
    if "\u2019" in usual[True, "inside"]:  # an apostrophe says how single quotation marks look
        usual[True, "before"]["\u2018"] += 1
        usual[True, "after"]["\u2019"] += 1
    return {position: signs for position, signs in usual.items() if signs}


def _signs(text: str) -> Iterator[tuple[bool, str, int]]:
    """Each quotation mark: whether it is a single one, its position, its place."""
    for found in _SIGN.finditer(text):
        at = found.start()
        left, right = text[max(0, at - 1) : at], text[at + 1 : at + 2]
        # After a dash or another mark, what follows decides; after the end of a sentence it closes.
        opens = not left or left.isspace() or left in "([" or (right.isalnum() and left in _LEADING)
        inside = left.isalnum() and right.isalnum()
        yield found.group() in _SINGLE, "inside" if inside else "before" if opens else "after", at


def _misplaced(was: str, now: str, notes: Collection[str], *, is_retitled: bool) -> str:
    """Why a passage may not have the marks of its new version; "" where it may."""
    if notes and not set(ids_in(now)) <= {*notes, *ids_in(was)}:
        return "it cites a note that there is not"
    old, new = (_FIXED.findall(MARK.sub("", one) if notes else one) for one in (was, now))
    if old != new:
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
    start = _alike(old, new, min(len(old), len(new)))
    same = _alike(old[::-1], new[::-1], min(len(old), len(new)) - start)
    left = old.rfind(_PARAGRAPH_GAP, 0, start)
    first = left + len(_PARAGRAPH_GAP) if left >= 0 else 0
    right = old.find(_PARAGRAPH_GAP, len(old) - same)
    last = len(old) - right if right >= 0 else 0
    return old[first : len(old) - last], new[first : len(new) - last]


def _alike(one: str, other: str, most: int) -> int:
    """With how many like characters two texts begin, `most` at most; found by halves."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _has_comment(text: str) -> bool:
    """Whether a comment begins or ends in a text; single characters are found sooner than marks."""
    return any(mark in text for sign, mark in _COMMENT if sign in text)


def _half_quotes(text: str) -> int:
    """How many quotation marks of a text have no counterpart in their paragraph."""
    return sum(map(_half_quotes_in, text.split(_PARAGRAPH_GAP)))


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


def is_off_length(was: int, count: int) -> bool:
    """Whether a number of words changes by more than a tenth."""
    return abs(count - was) > MOST_CHANGE * was


def changed_paragraphs(old: str, new: str) -> list[tuple[str, str]]:
    """The paragraphs in which two versions of a text differ, old and new, in their order.

    Either side is empty where paragraphs were only added or only taken out.
    """
    was, now = (_BLANK_LINES.split(text.strip()) for text in (old, new))
    found = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    return [
        (_PARAGRAPH_GAP.join(was[a:b]), _PARAGRAPH_GAP.join(now[c:d]))
        for kind, a, b, c, d in found
        if kind != "equal"
    ]


@dataclass(frozen=True, slots=True)
class Passages:
    """A choice of passages.

    Attributes:
        text: The passages in the order of the text, with `GAP` between those that do not touch.
        shown: Which of the wanted groups of places it holds, by their index.
    """

    text: str
    shown: tuple[int, ...]


def passages(text: str, groups: Sequence[Sequence[int]], budget: int) -> Passages:
    """The paragraphs around some places, with their neighbours.

    Args:
        text: The whole text.
        groups: Places that belong together, as offsets; the most important groups first. A group
            is shown with all its places or not at all.
        budget: Most that all passages take (`prose.weigh`).
    """
    spans = _spans(text)
    chosen: set[int] = set()
    shown: list[int] = []
    for index, places in enumerate(groups):
        own = {_at(spans, place) for place in places}
        around = {at + step for at in own for step in (-1, 0, 1)} & set(range(len(spans)))
        for more in (around, own):
            if weigh(_runs(text, spans, chosen | more)) <= budget:
                chosen |= more
                shown.append(index)
                break
    return Passages(_runs(text, spans, chosen), tuple(shown))


def _spans(text: str) -> list[tuple[int, int]]:
    """Where each paragraph begins and ends; a very long one in pieces."""
    ends = [(found.start(), found.end()) for found in _BLANK_LINES.finditer(text)]
    found, start = [], 0
    for end, following in (*ends, (len(text), len(text))):
        while weigh(text[start:end]) > LONGEST_PIECE:
            cut = start + max(1, room(text[start:end], LONGEST_PIECE))
            blank = text.rfind(" ", start, cut)
            cut = blank + 1 if blank > start else cut
            found.append((start, cut))
            start = cut
        if start < end:
            found.append((start, end))
        start = following
    return found


def _at(spans: Sequence[tuple[int, int]], place: int) -> int:
    """The index of the span that holds a place, or of the next one."""
    return next((at for at, (_, end) in enumerate(spans) if place < end), len(spans) - 1)


def _runs(text: str, spans: Sequence[tuple[int, int]], chosen: set[int]) -> str:
    """The chosen spans as one text; those that follow each other as they stand."""
    runs: list[tuple[int, int]] = []
    last = -2
    for at in sorted(chosen):
        start, end = spans[at]
        if at == last + 1:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
        last = at
    return GAP.join(text[start:end] for start, end in runs)
