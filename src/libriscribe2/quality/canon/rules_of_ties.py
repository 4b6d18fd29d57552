"""Rules over what a person is to others and carries along: kin, knowledge, by-names, injuries."""

from collections.abc import Iterator
from typing import Final

from libriscribe2.models.canon import Attribute, Fact
from libriscribe2.quality.canon.conflict import Conflict, after
from libriscribe2.quality.canon.grouping import by_entity, of_kind
from libriscribe2.quality.canon.values import INVERSE, kinship, side

_BODY: Final = frozenset(
    {"arm", "hand", "leg", "foot", "knee", "shoulder", "eye", "ear", "ankle", "wrist", "hip"}
    | {"cheek", "side", "thigh", "elbow", "palm", "temple", "forearm", "thumb"}
)


def kin(facts: list[Fact]) -> Iterator[Conflict]:
    """R7: what one is to another fits what the other is to the one."""
    seen: dict[tuple[str, str], tuple[str, Fact]] = {}
    for fact in of_kind(facts, Attribute.KIN):
        told = kinship(fact.value)
        if told is None:
            continue
        for pair, relation in (
            ((fact.entity, told.other), told.relation),
            ((told.other, fact.entity), INVERSE[told.relation]),
        ):
            known = seen.setdefault(pair, (relation, fact))
            if known[0] != relation:
                yield Conflict(
                    "R7",
                    f"{known[1].entity} is {known[1].value}, but {fact.entity} is {fact.value}.",
                    fact,
                    known[1],
                )
                break


def knowledge(facts: list[Fact]) -> Iterator[Conflict]:
    """R9: nobody acts on what they learn only later."""
    learnt = {
        (fact.entity, fact.value.casefold()): fact for fact in of_kind(facts, Attribute.LEARNS)
    }
    for fact in of_kind(facts, Attribute.KNOWS):
        lesson = learnt.get((fact.entity, fact.value.casefold()))
        if lesson is not None and after(lesson, fact):
            yield Conflict(
                "R9",
                f"{fact.entity} knows of {fact.value} in chapter {fact.chapter} and learns it in "
                f"chapter {lesson.chapter}.",
                fact,
                lesson,
            )


def aliases(facts: list[Fact]) -> Iterator[Conflict]:
    """R10: one by-name stands for one person."""
    owner: dict[str, Fact] = {}
    for fact in of_kind(facts, Attribute.ALIAS):
        first = owner.setdefault(fact.value.casefold(), fact)
        if first.entity != fact.entity:
            yield Conflict(
                "R10",
                f"{fact.value} is {first.entity} in chapter {first.chapter} and {fact.entity} in "
                f"chapter {fact.chapter}.",
                fact,
                first,
            )


def injuries(facts: list[Fact]) -> Iterator[Conflict]:
    """R11: an injury of one part of the body stays on its side."""
    for entity, told in by_entity(facts, Attribute.INJURY).items():
        first: dict[frozenset[str], Fact] = {}
        for fact in told:
            where = side(fact.value)
            part = frozenset(fact.value.casefold().split()) & _BODY
            if where is None or not part:
                continue
            known = first.setdefault(part, fact)
            if side(known.value) != where:
                yield Conflict(
                    "R11",
                    f"{entity}'s injury: {known.value} in chapter {known.chapter}, {fact.value} "
                    f"in chapter {fact.chapter}.",
                    fact,
                    known,
                )
