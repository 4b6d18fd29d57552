"""Pairs of statements that code cannot compare, for a model to judge."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from libriscribe2.models.canon import Attribute, Fact
from libriscribe2.quality.canon.conflict import hard
from libriscribe2.quality.canon.values import colour, kinship, number

MOST_EARLIER: Final = 8
"""Most earlier statements that one statement is put beside."""

_FREE: Final = frozenset({Attribute.JOB, Attribute.RANK, Attribute.PROMISE, Attribute.OTHER})


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A statement and the earlier ones of its kind that say something else.

    Attributes:
        later: The statement.
        earlier: The earlier ones, oldest first.
    """

    later: Fact
    earlier: tuple[Fact, ...]


def open_questions(facts: Iterable[Fact]) -> list[OpenQuestion]:
    """What is left to a reader: same person, same kind, another value that no rule compares."""
    earlier: defaultdict[tuple[str, Attribute], list[Fact]] = defaultdict(list)
    questions = []
    for fact in hard(list(facts)):
        if not fact.quote or _is_comparable(fact):
            continue
        before = earlier[fact.entity, fact.attribute]
        if any(_value(one) == _value(fact) for one in before):
            continue
        others = [one for one in before if one.chapter < fact.chapter]
        if others:
            questions.append(OpenQuestion(fact, tuple(others[-MOST_EARLIER:])))
        before.append(fact)
    return questions


def _is_comparable(fact: Fact) -> bool:
    """Whether the rules can compare a fact, or nothing could contradict it."""
    match fact.attribute:
        case Attribute.EYES | Attribute.HAIR:
            return colour(fact.value) is not None
        case Attribute.AGE | Attribute.COUNT | Attribute.DISTANCE:
            return number(fact.value) is not None
        case Attribute.KIN:
            return kinship(fact.value) is not None
        case _:
            return fact.attribute not in _FREE


def _value(fact: Fact) -> str:
    return " ".join(fact.value.casefold().split())
