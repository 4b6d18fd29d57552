"""What an author lets stand in a plan: `P3`, `P1 chapter 7`, `P12 chapter 4 scene 2`, `P8 Mira`.

`P1 book` is what is found of the book as a whole, and nothing of its chapters.

JSON has no comments, so it is said in `book.toml`; there it also outlives an outline that is made
anew.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from libriscribe2.errors import ConfigError
from libriscribe2.quality.plan.plan import RULES, PlanFinding

_ENTRY: Final = re.compile(
    r"(?P<rule>[A-Z]+\d+)(?:\s+chapter\s+(?P<chapter>\d+)(?:\s+scene\s+(?P<scene>\d+))?"
    r"|\s+(?P<book>book)|\s+(?P<about>\S.*))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Allowance:
    """One thing that may stand.

    Attributes:
        said: How the author says it.
        rule: The rule, such as `P1`.
        chapter: Only findings of this chapter and of its scenes; 0 for any.
        scene: Only findings of this scene; 0 for any.
        about: Only findings about this text of the plan, such as a name; "" for any.
        book: Only what is found of the book as a whole.
    """

    said: str
    rule: str
    chapter: int = 0
    scene: int = 0
    about: str = ""
    book: bool = False

    def lets(self, one: PlanFinding) -> bool:
        """Whether a finding may stand."""
        return (
            one.rule == self.rule
            and self.chapter in (0, one.chapter)
            and self.scene in (0, one.scene)
            and (not self.about or one.about.casefold() == self.about.casefold())
            and not (self.book and (one.chapter or one.about))
        )


def allowances(said: Iterable[str]) -> tuple[Allowance, ...]:
    """What an author's words let stand.

    Raises:
        ConfigError: They do not begin with a rule, or there is no such rule.
    """
    return tuple(map(_allowance, said))


def allowance_for(one: PlanFinding) -> str:
    """What an author writes to let a finding stand, and as little else as can be said.

    A name or the id of a thread is the same after chapters have moved, so it goes first.
    """
    return f"{one.rule} {one.about or one.place.removeprefix(one.file).strip() or 'book'}"


def unused(given: Iterable[Allowance], found: Iterable[PlanFinding]) -> tuple[Allowance, ...]:
    """What lets nothing stand: nothing of the kind is found."""
    findings = tuple(found)
    return tuple(one for one in given if not any(map(one.lets, findings)))


def _allowance(said: str) -> Allowance:
    match = _ENTRY.fullmatch(said.strip())
    if match is None:
        raise ConfigError(
            f"book.toml: [book] allow: {said!r} names no rule",
            fix="Write a rule, or a rule and where it may be broken: `P3`, `P1 chapter 7`.",
        )
    rule = match["rule"].upper()
    if rule not in RULES:
        close = get_close_matches(rule, RULES, n=1)
        raise ConfigError(
            f"book.toml: [book] allow: there is no rule {match['rule']!r}",
            fix=f"Did you mean {close[0]!r}?" if close else f"The rules are {', '.join(RULES)}.",
        )
    chapter, scene = int(match["chapter"] or 0), int(match["scene"] or 0)
    about = (match["about"] or "").strip()
    return Allowance(said.strip(), rule, chapter, scene, about, book=match["book"] is not None)
