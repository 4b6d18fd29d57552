"""Rules over the facts of a book. Each is a pure function from facts to conflicts."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from libriscribe2.models.canon import Fact
from libriscribe2.quality.canon.conflict import Conflict, hard
from libriscribe2.quality.canon.rules_of_people import ages, the_dead, traits, two_places
from libriscribe2.quality.canon.rules_of_the_world import (
    broken_rules,
    lost_things,
    numbers,
    weekdays,
)
from libriscribe2.quality.canon.rules_of_ties import aliases, injuries, kin, knowledge

Rule = Callable[[list[Fact]], Iterator[Conflict]]

FACT_RULES: Final[tuple[Rule, ...]] = (
    *(traits, ages, the_dead, two_places, weekdays, numbers, kin, lost_things, knowledge),
    *(aliases, injuries, broken_rules),
)
"""The rules that compare facts with facts."""


def conflicts(facts: Iterable[Fact]) -> list[Conflict]:
    """What cannot hold together, in the order of the text."""
    firm = hard(list(facts))
    found = [conflict for rule in FACT_RULES for conflict in rule(firm)]
    return sorted(found, key=lambda one: (one.later.place, one.rule))
