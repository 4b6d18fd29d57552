"""Facts as of a scene: what holds there of all that the book states."""

import re
from collections.abc import Iterable
from typing import Final

from libriscribe2.models.canon import HARD_STANCES, Attribute, Fact

FIXED: Final = frozenset(
    {
        Attribute.EYES,
        Attribute.HAIR,
        Attribute.BIRTHDAY,
        Attribute.KIN,
        Attribute.ALIAS,
        Attribute.RULE,
        Attribute.DISTANCE,
        Attribute.COUNT,
    }
)
"""What is so from the first page to the last, wherever the text says it."""

_ONE_AT_A_TIME: Final = frozenset(
    {
        Attribute.LOCATION,
        Attribute.AGE,
        Attribute.JOB,
        Attribute.RANK,
        Attribute.ALIVE,
        Attribute.EYES,
        Attribute.HAIR,
        Attribute.BIRTHDAY,
        Attribute.DISTANCE,
        Attribute.COUNT,
    }
)
"""What has one value at a time; of the others there may be several."""

_WORD: Final = re.compile(r"\w+")


def standing(facts: Iterable[Fact], chapter: int) -> list[Fact]:
    """The facts that hold when a chapter begins, in the order of the text.

    What may change holds only as earlier chapters left it; what never does also holds where only
    a later chapter says it. Of several tellings of one thing, the first stands for what is fixed
    and the last for what changes.

    Args:
        facts: The facts in the order of the text.
        chapter: The chapter, from 1.
    """
    held: dict[tuple[str, ...], Fact] = {}
    for fact in facts:
        if fact.stance not in HARD_STANCES:
            continue
        if fact.attribute in FIXED:
            held.setdefault(_key(fact), fact)
        elif fact.chapter < chapter:
            held[_key(fact)] = fact
    return sorted(held.values(), key=lambda fact: fact.place)


def _key(fact: Fact) -> tuple[str, ...]:
    """What two facts have to share for one to take the place of the other."""
    about = fact.entity.casefold(), fact.attribute.value
    if fact.attribute in _ONE_AT_A_TIME:
        return about
    if fact.attribute is Attribute.POSSESSION:  # `has: a knife`, then `lost: a knife`
        return (*about, _plain(fact.value.partition(":")[2] or fact.value))
    return (*about, _plain(fact.value))


def _plain(value: str) -> str:
    """A value in a form that can be compared."""
    return " ".join(_WORD.findall(value.casefold()))
