"""`allow` in `book.toml`: what an author lets stand of what `check --plan` finds."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from tests.support.authors import Author
from tests.support.desk import Desk, ProjectFolder

SIZE = ("--chapters", "8", "--words", "2400", "--scenes-per-chapter", "1", "--characters", "4")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A desk with a plan whose chapter 7 goes back in time and owes a payoff; no test changes it."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.create("--until", "plan", size=SIZE)
    project = desk.project()
    outline = json.loads(project.text("outline.json"))
    outline["chapters"][6]["story_time"] = "day 1"
    outline["chapters"][6]["payoffs"] = []
    project.write("outline.json", json.dumps(outline, indent=4, ensure_ascii=False) + "\n")
    return desk


@pytest.fixture
def desk_with_faults(made: Desk, tmp_path: Path) -> Desk:
    return made.copied_to(tmp_path)


def let_stand(project: ProjectFolder, *entries: str) -> None:
    """Write `allow`, as an author would."""
    line = f"allow = {json.dumps(list(entries))}"
    text, count = re.subn(r"(?m)^allow = \[.*?\]", lambda _: line, project.text("book.toml"))
    assert count == 1
    project.write("book.toml", text)


def checked(desk: Desk, *, expect: int) -> dict[str, Any]:
    told: dict[str, Any] = desk.run("check", "book", "--plan", "--json", expect=expect).value
    assert told["sound"] == (expect == 0)
    return told


def test_QU_the_line_that_the_fix_tells_lets_a_finding_stand(desk_with_faults: Desk) -> None:
    found = checked(desk_with_faults, expect=5)["findings"]
    told = [re.search(r'`allow = \["(.*?)"\]`', one["fix"]) for one in found]
    let_stand(desk_with_faults.project(), *(one[1] for one in told if one is not None))
    after = checked(desk_with_faults, expect=0)
    assert len(after["findings"]) == len(found) == len(told)
    assert all(one["allowed"] for one in after["findings"])
    assert after["unused"] == []


def test_QU_what_may_stand_is_listed_and_counted(desk_with_faults: Desk) -> None:
    let_stand(desk_with_faults.project(), "p11 Chapter 7")
    ran = desk_with_faults.run("check", "book", "--plan", expect=5)
    lines = ran.out.splitlines()
    assert lines[0].startswith("outline.json chapter 7: error P5: ")
    assert lines[-1].startswith("outline.json chapter 7: allowed P11: Chapter 7 is set at")
    assert ", 1 allowed." in ran.err


@pytest.mark.parametrize(
    ("entry", "stands"),
    [("P11", True), ("P11 chapter 7", True), ("P11 chapter 6", False), ("P2", False)],
)
def test_QU_a_leave_holds_where_it_says_and_one_for_nothing_is_told(
    desk_with_faults: Desk, entry: str, stands: bool
) -> None:
    let_stand(desk_with_faults.project(), entry)
    told = checked(desk_with_faults, expect=5)
    assert [one["rule"] for one in told["findings"] if one["allowed"]] == ["P11"] * stands
    assert told["unused"] == ([] if stands else [entry])
    ran = desk_with_faults.run("check", "book", "--plan", expect=5)
    assert (f"allow: '{entry}' matches no finding" in ran.err) != stands


@pytest.mark.parametrize(
    ("entry", "words"),
    [("P44", "Did you mean 'P4'?"), ("chapter 7", "is not a rule"), ("R1", "The rules are P1")],
)
def test_QU_a_leave_for_no_rule_is_refused_by_name(
    desk_with_faults: Desk, entry: str, words: str
) -> None:
    let_stand(desk_with_faults.project(), entry)
    for command in (("check", "book", "--plan"), ("resume", "book", "--mock")):
        told = desk_with_faults.run(*command, expect=3).err
        assert words in told
        assert "book.toml" in told


def test_QU_other_formats_mark_what_may_stand(desk_with_faults: Desk) -> None:
    let_stand(desk_with_faults.project(), "P11", "P5")
    check = ("check", "book", "--plan", "--format")
    (run,) = desk_with_faults.run(*check, "sarif").value["runs"]
    marks = {one["ruleId"]: one.get("suppressions") for one in run["results"]}
    assert marks == {"P11": [{"kind": "external"}], "P5": [{"kind": "external"}]}
    suite = fromstring(desk_with_faults.run(*check, "junit").out)[0]
    assert (suite.get("failures"), suite.get("skipped")) == ("0", str(len(run["results"])))
    skipped = suite.find(".//skipped")
    assert skipped is not None
    assert skipped.get("message") == "allowed by `allow` in book.toml"


def test_QU_a_run_that_ends_with_the_plan_lets_it_stand_too(desk_with_faults: Desk) -> None:
    let_stand(desk_with_faults.project(), "P11", "P5")
    ran = desk_with_faults.run("resume", "book", "--until", "plan")
    assert " error P" not in ran.err
    assert "allowed P11" in ran.err


def test_QU_no_model_is_asked_to_mend_what_may_stand(desk: Desk) -> None:
    """A chapter that goes back in time is sent back once; with leave it is not."""

    def goes_back(shown: str) -> str:
        outline = json.loads(shown)
        outline["chapters"][6]["story_time"] = "day 1"
        return json.dumps(outline)

    desk.create("--until", "plan", size=SIZE)
    outline = goes_back(desk.project().text("outline.json"))
    steps = {}
    for entries in ((), ("P11", "P3", "P6", "P21")):
        let_stand(desk.project(), *entries)
        asked = Author(reply=lambda request: outline if request.step == "outline" else None)
        desk.run("redo", "book", "outline", "--mock", backend=asked)
        steps[entries] = asked.steps
    assert "outline/lint1" in steps[()]
    assert not [one for one in steps["P11", "P3", "P6", "P21"] if "lint" in one]
