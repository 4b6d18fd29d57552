"""R10, R12, R13 and R15 to R17: names, narration, promises, and what a reader of the text sees."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from libriscribe2.checks.continuity.fact_values import weekday
from libriscribe2.checks.rules import Rules
from libriscribe2.checks.text import (
    DAY_PARTS,
    MONTHS,
    ChapterText,
    Gram,
    Paragraph,
    grams,
    shared_grams,
)
from libriscribe2.checks.text_figures import narration_drift
from libriscribe2.checks.text_names import name_drift
from libriscribe2.models.findings import Finding, Place, Severity
from libriscribe2.models.languages import is_english
from libriscribe2.models.story_bible import HARD_STANCES, Attribute, Fact, Thread, ThreadHit
from libriscribe2.project.paths import OUTLINE, WORLD, chapter_file

_SURE: Final = frozenset({Attribute.EYES, Attribute.BIRTHDAY, Attribute.KIN})
"""What nothing in a story changes. Of all else two statements may both be true, by an event that
nobody noted, a flashback or another way of counting: a reader has to judge."""


@dataclass(frozen=True)
class Story:
    """What a book and the books before it state.

    Attributes:
        facts: The facts that hold in the story's world, in the order of the text: of the books
            before (chapter 0), the rules of the world, and the text.
        chapters: The written chapters.
        people: The full names of the cast.
        others: Names of places and terms.
        threads: What the plan owes its reader.
        hits: What each chapter that was read does with the threads.
        planned: How many chapters the book is to have.
        language: The language of the book, as its brief has it.
        noticed: What the readers of chapters found to contradict what was said before: their words
            with the reason as the value, and the earlier words, which are of chapter 0 and no quote
            where they stand in the record alone.
    """

    facts: Sequence[Fact]
    chapters: Sequence[ChapterText] = ()
    people: Sequence[str] = ()
    others: Sequence[str] = ()
    threads: Sequence[Thread] = ()
    hits: Mapping[int, Sequence[ThreadHit]] = field(default_factory=dict)
    planned: int = 0
    language: str = "English"
    noticed: Sequence[tuple[Fact, Fact]] = ()


CONTINUITY_RULES: Final[Rules[Story]] = Rules(__package__ or "")
"""The rules over stories; in a rule's fix, `{here}` and `{there}` are places as `file:line`."""


def findings_in(story: Story) -> list[Finding]:
    """What every rule finds in a story."""
    return [one for rule in CONTINUITY_RULES.all().values() for one in rule.findings(story)]


def contradiction(
    later: Fact, earlier: Fact, why: str, severity: Severity | None = None
) -> Finding:
    """Two statements that do not go together; the text of the later one is to be mended.

    Args:
        later: The later statement.
        earlier: The earlier one.
        why: What is wrong, in a sentence.
        severity: How sure that is; None for an error where nothing changes what they state, else a
            warning.
    """
    severity = severity or ("error" if later.attribute in _SURE else "warning")
    return Finding(severity, place_of(later), why, other=place_of(earlier))


def place_of(fact: Fact) -> Place:
    """Where a fact stands; a rule of the world stands in the plan and has no quote."""
    file = (fact.origin or chapter_file(fact.chapter)) if fact.quote else WORLD
    return Place(
        file, fact.chapter, fact.scene, fact.line, fact.quote or fact.value, entity=fact.entity
    )


def hard(facts: Iterable[Fact]) -> list[Fact]:
    """The facts that hold in the story's world, in the order of the text."""
    firm = (fact for fact in facts if fact.stance in HARD_STANCES)
    return sorted(firm, key=lambda fact: fact.place)


def is_after(later: Fact, earlier: Fact) -> bool:
    """Whether one fact holds after the other in the story.

    By the story's own clock where it tells them apart: by the day, or on one day by its part. Else
    by the order of the text.
    """
    this, that = later.time, earlier.time
    if this.day is not None and that.day is not None:
        if this.day != that.day:
            return this.day > that.day
        if this.part != that.part and this.part in DAY_PARTS and that.part in DAY_PARTS:
            return DAY_PARTS.index(this.part) > DAY_PARTS.index(that.part)
    return later.place > earlier.place


def is_superseded(one: Fact, other: Fact) -> bool:
    """Whether an event between two statements ended the earlier of them, so that both hold."""
    first, last = sorted((one, other), key=lambda fact: fact.place)
    return 0 < first.until <= last.chapter


def of_kind(facts: Iterable[Fact], attribute: Attribute) -> list[Fact]:
    """The facts of one kind."""
    return [fact for fact in facts if fact.attribute is attribute]


def by_entity(facts: Iterable[Fact], attribute: Attribute) -> dict[str, list[Fact]]:
    """The facts of one kind by whom or what they are about, in their order."""
    grouped: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in of_kind(facts, attribute):
        grouped[fact.entity].append(fact)
    return dict(grouped)


@CONTINUITY_RULES.rule(
    "R10",
    "one name is used for two people",
    fix="Give one of the two another name in {here} or {there}.",
)
def unclear_names(story: Story) -> Iterator[Finding]:
    """R10: one by-name stands for one person, and a name is spelled in one way."""
    yield from _shared_aliases(story)
    yield from _drifting_names(story)


@CONTINUITY_RULES.rule(
    "R12",
    "the point of view or the tense changes",
    fix="Match {here} to the other chapters, or have it written again: "
    "`libriscribe2 redo {project} chapters --chapter {chapter}`.",
)
def drifting_narration(story: Story) -> Iterator[Finding]:
    """R12: chapters that are told otherwise than most."""
    for drift in narration_drift(story.chapters) if is_english(story.language) else ():
        place = _at(drift.chapter, drift.chapter.paragraphs[0])
        yield Finding("warning", place, f"Chapter {place.chapter} is {drift.message}.")


@CONTINUITY_RULES.rule(
    "R13",
    "a thread is not paid off in time",
    fix="Change its chapters under `threads` in outline.json, or write its payoff.",
)
def owed_threads(story: Story) -> Iterator[Finding]:
    """R13: threads that the plan, or the text, does not pay off in time."""
    late = [(one, why) for one in story.threads if (why := _plan_fault(one, story.planned))]
    for thread, why in late:
        at = max(1, min(story.planned, thread.setup))
        severity: Severity = "error" if thread.must else "warning"
        yield Finding(severity, _thread_place(thread, at), f"{thread.promise}: {why}.")
    faulty = {thread.id for thread, _ in late}
    for thread in story.threads:
        payoff = thread.payoff
        if payoff is not None and thread.id not in faulty and _is_untold(thread, payoff, story):
            why = f"chapter {payoff} is to pay it off, but nothing in it does."
            yield Finding("warning", _thread_place(thread, payoff), f"{thread.promise}: {why}")


REMARK: Final = "R17"


@CONTINUITY_RULES.rule(
    REMARK,
    "the reader of a chapter finds that it contradicts what was said before",
    fix="Change {here}, or what it contradicts, or have it changed: "
    '`libriscribe2 revise {project} {chapter} "what is so"`.',
)
def noticed_contradictions(story: Story) -> Iterator[Finding]:
    """R17: what the model that read a chapter for its facts could not bring together."""
    for later, earlier in story.noticed:
        other = place_of(earlier) if earlier.quote else None
        yield Finding("warning", place_of(later), later.value, other=other)


def _shared_aliases(story: Story) -> Iterator[Finding]:
    """By-names of two people."""
    owner: dict[str, Fact] = {}
    for fact in of_kind(story.facts, Attribute.ALIAS):
        first = owner.setdefault(fact.value.casefold(), fact)
        if first.entity != fact.entity:
            yield contradiction(
                fact,
                first,
                f"{fact.value} is {first.entity} in chapter {first.chapter} and {fact.entity} in "
                f"chapter {fact.chapter}.",
            )


def _drifting_names(story: Story) -> Iterator[Finding]:
    """Spellings next to a name."""
    for drift in name_drift(story.chapters, story.people, story.others, story.language):
        place = _at(story.chapters[drift.chapter], drift.paragraph)
        yield Finding(
            "warning",
            place,
            f"{drift.spelling} ({_times(drift.uses)}) is close to {drift.name} "
            f"({_times(drift.name_uses)}).",
            f"Write {drift.name} in {place.address}, or add {drift.spelling} to characters.json "
            "or world.json.",
        )


def _thread_place(thread: Thread, chapter: int) -> Place:
    return Place(OUTLINE, chapter, line=1, quote=thread.promise, entity=thread.id)


def _plan_fault(thread: Thread, chapters: int) -> str:
    """What the plan has wrong of a thread; "" where nothing is."""
    last = chapters if thread.due_by is None else min(thread.due_by, chapters)
    if thread.payoff is None:
        return f"set up in chapter {thread.setup} and never paid off"
    if thread.payoff < thread.setup:
        return f"paid off in chapter {thread.payoff}, before chapter {thread.setup} sets it up"
    if thread.payoff > last:
        return f"due by chapter {last}, paid off in chapter {thread.payoff}"
    return ""


def _is_untold(thread: Thread, payoff: int, story: Story) -> bool:
    """Whether all chapters from set-up to payoff were read, and no words pay a thread off."""
    if not story.hits.keys() >= {*range(thread.setup, payoff + 1)}:
        return False
    return not any(
        thread.is_paid_off(hit)
        for number in range(thread.setup, max(story.hits) + 1)
        for hit in story.hits.get(number, ())
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


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
            there = _at(one.chapter, one.paragraph)
            yield Finding("warning", _at(other.chapter, other.paragraph), why, other=there)


def _passages(chapter: ChapterText) -> Iterator[_Passage]:
    """The prose of a chapter in passages of whole paragraphs; a short rest is left out."""
    start, held = 0, list[str]()
    for index, words in enumerate(chapter.words_of):
        held.extend(words)
        if len(held) >= PASSAGE_WORDS:
            phrases = frozenset(grams(held, PHRASE))
            yield _Passage(chapter, chapter.paragraphs[start], phrases)
            start, held = index + 1, []


def _at(chapter: ChapterText, paragraph: Paragraph, quote: str = "") -> Place:
    """A paragraph, or words in it."""
    said = quote or paragraph.text
    return Place(chapter.file, chapter.number, line=paragraph.line, quote=said)


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
                place = _at(chapter, paragraph, match[0])
                yield _Dated(place, weekday(f"{match['weekday']}day") or 0, day, year)
