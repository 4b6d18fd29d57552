"""What a check of the story finds, each finding with the words on both sides."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from libriscribe2.quality.canon.conflict import Severity


@dataclass(frozen=True, slots=True)
class StoryPlace:
    """Where something stands.

    Attributes:
        file: The file, by its name in the project.
        line: The line, from 1.
        quote: The words there.
    """

    file: str
    line: int
    quote: str

    @property
    def name(self) -> str:
        """`file:line`, as editors and terminals take it."""
        return f"{self.file}:{self.line}"

    def as_record(self) -> dict[str, Any]:
        """The place as plain JSON."""
        return {"file": self.file, "line": self.line, "quote": self.quote}


@dataclass(frozen=True, slots=True)
class StoryFinding:
    """Something in a story that cannot be so.

    Attributes:
        rule: The rule that it breaks, such as `R1`.
        severity: `error` where code is sure, `warning` where a reader has to judge, `note` for
            what is no fault.
        message: What is wrong, in a sentence.
        place: Where it is to be mended.
        other: What it contradicts; None where there is no other side.
        fix: What to type or to edit.
        allowed: Whether the author lets it stand.
    """

    rule: str
    severity: Severity
    message: str
    place: StoryPlace
    other: StoryPlace | None
    fix: str
    allowed: bool = False

    def as_record(self) -> dict[str, Any]:
        """The finding as plain JSON."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "place": self.place.as_record(),
            "other": None if self.other is None else self.other.as_record(),
            "fix": self.fix,
            "allowed": self.allowed,
        }


@dataclass(frozen=True, slots=True)
class StoryReport:
    """What a check of the story comes to.

    Attributes:
        project: Name of the project.
        findings: What is wrong, errors first, each kind in the order of the text.
        facts: How many facts were compared.
        read: Chapters whose facts are known.
        unread: Written chapters whose facts are not.
        changed: Chapters whose text has changed since their facts were read.
        lost: How many facts no longer stand in the text.
        verdicts: What a model said of pairs that code cannot compare, by verdict.
    """

    project: str
    findings: tuple[StoryFinding, ...]
    facts: int
    read: tuple[int, ...]
    unread: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    lost: int = 0
    verdicts: Mapping[str, int] = field(default_factory=dict)

    @property
    def errors(self) -> list[StoryFinding]:
        """The errors that nobody lets stand."""
        return [one for one in self.findings if one.severity == "error" and not one.allowed]

    @property
    def warnings(self) -> list[StoryFinding]:
        """The warnings that nobody lets stand."""
        return [one for one in self.findings if one.severity == "warning" and not one.allowed]

    @property
    def allowed(self) -> list[StoryFinding]:
        """What the author lets stand."""
        return [one for one in self.findings if one.allowed]

    def with_judged(
        self, found: tuple[StoryFinding, ...], verdicts: Mapping[str, int]
    ) -> "StoryReport":
        """The report with what a model found."""
        findings = in_order((*self.findings, *found))
        return replace(self, findings=findings, verdicts=verdicts)

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
            "verdicts": dict(self.verdicts),
            "findings": [finding.as_record() for finding in self.findings],
        }


def in_order(findings: tuple[StoryFinding, ...]) -> tuple[StoryFinding, ...]:
    """Findings by weight, then by place: what nobody lets stand first, errors before warnings."""
    return tuple(
        sorted(
            findings,
            key=lambda one: (
                one.allowed,
                one.severity != "error",
                one.place.file,
                one.place.line,
                one.rule,
            ),
        )
    )
