"""What is wrong with a plan, and what of it the author lets stand.

An author lets stand `P3`, `P1 chapter 7`, `P12 chapter 4 scene 2` or `P8 Mira`; `P1 book` is what is
found of the book as a whole, and nothing of its chapters. JSON has no comments, so it is said in
`book.toml`; there it also outlives an outline that is made anew.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Final

from libriscribe2.checks.plan.plan import FACTS, PLAN_RULES, STORY, Plan
from libriscribe2.errors import ConfigError
from libriscribe2.models.findings import SEVERITIES, Finding

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
            f"book.toml: [book] allow: {entry!r} names no rule",
            fix="Write a rule, or a rule and where it may be broken: `P3`, `P1 chapter 7`.",
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
