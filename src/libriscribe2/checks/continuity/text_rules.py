"""R15 and R16: what the text itself shows, whatever a reader noted of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from libriscribe2.checks.continuity.fact_values import weekday
from libriscribe2.checks.continuity.story_rules import CONTINUITY_RULES, Story
from libriscribe2.checks.text import MONTHS, ChapterText, Gram, Paragraph, grams, shared_grams
from libriscribe2.models.findings import Finding, Place
from libriscribe2.models.languages import is_english

PASSAGE_WORDS: Final = 150
"""Least words of a passage that is compared with others."""

PHRASE: Final = 5
SAME: Final = 0.2
"""Passages that share more of their phrases tell one thing twice. Of 109 novels by people (14.8
million words) 34 pairs do: letters, songs and alternative endings that are read again."""

_COMMON: Final = 19
"""A phrase of more passages is a refrain."""


@dataclass(frozen=True, slots=True)
class _Passage:
    chapter: ChapterText
    paragraph: Paragraph
    phrases: frozenset[Gram]


@CONTINUITY_RULES.rule(
    "R15",
    "two passages tell the same thing in the same words",
    fix="Cut one of the two, {here} or {there}, or tell it anew.",
)
def passages_told_twice(story: Story) -> Iterator[Finding]:
    """R15: passages that are not neighbours and share a fifth of their phrases."""
    passages = [one for chapter in story.chapters for one in _passages(chapter)]
    shared = shared_grams([one.phrases for one in passages], _COMMON)
    for (first, second), count in sorted(shared.items()):
        one, other = passages[first], passages[second]
        share = count / min(len(one.phrases), len(other.phrases))
        if second - first > 1 and share > SAME:
            why = (
                f"Chapter {other.chapter.number} shares {share:.0%} of the phrases of a passage "
                f"with chapter {one.chapter.number}."
            )
            yield Finding("warning", _place(other), why, other=_place(one))


def _passages(chapter: ChapterText) -> Iterator[_Passage]:
    """The prose of a chapter in passages of whole paragraphs; a short rest is left out."""
    start, held = 0, list[str]()
    for index, words in enumerate(chapter.words_of):
        held.extend(words)
        if len(held) >= PASSAGE_WORDS:
            phrases = frozenset(grams(held, PHRASE))
            yield _Passage(chapter, chapter.paragraphs[start], phrases)
            start, held = index + 1, []


def _place(passage: _Passage) -> Place:
    chapter, paragraph = passage.chapter, passage.paragraph
    return Place(chapter.file, chapter.number, line=paragraph.line, quote=paragraph.text)


_DAY: Final = r"(?P<weekday>Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_NAMES: Final = "|".join(month.capitalize() for month in MONTHS)
_TH: Final = r"(?:st|nd|rd|th)?"
_DATED: Final = tuple(
    re.compile(rf"\b{_DAY},?\s+(?:the\s+)?{of}(?:,?\s+(?P<year>1[6-9]\d\d|20\d\d))?\b")
    for of in (
        rf"(?P<day>\d{{1,2}}){_TH}\s+(?:of\s+)?(?P<month>{_NAMES})",
        rf"(?P<month>{_NAMES})\s+(?:the\s+)?(?P<day>\d{{1,2}}){_TH}",
    )
)
_COMMON_YEAR: Final = 2001
_WEEK: Final = 7
GREGORIAN: Final = 1753
"""From this year on English dates are those of today's calendar."""


@dataclass(frozen=True, slots=True)
class _Dated:
    place: Place
    weekday: int
    day: date
    year: int


@CONTINUITY_RULES.rule(
    "R16",
    "a weekday does not go with a date",
    fix="Change the weekday or the date in {here}.",
)
def weekdays_of_dates(story: Story) -> Iterator[Finding]:
    """R16: a weekday beside a date is that of its year, or goes with the last such date.

    Dates without a year are compared with those of the same chapter and the one before.
    """
    before: _Dated | None = None
    for one in _dates(story.chapters) if is_english(story.language) else ():
        if one.year:
            if one.year >= GREGORIAN and one.day.weekday() != one.weekday:
                why = f"{one.place.quote} was a {one.day:%A}."
                yield Finding("warning", one.place, why)
            continue
        if before is not None and one.place.chapter - before.place.chapter <= 1:
            apart = (one.day - before.day).days
            # A leap day between two dates of an unknown year may shift the weekdays by one.
            leap = before.day.month <= 2 < one.day.month or one.day.month <= 2 < before.day.month
            off = (one.weekday - before.weekday - apart) % _WEEK
            if off and not leap:
                why = f"{one.place.quote} does not go with {before.place.quote}."
                yield Finding("warning", one.place, why, other=before.place)
        before = one


def _dates(chapters: Sequence[ChapterText]) -> Iterator[_Dated]:
    """The dates that stand beside a weekday, in the order of the text."""
    for chapter in chapters:
        for paragraph in chapter.paragraphs:
            found = (match for pattern in _DATED for match in pattern.finditer(paragraph.text))
            for match in sorted(found, key=lambda one: one.start()):
                year = int(match["year"] or 0)
                try:
                    day = date(
                        year or _COMMON_YEAR,
                        MONTHS.index(match["month"].casefold()) + 1,
                        int(match["day"]),
                    )
                except ValueError:
                    continue
                place = Place(chapter.file, chapter.number, line=paragraph.line, quote=match[0])
                yield _Dated(place, weekday(f"{match['weekday']}day") or 0, day, year)
