"""R12: a chapter keeps its person and its tense. English only."""

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
_FIRST: Final = re.compile(r"\b(?:I|me|my|mine|myself)\b")
_THIRD: Final = re.compile(r"\b(?:he|she|him|her|his|hers|they|them|their)\b", re.IGNORECASE)
_PAST: Final = re.compile(
    r"\b(?:was|were|had|did|said|went|came|saw|took|knew|thought|looked|stood|\w{2,}ed)\b"
)
_PRESENT: Final = re.compile(
    r"\b(?:is|are|am|has|have|does|do|says|goes|comes|sees|takes|knows|thinks|looks|stands)\b"
)
_CLEAR: Final = 2.0
"""One form has to be twice as frequent as the other before a chapter counts as written in it."""


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """How a chapter is told; None where its narration does not say.

    Attributes:
        person: First or third person.
        tense: Past or present.
    """

    person: Person | None
    tense: Tense | None


def viewpoint(chapter: ChapterText) -> Viewpoint:
    """The person and tense of a chapter's narration, without what people say."""
    told = " ".join(_SPEECH.sub(" ", plain(one.text)) for one in chapter.paragraphs)
    if len(told.split()) < FEWEST_WORDS:
        return Viewpoint(None, None)
    first, third = len(_FIRST.findall(told)), len(_THIRD.findall(told))
    past, present = len(_PAST.findall(told)), len(_PRESENT.findall(told))
    person: Person | None = "first" if 2 * first > third else "third" if first * 8 < third else None
    tense: Tense | None = None
    if past > _CLEAR * present:
        tense = "past"
    elif present > _CLEAR * past:
        tense = "present"
    return Viewpoint(person, tense)


@dataclass(frozen=True, slots=True)
class Drift:
    """A chapter that is told otherwise than most.

    Attributes:
        chapter: The chapter.
        message: What differs.
    """

    chapter: ChapterText
    message: str


def viewpoint_drift(chapters: Sequence[ChapterText]) -> list[Drift]:
    """Chapters whose person or tense is not that of the others.

    A book whose chapters are told in two ways about as often means it so.
    """
    told = [(chapter, viewpoint(chapter)) for chapter in chapters]
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
