"""Facts by what they are about."""

from collections import defaultdict

from libriscribe2.models.canon import Attribute, Fact


def of_kind(facts: list[Fact], attribute: Attribute) -> list[Fact]:
    """The facts of one kind."""
    return [fact for fact in facts if fact.attribute is attribute]


def by_entity(facts: list[Fact], attribute: Attribute) -> dict[str, list[Fact]]:
    """The facts of one kind by whom or what they are about, in their order."""
    grouped: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in of_kind(facts, attribute):
        grouped[fact.entity].append(fact)
    return dict(grouped)
