"""Telling that a cap is nearly reached, before it stops the run."""

from collections.abc import Callable, Mapping
from typing import Final

from libriscribe2.llm.budget import MONEY
from libriscribe2.observe.events import EventStream
from libriscribe2.utils.quantities import price

WARN_FROM: Final = 0.8
"""The part of a cap from which on the run tells of it."""


class BudgetWatch:
    """Tells once per cap of a run that most of it is used.

    Args:
        events: Where it is told.
        used: What is used and what is allowed, by the cap's name (`Budget.used`).
    """

    def __init__(
        self, events: EventStream, used: Callable[[], Mapping[str, tuple[float, float]]]
    ) -> None:
        self._events = events
        self._used = used
        self._told: set[str] = set()

    def look(self) -> None:
        """Compare what is used with the caps."""
        for cap, (used, allowed) in self._used().items():
            if cap in self._told or used < WARN_FROM * allowed:
                continue
            self._told.add(cap)
            message = f"{_amount(cap, used)} of {_amount(cap, allowed)} is used ({cap})"
            self._events.emit("budget.warn", cap=cap, used=used, allowed=allowed, message=message)


def _amount(cap: str, value: float) -> str:
    """An amount of what a cap counts."""
    return price(value) if cap == MONEY else f"{round(value, 1):g}"
