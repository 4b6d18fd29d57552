"""R1 to R9, R11 and R14: two statements of the text that cannot both hold."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from libriscribe2.checks.continuity.fact_values import (
    INVERSE,
    colour,
    colours_agree,
    kinship,
    number,
    side,
    unit,
    weekday,
)
from libriscribe2.checks.continuity.story_rules import (
    CONTINUITY_RULES,
    Story,
    by_entity,
    contradiction,
    is_after,
    is_superseded,
    of_kind,
)
from libriscribe2.models.findings import Finding
from libriscribe2.models.story_bible import Attribute, Fact

_YEAR: Final = 365
_YEARS_OF_A_BOOK: Final = 3
"""How far people may age where the story's clock is not told."""

_MAJORITY: Final = 0.5
_LOST: Final = ("destroyed", "lost", "burned", "burnt", "broken", "gave away", "given to", "sold")


_BODY: Final = frozenset(
    {"arm", "hand", "leg", "foot", "knee", "shoulder", "eye", "ear", "ankle", "wrist", "hip"}
    | {"cheek", "side", "thigh", "elbow", "palm", "temple", "forearm", "thumb"}
)


@CONTINUITY_RULES.rule(
    "R1",
    "a fixed trait changes",
    fix="Give it one value in {here} and {there}.",
)
def traits(story: Story) -> Iterator[Finding]:
    """R1: eyes, hair and birthdays stay what they are; a clear majority is the base."""
    for attribute in (Attribute.EYES, Attribute.HAIR, Attribute.BIRTHDAY):
        for entity, group in by_entity(story.facts, attribute).items():
            base = _base(group)
            for fact in group:
                if not _same_trait(fact, base) and not is_superseded(fact, base):
                    yield contradiction(
                        fact,
                        base,
                        f"{entity}'s {attribute.value}: {base.value} in chapter {base.chapter}, "
                        f"{fact.value} in chapter {fact.chapter}.",
                    )


@CONTINUITY_RULES.rule(
    "R2",
    "an age decreases, or grows faster than the story",
    fix="Correct the age in {here} or {there}, or say how much time passes.",
)
def ages(story: Story) -> Iterator[Finding]:
    """R2: an age never goes back and grows no faster than the story's days.

    Where the story's clock is not told, a book is given three years. How many lie between two
    books of a series nobody knows.
    """
    for entity, group in by_entity(story.facts, Attribute.AGE).items():
        known = [(fact, age) for fact in group if (age := number(fact.value)) is not None]
        for (before, young), (later, old) in pairwise(known):
            if not is_after(later, before):
                continue
            most = _years_between(before, later)
            if old < young or (most is not None and old - young > most):
                yield contradiction(
                    later,
                    before,
                    f"{entity} is {young} in chapter {before.chapter} and {old} in chapter "
                    f"{later.chapter}.",
                )


@CONTINUITY_RULES.rule(
    "R3",
    "a character acts after their death",
    fix="Remove them from {here}, make it a memory, or let them live in {there}.",
)
def the_dead(story: Story) -> Iterator[Finding]:
    """R3: the dead do nothing, unless the story's clock says that it was before."""
    for entity, group in by_entity(story.facts, Attribute.ALIVE).items():
        deaths = [fact for fact in group if is_death(fact)]
        if not deaths:
            continue
        death = deaths[0]
        for fact in story.facts:
            if (
                fact.entity == entity
                and fact.attribute in (Attribute.ACTS, Attribute.LOCATION)
                and is_after(fact, death)
                and fact.place > death.place
                and not is_superseded(fact, death)
            ):
                yield contradiction(
                    fact,
                    death,
                    f"{entity} died in chapter {death.chapter} and is present in chapter "
                    f"{fact.chapter}.",
                )


@CONTINUITY_RULES.rule(
    "R4",
    "a character is in two places at once",
    fix="Change the place or the time in {here} or {there}.",
)
def two_places(story: Story) -> Iterator[Finding]:
    """R4: nobody is in two places in the same part of the same day."""
    seen: dict[tuple[str, int, str], Fact] = {}
    for fact in of_kind(story.facts, Attribute.LOCATION):
        if fact.time.day is None or not fact.time.part:
            continue
        slot = (fact.entity, fact.time.day, fact.time.part)
        first = seen.setdefault(slot, fact)
        if first.chapter != fact.chapter and not _names_overlap(first.value, fact.value):
            yield contradiction(
                fact,
                first,
                f"{fact.entity} is at {first.value} and at {fact.value} on the {fact.time.part} "
                f"of day {fact.time.day}.",
            )


@CONTINUITY_RULES.rule(
    "R5",
    "a weekday does not match the days in between",
    fix="Change the day in {here} or {there}.",
)
def weekdays(story: Story) -> Iterator[Finding]:
    """R5: weekdays agree with the days of the story that lie between them."""
    base: Fact | None = None
    for fact in of_kind(story.facts, Attribute.WEEKDAY):
        named = weekday(fact.value)
        if named is None or fact.time.day is None:
            continue
        if base is None or base.time.day is None:
            base = fact
            continue
        wanted = ((weekday(base.value) or 0) + fact.time.day - base.time.day) % 7
        if named != wanted:
            days = fact.time.day - base.time.day
            yield contradiction(fact, base, f"{base.value} and {days} days cannot be {fact.value}.")


@CONTINUITY_RULES.rule(
    "R6",
    "a number changes",
    fix="Use one number in {here} and {there}.",
)
def numbers(story: Story) -> Iterator[Finding]:
    """R6: counts and distances stay what they are; a way in other words may be another way."""
    for attribute in (Attribute.COUNT, Attribute.DISTANCE):
        for entity, group in by_entity(story.facts, attribute).items():
            known = [fact for fact in group if number(fact.value) is not None]
            if not known:
                continue
            common = Counter(number(fact.value) for fact in known).most_common(1)[0][0]
            base = next(fact for fact in known if number(fact.value) == common)
            for fact in known:
                if number(fact.value) != common and not is_superseded(fact, base):
                    why = (
                        f"{entity}: {base.value} in chapter {base.chapter}, {fact.value} in "
                        f"chapter {fact.chapter}."
                    )
                    sure = attribute is Attribute.DISTANCE and unit(fact.value) == unit(base.value)
                    yield contradiction(fact, base, why, "error" if sure else "warning")


@CONTINUITY_RULES.rule(
    "R8",
    "an object is used after it was lost",
    fix="Have it found again before {here}, or use another object.",
)
def lost_things(story: Story) -> Iterator[Finding]:
    """R8: what was destroyed, lost or given away is not in the same hands later."""
    lost: dict[tuple[str, str], Fact] = {}
    for fact in of_kind(story.facts, Attribute.POSSESSION):
        state, _, thing = fact.value.partition(":")
        owner = (fact.entity, thing.strip().casefold())
        if state.strip().casefold() in _LOST:
            lost[owner] = fact
        elif state.strip().casefold() == "gets":
            lost.pop(owner, None)
        elif owner in lost and is_after(fact, lost[owner]) and not is_superseded(fact, lost[owner]):
            yield contradiction(
                fact,
                lost[owner],
                f"{fact.entity} has {thing.strip()} in chapter {fact.chapter}, which was "
                f"{lost[owner].value.partition(':')[0]} in chapter {lost[owner].chapter}.",
            )


@CONTINUITY_RULES.rule(
    "R14",
    "a rule of the world is broken",
    fix="Keep the rule in {here}, or change it in {there}.",
)
def broken_rules(story: Story) -> Iterator[Finding]:
    """R14: a value `breaks: rule` says that what happens is against a rule of the world."""
    stated = {
        fact.entity.casefold(): fact
        for fact in of_kind(story.facts, Attribute.RULE)
        if not fact.value.casefold().startswith("breaks:")
    }
    for fact in of_kind(story.facts, Attribute.RULE):
        verb, _, rule = fact.value.partition(":")
        base = stated.get(rule.strip().casefold())
        if verb.strip().casefold() == "breaks" and base is not None:
            message = f"Chapter {fact.chapter} breaks the rule {rule.strip()!r}: {base.value.rstrip('.')}."
            yield contradiction(fact, base, message)


@CONTINUITY_RULES.rule(
    "R7",
    "family relations contradict each other",
    fix="Use the same relation in {here} and {there}.",
)
def kin(story: Story) -> Iterator[Finding]:
    """R7: what one is to another fits what the other is to the one."""
    seen: dict[tuple[str, str], tuple[str, Fact]] = {}
    for fact in of_kind(story.facts, Attribute.KIN):
        tie = kinship(fact.value)
        if tie is None:
            continue
        for pair, relation in (
            ((fact.entity, tie.other), tie.relation),
            ((tie.other, fact.entity), INVERSE[tie.relation]),
        ):
            known = seen.setdefault(pair, (relation, fact))
            if known[0] != relation:
                yield contradiction(
                    fact,
                    known[1],
                    f"{known[1].entity} is {known[1].value}, but {fact.entity} is {fact.value}.",
                )
                break


@CONTINUITY_RULES.rule(
    "R9",
    "a character knows what they have not yet learned",
    fix="Move what is learned in {there} before {here}, or remove the knowledge from {here}.",
)
def knowledge(story: Story) -> Iterator[Finding]:
    """R9: nobody acts on what they learn only later."""
    learnt = {
        (fact.entity, fact.value.casefold()): fact
        for fact in of_kind(story.facts, Attribute.LEARNS)
    }
    for fact in of_kind(story.facts, Attribute.KNOWS):
        lesson = learnt.get((fact.entity, fact.value.casefold()))
        if lesson is not None and is_after(lesson, fact):
            yield contradiction(
                fact,
                lesson,
                f"{fact.entity} knows of {fact.value} in chapter {fact.chapter} and learns it in "
                f"chapter {lesson.chapter}.",
            )


@CONTINUITY_RULES.rule(
    "R11",
    "an injury changes sides",
    fix="Use the same side in {here} and {there}.",
)
def injuries(story: Story) -> Iterator[Finding]:
    """R11: an injury of one part of the body stays on its side."""
    for entity, group in by_entity(story.facts, Attribute.INJURY).items():
        first: dict[frozenset[str], Fact] = {}
        for fact in group:
            where = side(fact.value)
            part = frozenset(fact.value.casefold().split()) & _BODY
            if where is None or not part:
                continue
            known = first.setdefault(part, fact)
            if side(known.value) != where and not is_superseded(fact, known):
                yield contradiction(
                    fact,
                    known,
                    f"{entity}'s injury: {known.value} in chapter {known.chapter}, {fact.value} "
                    f"in chapter {fact.chapter}.",
                )


def _base(facts: list[Fact]) -> Fact:
    """The fact that most others repeat, or the first one where none has a clear majority."""
    common, count = Counter(_trait(fact) for fact in facts).most_common(1)[0]
    if count > 1 and count > _MAJORITY * len(facts):
        return next(fact for fact in facts if _trait(fact) == common)
    return facts[0]


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
