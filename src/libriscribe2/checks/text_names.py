"""Names that drift: a word one slip away from a name of the book."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from typing import Final

import regex
from rapidfuzz.distance import OSA

from libriscribe2.checks.text import ChapterText, Paragraph, plain

SHORTEST: Final = 4
"""Shorter names have too many neighbours among ordinary words."""

MAIN_NAME_USES: Final = 5
_RARE_SHARE: Final = 0.15
_RARE_USES: Final = 2
_LOWER_SHARE: Final = 0.1
"""A word that stands in lower case in more than this share of its uses is no name."""

_TOKEN: Final = regex.compile(r"\p{Lu}\p{Ll}{2,}(?:'s)?|\p{Ll}{2,}|[.!?\u2026:;\"]")
_ASCII_TOKEN: Final = re.compile(r"[A-Z][a-z]{2,}(?:'s)?|[a-z]{2,}|[.!?:;\"]")
_PART: Final = regex.compile(r"\p{Lu}\p{L}+")
_ENDS: Final = frozenset('.!?\u2026:;"')
_FORMS: Final = ("s", "es", "ie", "y", "ish", "an", "n", "ian", "ese")
_SOUNDS: Final = (
    *(("ph", "f"), ("ck", "k"), ("c", "k"), ("q", "k"), ("th", "t"), ("gh", "g"), ("rh", "r")),
    *(("wh", "w"), ("ie", "i"), ("ei", "i"), ("ee", "i"), ("ea", "i"), ("y", "i"), ("oo", "u")),
    *(("ou", "u"), ("z", "s"), ("h", "")),
)


@dataclass(frozen=True, slots=True)
class NameDrift:
    """A spelling that is close to a name of the book.

    Attributes:
        spelling: How it stands.
        name: The name that it is close to.
        uses: How often it stands so.
        name_uses: How often the name stands as it should.
        chapter: Index of the chapter where it stands first.
        paragraph: The paragraph there.
    """

    spelling: str
    name: str
    uses: int
    name_uses: int
    chapter: int
    paragraph: Paragraph


@dataclass(frozen=True, slots=True)
class _Capitals:
    """The words of a paragraph by their capitals.

    Attributes:
        inside: Those with a capital inside a sentence.
        at_start: Those with one where a sentence begins.
        lower: The others.
    """

    inside: tuple[str, ...]
    at_start: tuple[str, ...]
    lower: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _NameUses:
    """Capitalised words of a text.

    Attributes:
        count: How often each stands.
        doubtful: Those that only begin sentences, where any word has a capital.
    """

    count: Mapping[str, int]
    doubtful: frozenset[str]


def name_drift(
    chapters: Sequence[ChapterText], known: Iterable[str], others: Iterable[str] = ()
) -> list[NameDrift]:
    """Rare spellings next to a known name, or to a name that the book uses often.

    Args:
        chapters: The book.
        known: Names of people and places, which are right however seldom they stand.
        others: Further words that are right, such as terms of the world.
    """
    uses = _uses(chapters)
    found = []
    for spelling, name in _slips(uses, _parts_of(known), _parts_of(others)):
        counts = uses.count[spelling], uses.count.get(name, 0)
        found.append(NameDrift(spelling, name, *counts, *_first(spelling, chapters)))
    return sorted(found, key=lambda one: (one.chapter, one.paragraph.line, one.spelling))


def used_names(chapter: ChapterText) -> Mapping[str, int]:
    """The words of a chapter that are names by their capitals, with how often each stands.

    Words that only begin sentences are left out: there any word has a capital.
    """
    uses = _uses([chapter])
    return {name: n for name, n in sorted(uses.count.items()) if name not in uses.doubtful}


def _slips(uses: _NameUses, known: frozenset[str], others: frozenset[str]) -> list[tuple[str, str]]:
    """Spellings that are meant to be a name, each with the name.

    Args:
        uses: The words of the text.
        known: Words of names that are right however seldom they stand.
        others: Further words that are right.
    """
    frequent = {
        name
        for name, count in uses.count.items()
        if count >= MAIN_NAME_USES and name not in uses.doubtful
    }
    bases = frozenset(name for name in known if len(name) >= SHORTEST) | frequent
    found = []
    for spelling, count in uses.count.items():
        if len(spelling) < SHORTEST or spelling in known or spelling in others:
            continue
        near = _near(spelling, bases, 1 if spelling in uses.doubtful else 2)
        name = _nearest(spelling, count, near, uses.count, known) if near else None
        if name is not None:
            found.append((spelling, name))
    return found


def confusable_names(names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of people whose first names are one letter apart, or sound the same."""
    firsts = [(name, parts[0].casefold()) for name in names if (parts := _parts(name))]
    return [
        (one, other)
        for index, (one, first) in enumerate(firsts)
        for other, second in firsts[index + 1 :]
        if first != second
        and (OSA.distance(first, second) <= 1 or _folded(first) == _folded(second))
    ]


def _parts_of(names: Iterable[str]) -> frozenset[str]:
    """The words of names that can drift."""
    return frozenset(word for name in names for word in _parts(name))


def _parts(name: str) -> list[str]:
    """The words of a name that can drift."""
    return _PART.findall(plain(name))


def _uses(chapters: Sequence[ChapterText]) -> _NameUses:
    """The words of the book that are names by their capitals."""
    held = [_capitals(text) for chapter in chapters for text in chapter.prose]
    inside = Counter(chain.from_iterable(one.inside for one in held))
    at_start = Counter(chain.from_iterable(one.at_start for one in held))
    lower = Counter(chain.from_iterable(one.lower for one in held))
    count = {
        word: uses
        for word in inside.keys() | at_start.keys()
        if lower.get(word.lower(), 0) <= _LOWER_SHARE * (uses := inside[word] + at_start[word])
    }
    return _NameUses(count, frozenset(count.keys() - inside.keys()))


def _capitals(paragraph: str) -> _Capitals:
    """The words of a paragraph by their capitals."""
    inside, at_start, lower = list[str](), list[str](), list[str]()
    text, before = plain(paragraph), "."
    for token in (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text):
        if token[0].isupper():
            (at_start if before in _ENDS else inside).append(token.removesuffix("'s"))
        elif token not in _ENDS:
            lower.append(token)
        before = token
    return _Capitals(tuple(inside), tuple(at_start), tuple(lower))


def _first(spelling: str, chapters: Sequence[ChapterText]) -> tuple[int, Paragraph]:
    """Where a spelling stands first."""
    return next(
        (index, paragraph)
        for index, chapter in enumerate(chapters)
        for paragraph in chapter.paragraphs
        if spelling in (held := _capitals(paragraph.text)).inside or spelling in held.at_start
    )


def _near(spelling: str, bases: frozenset[str], most: int) -> frozenset[str]:
    """The names that are at most so many letters away."""
    return frozenset(name for name in bases if _distance(spelling, name) <= most)


def _nearest(
    spelling: str, count: int, bases: Iterable[str], uses: Mapping[str, int], known: Set[str]
) -> str | None:
    """The name that a spelling is meant to be, or None."""
    near: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for name in bases:
        often = uses.get(name, 0)
        if name == spelling or (often < MAIN_NAME_USES and name not in known):
            continue
        if count > max(_RARE_USES, _RARE_SHARE * often):
            continue
        distance = _distance(spelling, name)
        if _is_slip(spelling, name, distance):
            near[distance, -often].append(name)
    return min(near[min(near)]) if near else None


def _distance(one: str, other: str) -> int:
    """Letters to change, add, leave out or swap with the next; 3 stands for more than 2."""
    return OSA.distance(one.casefold(), other.casefold(), score_cutoff=2)


def _is_slip(spelling: str, name: str, distance: int) -> bool:
    """Whether a spelling is near enough to a name, and not a form of it."""
    ours, theirs = spelling.casefold(), name.casefold()
    short, long = sorted((ours, theirs), key=len)
    if long in {short + ending for ending in _FORMS}:
        return False
    most = 1 if len(long) <= SHORTEST + 1 else 2
    if distance <= most and ours[0] == theirs[0]:
        return True
    return (distance <= 1 and len(ours) > SHORTEST) or _folded(ours) == _folded(theirs)


def _folded(word: str) -> str:
    """A word by its sound, roughly: spellings that are read alike become equal."""
    for written, sound in _SOUNDS:
        word = word.replace(written, sound)
    return re.sub(r"(.)\1+", r"\1", word).removesuffix("e")
