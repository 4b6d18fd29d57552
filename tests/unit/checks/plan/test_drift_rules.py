"""P23 to P26: chapters beside the plan that they were written from."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from libriscribe2.checks.plan.plan import PLAN_RULES, Plan, Written
from libriscribe2.checks.text import ChapterText
from libriscribe2.models.findings import Finding
from libriscribe2.models.story import OutlineChapter, PlannedChapter, ScenePlan
from libriscribe2.models.story_bible import CharacterState, ExitState

BEAT = "Mara trades the brass sextant for a passage to the northern lighthouse."
TEXT = (
    "Mara put the brass sextant on the table. It was a fair trade, the pilot said: a passage to "
    "the northern lighthouse, and no questions.\n\nShe went down to the boats."
)


def chapter(number: int, **fields: object) -> OutlineChapter:
    return OutlineChapter.model_validate(
        {"title": f"Part {number}", "summary": "It happens.", **fields}
    )


def scenes(number: int, *people: str) -> PlannedChapter:
    scene = ScenePlan(summary="They meet.", characters=list(people))
    return PlannedChapter(chapter=number, title="", scenes=[scene])


PLAN = Plan(
    [chapter(1, beats=[BEAT]), chapter(2), chapter(3)],
    people=("Mara Voss", "Jon Ide"),
    places=("The Lamp Room", "The Slip"),
)


def text(words: str, number: int = 1) -> ChapterText:
    return ChapterText(number, f"chapters/{number:02d}.md", f"# T\n\n{words}\n")


def found(plan: Plan, written: Written) -> list[Finding]:
    rules = [PLAN_RULES.all()[f"P{number}"] for number in range(23, 27)]
    return [one for rule in rules for one in rule.findings(replace(plan, written=written))]


def test_QU_a_chapter_that_keeps_to_its_plan_has_no_findings() -> None:
    assert found(PLAN, Written([text(TEXT)], words={1: 40})) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("He asked Tolliver. She saw Tolliver, and then Tolliver left.", ["Tolliver (3 times)"]),
        ("He asked Tolliver. She saw Tolliver.", []),
        ("He asked Mara on Monday. She saw Mara on Monday, and Mara left on Monday.", []),
        ("Nothing came. Nothing went. Nothing stayed.", []),
    ],
)
def test_QU_P23_who_is_named_thrice_should_stand_in_the_plan(
    said: str, told: Sequence[str]
) -> None:
    findings = found(PLAN, Written([text(f"{TEXT} {said}")]))
    assert [one.rule for one in findings] == ["P23"] * len(told)
    assert all(name in findings[0].why for name in told)
    assert found(PLAN, Written([text(f"{TEXT} {said}")], naming="a pilot called Tolliver")) == []


def test_QU_P23_a_stranger_is_told_once_and_in_english_only() -> None:
    said = "He asked Tolliver. She saw Tolliver, and then Tolliver left."
    both = Written([text(f"{TEXT} {said}"), text(said, 2)])
    assert [one.where.chapter for one in found(PLAN, both)] == [1]
    assert found(replace(PLAN, english=False), both) == []


def test_QU_P24_the_plan_may_not_go_on_with_the_dead() -> None:
    plan = replace(PLAN, scenes=[scenes(1, "Jon Ide"), scenes(3, "Jon", "Mara")])
    (one,) = found(plan, Written([text(TEXT)], dead={"Jon Ide": 1}))
    assert (one.rule, one.where.name) == ("P24", "scenes.json chapter 3 scene 1")
    assert "Jon Ide died in chapter 1" in one.why
    assert found(plan, Written([text(TEXT)], dead={"Jon Ide": 3})) == []
    back = replace(plan, chapters=[*PLAN.chapters[:2], chapter(3, story_time="a flashback")])
    assert found(back, Written([text(TEXT)], dead={"Jon Ide": 1})) == []


@pytest.mark.parametrize(
    ("planned", "place", "count"),
    [
        ("Mara is in the Lamp Room.", "the Slip, below the wall", 1),
        ("Mara is in the Lamp Room.", "the lamp room", 0),
        ("Mara is in the Lamp Room.", "a boat", 0),
        ("Mara is gone.", "the Slip", 0),
    ],
)
def test_QU_P25_a_chapter_leaves_people_where_its_plan_does(
    planned: str, place: str, count: int
) -> None:
    plan = replace(PLAN, chapters=[chapter(1, beats=[BEAT], exit_state=planned)])
    left = ExitState(people=[CharacterState(name="Mara", place=place)])
    findings = found(plan, Written([text(TEXT)], left={1: left}))
    assert [one.rule for one in findings] == ["P25"] * count


@pytest.mark.parametrize(("words", "count"), [(32, 0), (50, 1), (20, 1), (0, 0)])
def test_QU_P26_a_quarter_more_or_less_is_told(words: int, count: int) -> None:
    findings = found(PLAN, Written([text(TEXT)], words={1: words}))
    assert [one.rule for one in findings] == ["P26"] * count
