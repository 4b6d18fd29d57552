"""Whether a plan can be written from: its rules, the lines they speak of, what to type."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from libriscribe2.checks.plan.drift_rules import OF_TEXT
from libriscribe2.checks.plan.plan_findings import (
    Allowance,
    allowance_for,
    allowances,
    plan_findings,
    unused,
)
from libriscribe2.checks.plan.plan_reading import plan_of, written_of
from libriscribe2.models.brief import Brief
from libriscribe2.models.findings import Finding, Severity, by_severity
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import BOOK_TOML, CHARACTERS, OUTLINE, SCENES
from libriscribe2.project.project_view import ProjectView

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
            "findings": [
                {
                    "rule": one.rule,
                    "severity": one.severity,
                    "message": one.why,
                    "file": one.where.file,
                    "line": one.where.line,
                    "place": one.where.name,
                    "fix": one.fix,
                    "allowed": one.allowed,
                }
                for one in self.findings
            ],
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
        change = f"{one.fix} Edit {file}, or have it made anew: {again}."
    return f"{change} Or let it stand: {stand}."


def _way_back(chapter: int, project: str) -> str:
    """What brings a plan and the text together again, and what to type."""
    again = f"`libriscribe2 redo {project} chapters --chapter {chapter}`"
    return (
        f"Have the chapter written again: {again}. Or let the plan follow the text: edit {OUTLINE} "
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
