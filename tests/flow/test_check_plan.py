"""`check --plan`: what the text of a book would pay for, found before it is written."""

import json
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from tests.support.desk import Desk, ProjectFolder

from libriscribe2.checks.plan.plan import PLAN_RULES

SIZE = ("--chapters", "8", "--words", "2400", "--scenes-per-chapter", "1", "--characters", "4")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with a plan by the stand-in author; no test changes it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.written("--until", "plan", size=SIZE)
    return desk


@pytest.fixture
def planned(desk: Desk) -> ProjectFolder:
    """The same plan, to be changed."""
    desk.written("--until", "plan", size=SIZE)
    return desk.project()


def edit(project: ProjectFolder, number: int, **fields: Any) -> None:
    """Change a chapter of the outline, as an author would."""
    outline = json.loads(project.text("outline.json"))
    outline["chapters"][number - 1].update(fields)
    project.write("outline.json", json.dumps(outline, indent=4, ensure_ascii=False) + "\n")


def test_QU_the_plan_of_the_stand_in_author_is_clean(sound: Desk) -> None:
    ran = sound.run("check", "book", "--plan")
    assert ran.out == ""
    assert "8 chapters and 8 scenes planned: 0 errors, 0 warnings, 0 notes." in ran.err


def test_QU_a_fault_is_told_with_place_rule_and_what_to_type(
    desk: Desk, planned: ProjectFolder
) -> None:
    edit(planned, 7, payoffs=[])
    ran = desk.run("check", "book", "--plan", expect=5)
    first, fix = ran.out.splitlines()
    assert first.startswith("outline.json chapter 7: error P5: ")
    assert fix.endswith(
        "Edit outline.json, or regenerate it: `libriscribe2 redo book outline`. "
        'Or allow it: `allow = ["P5 chapter 7"]` under [book] in book.toml.'
    )
    assert "1 error, 0 warnings, 0 notes." in ran.err


def test_QU_json_names_the_line_where_the_chapter_stands(
    desk: Desk, planned: ProjectFolder
) -> None:
    edit(planned, 7, story_time="day 1")
    told = desk.run("check", "book", "--plan", "--json", expect=5).value
    (found,) = told["findings"]
    assert (told["sound"], found["rule"], found["severity"]) == (False, "P11", "error")
    line = planned.text("outline.json").splitlines()[found["line"] - 1]
    title = json.loads(planned.text("outline.json"))["chapters"][6]["title"]
    assert json.dumps(title, ensure_ascii=False) in line


def test_QU_other_formats_are_those_of_the_story(desk: Desk, planned: ProjectFolder) -> None:
    edit(planned, 7, story_time="day 1")
    run = desk.run("check", "book", "--plan", "--format", "sarif", expect=5).value["runs"][0]
    assert [one["id"] for one in run["tool"]["driver"]["rules"]] == list(PLAN_RULES.words())
    assert [(one["ruleId"], one["level"]) for one in run["results"]] == [("P11", "error")]
    suite = fromstring(desk.run("check", "book", "--plan", "--format", "junit", expect=5).out)[0]
    assert suite.get("name") == "book: plan"
    assert suite.get("failures") == "1"
    assert len(suite) == len(PLAN_RULES.words())


@pytest.mark.parametrize("stage", ["plan", "scenes"])
def test_QU_a_run_that_ends_with_the_plan_tells_what_is_wrong_with_it(
    desk: Desk, planned: ProjectFolder, stage: str
) -> None:
    edit(planned, 7, payoffs=[])
    ran = desk.run("resume", "book", "--until", stage)
    assert "outline.json chapter 7: error P5: " in ran.err
    assert "`libriscribe2 redo book outline`" in ran.err
    assert "`libriscribe2 resume book` writes the book from this plan." in ran.err


def test_QU_a_run_beyond_the_plan_says_nothing_of_it(desk: Desk) -> None:
    assert "planned:" not in desk.create().err


@pytest.mark.parametrize(
    "options",
    [("--plan", "--story"), ("--plan", "--evaluate"), ("--format", "json"), ("--plan", "--mock")],
)
def test_CL_options_that_do_not_go_together_are_refused(
    sound: Desk, options: tuple[str, ...]
) -> None:
    sound.run("check", "book", *options, expect=2)


def test_CL_without_an_outline_the_check_says_so(desk: Desk) -> None:
    desk.written("--until", "concept", size=SIZE)
    assert "outline.json is missing" in desk.run("check", "book", "--plan", expect=3).err
