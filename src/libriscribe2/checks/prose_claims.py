"""Names in prose that no note supports, found by code where a capital letter tells a name.

This is a list to look through, not a verdict: what a sentence says is not understood.
"""

from collections.abc import Collection, Iterator
from typing import Final

import regex

from libriscribe2.models.citations import MARK
from libriscribe2.research.passages import fold, paragraphs, sentences

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


def unknown_names(chapter: str, known: Collection[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sentences of a chapter with names that nothing supports, in order, and these names.

    Args:
        chapter: The chapter as Markdown.
        known: The words of the notes and of the book's own names (`folded_words`).
    """
    for paragraph in paragraphs(chapter):
        for sentence in sentences(MARK.sub("", paragraph)):
            names = tuple(dict.fromkeys(names_in(sentence, known)))
            if names:
                yield " ".join(sentence.split()), names


def names_in(sentence: str, known: Collection[str]) -> Iterator[str]:
    """Capitalised words that are not known; the first word of a sentence or of a speech is no name."""
    for match in _NAME.finditer(sentence):
        words = match.group().split()
        before = sentence[: match.start()].rstrip(" \t*_\"'\u201c\u2018(")
        if not before or before[-1] in ".!?:\u2026\u2014|":
            words = words[1:]
        missing = [word for word in words if not _is_known(word, known)]
        if missing:
            yield " ".join(words)


def _is_known(word: str, known: Collection[str]) -> bool:
    parts = folded_words(word)
    ignored = {"i", "s", "of", "de", "van", "von", "the", "la", "le"}
    return all(part in known or part in _CALENDAR or part in ignored for part in parts)


def folded_words(text: str) -> set[str]:
    """The words of a text without the differences of case and typography (`fold`)."""
    return set(_WORD.findall(fold(text).replace("'s", "")))
