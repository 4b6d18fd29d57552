"""Whether a plan can be written from: its rules, the lines they speak of, what to type."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.models.brief import Brief
from libriscribe2.pipeline.plan_written import way_back, written_of
from libriscribe2.pipeline.story_finding import StoryFinding, StoryPlace, StoryReport
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import BOOK_TOML, CHARACTERS, OUTLINE, SCENES
from libriscribe2.project.planned import plan_of
from libriscribe2.project.view import ProjectView
from libriscribe2.quality.plan.allowed import Allowance, allowance_for, allowances, unused
from libriscribe2.quality.plan.divergence import divergences
from libriscribe2.quality.plan.lints import findings
from libriscribe2.quality.plan.plan import OF_TEXT, PlanFinding

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
        lines: The line of each finding's file that it speaks of, from 1.
        chapters: How many chapters are planned.
        scenes: How many scenes are planned.
        unused: What the author lets stand although nothing of the kind is found.
        called: How a command names the project.
    """

    project: str
    findings: tuple[PlanFinding, ...]
    lines: tuple[int, ...]
    chapters: int
    scenes: int
    unused: tuple[Allowance, ...] = ()
    called: str = ""

    @property
    def allowed(self) -> int:
        """How many findings the author lets stand."""
        return sum(one.allowed for one in self.findings)

    def count(self, weight: str) -> int:
        """How many findings of a weight there are that nobody lets stand."""
        return sum(one.weight == weight and not one.allowed for one in self.findings)

    def fix(self, one: PlanFinding) -> str:
        """What to change, and the command that has it planned anew."""
        again = f"`libriscribe2 redo {self.called} {_STAGES[one.file]}`"
        stand = f'`allow = ["{allowance_for(one)}"]` under [book] in {BOOK_TOML}'
        change = f"{one.change} Edit {one.file}, or have it made anew: {again}."
        if one.rule in OF_TEXT:
            change = way_back(one, self.called)
        return f"{change} Or let it stand: {stand}."

    def as_story(self) -> StoryReport:
        """The report in the shape that the writers of other formats take."""
        told = tuple(
            StoryFinding(
                one.rule,
                one.weight,
                f"{_in_file(one)}{one.message}",
                StoryPlace(one.file, line, one.message),
                None,
                self.fix(one),
                allowed=one.allowed,
            )
            for one, line in zip(self.findings, self.lines, strict=True)
        )
        return StoryReport(self.project, told, facts=0, read=())

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
                    "severity": one.weight,
                    "message": one.message,
                    "file": one.file,
                    "line": line,
                    "place": one.place,
                    "fix": self.fix(one),
                    "allowed": one.allowed,
                }
                for one, line in zip(self.findings, self.lines, strict=True)
            ],
            "unused": [one.said for one in self.unused],
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
    found = findings(plan, given, divergences(plan, written_of(brief, view)))
    texts = {name: view.read_text(name).splitlines() for name in {one.file for one in found}}
    return PlanReport(
        view.paths.root.name,
        found,
        tuple(_line(one, texts[one.file]) for one in found),
        chapters=plan.last,
        scenes=sum(1 for _ in plan.planned()),
        unused=unused(given, found),
        called=view.paths.called,
    )


def _line(one: PlanFinding, lines: list[str]) -> int:
    """The line that a finding speaks of; 1 where the file is not written as this program does."""
    if one.about:
        return next((n for n, line in enumerate(lines, start=1) if f'"{one.about}"' in line), 1)
    if not one.chapter or one.file not in _CHAPTER:
        return 1
    starts = [*_matching(_CHAPTER[one.file], lines)]
    if len(starts) < one.chapter:
        return 1
    start = starts[one.chapter - 1]
    scenes = [line for line in _matching(_SCENE, lines) if line >= start]
    return scenes[one.scene - 1] if 0 < one.scene <= len(scenes) else start


def _matching(pattern: re.Pattern[str], lines: list[str]) -> Iterator[int]:
    return (n for n, line in enumerate(lines, start=1) if pattern.match(line) is not None)


def _in_file(one: PlanFinding) -> str:
    """Where a finding is, for formats that know lines only."""
    where = one.place.removeprefix(one.file).strip()
    return f"{where}: ".capitalize() if where else ""
