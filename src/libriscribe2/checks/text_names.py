"""Names that drift: a word one slip away from a name of the book."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from typing import Final

import regex
from rapidfuzz.distance import OSA

from libriscribe2.checks.text import ChapterText, Paragraph, plain
from libriscribe2.models.languages import language_of

SHORTEST: Final = 4
"""Shorter names have too many neighbours among ordinary words."""

MAIN_NAME_USES: Final = 5
_RARE_SHARE: Final = 0.05
_KNOWN_WORD: Final = 2.0
"""Zipf frequency from which on a spelling is a word, a place or a name that people write."""

_CAPITALISED_NOUNS: Final = frozenset({"de", "lb"})
"""Languages in which any noun has a capital, so that a frequent one need not be a name."""

_NO_CAPITALS: Final = frozenset({"ja", "ko", "zh"})
_LEMMAS: Final = frozenset(
    (
        *("bg", "ca", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "hu", "id", "is", "it"),
        *("lt", "lv", "mk", "nb", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "tr", "uk"),
    )
)
"""Languages whose inflected forms `simplemma` knows."""
_LOWER_SHARE: Final = 0.1
"""A word that stands in lower case in more than this share of its uses is no name."""

_TOKEN: Final = regex.compile(r"\p{Lu}\p{Ll}{2,}(?:'s)?|\p{Ll}{2,}|[.!?\u2026:;\"]")
_ASCII_TOKEN: Final = re.compile(r"[A-Z][a-z]{2,}(?:'s)?|[a-z]{2,}|[.!?:;\"]")
_SMALL: Final = regex.compile(r"(?<!\p{L})\p{Ll}{3,}")
_PART: Final = regex.compile(r"\p{Lu}\p{L}+")
_ENDS: Final = frozenset('.!?\u2026:;"')
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
    chapters: Sequence[ChapterText],
    known: Iterable[str],
    others: Iterable[str] = (),
    language: str = "English",
) -> list[NameDrift]:
    """Spellings that are one slip away from a name, and that nobody else writes.

    A slip is one letter too many, too few, wrong or swapped with the next; not the first one, which
    dialects change, nor the last one, which inflections do. It is rarer by far than the name, and
    by their frequencies neither the spelling nor its lemma is a word of the language; and it does
    not stand beside other names than that one does, as the name of somebody else would, nor only
    among words that nobody writes, as in dialect. Without `wordfreq` (the extra `names`), and in
    languages that it does not know, nothing is found.

    Args:
        chapters: The book.
        known: Names of people and places, which are right however seldom they occur.
        others: Further words that are right, such as terms of the world.
        language: The language of the book, as its brief has it.
    """
    code, cast = language_of(language).code, tuple(known)
    uses = _uses(chapters)
    right, terms = _parts_of(cast), _parts_of(others)
    bases = {name for name in right if len(name) >= SHORTEST}
    if code not in _CAPITALISED_NOUNS:
        bases |= {
            name
            for name, count in uses.count.items()
            if count >= MAIN_NAME_USES and len(name) >= SHORTEST and name not in uses.doubtful
        }
    slips = {
        spelling: names
        for spelling in uses.count.keys() - right - terms
        if (names := [name for name in bases if _is_slip(spelling, name, uses.count)])
    }
    # The dictionaries are looked for on the disk: each version of a chapter comes by here, and
    # next to none has a slip.
    if not slips or not can_compare_names(code):
        return []
    found, texts = [], [plain(text) for text in chain(cast, *(one.prose for one in chapters))]
    for spelling, names in slips.items():
        if not (
            _is_word(spelling, code)
            or _is_another(spelling, names, texts, uses.count)
            or _is_in_dialect(spelling, chapters, code)
        ):
            name = min(names, key=lambda one: (-uses.count.get(one, 0), one))
            counts = uses.count[spelling], uses.count.get(name, 0)
            found.append(NameDrift(spelling, name, *counts, *_first(spelling, chapters)))
    return sorted(found, key=lambda one: (one.chapter, one.paragraph.line, one.spelling))


def can_compare_names(code: str) -> bool:
    """Whether it is known which spellings are words of a language (its BCP 47 code)."""
    if code in _NO_CAPITALS or find_spec("wordfreq") is None:
        return False
    from wordfreq import available_languages  # noqa: PLC0415 - an extra

    return code in available_languages()


def used_names(chapter: ChapterText) -> Mapping[str, int]:
    """The words of a chapter that are names by their capitals, with how often each stands.

    Words that only begin sentences are left out: there any word has a capital.
    """
    uses = _uses([chapter])
    return {name: n for name, n in sorted(uses.count.items()) if name not in uses.doubtful}


def _is_slip(spelling: str, name: str, uses: Mapping[str, int]) -> bool:
    """Whether a spelling may be meant to be a name that is used far more often."""
    most = max(1, _RARE_SHARE * uses.get(name, 0))
    if uses[spelling] > most or (spelling[0], spelling[-1]) != (name[0], name[-1]):
        return False
    return OSA.distance(spelling.casefold(), name.casefold(), score_cutoff=1) == 1


def _is_word(spelling: str, code: str) -> bool:
    """Whether people write a spelling, or that of which it is a form, in a language or in English."""
    from simplemma import lemmatize  # noqa: PLC0415 - an extra
    from wordfreq import zipf_frequency  # noqa: PLC0415 - an extra

    word = spelling.casefold()
    forms = {word}
    if code in _LEMMAS:
        forms |= {lemmatize(spelling, code).casefold(), lemmatize(word, code).casefold()}
    languages = {code, "en"}
    return any(zipf_frequency(one, each) >= _KNOWN_WORD for one in forms for each in languages)


def _is_in_dialect(spelling: str, chapters: Sequence[ChapterText], code: str) -> bool:
    """Whether a spelling stands in sentences alone of which a third is no words that people write."""
    told = chain.from_iterable(chapter.sentences for chapter in chapters)
    held = [_SMALL.findall(one) for one in map(plain, told) if spelling in one]
    strange = [sum(not _is_word(word, code) for word in words) for words in held]
    return all(n >= max(2, len(words) / 3) for n, words in zip(strange, held, strict=True))


def _is_another(
    spelling: str, names: Iterable[str], texts: Sequence[str], known: Container[str]
) -> bool:
    """Whether a spelling stands beside names, beside none of which those stand that it is like."""
    own = _beside(spelling, texts, known)
    return bool(own) and all(own.isdisjoint(_beside(name, texts, known)) for name in names)


def _beside(name: str, texts: Iterable[str], known: Container[str]) -> set[str]:
    """The known names directly before and behind a name."""
    beside = regex.compile(rf"(?:(\p{{Lu}}\p{{L}}+)\s+)?\b{name}\b(?:\s+(\p{{Lu}}\p{{L}}+))?")
    found = chain.from_iterable(beside.findall(text) for text in texts if name in text)
    return {word for word in chain.from_iterable(found) if word in known}


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


def _folded(word: str) -> str:
    """A word by its sound, roughly: spellings that are read alike become equal."""
    for written, sound in _SOUNDS:
        word = word.replace(written, sound)
    return re.sub(r"(.)\1+", r"\1", word).removesuffix("e")
