"""What a check finds: where it stands, why it is wrong, what mends it, by which rule."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

Severity = Literal["error", "warning", "note"]
"""`error` where code is sure, `warning` where a reader has to judge, `note` for what is no fault."""

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""The severities, the worst first."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands, as exactly as the check that found it can say.

    Attributes:
        file: The file, by its name in the project; "" where it is not in one.
        chapter: The chapter's number; 0 for the whole book.
        scene: The scene's number in its chapter; 0 for the whole chapter.
        line: The line of the file, from 1; 0 for the whole file.
        quote: The words there; "" where it concerns more than a passage.
        part: The part of the file in the file's own terms, such as `chapters.3.scenes`.
        entity: Who or what it is about, such as a character's name or a thread's id.
    """

    file: str = ""
    chapter: int = 0
    scene: int = 0
    line: int = 0
    quote: str = ""
    part: str = ""
    entity: str = ""

    @property
    def address(self) -> str:
        """`file:line`, as editors and terminals take it."""
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def in_book(self) -> str:
        """`chapter 7 scene 2`; "" for the whole book."""
        chapter = f"chapter {self.chapter}" if self.chapter else ""
        scene = f"scene {self.scene}" if self.scene else ""
        return f"{chapter} {scene}".strip()

    @property
    def name(self) -> str:
        """`outline.json chapter 7`, for places that only a part of the book is known of."""
        return f"{self.file} {self.in_book}".strip()

    def as_record(self) -> dict[str, Any]:
        """The place in a text as plain JSON."""
        return {"file": self.file, "line": self.line, "quote": self.quote}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a book, its plan or its files.

    Attributes:
        severity: How sure it is, and how bad.
        where: Where it is to be mended.
        why: What is wrong, in a sentence.
        fix: What mends it: a change, an edit or a command; "" where nobody knows.
        rule: What it breaks: a rule's number, or the name of the gate or check.
        other: The place that it contradicts; None where there is no other side.
        allowed: Whether the author lets it stand.
    """

    severity: Severity
    where: Place
    why: str
    fix: str = ""
    rule: str = ""
    other: Place | None = None
    allowed: bool = False

    def as_record(self) -> dict[str, Any]:
        """The finding as plain JSON, in the keys that every check has."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "message": self.why,
            **self.where.as_record(),
            "fix": self.fix,
            "allowed": self.allowed,
        }


def by_severity(findings: Iterable[Finding], severity: Severity) -> list[Finding]:
    """The findings of one severity that the author does not let stand."""
    return [one for one in findings if one.severity == severity and not one.allowed]


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by severity, then by place; what the author lets stand comes last."""
    return tuple(sorted(findings, key=_order))


def _order(one: Finding) -> tuple[bool, bool, str, int, str]:
    return one.allowed, one.severity != "error", one.where.file, one.where.line, one.rule
