"""R12: a chapter keeps its person and its tense. English only."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from libriscribe2.quality.text import ChapterText, plain

Person = Literal["first", "third"]
Tense = Literal["past", "present"]

FEWEST_WORDS: Final = 150
"""A shorter text does not say enough to be judged."""

_SPEECH: Final = re.compile(r'"[^"]*"?')
_TOKEN: Final = re.compile(r"\w+")
_FORMS: Final = {
    "first": re.compile(r"I|me|my|mine|myself"),
    "third": re.compile(r"he|she|him|her|his|hers|they|them|their", re.IGNORECASE),
    "past": re.compile(
        r"was|were|had|did|said|went|came|saw|took|knew|thought|looked|stood|\w{2,}ed"
    ),
    "present": re.compile(
        r"is|are|am|has|have|does|do|says|goes|comes|sees|takes|knows|thinks|looks|stands"
    ),
}
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
    narrated = [_narrated(paragraph) for paragraph in chapter.prose]
    if sum(len(text.split()) for text in narrated) < FEWEST_WORDS:
        return Viewpoint(None, None)
    first, third, past, present = _uses("\n".join(narrated))
    person: Person | None = "first" if 2 * first > third else "third" if first * 8 < third else None
    tense: Tense | None = None
    if past > _CLEAR * present:
        tense = "past"
    elif present > _CLEAR * past:
        tense = "present"
    return Viewpoint(person, tense)


def _narrated(paragraph: str) -> str:
    """A paragraph without what people say."""
    text = plain(paragraph)
    return _SPEECH.sub(" ", text) if '"' in text else text


def _uses(text: str) -> list[int]:
    """How many words of a text show each form."""
    uses = dict.fromkeys((*_FORMS, ""), 0)
    for word, count in Counter(_TOKEN.findall(text)).items():
        uses[_form(word)] += count
    return [uses[form] for form in _FORMS]


def _form(word: str) -> str:
    """The form that a word shows; "" for most words. None shows two."""
    return next((name for name, pattern in _FORMS.items() if pattern.fullmatch(word)), "")


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
