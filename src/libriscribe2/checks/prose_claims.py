"""Claims of fact in prose that no note supports: numbers, dates and names, found by code.

This is a list to look through, not a verdict: what a sentence says is not understood.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import regex

from libriscribe2.models.citations import MARK
from libriscribe2.models.notes import Note
from libriscribe2.research.passages import fold, paragraphs, sentences
from libriscribe2.research.support import SMALL, numbers_in, plain_number

_NAME: Final = regex.compile(
    r"\p{Lu}[\p{L}\p{M}'\u2019\-]+(?:\s+(?:(?:of|de|van|von|the|la|le)\s+)?\p{Lu}[\p{L}\p{M}'\u2019\-]+)*"
)
_WORD: Final = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_CALENDAR: Final = frozenset(
    {
        *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
        *(
            "october",
            "november",
            "december",
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
        ),
        *("saturday", "sunday"),
    }
)


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A sentence with claims that no note supports.

    Attributes:
        sentence: The sentence, without marks.
        claims: The numbers and names in it that stand in no note.
    """

    sentence: str
    claims: tuple[str, ...]


@dataclass(frozen=True)
class KnownFacts:
    """What prose may say without another note.

    Attributes:
        numbers: The numbers of the notes, without separators.
        words: The folded words of the notes and of the book's own names.
    """

    numbers: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, notes: Iterable[Note], names: Iterable[str]) -> "KnownFacts":
        """What notes and the book's own names support."""
        told = "\n".join(f"{note.claim}\n{note.quote}" for note in notes)
        own = "\n".join(names)
        numbers = frozenset(plain_number(one) for one in numbers_in(f"{told}\n{own}"))
        return cls(numbers, frozenset(folded_words(f"{told}\n{own}")))


def unsupported_claims(chapter: str, known: KnownFacts, *, names: bool) -> Iterator[Unsupported]:
    """The sentences of a chapter that claim what nothing supports, in order.

    Args:
        chapter: The chapter as Markdown.
        known: What is supported.
        names: Whether names count; only where a capital letter tells a name, as in English.
    """
    for paragraph in paragraphs(chapter):
        for sentence in sentences(MARK.sub("", paragraph)):
            claims = [*_numbers(sentence, known), *(names_in(sentence, known) if names else ())]
            if claims:
                yield Unsupported(" ".join(sentence.split()), tuple(dict.fromkeys(claims)))


def _numbers(sentence: str, known: KnownFacts) -> Iterator[str]:
    for found in numbers_in(sentence):
        number = plain_number(found)
        trivial = number.isdecimal() and int(number[:9]) <= SMALL
        if not trivial and number not in known.numbers:
            yield found


def names_in(sentence: str, known: KnownFacts) -> Iterator[str]:
    """Capitalised words that are not known; the first word of a sentence or of a speech is no name."""
    for match in _NAME.finditer(sentence):
        words = match.group().split()
        before = sentence[: match.start()].rstrip(" \t*_\"'\u201c\u2018(")
        if not before or before[-1] in ".!?:\u2026\u2014":
            words = words[1:]
        missing = [word for word in words if not _is_known(word, known)]
        if missing:
            yield " ".join(words)


def _is_known(word: str, known: KnownFacts) -> bool:
    parts = folded_words(word)
    ignored = {"i", "s", "of", "de", "van", "von", "the", "la", "le"}
    return all(part in known.words or part in _CALENDAR or part in ignored for part in parts)


def folded_words(text: str) -> set[str]:
    """The words of a text without the differences of case and typography (`fold`)."""
    return set(_WORD.findall(fold(text).replace("'s", "")))
