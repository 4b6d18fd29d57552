"""What an author lets stand in a plan."""

from typing import Any

import pytest

from libriscribe2.checks.plan.plan_report import allowance_for, allowances, unused
from libriscribe2.errors import ConfigError
from libriscribe2.models.findings import Finding, Place
from libriscribe2.project.paths import CHARACTERS, OUTLINE, SCENES


def finding(rule: str, file: str = OUTLINE, **where: Any) -> Finding:
    return Finding("error", Place(file, **where), "M.", "C.", rule)


WHOLE = finding("P6")
CHAPTER = finding("P1", chapter=7)
SCENE = finding("P12", SCENES, chapter=4, scene=2)
NAME = finding("P8", CHARACTERS, entity="Mira Voss")
THREAD = finding("P4", chapter=7, entity="the-ring")
ALL = (WHOLE, CHAPTER, SCENE, NAME, THREAD)


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.rule)
def test_the_line_for_a_finding_lets_it_stand_and_no_other(one: Finding) -> None:
    (given,) = allowances([allowance_for(one)])
    assert [found for found in ALL if given.lets(found)] == [one]


def test_lines_are_those_that_an_author_would_write() -> None:
    told = [allowance_for(one) for one in ALL]
    assert told == [
        "P6 book",
        "P1 chapter 7",
        "P12 chapter 4 scene 2",
        "P8 Mira Voss",
        "P4 the-ring",
    ]


@pytest.mark.parametrize(
    ("said", "one", "lets"),
    [
        ("P12", SCENE, True),
        ("P12 chapter 4", SCENE, True),
        ("p12  Chapter 4  Scene 2", SCENE, True),
        ("P12 chapter 4 scene 3", SCENE, False),
        ("P12 chapter 5", SCENE, False),
        ("P1 chapter 70", CHAPTER, False),
        ("P1 chapter 7", WHOLE, False),
        ("P8 mira voss", NAME, True),
        ("P8 Mira", NAME, False),
        ("P4 chapter 7", THREAD, True),
        ("P6", WHOLE, True),
        ("P1 book", CHAPTER, False),
        ("P1", CHAPTER, True),
    ],
)
def test_a_leave_holds_where_it_says(said: str, one: Finding, *, lets: bool) -> None:
    (given,) = allowances([said])
    assert given.lets(one) == lets


def test_a_leave_for_nothing_is_known() -> None:
    given = allowances(["P1 chapter 7", "P2", "P6"])
    assert [one.text for one in unused(given, ALL)] == ["P2"]


@pytest.mark.parametrize("said", ["", "chapter 7", "P", "7", "P1chapter 7", "P99", "P0"])
def test_what_names_no_rule_is_refused(said: str) -> None:
    with pytest.raises(ConfigError):
        allowances([said])
