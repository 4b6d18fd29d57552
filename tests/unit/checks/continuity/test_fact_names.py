"""One name for one thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.checks.continuity.fact_values import Names, canonical_facts
from libriscribe2.checks.continuity.story_rules import Story, findings_in, hard
from libriscribe2.models.findings import Finding
from libriscribe2.models.story_bible import Attribute, Fact

CAST = ("Marta Quell", "Pettra Quell", "Ivo Brandt")


def fact(entity: str, attribute: str, value: str, chapter: int = 1) -> Fact:
    return Fact(entity=entity, attribute=Attribute(attribute), value=value, chapter=chapter)


def conflicts(facts: list[Fact]) -> list[Finding]:
    return findings_in(Story(hard(facts)))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Marta", "Marta Quell"),
        ("**Marta Quell**", "Marta Quell"),
        ("marta's", "Marta Quell"),
        ("Mr Brandt", "Ivo Brandt"),
        ("Quell", "Quell"),
        ("Ms Quell", "Ms Quell"),
        ("the harbour", "the harbour"),
        ("the Heron", "Ivo Brandt"),
        ("The Twin", "The Twin"),
    ],
)
def test_a_name_is_that_of_the_cast_where_it_means_one_person(said: str, meant: str) -> None:
    twins = [("the Twin", name) for name in CAST[:2]]
    assert Names(CAST, [("the heron", "Ivo Brandt"), *twins]).canonical(said) == meant


@given(st.text())
def test_naming_twice_changes_nothing(said: str) -> None:
    names = Names(CAST)
    assert names.canonical(names.canonical(said)) == names.canonical(said)


def test_facts_under_several_names_of_one_person_are_compared() -> None:
    told = [
        fact("Ivo Brandt", "alias", "the Heron"),
        fact("Ivo", "eyes", "green"),
        fact("The Heron", "eyes", "brown", 3),
    ]
    assert conflicts(told) == []
    (found,) = conflicts(canonical_facts(told, CAST))
    assert (found.rule, found.where.entity) == ("R1", "Ivo Brandt")


@pytest.mark.parametrize(
    ("attribute", "said", "value"),
    [
        ("kin", "elder sister of *Marta*", "elder sister of Marta Quell"),
        ("kin", "an orphan", "an orphan"),
        ("possession", "Lost: the brass lamp", "lost: brass lamp"),
        ("possession", "her brass lamp", "has: brass lamp"),
        ("eyes", "**green**", "green"),
    ],
)
def test_values_are_in_the_form_that_the_rules_compare(
    attribute: str, said: str, value: str
) -> None:
    (found,) = canonical_facts([fact("Pettra", attribute, said)], CAST)
    assert found.value == value


def test_a_lost_thing_without_a_name_is_compared_with_nothing() -> None:
    told = [fact("Ivo", "possession", "lost:"), fact("Ivo", "possession", "uses:", 2)]
    assert conflicts(canonical_facts(told, CAST)) == []


def test_counts_are_of_the_same_thing_with_and_without_article_and_capitals() -> None:
    told = [
        fact("The Steps of the tower", "count", "112"),
        fact("steps of the tower", "count", "9"),
    ]
    assert [one.rule for one in conflicts(canonical_facts(told, CAST))] == ["R6"]
