"""What can be known of a plan before its first step."""

import pytest
from tests.support.chain import capability, plan, step

from libriscribe2.models.tooling import Capability, Parameter, PlanStep
from libriscribe2.research.planner import plan_problems

TOOLS = {
    one.name: one
    for one in (
        capability("find", query="string", most="integer?"),
        capability("read", url="string"),
        Capability("pick", "", (Parameter("kind", "string", required=True, enum=("a", "b")),)),
    )
}


def problems(*steps: PlanStep, most: int | None = None) -> list[str]:
    return plan_problems(plan(*steps), TOOLS, most)


def test_a_sound_plan_has_no_problem() -> None:
    found = problems(
        step("s2", "read", "s1", url="{{s1.response.results[0].url}}"),
        step("s1", "find", query="the {{ jinja }} manual", most="5"),
        step("s3", "read", "s1"),
    )
    assert found == []


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ((), "no steps"),
        ((step("s", "find", query="x"), step("S", "find", query="y")), "duplicate step id s"),
        ((step("s", "read", "s"),), "depends on itself: a circular dependency"),
        ((step("a", "read", "b"), step("b", "read", "a")), "circular dependency: "),
        ((step("a", "read", "x"),), "dependency x not found for step a"),
        ((step("a", "read", url=None),), "read needs url"),
        ((step("a", "find", query="x", most="many"),), "parameter 'most' is 'many'"),
        ((step("a", "pick", kind="c"),), "one of a, b"),
    ],
)
def test_pb_69_what_cannot_be_carried_out_is_told(steps: tuple[PlanStep, ...], words: str) -> None:
    assert words in "; ".join(problems(*steps))


def test_pb_69_a_duplicate_is_told_once() -> None:
    three = [step("s", "find", query="x")] * 3
    assert problems(*three) == ["duplicate step id s"]


def test_pb_37_a_template_may_name_declared_steps_only() -> None:
    first = step("s1", "find", query="x")
    undeclared = problems(first, step("s2", "read", url="{{s1.response.url}}"))
    assert undeclared == ["step s2: {{s1.response.url}} names s1, which is not in its depends_on"]
    unknown = problems(first, step("s2", "read", "s1", url="{{step-9.response.url}}"))
    assert unknown == ["step s2: {{step-9.response.url}} names a step that does not exist"]


def test_a_plan_has_a_longest_length() -> None:
    steps = [step(f"s{n}", "find", query="x") for n in range(4)]
    assert problems(*steps, most=4) == []
    assert problems(*steps, most=3) == ["the plan has 4 steps; at most 3 are allowed"]
