"""P11: the time of the story, as far as code can be sure of it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from libriscribe2.checks.plan.plan import PLAN_RULES, STORY, Plan
from libriscribe2.checks.text import DAY_PARTS, MONTHS
from libriscribe2.models.findings import Finding, Place
from libriscribe2.models.story import OutlineChapter
from libriscribe2.project.paths import OUTLINE, SCENES

_UNITS: Final = ("year", "month", "week", "day", "hour")
_RANK: Final = {
    **dict.fromkeys(("year", "jahr", "année", "annee", "año", "anno", "ano", "jaar"), 0),
    **dict.fromkeys(("month", "monat", "mois", "mes", "mese", "maand"), 1),
    **dict.fromkeys(("week", "woche", "semaine", "semana", "settimana"), 2),
    **dict.fromkeys(("day", "tag", "jour", "día", "dia", "giorno", "dag", "dzień", "день"), 3),
    **dict.fromkeys(("hour", "stunde", "heure", "hora", "ora", "uur"), 4),
}
_NUMBERS: Final = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NUMBER: Final = re.compile(rf"\b({'|'.join(_NUMBERS)})\b")
_COUNTED: Final = re.compile(
    rf"\b({'|'.join(sorted(_RANK, key=len, reverse=True))})\s+(\d{{1,4}})\b"
)
_ISO: Final = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_MONTH: Final = "|".join(MONTHS)
_DAY_MONTH: Final = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+({_MONTH})(?:,?\s+(\d{{4}}))?\b")
_MONTH_DAY: Final = re.compile(rf"\b({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?\b")
_YEAR: Final = re.compile(r"(?<![\d:])([12]\d{3})(?![\d:])")
_PART: Final = re.compile(rf"\b({'|'.join(DAY_PARTS)})\b")
_RELATIVE: Final = re.compile(
    r"\b(?:later|after|before|earlier|ago|next|previous|since|until|same|within|past|"
    r"später|nach|vor|vorher|früher|après|avant|plus tard|después|antes|dopo|prima)\b"
)
_MARKS: Final = re.compile(
    r"\b(?:flash-?backs?|flash-?forwards?|memor(?:y|ies)|remembers?|recalls?|dreams?|prolog(?:ue)?|"
    r"earlier|meanwhile|ago|years? before|at the same time|parallel|"
    r"rückblende|erinnerung|retour en arrière|souvenir|analepsis|recuerdo|ricordo)\b",
    re.IGNORECASE,
)
_FLASHBACK: Final = re.compile(
    r"\b(?:flash-?back|flash-?forward|rückblende|retour en arrière|analepsis)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in the story's time.

    Attributes:
        scale: What its numbers count; only moments of one scale can be compared.
        numbers: From the largest unit to the smallest.
        part: The part of the day, from 0; -1 where it is not known.
    """

    scale: tuple[str, ...]
    numbers: tuple[int, ...]
    part: int = -1

    def is_before(self, other: "Moment") -> bool:
        """Whether it surely lies before another one."""
        if self.scale != other.scale:
            return False
        if self.numbers != other.numbers:
            return self.numbers < other.numbers
        exact = self.scale[-1] == "day" and min(self.part, other.part) >= 0
        return exact and self.part < other.part


def moment_of(when: str) -> Moment | None:
    """The point in time that a plan names; None where it names none that is sure."""
    text = when.casefold()
    if _RELATIVE.search(text) is not None:
        return None
    text = _NUMBER.sub(lambda found: str(_NUMBERS.index(found[1]) + 1), text)
    named = _PART.findall(text)
    part = DAY_PARTS.index(named[0]) if len(set(named)) == 1 and "night" not in text else -1
    return next((Moment(*found, part) for found in _readings(text)), None)


def is_marked(*texts: str, summary: str = "") -> bool:
    """Whether a plan says that it leaves the order of time.

    Args:
        *texts: What the plan says of the time and in a few words.
        summary: What happens: there only the plain word counts, since people remember all the time.
    """
    marked = any(_MARKS.search(text) is not None for text in texts)
    return marked or _FLASHBACK.search(summary) is not None


def _readings(text: str) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """What a time may count, the surest reading first; a time of two dates has none."""
    dates = [*_dates(text)]
    if dates:
        if len(dates) == 1:
            yield dates[0]
        return
    counted = _COUNTED.findall(text)
    if counted:
        ranks = [_RANK[name] for name, _ in counted]
        if len(set(ranks)) == len(ranks):
            pairs = sorted(zip(ranks, (int(number) for _, number in counted), strict=True))
            yield tuple(_UNITS[rank] for rank, _ in pairs), tuple(n for _, n in pairs)
        return
    years = _YEAR.findall(text)
    if len(years) == 1:
        yield ("date",), (int(years[0]),)


def _dates(text: str) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """The calendar dates of a time."""
    for year, month, day in _ISO.findall(text):
        yield ("date", "month", "day"), (int(year), int(month), int(day))
    found = [(year, month, day) for day, month, year in _DAY_MONTH.findall(text)]
    # `3 May 1921` must not be read again as a date of `May 19`.
    for month, day, year in () if found else _MONTH_DAY.findall(text):
        found.append((year, month, day))
    for year, month, day in found:
        numbers = (MONTHS.index(month) + 1, int(day))
        if year:
            yield ("date", "month", "day"), (int(year), *numbers)
        else:
            yield ("month", "day"), numbers


PlannedTime = tuple[int, int, str]
"""Chapter, scene (0 for the whole chapter) and what the plan says of the time."""


@PLAN_RULES.rule("P11", "the time of the story runs backwards", kind=STORY)
def backward_times(plan: Plan) -> Iterator[Finding]:
    """P11: chapters and scenes before the time of the one before."""
    yield from _backward_chapters(plan)
    yield from _backward_scenes(plan)


def _backward_chapters(plan: Plan) -> Iterator[Finding]:
    """A chapter before the time of the one before, without a word that says so."""
    times = (
        (number, 0, chapter.story_time)
        for number, chapter in plan.numbered()
        if not leaves_time(chapter)
    )
    yield from _backward(times, OUTLINE)


def _backward_scenes(plan: Plan) -> Iterator[Finding]:
    """A scene before the time of the one before."""
    skipping = {number for number, chapter in plan.numbered() if leaves_time(chapter)}
    times = (
        (chapter, number, scene.time)
        for chapter, number, scene in plan.planned()
        if chapter not in skipping
        and not is_marked(scene.time, scene.mode, scene.transition_in, summary=scene.summary)
    )
    yield from _backward(times, SCENES)


def _backward(times: Iterable[PlannedTime], file: str) -> Iterator[Finding]:
    """The places whose time surely lies before the last sure one."""
    last: tuple[PlannedTime, Moment] | None = None
    for one in times:
        moment = moment_of(one[2])
        if moment is None:
            continue
        if last is not None and moment.is_before(last[1]):
            before, here = last[0], one
            yield Finding(
                "error",
                Place(file, here[0], here[1]),
                f"{_name(here).capitalize()} is set at {_quoted(here)}, before {_name(before)} "
                f"at {_quoted(before)}.",
                "Change the time, or say in it that it is a flashback.",
            )
        last = (one, moment)


def leaves_time(chapter: OutlineChapter) -> bool:
    """Whether a chapter says that it leaves the order of time."""
    texts = (chapter.story_time, chapter.title, chapter.purpose)
    return chapter.opening_move == "time-skip" or is_marked(*texts, summary=chapter.summary)


def _name(place: PlannedTime) -> str:
    return f"scene {place[1]} of chapter {place[0]}" if place[1] else f"chapter {place[0]}"


def _quoted(place: PlannedTime) -> str:
    return f"\u201c{place[2].strip()}\u201d"
