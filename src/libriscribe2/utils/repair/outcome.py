"""What the repair parser hands back."""

from dataclasses import dataclass
from typing import Any

from libriscribe2.utils.report import Repair


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why damaged JSON was not repaired.

    Attributes:
        kind: A slug of `refusals`, such as "cut_off" or "ambiguous".
        position: Where in the text.
        detail: What exactly, or "".
    """

    kind: str
    position: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RepairOutcome:
    """The reading of one damaged value.

    Attributes:
        value: The value, also when it is lossy; None with most troubles.
        end: Where the parser stopped.
        repairs: What was changed, in the order of the text.
        trouble: Why the value is not to be trusted, or None.
        members: How many members and elements were read: 0 means it was hardly JSON.
        work: How many characters were looked at.
    """

    value: Any
    end: int
    repairs: tuple[Repair, ...]
    trouble: Trouble | None = None
    members: int = 0
    work: int = 0
