"""P16 to P20: a book of facts: claims and terms each at home in one place, headings of one kind.

A chapter names the ids of its claims and its terms in `plants`, a section in `reveals`; what a
chapter goes back to stands in `payoffs`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, Literal

import regex

from libriscribe2.checks.plan.plan import FACTS, PLAN_RULES, Plan
from libriscribe2.checks.text import plain
from libriscribe2.models.findings import Finding, Place, Severity
from libriscribe2.project.paths import OUTLINE, SCENES

NOTE: Final = re.compile(r"n-[0-9a-f]{12}(?![0-9a-f])")
"""A note's id, as research gives it."""

Home = tuple[int, int]
"""The chapter's number, and the section's in it (0 for the whole chapter)."""


@PLAN_RULES.rule("P16", "a claim or a term is introduced more than once, or never", kind=FACTS)
def one_home(plan: Plan) -> Iterator[Finding]:
    """P16: each claim and each term is stated in one place, its own."""
    yield from _told_twice(plan)
    yield from _told_elsewhere(plan)
    yield from _told_nowhere(plan)


def _told_twice(plan: Plan) -> Iterator[Finding]:
    """Claims and terms that two chapters, or two sections, state."""
    yield from _stated_twice(_planted(plan), OUTLINE)
    named = (one for one in _revealed(plan) if _is_named(one[1], plan))
    yield from _stated_twice(named, SCENES)


def _told_elsewhere(plan: Plan) -> Iterator[Finding]:
    """Sections that state what is at home in another chapter."""
    homes = _homes(_planted(plan))
    for here, entry in _revealed(plan):
        home = homes.get(_key(entry), here)
        if home[0] != here[0]:
            yield Finding(
                "error",
                Place(SCENES, *here),
                f"{entry} belongs to chapter {home[0]}, but {_name(here)} states it.",
                "State it in its own chapter and only refer to it here.",
            )


def _told_nowhere(plan: Plan) -> Iterator[Finding]:
    """Claims that a chapter is to state and none of its sections does."""
    stated = {(here[0], _key(entry)) for here, entry in _revealed(plan)}
    planned = {chapter.chapter for chapter in plan.scenes if chapter.scenes}
    for (number, _), entry in _planted(plan):
        if number in planned and (number, _key(entry)) not in stated:
            yield Finding(
                "warning",
                Place(SCENES, number),
                f"Chapter {number} should state {entry}, but none of its sections does.",
                "Add it to the reveals of one section.",
            )


@PLAN_RULES.rule("P17", "a term or a claim is used before it is introduced", kind=FACTS)
def explained_first(plan: Plan) -> Iterator[Finding]:
    """P17: what is used has been explained before."""
    yield from _used_before(plan)
    yield from _spoken_of_before(plan)


def _used_before(plan: Plan) -> Iterator[Finding]:
    """Chapters that go back to what a later chapter brings first."""
    homes = _homes(_planted(plan))
    for number, chapter in plan.numbered():
        for entry in chapter.payoffs:
            home = homes.get(_key(entry), (0, 0))
            if home[0] > number:
                why = f"Chapter {number} goes back to {entry}, which {_name(home)} introduces."
                yield _early(why, "error", OUTLINE, (number, 0))


def _spoken_of_before(plan: Plan) -> Iterator[Finding]:
    """The first place that speaks of a term before the one that explains it."""
    chapters = [
        ((number, 0), f"{chapter.title} {chapter.summary}") for number, chapter in plan.numbered()
    ]
    sections = [((chapter, number), one.summary) for chapter, number, one in plan.planned()]
    sides = ((OUTLINE, chapters, _planted(plan)), (SCENES, sections, _revealed(plan)))
    for file, texts, explained in sides:
        homes = _homes(explained)
        for term in plan.terms:
            home = homes.get(_key(term), (0, 0))
            early = (here for here, text in texts if here < home and _says(text, term))
            for here in [*early][:1]:
                speaks = f"{_name(here).capitalize()} speaks of {term}"
                yield _early(f"{speaks}, which {_name(home)} explains.", "warning", file, here)


@PLAN_RULES.rule("P18", "a citation refers to no usable note")
def resolved_citations(plan: Plan) -> Iterator[Finding]:
    """P18: ids of notes that do not exist, or that were not found in their sources."""
    if plan.notes is None:
        return
    for number, chapter in plan.numbered():
        texts = (chapter.summary, *chapter.plants, *chapter.payoffs, *chapter.beats)
        yield from _unresolved(texts, plan.notes, OUTLINE, (number, 0))
    for chapter_number, number, section in plan.planned():
        texts = (section.summary, section.outcome, *section.reveals, *section.withholds)
        yield from _unresolved(texts, plan.notes, SCENES, (chapter_number, number))


def _planted(plan: Plan) -> Iterator[tuple[Home, str]]:
    """What the chapters state."""
    for number, chapter in plan.numbered():
        for entry in chapter.plants:
            yield (number, 0), entry


def _revealed(plan: Plan) -> Iterator[tuple[Home, str]]:
    """What the sections state."""
    for chapter, number, section in plan.planned():
        for entry in section.reveals:
            yield (chapter, number), entry


def _homes(stated: Iterable[tuple[Home, str]]) -> dict[str, Home]:
    """Where each claim or term is stated first."""
    homes: dict[str, Home] = {}
    for here, entry in stated:
        homes.setdefault(_key(entry), here)
    return homes


def _stated_twice(stated: Iterable[tuple[Home, str]], file: str) -> Iterator[Finding]:
    homes: dict[str, Home] = {}
    for here, entry in stated:
        first = homes.setdefault(_key(entry), here)
        if first != here:
            why = f"{entry} is stated twice: in {_name(first)} and in {_name(here)}."
            change = "Keep it in one of them; let the other refer to it."
            yield Finding("error", Place(file, *here), why, change)


def _unresolved(
    texts: Iterable[str], notes: frozenset[str], file: str, here: Home
) -> Iterator[Finding]:
    for note in sorted(set(NOTE.findall(" ".join(texts))) - notes):
        why = f"There is no usable note {note}."
        change = "Use the id of a verified note, or remove it."
        yield Finding("error", Place(file, *here), why, change)


def _early(why: str, weight: Severity, file: str, here: Home) -> Finding:
    change = "Explain it earlier, or mention it later."
    return Finding(weight, Place(file, *here), why, change)


def _is_named(entry: str, plan: Plan) -> bool:
    """Whether an entry is a claim's id or a term: what is said in a sentence has no one home."""
    return NOTE.search(entry) is not None or _key(entry) in map(_key, plan.terms)


def _key(entry: str) -> str:
    found = NOTE.search(entry)
    return found.group() if found is not None else " ".join(plain(entry).casefold().split())


def _name(home: Home) -> str:
    return f"section {home[1]} of chapter {home[0]}" if home[1] else f"chapter {home[0]}"


def _says(text: str, term: str) -> bool:
    """Whether a text has a term as words of their own."""
    words = regex.escape(" ".join(plain(term).casefold().split()))
    return regex.search(rf"(?<!\w){words}(?!\w)", plain(text).casefold()) is not None


Form = Literal["question", "how-to", "-ing form", "other"]

FEWEST_CHAPTERS: Final = 4
MOST_SHARE: Final = 0.7
"""From this share on one form is the book's, and the others break it."""

_ASKS: Final = ("?", "\uff1f", "\u061f")
_GERUND: Final = regex.compile(r"(?:[Hh]ow to\s+)?\p{L}{2,}ing\b")


@PLAN_RULES.rule("P19", "headings differ in form", kind=FACTS)
def parallel_headings(plan: Plan) -> Iterator[Finding]:
    """P19: titles that break the form of most; for books of facts."""
    forms = [_form(chapter.title, english=plan.english) for chapter in plan.chapters]
    if len(forms) < FEWEST_CHAPTERS:
        return
    form, count = Counter(forms).most_common(1)[0]
    if form == "other" or count < MOST_SHARE * len(forms) or count == len(forms):
        return
    for number, own in enumerate(forms, start=1):
        if own != form:
            yield Finding(
                "warning",
                Place(OUTLINE, number),
                f"Most titles have the form of a {form}; that of chapter {number} does not.",
                "Word it like the others.",
            )


@PLAN_RULES.rule("P20", "a section lacks a question or an answer", kind=FACTS)
def one_question(plan: Plan) -> Iterator[Finding]:
    """P20: sections without a question or an answer, or with several questions."""
    for chapter, number, section in plan.planned():
        asked = sum(section.goal.count(mark) for mark in _ASKS)
        lacks = [
            what
            for what, text in (("question", section.goal), ("answer", section.outcome))
            if not text.strip()
        ]
        if lacks or asked > 1:
            why = f"The section has no {' and no '.join(lacks)}" if lacks else ""
            why = why or f"The section asks {asked} questions at once"
            yield Finding(
                "warning",
                Place(SCENES, chapter, number),
                f"{why}.",
                "Give it one question as its goal and one answer as its outcome.",
            )


def _form(title: str, *, english: bool) -> Form:
    """How a heading is built, as far as its letters tell."""
    if title.rstrip().endswith(_ASKS):
        return "question"
    if english and title.casefold().startswith("how to "):
        return "how-to"
    return "-ing form" if english and _GERUND.match(title.strip()) else "other"
