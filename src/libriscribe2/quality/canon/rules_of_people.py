"""Rules over what a person is and where: traits, ages, death, places."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from libriscribe2.models.canon import Attribute, Fact
from libriscribe2.quality.canon.conflict import Conflict, after
from libriscribe2.quality.canon.grouping import by_entity, of_kind
from libriscribe2.quality.canon.values import colour, colours_agree, number

_YEAR: Final = 365
_YEARS_OF_A_BOOK: Final = 3
"""How far people may age where the story's clock is not told."""

_MAJORITY: Final = 0.5


def traits(facts: list[Fact]) -> Iterator[Conflict]:
    """R1: eyes, hair and birthdays stay what they are; a clear majority is the base."""
    for attribute in (Attribute.EYES, Attribute.HAIR, Attribute.BIRTHDAY):
        for entity, told in by_entity(facts, attribute).items():
            base = _base(told)
            for fact in told:
                if not _same_trait(fact, base):
                    yield Conflict(
                        "R1",
                        f"{entity}'s {attribute.value}: {base.value} in chapter {base.chapter}, "
                        f"{fact.value} in chapter {fact.chapter}.",
                        fact,
                        base,
                    )


def ages(facts: list[Fact]) -> Iterator[Conflict]:
    """R2: an age never goes back and grows no faster than the story's days.

    Where the story's clock is not told, a book is given three years. How many lie between two
    books of a series nobody knows.
    """
    for entity, told in by_entity(facts, Attribute.AGE).items():
        known = [(fact, age) for fact in told if (age := number(fact.value)) is not None]
        for (before, young), (later, old) in pairwise(known):
            if not after(later, before):
                continue
            most = _years_between(before, later)
            if old < young or (most is not None and old - young > most):
                yield Conflict(
                    "R2",
                    f"{entity} is {young} in chapter {before.chapter} and {old} in chapter "
                    f"{later.chapter}.",
                    later,
                    before,
                )


def the_dead(facts: list[Fact]) -> Iterator[Conflict]:
    """R3: the dead do nothing, unless the story's clock says that it was before."""
    for entity, told in by_entity(facts, Attribute.ALIVE).items():
        deaths = [fact for fact in told if is_death(fact)]
        if not deaths:
            continue
        death = deaths[0]
        for fact in facts:
            if (
                fact.entity == entity
                and fact.attribute in (Attribute.ACTS, Attribute.LOCATION)
                and after(fact, death)
                and fact.place > death.place
            ):
                yield Conflict(
                    "R3",
                    f"{entity} died in chapter {death.chapter} and is there in chapter "
                    f"{fact.chapter}.",
                    fact,
                    death,
                )


def two_places(facts: list[Fact]) -> Iterator[Conflict]:
    """R4: nobody is in two places in the same part of the same day."""
    seen: dict[tuple[str, int, str], Fact] = {}
    for fact in of_kind(facts, Attribute.LOCATION):
        if fact.time.day is None or not fact.time.part:
            continue
        slot = (fact.entity, fact.time.day, fact.time.part)
        first = seen.setdefault(slot, fact)
        if first.chapter != fact.chapter and not _names_overlap(first.value, fact.value):
            yield Conflict(
                "R4",
                f"{fact.entity} is at {first.value} and at {fact.value} on the {fact.time.part} "
                f"of day {fact.time.day}.",
                fact,
                first,
            )


def _base(told: list[Fact]) -> Fact:
    """The fact that most others repeat, or the first one where none has a clear majority."""
    common, count = Counter(_trait(fact) for fact in told).most_common(1)[0]
    if count > 1 and count > _MAJORITY * len(told):
        return next(fact for fact in told if _trait(fact) == common)
    return told[0]


def _trait(fact: Fact) -> str:
    """A trait in a form that can be compared."""
    return colour(fact.value) or " ".join(fact.value.casefold().split())


def _same_trait(fact: Fact, base: Fact) -> bool:
    """Whether two tellings of a trait agree; what names no colour is no contradiction."""
    if fact.attribute is Attribute.BIRTHDAY:
        return _trait(fact) == _trait(base)
    one, other = colour(fact.value), colour(base.value)
    return one is None or other is None or colours_agree(one, other)


def _years_between(before: Fact, later: Fact) -> int | None:
    """By how many years somebody may have aged; None where another book lies between."""
    if before.origin != later.origin:
        return None
    if before.time.day is None or later.time.day is None:
        return _YEARS_OF_A_BOOK
    return (later.time.day - before.time.day) // _YEAR + 1


def is_death(fact: Fact) -> bool:
    """Whether a fact says that somebody is dead."""
    return fact.value.strip().casefold() in {"dead", "no", "false", "died", "killed"}


def _names_overlap(one: str, other: str) -> bool:
    """Whether two names of places share a word, such as `the mill` and `the old mill`."""
    small = {"the", "a", "an", "of", "in", "at", "on"}
    ours, theirs = ({*name.casefold().split()} - small for name in (one, other))
    return bool(ours & theirs)
