"""Rules over the world: weekdays, numbers, things, and its own rules."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from libriscribe2.models.canon import Attribute, Fact
from libriscribe2.quality.canon.conflict import Conflict, after
from libriscribe2.quality.canon.grouping import by_entity, of_kind
from libriscribe2.quality.canon.values import number, weekday

_LOST: Final = ("destroyed", "lost", "burned", "burnt", "broken", "gave away", "given to", "sold")


def weekdays(facts: list[Fact]) -> Iterator[Conflict]:
    """R5: weekdays agree with the days of the story that lie between them."""
    base: Fact | None = None
    for fact in of_kind(facts, Attribute.WEEKDAY):
        named = weekday(fact.value)
        if named is None or fact.time.day is None:
            continue
        if base is None or base.time.day is None:
            base = fact
            continue
        wanted = ((weekday(base.value) or 0) + fact.time.day - base.time.day) % 7
        if named != wanted:
            days = fact.time.day - base.time.day
            yield Conflict(
                "R5",
                f"{base.value} and {days} days cannot be {fact.value}.",
                fact,
                base,
            )


def numbers(facts: list[Fact]) -> Iterator[Conflict]:
    """R6: counts and distances stay what they are."""
    for attribute in (Attribute.COUNT, Attribute.DISTANCE):
        for entity, told in by_entity(facts, attribute).items():
            known = [fact for fact in told if number(fact.value) is not None]
            if not known:
                continue
            common = Counter(number(fact.value) for fact in known).most_common(1)[0][0]
            base = next(fact for fact in known if number(fact.value) == common)
            for fact in known:
                if number(fact.value) != common:
                    yield Conflict(
                        "R6",
                        f"{entity}: {base.value} in chapter {base.chapter}, {fact.value} in "
                        f"chapter {fact.chapter}.",
                        fact,
                        base,
                    )


def lost_things(facts: list[Fact]) -> Iterator[Conflict]:
    """R8: what was destroyed, lost or given away is not in the same hands later."""
    lost: dict[tuple[str, str], Fact] = {}
    for fact in of_kind(facts, Attribute.POSSESSION):
        state, _, thing = fact.value.partition(":")
        owner = (fact.entity, thing.strip().casefold())
        if state.strip().casefold() in _LOST:
            lost[owner] = fact
        elif state.strip().casefold() == "gets":
            lost.pop(owner, None)
        elif owner in lost and after(fact, lost[owner]):
            yield Conflict(
                "R8",
                f"{fact.entity} has {thing.strip()} in chapter {fact.chapter}, which was "
                f"{lost[owner].value.partition(':')[0]} in chapter {lost[owner].chapter}.",
                fact,
                lost[owner],
            )


def broken_rules(facts: list[Fact]) -> Iterator[Conflict]:
    """R14: a value `breaks: rule` says that what happens is against a rule of the world."""
    stated = {
        fact.entity.casefold(): fact
        for fact in of_kind(facts, Attribute.RULE)
        if not fact.value.casefold().startswith("breaks:")
    }
    for fact in of_kind(facts, Attribute.RULE):
        verb, _, rule = fact.value.partition(":")
        base = stated.get(rule.strip().casefold())
        if verb.strip().casefold() == "breaks" and base is not None:
            message = f"Chapter {fact.chapter} breaks the rule {rule.strip()!r}: {base.value}."
            yield Conflict("R14", message, fact, base)
