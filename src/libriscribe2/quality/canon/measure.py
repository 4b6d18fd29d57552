"""How many planted faults the rules find, and how often they cry wolf on a sound text."""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from libriscribe2.quality.canon.gold import GoldBook
from libriscribe2.quality.canon.mutations import OPERATORS, Planted, plant
from libriscribe2.quality.canon.rules import conflicts
from libriscribe2.quality.canon.slips import plant_slip
from libriscribe2.quality.names import name_drift

NAME_DRIFT = "name drift"


@dataclass(frozen=True, slots=True)
class Score:
    """What became of the faults of one operator.

    Attributes:
        operator: Its name.
        planted: How many faults were put in.
        found: How many of them were found where they stand.
        missed: The sentences of the others.
    """

    operator: str
    planted: int
    found: int
    missed: tuple[str, ...]

    def as_record(self) -> dict[str, Any]:
        """The score as plain JSON."""
        return {
            "operator": self.operator,
            "planted": self.planted,
            "found": self.found,
            "missed": list(self.missed),
        }


def measure(book: GoldBook, seeds: Iterable[int]) -> list[Score]:
    """Every operator on a book, once per seed; operators that find nothing to change are at 0."""
    wanted = list(seeds)
    scores = []
    for name in OPERATORS:
        planted = [one for seed in wanted if (one := plant(name, book, _dice(seed)))]
        missed = tuple(one.fact.quote for one in planted if not _is_found(one))
        scores.append(Score(name, len(planted), len(planted) - len(missed), missed))
    return [*scores, _names(book, wanted)]


def alarms(book: GoldBook) -> int:
    """How many conflicts and drifting names the rules see in a book as it is."""
    return len(conflicts(book.facts)) + len(name_drift(book.chapters, book.names))


def _is_found(planted: Planted) -> bool:
    """Whether the rule tells the planted fact."""
    return any(
        conflict.rule == planted.rule and planted.fact in (conflict.later, conflict.earlier)
        for conflict in conflicts(planted.book.facts)
    )


def _names(book: GoldBook, seeds: Iterable[int]) -> Score:
    """The operator that misspells a name once."""
    slips = [one for seed in seeds if (one := plant_slip(book, _dice(seed)))]
    missed = tuple(
        f"{slip.spelling} for {slip.name}"
        for slip in slips
        if not any(d.spelling == slip.spelling for d in name_drift(slip.chapters, book.names))
    )
    return Score(NAME_DRIFT, len(slips), len(slips) - len(missed), missed)


def _dice(seed: int) -> Random:
    """The dice of a seed: a measurement has to come out the same anywhere."""
    return Random(seed)  # noqa: S311
