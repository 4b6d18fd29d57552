"""Whether a story holds together: its facts compared by rules, without asking a model."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from libriscribe2.engine.staleness import draft_order
from libriscribe2.models.brief import Brief
from libriscribe2.models.canon import Attribute, Fact
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.pipeline.story_canon import StoryCanon, canon_of
from libriscribe2.pipeline.story_finding import (
    StoryFinding,
    StoryPlace,
    StoryReport,
    in_order,
)
from libriscribe2.project.paths import OUTLINE, WORLD, chapter_file
from libriscribe2.project.view import ProjectView
from libriscribe2.quality.canon.advice import NAME_FIX, fix_of, with_note
from libriscribe2.quality.canon.allowed import Allowed
from libriscribe2.quality.canon.conflict import Conflict, Severity
from libriscribe2.quality.canon.rules import conflicts
from libriscribe2.quality.canon.threads import overdue_threads, untold_threads
from libriscribe2.quality.canon.viewpoint import viewpoint_drift
from libriscribe2.quality.names import name_drift

_UNSURE: Final = frozenset({Attribute.COUNT, Attribute.INJURY})
"""Kinds of facts that may well have changed since the book before: a reader has to judge."""

_BEFORE: Final = re.compile(r"\bchapter 0\b")
"""How the rules call the book before."""


def check_story(brief: Brief, view: ProjectView) -> StoryReport:
    """Compare what the chapters of a book state.

    Raises:
        IncompleteError: The facts of no chapter are known.
        ProjectError: A file cannot be used.
        StorageError: A file cannot be read.
    """
    return story_report(brief, view, canon_of(brief, view))


def story_report(brief: Brief, view: ProjectView, canon: StoryCanon) -> StoryReport:
    """Compare what a canon states (`check_story`)."""
    search = StorySearch(canon, view, draft_order(brief, view))
    english = brief.language.casefold().startswith("en")
    found = (
        *search.contradictions(),
        *(search.drifting_views() if english else ()),
        *search.owed_threads(),
        *search.drifting_names(),
    )
    written = [chapter.number for chapter in canon.chapters]
    return StoryReport(
        project=view.paths.root.name,
        findings=search.with_notes(found),
        facts=len(canon.facts),
        read=tuple(canon.hits),
        unread=tuple(number for number in written if number not in canon.hits),
        changed=canon.changed,
        lost=canon.lost,
    )


@dataclass(frozen=True)
class StorySearch:
    """Turns what the rules find into findings with places.

    Attributes:
        canon: What the book states.
        view: The project, for the lines of its plans.
        order: In which order the chapters were drafted.
    """

    canon: StoryCanon
    view: ProjectView
    order: DraftOrder = field(default_factory=DraftOrder)

    def contradictions(self) -> Iterator[StoryFinding]:
        """R1 to R11 and R14: facts that cannot both hold, here or with the book before."""
        told = (*self.canon.before, *self.canon.laws, *self.canon.facts)
        for conflict in conflicts(told):
            found = _in_this_book(conflict)
            if found is not None:
                yield self.finding(_where_drafted_later(found, self.order))

    def drifting_views(self) -> Iterator[StoryFinding]:
        """R12: chapters that are told otherwise than most."""
        for drift in viewpoint_drift(self.canon.chapters):
            number, first = drift.chapter.number, drift.chapter.paragraphs[0]
            place = StoryPlace(drift.chapter.file, first.line, first.text)
            fix = fix_of("R12", here=place.name, project=self._project, chapter=number)
            message = f"Chapter {number} is {drift.message}."
            yield StoryFinding("R12", "warning", message, place, None, fix)

    def owed_threads(self) -> Iterator[StoryFinding]:
        """R13: threads that the plan, or the text, does not pay off."""
        late = overdue_threads(self.canon.threads, self.canon.planned)
        faulty = {conflict.later.entity for conflict in late}
        untold = untold_threads(self.canon.threads, self.canon.hits)
        for conflict in (*late, *(one for one in untold if one.later.entity not in faulty)):
            yield self.finding(conflict)

    def drifting_names(self) -> Iterator[StoryFinding]:
        """R10: spellings next to a name."""
        chapters = self.canon.chapters
        for drift in name_drift(chapters, self.canon.people, self.canon.others):
            place = StoryPlace(
                chapters[drift.chapter].file, drift.paragraph.line, drift.paragraph.text
            )
            fix = NAME_FIX.format(name=drift.name, spelling=drift.spelling, here=place.name)
            message = (
                f"{drift.spelling} ({_times(drift.uses)}) is close to {drift.name} "
                f"({_times(drift.name_uses)})."
            )
            yield StoryFinding("R10", "warning", message, place, None, with_note(fix, "R10"))

    def finding(self, conflict: Conflict) -> StoryFinding:
        """A conflict with its places and its fix."""
        place = self._place(conflict.rule, conflict.later)
        earlier = conflict.earlier
        other = None if earlier is None else self._place(conflict.rule, earlier)
        there = "" if other is None else other.name
        fix = fix_of(conflict.rule, here=place.name, there=there)
        return StoryFinding(conflict.rule, conflict.severity, conflict.message, place, other, fix)

    def with_notes(self, findings: Iterable[StoryFinding]) -> tuple[StoryFinding, ...]:
        """Findings in order, each with whether a note in the text lets it stand."""
        notes = {one.file: Allowed(one.text) for one in self.canon.chapters}
        return in_order(
            tuple(
                replace(one, allowed=one.place.file in notes and _lets(notes[one.place.file], one))
                for one in findings
            )
        )

    @property
    def _project(self) -> str:
        return self.view.paths.called

    def _place(self, rule: str, fact: Fact) -> StoryPlace:
        """Where a fact stands; one without a quote stands in a plan."""
        if fact.quote:
            file = fact.origin or chapter_file(fact.chapter)
            return StoryPlace(file, fact.line, fact.quote)
        file = OUTLINE if rule == "R13" else WORLD
        return StoryPlace(file, self._line_of(file, fact.value), fact.value)

    def _line_of(self, file: str, value: str) -> int:
        """The line of a plan that says something; the first where it is written otherwise."""
        told = json.dumps(value, ensure_ascii=False)
        before, found, _ = self.view.read_text(file).partition(told)
        return before.count("\n") + 1 if found else 1


def _in_this_book(conflict: Conflict) -> Conflict | None:
    """A conflict as one to be mended in this book; None where only the book before has it."""
    earlier, later = conflict.earlier, conflict.later
    if later.origin and earlier is not None:
        earlier, later = later, earlier
    if later.origin:
        return None
    if earlier is None or not earlier.origin:
        return conflict
    message = _BEFORE.sub(lambda _: earlier.origin, conflict.message)
    severity: Severity = "warning" if later.attribute in _UNSURE else conflict.severity
    return replace(conflict, message=message, later=later, earlier=earlier, severity=severity)


def _where_drafted_later(conflict: Conflict, order: DraftOrder) -> Conflict:
    """A conflict to be mended in the chapter that was written from the other one."""
    earlier, later = conflict.earlier, conflict.later
    if earlier is None or earlier.origin or earlier.chapter < 1:
        return conflict
    if later.chapter in order.known(earlier.chapter):
        return replace(conflict, later=earlier, earlier=later)
    return conflict


def _lets(notes: Allowed, finding: StoryFinding) -> bool:
    """Whether the notes of a chapter let a finding stand."""
    return notes.lets(finding.rule, finding.place.line)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
