"""Names that drift: a word one slip away from a name of the book."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import regex
from rapidfuzz.distance import OSA

from libriscribe2.quality.text import PARAGRAPHS, ChapterText, Paragraph, plain

SHORTEST: Final = 4
"""Shorter names have too many neighbours among ordinary words."""

MAIN_NAME_USES: Final = 5
_RARE_SHARE: Final = 0.15
_RARE_USES: Final = 2
_LOWER_SHARE: Final = 0.1
"""A word that stands in lower case in more than this share of its uses is no name."""

_TOKEN: Final = regex.compile(r"\p{Lu}\p{Ll}{2,}(?:'s)?|\p{Ll}{2,}|[.!?\u2026:;\"]")
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
class _Uses:
    """Capitalised words of a book.

    Attributes:
        count: How often each stands.
        first: Where it stands first.
        doubtful: Those that only begin sentences, where any word has a capital.
    """

    count: Mapping[str, int]
    first: Mapping[str, tuple[int, Paragraph]]
    doubtful: frozenset[str]


def name_drift(
    chapters: Sequence[ChapterText], canon: Iterable[str], others: Iterable[str] = ()
) -> list[NameDrift]:
    """Rare spellings next to a name of the canon, or to a name that the book uses often.

    Args:
        chapters: The book.
        canon: Names of people and places, which are right however seldom they stand.
        others: Further words that are right, such as terms of the world.
    """
    uses = _uses(chapters)
    known = {word for name in canon for word in _parts(name)}
    right = known | {word for name in others for word in _parts(name)}
    frequent = {
        name
        for name, count in uses.count.items()
        if count >= MAIN_NAME_USES and name not in uses.doubtful
    }
    bases = {name for name in known if len(name) >= SHORTEST} | frequent
    found = []
    for spelling, count in uses.count.items():
        if len(spelling) < SHORTEST or spelling in right:
            continue
        most = 1 if spelling in uses.doubtful else 2
        near = {name for name in bases if _distance(spelling, name) <= most}
        name = _nearest(spelling, count, near, uses.count, known)
        if name is not None:
            chapter, paragraph = uses.first[spelling]
            often = uses.count.get(name, 0)
            found.append(NameDrift(spelling, name, count, often, chapter, paragraph))
    return sorted(found, key=lambda one: (one.chapter, one.paragraph.line, one.spelling))


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


def _parts(name: str) -> list[str]:
    """The words of a name that can drift."""
    return regex.findall(r"\p{Lu}\p{L}+", plain(name))


def _uses(chapters: Sequence[ChapterText]) -> _Uses:
    """The words of the book that are names by their capitals."""
    inside, at_start, lower = Counter[str](), Counter[str](), Counter[str]()
    first: dict[str, tuple[int, Paragraph]] = {}
    for index, chapter in enumerate(chapters):
        for paragraph in chapter.paragraphs:
            before = "."
            for token in _tokens(paragraph.text):
                word = token.removesuffix("'s")
                if word[0].isupper():
                    (at_start if before in _ENDS else inside)[word] += 1
                    first.setdefault(word, (index, paragraph))
                elif word not in _ENDS:
                    lower[word] += 1
                before = token
    total = {
        word: inside[word] + at_start[word]
        for word in inside.keys() | at_start.keys()
        if lower[word.lower()] <= _LOWER_SHARE * (inside[word] + at_start[word])
    }
    return _Uses(total, first, frozenset(word for word in total if not inside[word]))


@lru_cache(maxsize=PARAGRAPHS)
def _tokens(text: str) -> tuple[str, ...]:
    """The words of a paragraph and what ends its sentences."""
    return tuple(_TOKEN.findall(plain(text)))


def _nearest(
    spelling: str, count: int, bases: Iterable[str], uses: Mapping[str, int], known: set[str]
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
