"""How a chapter is told: its person and its tense. English only."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from libriscribe2.quality.text import ChapterText, plain

Person = Literal["first", "third"]
Tense = Literal["past", "present"]

FEWEST_WORDS: Final = 150
"""A shorter text does not say enough to be judged."""

_SPEECH: Final = re.compile(r'"[^"]*"?')
_FORMS: Final = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (r"\b(?:I|me|my|mine|myself)\b", 0),
        (r"\b(?:he|she|him|her|his|hers|they|them|their)\b", re.IGNORECASE),
        (r"\b(?:was|were|had|did|said|went|came|saw|took|knew|thought|looked|stood|\w{2,}ed)\b", 0),
        (
            r"\b(?:is|are|am|has|have|does|do|says|goes|comes|sees|takes|knows|thinks|looks|stands)\b",
            0,
        ),
    )
)
"""Words of the first person, the third person, the past and the present."""

_CLEAR: Final = 2.0
"""One form has to be twice as frequent as the other before a chapter counts as written in it."""


@dataclass(frozen=True, slots=True)
class Narration:
    """How a chapter is told; None where its narration does not say.

    Attributes:
        person: First or third person.
        tense: Past or present.
    """

    person: Person | None
    tense: Tense | None


def narration_of(chapter: ChapterText) -> Narration:
    """The person and tense of a chapter's narration, without what people say."""
    narrated = [_SPEECH.sub(" ", plain(paragraph)) for paragraph in chapter.prose]
    if sum(len(text.split()) for text in narrated) < FEWEST_WORDS:
        return Narration(None, None)
    first, third, past, present = (
        sum(len(form.findall(text)) for text in narrated) for form in _FORMS
    )
    person: Person | None = "first" if 2 * first > third else "third" if first * 8 < third else None
    tense: Tense | None = None
    if past > _CLEAR * present:
        tense = "past"
    elif present > _CLEAR * past:
        tense = "present"
    return Narration(person, tense)


@dataclass(frozen=True, slots=True)
class Drift:
    """A chapter that is told otherwise than most.

    Attributes:
        chapter: The chapter.
        message: What differs.
    """

    chapter: ChapterText
    message: str


def narration_drift(chapters: Sequence[ChapterText]) -> list[Drift]:
    """Chapters whose person or tense is not that of the others.

    A book whose chapters are told in two ways about as often means it so.
    """
    told = [(chapter, narration_of(chapter)) for chapter in chapters]
    found = []
    for name in ("person", "tense"):
        known = [(one, value) for one, seen in told if (value := getattr(seen, name)) is not None]
        values = [value for _, value in known]
        for chapter, value in known:
            if 1 <= values.count(value) <= len(values) // 6:
                usual = next(other for other in values if other != value)
                message = f"told in the {value} {name}, the book in the {usual} {name}"
                found.append(Drift(chapter, message))
    return sorted(found, key=lambda drift: drift.chapter.number)
