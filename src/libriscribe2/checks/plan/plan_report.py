"""What is wrong with a plan, and whether it can be written from."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

from libriscribe2.checks.plan.people_rules import OF_TEXT
from libriscribe2.checks.plan.plan import FACTS, PLAN_RULES, STORY, Plan, plan_of, written_of
from libriscribe2.errors import ConfigError
from libriscribe2.models.brief import Brief
from libriscribe2.models.findings import SEVERITIES, Finding, Severity, by_severity
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import BOOK_TOML, CHARACTERS, OUTLINE, SCENES
from libriscribe2.project.project_view import ProjectView

_ENTRY: Final = re.compile(
    r"(?P<rule>[A-Z]+\d+)(?:\s+chapter\s+(?P<chapter>\d+)(?:\s+scene\s+(?P<scene>\d+))?"
    r"|\s+(?P<book>book)|\s+(?P<entity>\S.*))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Allowance:
    """One thing that may stand.

    Attributes:
        text: How the author says it.
        rule: The rule, such as `P1`.
        chapter: Only findings of this chapter and of its scenes; 0 for any.
        scene: Only findings of this scene; 0 for any.
        entity: Only findings about this text of the plan, such as a name; "" for any.
        book: Only what is found of the book as a whole.
    """

    text: str
    rule: str
    chapter: int = 0
    scene: int = 0
    entity: str = ""
    book: bool = False

    def lets(self, one: Finding) -> bool:
        """Whether a finding may stand."""
        where = one.where
        return (
            one.rule == self.rule
            and self.chapter in (0, where.chapter)
            and self.scene in (0, where.scene)
            and (not self.entity or where.entity.casefold() == self.entity.casefold())
            and not (self.book and (where.chapter or where.entity))
        )


def plan_findings(plan: Plan, allowed: Sequence[Allowance] = ()) -> tuple[Finding, ...]:
    """What is wrong with a plan, in the order of the book.

    What code is sure of comes first, what the author lets stand last.
    """
    kinds = ("", STORY if plan.story else FACTS)
    found = (
        replace(one, allowed=any(given.lets(one) for given in allowed))
        for rule in PLAN_RULES.all().values()
        if rule.kind in kinds
        for one in rule.findings(plan)
    )
    return tuple(sorted(found, key=_rank))


def faults(plan: Plan, file: str, allowed: Sequence[Allowance] = ()) -> tuple[Finding, ...]:
    """What a model can be asked to mend in one file of a plan.

    That is what code is sure to be wrong and the author does not let stand.
    """
    found = (one for one in plan_findings(plan, allowed) if not one.allowed)
    return tuple(one for one in found if one.severity == "error" and one.where.file == file)


def as_list(found: Iterable[Finding], budget: int) -> str:
    """Findings as lines of a prompt, as many as fit a budget of characters."""
    lines: list[str] = []
    for one in found:
        line = " ".join(f"- {one.where.name}: {one.why} {one.fix}".split())
        budget -= len(line) + 1
        if budget < 0 and lines:
            break
        lines.append(line)
    return "\n".join(lines)


def allowances(entry: Iterable[str]) -> tuple[Allowance, ...]:
    """What an author's words let stand.

    Raises:
        ConfigError: They do not begin with a rule, or there is no such rule.
    """
    return tuple(map(_allowance, entry))


def allowance_for(one: Finding) -> str:
    """What an author writes to let a finding stand, and as little else as can be said.

    A name or the id of a thread is the same after chapters have moved, so it goes first.
    """
    return f"{one.rule} {one.where.entity or one.where.in_book or 'book'}"


def unused(given: Iterable[Allowance], found: Iterable[Finding]) -> tuple[Allowance, ...]:
    """What lets nothing stand: nothing of the kind is found."""
    findings = tuple(found)
    return tuple(one for one in given if not any(map(one.lets, findings)))


def _allowance(entry: str) -> Allowance:
    match = _ENTRY.fullmatch(entry.strip())
    if match is None:
        raise ConfigError(
            f"book.toml: [book] allow: {entry!r} is not a rule",
            fix="Write a rule, or a rule and where to allow it: `P3`, `P1 chapter 7`.",
        )
    rule, rules = match["rule"].upper(), PLAN_RULES.all()
    if rule not in rules:
        close = get_close_matches(rule, rules, n=1)
        raise ConfigError(
            f"book.toml: [book] allow: there is no rule {match['rule']!r}",
            fix=f"Did you mean {close[0]!r}?" if close else f"The rules are {', '.join(rules)}.",
        )
    return Allowance(
        entry.strip(),
        rule,
        int(match["chapter"] or 0),
        int(match["scene"] or 0),
        (match["entity"] or "").strip(),
        book=match["book"] is not None,
    )


def _rank(one: Finding) -> tuple[bool, int, str, int, int, str, str]:
    severity, where = SEVERITIES.index(one.severity), one.where
    return one.allowed, severity, where.file, where.chapter, where.scene, one.rule, one.why


_STAGES: Final = {OUTLINE: "outline", SCENES: "scenes", CHARACTERS: "characters"}
"""The stage that makes each file."""

_CHAPTER: Final = {OUTLINE: re.compile(r'^\s*"title":'), SCENES: re.compile(r'^\s*"chapter":')}
"""A line that stands once in each chapter of a plan."""

_SCENE: Final = re.compile(r'^\s*"summary":')


@dataclass(frozen=True, slots=True)
class PlanReport:
    """What the rules find in a plan.

    Attributes:
        project: Name of the project.
        findings: What is wrong, what code is sure of first.
        chapters: How many chapters are planned.
        scenes: How many scenes are planned.
        unused: What the author lets stand although nothing of the kind is found.
        called: How a command names the project.
    """

    project: str
    findings: tuple[Finding, ...]
    chapters: int
    scenes: int
    unused: tuple[Allowance, ...] = ()
    called: str = ""

    @property
    def allowed(self) -> int:
        """How many findings the author lets stand."""
        return sum(one.allowed for one in self.findings)

    def count(self, severity: Severity) -> int:
        """How many findings of a severity there are that nobody lets stand."""
        return len(by_severity(self.findings, severity))

    def as_record(self) -> dict[str, Any]:
        """The report as plain JSON."""
        return {
            "project": self.project,
            "sound": not self.count("error"),
            "chapters": self.chapters,
            "scenes": self.scenes,
            "findings": [{**one.as_record(), "place": one.where.name} for one in self.findings],
            "unused": [one.text for one in self.unused],
        }


def check_plan(brief: Brief, view: ProjectView) -> PlanReport:
    """Look for what the text of a book would pay for.

    Raises:
        ConfigError: What the author lets stand names no rule.
        ProjectError: There is no outline yet, or a file cannot be used.
        StorageError: A file cannot be read.
    """
    plan = plan_of(brief, Book(view))
    given = allowances(brief.allow)
    plan = replace(plan, written=written_of(brief, view))
    found = plan_findings(plan, given)
    texts = {name: view.read_text(name).splitlines() for name in {one.where.file for one in found}}
    called = view.paths.called
    return PlanReport(
        view.paths.root.name,
        tuple(_told(one, texts[one.where.file], called) for one in found),
        chapters=plan.last,
        scenes=sum(1 for _ in plan.planned()),
        unused=unused(given, found),
        called=called,
    )


def _told(one: Finding, lines: list[str], project: str) -> Finding:
    """A finding with its line and with all that can be typed."""
    where = replace(one.where, line=_line(one, lines))
    return replace(one, where=where, fix=_fix(one, project))


def _fix(one: Finding, project: str) -> str:
    """What to change, and the command that has it planned anew."""
    file = one.where.file
    stand = f'`allow = ["{allowance_for(one)}"]` under [book] in {BOOK_TOML}'
    if one.rule in OF_TEXT:
        change = _way_back(one.where.chapter, project)
    else:
        again = f"`libriscribe2 redo {project} {_STAGES[file]}`"
        change = f"{one.fix} Edit {file}, or regenerate it: {again}."
    return f"{change} Or allow it: {stand}."


def _way_back(chapter: int, project: str) -> str:
    """What brings a plan and the text together again, and what to type."""
    again = f"`libriscribe2 redo {project} chapters --chapter {chapter}`"
    return (
        f"Have the chapter written again: {again}. Or adapt the plan to the text: edit {OUTLINE} "
        f"and {SCENES} from there on, and `libriscribe2 resume {project}` writes what is missing "
        "from them."
    )


def _line(one: Finding, lines: list[str]) -> int:
    """The line that a finding speaks of; 1 where the file is not written as this program does."""
    where = one.where
    if where.entity:
        return next((n for n, line in enumerate(lines, start=1) if f'"{where.entity}"' in line), 1)
    if not where.chapter or where.file not in _CHAPTER:
        return 1
    starts = [*_matching(_CHAPTER[where.file], lines)]
    if len(starts) < where.chapter:
        return 1
    start = starts[where.chapter - 1]
    scenes = [line for line in _matching(_SCENE, lines) if line >= start]
    return scenes[where.scene - 1] if 0 < where.scene <= len(scenes) else start


def _matching(pattern: re.Pattern[str], lines: list[str]) -> Iterator[int]:
    return (n for n, line in enumerate(lines, start=1) if pattern.match(line) is not None)
