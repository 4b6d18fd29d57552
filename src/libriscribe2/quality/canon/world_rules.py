"""The rules of the world: what they are called in facts, and as facts that a text can break."""

from collections.abc import Mapping, Sequence

from libriscribe2.models.canon import Attribute, Fact


def rule_names(rules: Sequence[str]) -> Mapping[str, str]:
    """Each rule of the world under a short name, such as `rule 1`."""
    return {f"rule {number}": rule for number, rule in enumerate(rules, start=1)}


def world_facts(rules: Sequence[str]) -> list[Fact]:
    """The rules as facts of the plan: they hold from the first chapter on and have no quote."""
    return [
        Fact(entity=name, attribute=Attribute.RULE, value=rule, chapter=1)
        for name, rule in rule_names(rules).items()
    ]
