"""Requests become plans, strictly."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.chain import capability, plan_text, scripted, step, text_of

from libriscribe2.errors import ProviderError
from libriscribe2.llm.backend import BackendError, Completion, Line, Request, ScriptedBackend
from libriscribe2.models.tooling import Plan
from libriscribe2.research.plan_prompt import PlanPromptBuilder
from libriscribe2.research.planner import PlanError, Planner
from libriscribe2.research.templates import OrchestratorConfig, default_config

TOOLS = (
    capability("geocode", city="string"),
    capability("weather", lat="number", lon="number"),
    capability("convert", amount="number", to="string?"),
)
REQUEST = "What is the weather in Paris?"
GEOCODE = step("step-1", "geocode", city="Paris")
GOOD = plan_text(GEOCODE, step("step-2", "weather", "step-1"), plan_id="trip")
TRAILING = GOOD[:-1] + ",}"
ARITHMETIC = (
    '{"plan_id": "p", "steps": [{"step_id": "s", "agent_name": "convert", "metadata": '
    '{"parameters": {"amount": 100 * "{{step-1.response.price}}"}}}]}'
)


async def planned(
    *script: Line, config: OrchestratorConfig | None = None, max_tokens: int | None = None
) -> tuple[Plan, list[Request]]:
    model, backend = scripted(*script)
    planner = Planner(model, TOOLS, config, max_tokens=max_tokens)
    return await planner.generate_execution_plan(REQUEST), backend.calls


async def refused(
    *script: Line, config: OrchestratorConfig | None = None
) -> tuple[PlanError, ScriptedBackend, list[str], dict[str, float]]:
    model, backend = scripted(*script)
    anew: list[str] = []
    model.anew = anew.append
    with pytest.raises(PlanError) as caught:
        await Planner(model, TOOLS, config).generate_execution_plan(REQUEST)
    return caught.value, backend, anew, model.metrics.snapshot()


def wrapped(parameters: Any) -> str:
    one = {"step_id": "s1", "agent_name": "geocode", "metadata": {"parameters": parameters}}
    return json.dumps({"steps": [one]})


def test_pr_01_pr_02_pr_03_ms_01_the_prompt_holds_the_nine_rules_in_order() -> None:
    prompt = "\n".join(m["content"] for m in PlanPromptBuilder(TOOLS).build_planning_prompt("x"))
    rules = [
        "CRITICAL FORMAT RULES (applies to all LLM providers):",
        "- You are a JSON API. Your ONLY output is a raw JSON object.",
        "- Output ONLY valid JSON - no markdown, no code blocks, no backticks",
        "- Do NOT use any text formatting: no ** (bold), no * (italic), no __ (underline)",
        "- Do NOT wrap JSON in code fences (no triple backticks)",
        "- Do NOT include any explanatory text before or after the JSON",
        "- String values must be plain text without any markdown formatting",
        "- Do NOT use arithmetic expressions in JSON values "
        '(e.g., "amount": 100 * price is INVALID)',
        "- If calculations are needed, create separate steps or use literal values only",
        "- Start your response with { and end with } - nothing else",
    ]
    assert "\n".join(rules) in prompt


async def test_pr_04_ms_05_ms_08_fences_words_and_emphasis_cost_no_retry() -> None:
    reply = f"Here's your plan:\n```json\n{GOOD}\n```\nEnjoy!"
    bold = reply.replace('"Paris"', '"**Paris**"').replace('"geocode"', '"*geocode*"', 1)
    plan, calls = await planned(bold)
    assert plan.steps[0].parameters == {"city": "Paris"}
    assert plan.steps[0].tool == "geocode"
    assert len(calls) == 1


async def test_ms_14_ms_20_asterisks_and_underscores_that_are_no_emphasis_stay() -> None:
    plan, _ = await planned(wrapped({"city": "5 * 3, __init__ and src/*/x"}))
    assert plan.steps[0].parameters == {"city": "5 * 3, __init__ and src/*/x"}


async def test_ms_02_fences_inside_texts_are_data() -> None:
    city = "write a ```json {} ``` block"
    plan, _ = await planned(wrapped({"city": city}))
    assert plan.steps[0].parameters == {"city": city}


@pytest.mark.parametrize(
    "bad",
    [
        TRAILING,
        ARITHMETIC,
        GOOD.replace('"plan_id"', "plan_id"),
        GOOD[:-10],
        "I cannot plan this.",
        "[]",
        '{"steps": [{"agent_name": "geocode"}]}',
        '{"steps": "none"}',
    ],
)
async def test_pr_05_pr_06_pr_13_damage_is_never_repaired_but_asked_for_again(bad: str) -> None:
    plan, calls = await planned(bad, GOOD)
    assert plan.plan_id == "trip"
    assert len(calls) == 2


async def test_pr_07_the_error_tells_its_whole_chain() -> None:
    error, _, _, _ = await refused(TRAILING, TRAILING, TRAILING)
    assert error.what.startswith("failed to generate execution plan: failed to parse plan JSON: ")
    assert "Expecting property name" in error.what or "Illegal trailing comma" in error.what
    assert error.exit_code == 5


def test_pr_08_pr_09_the_defaults() -> None:
    for config in (OrchestratorConfig(), OrchestratorConfig.default(), default_config()):
        assert config.plan_parse_retry_enabled is True
        assert config.plan_parse_max_retries == 2


async def test_pr_09_two_retries_are_three_calls() -> None:
    _, backend, _, _ = await refused(*[TRAILING] * 9)
    assert len(backend.calls) == 3


@pytest.mark.parametrize(("enabled", "most"), [(False, 2), (True, 0), (False, 0)])
async def test_pr_12_without_retries_there_is_one_call(*, enabled: bool, most: int) -> None:
    config = OrchestratorConfig().with_plan_parse_retry(enabled, most)
    error, backend, _, _ = await refused(TRAILING, GOOD, config=config)
    assert len(backend.calls) == 1
    assert "failed to parse plan JSON" in error.what


async def test_pr_14_the_last_error_is_raised_and_the_next_run_asks_anew() -> None:
    error, _, anew, _ = await refused(TRAILING, "prose only", ARITHMETIC)
    assert "no JSON" not in error.what
    assert "Expecting ',' delimiter" in error.what
    assert anew == ["research/plan"]


async def test_pr_15_pr_16_pr_17_pr_18_the_retry_says_what_was_wrong_and_shows_everything() -> None:
    _, calls = await planned(ARITHMETIC, GOOD)
    prompt = text_of(calls[1])
    for words in (
        "IMPORTANT: Your previous response could not be parsed as valid JSON.",
        "Parse Error: ",
        "line 1 column",
        "Common JSON mistakes to avoid:",
        '- NO arithmetic expressions: "amount": 100 * price is INVALID',
        "- NO markdown formatting: **bold** and *italic* are INVALID in JSON strings",
        "- NO code blocks: Do not wrap JSON in triple backticks",
        "Please regenerate a VALID JSON execution plan.",
        ARITHMETIC,
        REQUEST,
        '"agent_name":"geocode"',
        '"agent_name":"weather"',
    ):
        assert words in prompt


def test_pr_19_the_prompt_after_a_parse_error_is_built_by_its_own_function() -> None:
    builder = PlanPromptBuilder(TOOLS)
    messages = builder.build_planning_prompt_with_parse_error("weather $5", "line 1 column 2")
    assert "Parse Error: line 1 column 2" in messages[1]["content"]
    assert "weather $5" in messages[1]["content"]


def test_pr_18_a_long_reply_is_shown_in_part() -> None:
    builder = PlanPromptBuilder(TOOLS)
    messages = builder.build_planning_prompt_with_parse_error("x", "e", "y" * 100_000)
    assert len(messages[1]["content"]) < 10_000
    assert "97000 more characters" in messages[1]["content"]


@pytest.mark.parametrize(
    ("enabled", "most", "wanted"),
    [(True, 3, (True, 3)), (True, -1, (True, 2)), (False, 0, (False, 0))],
)
def test_pr_20_the_option(*, enabled: bool, most: int, wanted: tuple[bool, int]) -> None:
    config = OrchestratorConfig().with_plan_parse_retry(enabled, most)
    assert (config.plan_parse_retry_enabled, config.plan_parse_max_retries) == wanted


async def test_pr_21_generate_execution_plan_holds_the_retries_and_keeps_the_request() -> None:
    lying = json.dumps({**json.loads(GOOD), "original_request": "delete everything"})
    plan, calls = await planned(TRAILING, TRAILING, lying)
    assert plan.original_request == REQUEST
    assert [call.step for call in calls] == [
        "research/plan",
        "research/plan/parse-1",
        "research/plan/parse-2",
    ]


async def test_pr_22_a_provider_that_fails_is_no_parse_error() -> None:
    model, backend = scripted(BackendError("quota", "no credit"), GOOD)
    with pytest.raises(ProviderError):
        await Planner(model, TOOLS).generate_execution_plan(REQUEST)
    assert len(backend.calls) == 1
    assert "plan_generation.parse_errors{will_retry=true}" not in model.metrics.snapshot()


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (plan_text(step("s1", "geocoder", city="x")), "no tool 'geocoder'; did you mean geocode?"),
        (plan_text(step("s1", "weather", "s9")), "dependency s9 not found for step s1"),
        ('{"plan_id": "p", "steps": []}', "the plan has no steps"),
        (plan_text(step("a", "weather", "b"), step("b", "weather", "a")), "circular dependency"),
        (plan_text(step("s1", "weather")), "needs lat, lon"),
        (plan_text(step("s1", "convert", amount={"expression": "100 * price"})), "not computed"),
        (plan_text(step("s1", "geocode", town="x", city="y")), "no parameter 'town'"),
    ],
)
async def test_pr_23_a_plan_that_cannot_be_carried_out_is_asked_for_again(
    bad: str, told: str
) -> None:
    plan, calls = await planned(bad, GOOD)
    assert plan.plan_id == "trip"
    prompt = text_of(calls[1])
    assert "The previous plan failed validation with error: " in prompt
    assert told in prompt
    assert REQUEST in prompt


async def test_pr_23_a_regenerated_plan_is_checked_too_and_not_for_ever() -> None:
    unknown = plan_text(step("s1", "nobody"))
    error, backend, _, _ = await refused(*[unknown] * 9)
    assert len(backend.calls) == 3
    assert "plan validation failed" in error.what
    _, calls = await planned(unknown, TRAILING, unknown, GOOD)
    assert len(calls) == 4


async def test_pr_23_a_plan_can_be_had_anew_with_an_error_of_its_run() -> None:
    model, backend = scripted(GOOD)
    plan = await Planner(model, TOOLS).regenerate_plan(REQUEST, "step-2 found nothing")
    assert plan.plan_id == "trip"
    assert "step-2 found nothing" in text_of(backend.calls[0])


async def test_pr_24_pb_65_parse_errors_retries_and_durations_are_counted() -> None:
    model, _ = scripted(TRAILING, GOOD)
    await Planner(model, TOOLS).generate_execution_plan(REQUEST)
    counted = model.metrics.snapshot()
    assert counted["plan_generation.parse_errors{will_retry=true}"] == 1
    assert counted["plan_generation.retries"] == 1
    assert counted["plan_generation.total{status=success}"] == 1
    assert counted["plan_generation.duration_ms"] >= 0
    _, _, _, failed = await refused(*[TRAILING] * 3)
    assert failed["plan_generation.parse_errors{will_retry=false}"] == 1
    assert failed["plan_generation.total{status=error}"] == 1


async def test_pr_27_planning_is_asked_for_at_low_temperatures_with_the_schema() -> None:
    _, calls = await planned(TRAILING, GOOD)
    assert [call.temperature for call in calls] == [0.3, 0.2]
    schema = calls[0].schema
    assert schema is not None
    names = schema["properties"]["steps"]["items"]["properties"]["agent_name"]["enum"]
    assert names == ["geocode", "weather", "convert"]


async def test_pr_27_a_reply_that_was_cut_off_is_told_and_the_limit_raised() -> None:
    cut = Completion(GOOD[:40], finish_reason="length")
    _, calls = await planned(cut, GOOD, max_tokens=100)
    assert [call.max_tokens for call in calls] == [100, 200]
    assert "truncated at the length limit" in text_of(calls[1])


@pytest.mark.parametrize(
    "reply",
    [
        '{"toolCalls": [{"name": "geocode", "arguments": {"city": "Paris"}}], '
        '"needsMoreWork": true}',
        '<function_calls>[{"name": "geocode", "arguments": {"city": "Paris"}}]</function_calls>',
        'I will look.\n<function_calls><invoke name="geocode"><parameter name="city">Paris'
        "</parameter></invoke></function_calls>",
        '```json\n{"toolCalls": [{"name": "geocode", "arguments": {"city": "Paris"}}]}\n```',
        'I will help you with that.\n\n{"toolCalls": [{"name": "geocode", "arguments": {"city": "Paris"}}]}',
        '<|tool_calls_section_begin|><|tool_call_begin|>{"name": "geocode", "arguments": '
        '{"city": "Paris"}}<|tool_call_end|><|tool_calls_section_end|>',
        '{"name": "geocode", "arguments": {"city": "Paris"}}',
        '<tool_call>{"name": "geocode", "arguments": {"city": "Paris"}}</tool_call>',
    ],
)
async def test_a_reply_that_calls_the_tools_is_a_plan_of_these_calls(reply: str) -> None:
    plan, calls = await planned(reply)
    assert [(one.tool, dict(one.parameters)) for one in plan.steps] == [
        ("geocode", {"city": "Paris"})
    ]
    assert len(calls) == 1


async def test_calls_that_refer_to_each_other_depend_on_each_other() -> None:
    calls = [
        {"name": "geocode", "arguments": {"city": "Paris"}},
        {"name": "weather", "arguments": {"lat": "{{step-1.response.lat}}", "lon": 2}},
    ]
    plan, _ = await planned(json.dumps({"toolCalls": calls}))
    assert [one.depends_on for one in plan.steps] == [(), ("step-1",)]
    assert plan.plan_id.startswith("plan-")


async def test_native_calls_are_a_plan_as_well() -> None:
    function = {"name": "geocode", "arguments": '{"city": "Paris"}'}
    native = Completion("", tool_calls=({"id": "c", "type": "function", "function": function},))
    plan, _ = await planned(native)
    assert plan.steps[0].parameters == {"city": "Paris"}


async def test_a_step_is_understood_in_other_spellings() -> None:
    one = {"step_id": 1, "tool": "geocode", "arguments": {"city": "Paris"}, "depends_on": None}
    two = {
        "id": 2,
        "agent_name": "weather-agent",
        "depends_on": 1,
        "metadata": {"capability": "weather"},
    }
    plan, _ = await planned(json.dumps({"steps": [one, two]}))
    assert [(s.step_id, s.tool, s.depends_on) for s in plan.steps] == [
        ("1", "geocode", ()),
        ("2", "weather", ("1",)),
    ]


def test_pr_25_both_variables_are_documented() -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    for name in ("PLAN_RETRY_ENABLED", "PLAN_RETRY_MAX"):
        assert f"LIBRISCRIBE2_{name}" in readme
        assert f"GOMIND_{name}" in readme


def test_pr_26_the_retries_have_their_tests() -> None:
    tests = Path(__file__).read_text(encoding="utf-8")
    for item in ("pr_12", "pr_13", "pr_14", "pr_15", "pr_19", "pr_20"):
        assert re.search(rf"^(?:async )?def test_\w*{item}", tests, re.MULTILINE)


@pytest.mark.parametrize(
    "model", ["gemini/gemini-3-pro", "openai/gpt-5.4", "anthropic/claude", "x"]
)
async def test_ms_18_emphasis_goes_whatever_the_provider(model: str) -> None:
    chain, _ = scripted(wrapped({"city": "**Paris**"}))
    chain.client = chain.client.using(model)
    plan = await Planner(chain, TOOLS).generate_execution_plan(REQUEST)
    assert plan.steps[0].parameters == {"city": "Paris"}
