"""P16 to P18: claims and terms of a book of facts, each at home in one place.

A chapter names the ids of its claims and its terms in `plants`, a section in `reveals`; what a
chapter goes back to stands in `payoffs`.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import regex

from libriscribe2.quality.plan.plan import OUTLINE, SCENES, Plan, PlanFinding, Weight
from libriscribe2.quality.text import plain

NOTE: Final = re.compile(r"n-[0-9a-f]{12}(?![0-9a-f])")
"""A note's id, as research gives it."""

Home = tuple[int, int]
"""The chapter's number, and the section's in it (0 for the whole chapter)."""


def one_home(plan: Plan) -> Iterator[PlanFinding]:
    """P16: claims and terms that two chapters, or two sections, state."""
    yield from _stated_twice(_planted(plan), OUTLINE)
    named = (one for one in _revealed(plan) if _is_named(one[1], plan))
    yield from _stated_twice(named, SCENES)


def own_chapter(plan: Plan) -> Iterator[PlanFinding]:
    """P16: sections that state what is at home in another chapter."""
    homes = _homes(_planted(plan))
    for here, entry in _revealed(plan):
        home = homes.get(_key(entry), here)
        if home[0] != here[0]:
            yield PlanFinding(
                "P16",
                "error",
                SCENES,
                f"{entry} is at home in chapter {home[0]}, and {_name(here)} states it.",
                "State it in its own chapter, and only refer to it here.",
                *here,
            )


def homeless(plan: Plan) -> Iterator[PlanFinding]:
    """P16: claims that a chapter is to state and none of its sections does."""
    stated = {(here[0], _key(entry)) for here, entry in _revealed(plan)}
    planned = {chapter.chapter for chapter in plan.scenes if chapter.scenes}
    for (number, _), entry in _planted(plan):
        if number in planned and (number, _key(entry)) not in stated:
            yield PlanFinding(
                "P16",
                "warning",
                SCENES,
                f"Chapter {number} is to state {entry}, and none of its sections does.",
                "Name it among the reveals of one section.",
                number,
            )


def used_before(plan: Plan) -> Iterator[PlanFinding]:
    """P17: chapters that go back to what a later chapter brings first."""
    homes = _homes(_planted(plan))
    for number, chapter in plan.numbered():
        for entry in chapter.payoffs:
            home = homes.get(_key(entry), (0, 0))
            if home[0] > number:
                told = f"Chapter {number} goes back to {entry}, which {_name(home)} brings first."
                yield _early(told, "error", OUTLINE, (number, 0))


def spoken_of_before(plan: Plan) -> Iterator[PlanFinding]:
    """P17: the first place that speaks of a term before the one that explains it."""
    chapters = [
        ((number, 0), f"{chapter.title} {chapter.summary}") for number, chapter in plan.numbered()
    ]
    sections = [((chapter, number), one.summary) for chapter, number, one in plan.planned()]
    sides = ((OUTLINE, chapters, _planted(plan)), (SCENES, sections, _revealed(plan)))
    for file, told, explained in sides:
        homes = _homes(explained)
        for term in plan.terms:
            home = homes.get(_key(term), (0, 0))
            early = (here for here, text in told if here < home and _says(text, term))
            for here in [*early][:1]:
                speaks = f"{_name(here).capitalize()} speaks of {term}"
                yield _early(f"{speaks}, which {_name(home)} explains.", "warning", file, here)


def resolved_citations(plan: Plan) -> Iterator[PlanFinding]:
    """P18: ids of notes that do not exist, or that were not found in their sources."""
    if plan.notes is None:
        return
    for number, chapter in plan.numbered():
        said = (chapter.summary, *chapter.plants, *chapter.payoffs, *chapter.beats)
        yield from _unresolved(said, plan.notes, OUTLINE, (number, 0))
    for chapter_number, number, section in plan.planned():
        said = (section.summary, section.outcome, *section.reveals, *section.withholds)
        yield from _unresolved(said, plan.notes, SCENES, (chapter_number, number))


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


def _stated_twice(stated: Iterable[tuple[Home, str]], file: str) -> Iterator[PlanFinding]:
    homes: dict[str, Home] = {}
    for here, entry in stated:
        first = homes.setdefault(_key(entry), here)
        if first != here:
            told = f"{entry} is stated twice: in {_name(first)} and in {_name(here)}."
            change = "Leave it to one of them; let the other refer to it."
            yield PlanFinding("P16", "error", file, told, change, *here)


def _unresolved(
    said: Iterable[str], notes: frozenset[str], file: str, here: Home
) -> Iterator[PlanFinding]:
    for note in sorted(set(NOTE.findall(" ".join(said))) - notes):
        told = f"There is no note {note} that may be used."
        change = "Use the id of a note that was found in its source, or take it out."
        yield PlanFinding("P18", "error", file, told, change, *here)


def _early(told: str, weight: Weight, file: str, here: Home) -> PlanFinding:
    change = "Explain it before, or speak of it later."
    return PlanFinding("P17", weight, file, told, change, *here)


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
