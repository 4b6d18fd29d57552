"""What a rule finds: two statements that cannot both hold."""

from dataclasses import dataclass
from typing import Any, Final, Literal

from libriscribe2.models.canon import HARD_STANCES, Fact

Severity = Literal["error", "warning", "note"]

JUDGED: Final = "J1"
"""What a model finds, not a rule in code."""

RULES: Final = {
    "R1": "a trait that does not change is told differently",
    "R2": "an age goes back, or grows faster than the story",
    "R3": "somebody acts after their death",
    "R4": "one person is in two places at once",
    "R5": "a weekday does not fit the days between",
    "R6": "a number drifts",
    "R7": "kin do not fit each other",
    "R8": "a thing is used after it was lost",
    "R9": "somebody knows what they have not learnt yet",
    "R10": "one name stands for two people",
    "R11": "an injury changes sides",
    "R12": "the point of view or the tense drifts",
    "R13": "a thread is not paid off in time",
    "R14": "a rule of the world is broken",
    JUDGED: "a model finds that two statements cannot both hold",
}
"""Every rule with what it finds."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two statements that cannot both hold.

    Attributes:
        rule: The rule, such as `R1`.
        message: What is wrong, in a sentence.
        later: The statement that breaks it; here the text is to be mended.
        earlier: The statement that it breaks; None where the plan is broken, not the text.
        severity: `error` where code is sure, `warning` where a reader has to judge, `note` for
            what is no fault.
    """

    rule: str
    message: str
    later: Fact
    earlier: Fact | None = None
    severity: Severity = "error"

    def as_record(self) -> dict[str, Any]:
        """The conflict as plain JSON."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "later": _told(self.later),
            "earlier": None if self.earlier is None else _told(self.earlier),
        }


def in_order(facts: list[Fact]) -> list[Fact]:
    """Facts in the order of the text."""
    return sorted(facts, key=lambda fact: fact.place)


def hard(facts: list[Fact]) -> list[Fact]:
    """The facts that hold in the story's world, in the order of the text."""
    return in_order([fact for fact in facts if fact.stance in HARD_STANCES])


def after(later: Fact, earlier: Fact) -> bool:
    """Whether one fact holds after the other in the story.

    By the story's own clock where both tell the day, else by the order of the text.
    """
    if later.time.day is not None and earlier.time.day is not None:
        if later.time.day != earlier.time.day:
            return later.time.day > earlier.time.day
        return later.place > earlier.place
    return later.place > earlier.place


def _told(fact: Fact) -> dict[str, Any]:
    """A fact as a reader needs it."""
    return {
        "entity": fact.entity,
        "attribute": fact.attribute.value,
        "value": fact.value,
        "chapter": fact.chapter,
        "line": fact.line,
        "quote": fact.quote,
    }
