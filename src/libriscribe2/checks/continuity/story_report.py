"""Whether a story holds together: its facts compared by rules, without asking a model."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from libriscribe2.checks.continuity.story_bible import StoryBible, bible_of
from libriscribe2.checks.continuity.story_rules import CONTINUITY_RULES, findings_in
from libriscribe2.checks.text import ChapterText
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.findings import Finding, Place, by_severity, in_order
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE, WORLD
from libriscribe2.project.project_view import ProjectView
from libriscribe2.prose import NOTE

EVERYTHING: Final = "ALL"

_ALLOW: Final = re.compile(r"(?is)\s*allow\s+(?P<rules>[\w\s,]+)")


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Lines in which some rules may be broken, from `first` to `last`."""

    first: int
    last: int
    rules: frozenset[str]


class TextNotes:
    """What an author lets stand in a chapter: `<!-- libriscribe2: allow R1 -->` in the text itself.

    In a paragraph, or alone just above one, a note lets that rule be broken there; above the first
    paragraph of a chapter, in the whole chapter. `allow R1, R4` names several rules, `allow all` any.

    Args:
        text: The chapter's Markdown.
    """

    def __init__(self, text: str) -> None:
        self._stretches = tuple(_stretches(text))

    def lets(self, rule: str, line: int) -> bool:
        """Whether a rule may be broken on a line."""
        return any(
            one.first <= line <= one.last and one.rules & {rule.upper(), EVERYTHING}
            for one in self._stretches
        )


def _stretches(text: str) -> Iterator[_Stretch]:
    """What every note of a text says, and where it holds."""
    last = text.count("\n") + 1
    waiting: frozenset[str] = frozenset()
    at_head = True
    for first, end, block in _blocks(text):
        rules = _rules(block)
        if ChapterText(0, "", block).prose:
            at_head = False
            if rules | waiting:
                yield _Stretch(first, end, rules | waiting)
            waiting = frozenset()
        elif at_head and rules:
            yield _Stretch(1, last, rules)
        else:
            waiting |= rules


def _blocks(text: str) -> Iterator[tuple[int, int, str]]:
    """The parts of a text between blank lines, each with its first and last line."""
    line = 1
    for block in ChapterText(0, "", text).blocks:
        if block.strip():
            start = line + block[: len(block) - len(block.lstrip())].count("\n")
            yield start, start + block.strip().count("\n"), block
        line += block.count("\n") + 1


def _rules(block: str) -> frozenset[str]:
    """The rules that the notes of a block name."""
    said = (_ALLOW.match(note["said"]) for note in NOTE.finditer(block))
    return frozenset(
        rule.upper()
        for found in said
        if found is not None
        for rule in re.findall(r"\w+", found["rules"])
    )


JUDGED: Final = "J1"
"""What a model finds, not a rule in code."""

_JUDGED_FIX: Final = "If you agree, change {here} or {there}."
_LET_STAND: Final = " Or allow it: `<!-- libriscribe2: allow {rule} -->` in that paragraph."

_BEFORE: Final = re.compile(r"\bchapter 0\b")
"""How the rules call the book before."""


@dataclass(frozen=True, slots=True)
class StoryReport:
    """What a check of the text comes to.

    Attributes:
        project: Name of the project.
        findings: What is wrong, errors first, each kind in the order of the text.
        facts: How many facts were compared.
        read: Chapters whose facts are known.
        unread: Written chapters whose facts are not.
        changed: Chapters whose text has changed since their facts were read.
        lost: How many facts no longer stand in the text.
        decisions: What a model said of pairs that code cannot compare, by decision.
    """

    project: str
    findings: tuple[Finding, ...]
    facts: int = 0
    read: tuple[int, ...] = ()
    unread: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    lost: int = 0
    decisions: Mapping[str, int] = field(default_factory=dict)

    @property
    def errors(self) -> list[Finding]:
        """The errors that nobody lets stand."""
        return by_severity(self.findings, "error")

    @property
    def warnings(self) -> list[Finding]:
        """The warnings that nobody lets stand."""
        return by_severity(self.findings, "warning")

    @property
    def allowed(self) -> list[Finding]:
        """What the author lets stand."""
        return [one for one in self.findings if one.allowed]

    def with_decisions(
        self, found: tuple[Finding, ...], decisions: Mapping[str, int]
    ) -> "StoryReport":
        """The report with what a model found."""
        findings = in_order((*self.findings, *found))
        return replace(self, findings=findings, decisions=decisions)

    def as_record(self) -> dict[str, Any]:
        """The report as plain JSON."""
        return {
            "project": self.project,
            "consistent": not self.errors,
            "facts": self.facts,
            "chapters_read": list(self.read),
            "chapters_unread": list(self.unread),
            "chapters_changed": list(self.changed),
            "facts_lost": self.lost,
            "verdicts": dict(self.decisions),
            "findings": [
                {
                    **one.as_record(),
                    "place": one.where.as_record(),
                    "other": None if one.other is None else one.other.as_record(),
                }
                for one in self.findings
            ],
        }


def story_rules() -> dict[str, str]:
    """What each rule over stories finds, by its name; the model's findings come last."""
    return CONTINUITY_RULES.words() | {JUDGED: "a model finds that two statements cannot both hold"}


def check_story(brief: Brief, view: ProjectView, bible: StoryBible | None = None) -> StoryReport:
    """Compare what the chapters of a book state.

    Args:
        brief: The book's brief.
        view: The project.
        bible: What the book states, where it was read already.

    Raises:
        IncompleteError: The facts of no chapter are known.
        ProjectError: A file cannot be used.
        StorageError: A file cannot be read.
    """
    bible = bible_of(brief, view) if bible is None else bible
    order = Book(view).draft_order(brief)
    found = map(_in_this_book, findings_in(bible.story(brief.language)))
    here = (one for one in found if one is not None)
    written = [chapter.number for chapter in bible.chapters]
    return StoryReport(
        project=view.paths.root.name,
        findings=ready(bible, view, (_where_drafted_later(one, order) for one in here)),
        facts=len(bible.facts),
        read=tuple(bible.hits),
        unread=tuple(number for number in written if number not in bible.hits),
        changed=bible.changed,
        lost=bible.lost,
    )


def ready(bible: StoryBible, view: ProjectView, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings in order, each with its lines, its fix, and whether a note lets it stand.

    Args:
        bible: What the book states.
        view: The project, for the lines of its plans.
        findings: What is wrong.
    """
    notes = {one.file: TextNotes(one.text) for one in bible.chapters}
    complete = []
    for one in findings:
        other = None if one.other is None else _with_line(one.other, view)
        placed = replace(one, where=_with_line(one.where, view), other=other)
        file = placed.where.file
        allowed = file in notes and notes[file].lets(one.rule, placed.where.line)
        complete.append(replace(placed, fix=_fix(placed, view.paths.called), allowed=allowed))
    return in_order(complete)


def _fix(one: Finding, project: str) -> str:
    """What mends a finding, and the note that lets the text stand; a plan has no place for one."""
    fix = one.fix
    if not fix:
        rule = CONTINUITY_RULES.all().get(one.rule)
        fix = _JUDGED_FIX if rule is None else rule.fix
        holes = {
            "{here}": one.where.address,
            "{there}": "" if one.other is None else one.other.address,
            "{project}": project,
            "{chapter}": str(one.where.chapter),
        }
        for hole, value in holes.items():
            fix = fix.replace(hole, value)
    return fix if one.where.file == OUTLINE else fix + _LET_STAND.format(rule=one.rule)


def _with_line(place: Place, view: ProjectView) -> Place:
    """A place of a plan with the line that says it; the first where it is written otherwise."""
    if place.file not in (OUTLINE, WORLD):
        return place
    text = json.dumps(place.quote, ensure_ascii=False)
    before, found, _ = view.read_text(place.file).partition(text)
    return replace(place, line=before.count("\n") + 1 if found else 1)


def _in_this_book(one: Finding) -> Finding | None:
    """A finding as one to be mended in this book; None where only the book before has it."""
    where, other = one.where, one.other
    if other is None:
        return one
    if not where.chapter:
        where, other = other, where
    if not where.chapter:
        return None
    if other.chapter:
        return one
    earlier = other.file
    return replace(one, where=where, other=other, why=_BEFORE.sub(lambda _: earlier, one.why))


def _where_drafted_later(one: Finding, order: DraftOrder) -> Finding:
    """A finding to be mended in the chapter that was written from the other one."""
    other = one.other
    if other is None or not other.chapter:
        return one
    if one.where.chapter in order.known(other.chapter):
        return replace(one, where=other, other=one.where)
    return one
