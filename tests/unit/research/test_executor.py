"""Plans are run as graphs, and refused calls are corrected."""

import asyncio
from typing import Any

import pytest
from tests.support.chain import Chain, FakeTools, capability, judges, plan, provides, scripted, step

from libriscribe2.errors import BudgetError
from libriscribe2.research.execution import Executor
from libriscribe2.research.planner import PlanError
from libriscribe2.research.templates import OrchestratorConfig
from libriscribe2.research.tool_error import ToolError

FREE = capability("free")
TAKES = capability("takes", x="any?")
CONVERT = capability("convert", **{"from": "string", "to": "string", "amount": "number"})
PAY = step("s1", "convert", **{"from": "USD", "to": "USD", "amount": 100})
SAME = {
    "success": False,
    "error": {
        "code": "INVALID_CURRENCY",
        "message": "Source and target currency cannot be the same",
    },
}


def refusal(status: int = 422, message: str = "no") -> ToolError:
    return ToolError(status, "refused", message)


async def test_pb_47_pb_51_a_correction_is_merged_and_the_call_repeated() -> None:
    tools = FakeTools(convert=[SAME, {"amount": 92.0}])
    chain = Chain([CONVERT], tools, judges(should_retry=True, reason="same currency", to="EUR"))
    record = await chain.execute(PAY)
    result = record.results["s1"]
    assert tools.given("convert")[1] == {"from": "USD", "to": "EUR", "amount": 100.0}
    assert (result.success, result.response) == (True, {"amount": 92.0})
    (correction,) = result.corrections
    assert correction.changes == {"to": "EUR"}
    assert "cannot be the same" in correction.error
    assert {b.parameter: b.layer for b in result.bindings}["to"] == "correction"
    assert (result.tool_calls, result.llm_calls) == (2, 1)


async def test_pb_47_a_correction_that_changes_nothing_is_not_sent() -> None:
    tools = FakeTools(convert=[SAME] * 9)
    chain = Chain([CONVERT], tools, judges(should_retry=True, reason="hm", to="USD", evil=1))
    result = (await chain.execute(PAY)).results["s1"]
    assert len(tools.calls) == 1
    assert "no new value" in result.error


async def test_pb_47_a_payload_that_failed_before_is_not_sent_again() -> None:
    tools = FakeTools(convert=[refusal()] * 9)
    chain = Chain(
        [CONVERT], tools, judges(should_retry=True, to="EUR"), judges(should_retry=True, to="USD")
    )
    await chain.execute(PAY)
    assert [given["to"] for given in tools.given("convert")] == ["USD", "EUR"]


async def test_pb_48_pb_61_a_final_error_names_step_tool_status_calls_and_reason() -> None:
    tools = FakeTools(convert=[refusal(404, "no such currency")])
    chain = Chain([CONVERT], tools, judges(should_retry=False, reason="XYZ does not exist"))
    result = (await chain.execute(PAY)).results["s1"]
    assert result.error == (
        "step s1: convert failed after 1 call: HTTP 404: no such currency (XYZ does not exist)"
    )
    assert chain.anew == ["research/s1"]


async def test_pb_49_corrections_are_bounded_and_nothing_follows_them() -> None:
    tools = FakeTools(convert=[refusal()] * 9)
    replies = [judges(should_retry=True, to=name) for name in ("EUR", "GBP", "CHF")]
    chain = Chain([CONVERT], tools, *replies)
    result = (await chain.execute(PAY)).results["s1"]
    assert len(tools.calls) == 3
    assert chain.asked == 2
    assert chain.waits.seconds == []
    assert "after 2 corrections" in result.error


async def test_pb_49_transient_failures_are_counted_apart() -> None:
    busy = ToolError(429, "rate", "slow down")
    tools = FakeTools(convert=[busy, refusal(), busy, busy, {"ok": 1}])
    chain = Chain([CONVERT], tools, judges(should_retry=True, to="EUR"))
    result = (await chain.execute(PAY)).results["s1"]
    assert result.success
    assert result.tool_calls == 5


@pytest.mark.parametrize("retryable", [True, False])
async def test_pb_50_retryable_does_not_decide(*, retryable: bool) -> None:
    told = {"success": False, "error": {"message": "x", "retryable": retryable}}
    chain = Chain([CONVERT], FakeTools(convert=[told, {}]), judges(should_retry=True, to="EUR"))
    assert (await chain.execute(PAY)).success
    assert chain.asked == 1


async def test_pb_51_an_error_object_is_never_passed_on_as_data() -> None:
    tools = FakeTools(convert=[SAME], takes={})
    chain = Chain([CONVERT, TAKES], tools, judges(should_retry=False))
    record = await chain.execute(PAY, step("s2", "takes", "s1", x="{{s1.response.error.code}}"))
    assert record.results["s1"].response is None
    assert tools.given("takes") == []


async def test_pb_52_without_error_analysis_a_refusal_is_final() -> None:
    tools = FakeTools(convert=[refusal()] * 3)
    chain = Chain([CONVERT], tools, config=OrchestratorConfig(error_analysis=False))
    result = (await chain.execute(PAY)).results["s1"]
    assert (result.success, len(tools.calls), chain.asked) == (False, 1, 0)


@pytest.mark.parametrize("status", [401, 403, 405])
async def test_pb_38_refused_access_costs_one_call_and_no_question(status: int) -> None:
    tools = FakeTools(convert=[refusal(status)] * 3)
    chain = Chain([CONVERT], tools)
    result = (await chain.execute(PAY)).results["s1"]
    assert (len(tools.calls), chain.asked, chain.waits.seconds) == (1, 0, [])
    assert f"HTTP {status}" in result.error


async def test_pb_60_a_limit_on_the_rate_never_costs_a_question() -> None:
    busy = ToolError(429, "rate", "slow down")
    tools = FakeTools(convert=[busy, busy, {"ok": 1}])
    chain = Chain([CONVERT], tools)
    assert (await chain.execute(PAY)).success
    assert (chain.asked, len(chain.waits.seconds)) == (0, 2)
    for_ever = Chain([CONVERT], FakeTools(convert=[busy] * 9))
    assert not (await for_ever.execute(PAY)).success
    assert for_ever.asked == 0
    assert len(for_ever.tools.calls) == 3


async def test_pb_41_503_that_the_model_calls_transient_is_repeated_as_it_is() -> None:
    body = '{"error": {"code": "LOCATION_NOT_FOUND", "message": "index is loading"}}'
    odd = ToolError(503, "x", "503", {"body": body})
    tools = FakeTools(convert=[odd, {"ok": 1}])
    verdict = '{"should_retry": false, "reason": "loading", "is_transient_error": true}'
    chain = Chain([CONVERT], tools, verdict)
    assert (await chain.execute(PAY)).success
    assert tools.given("convert")[0] == tools.given("convert")[1]
    assert len(chain.waits.seconds) == 1


async def test_pb_67_independent_steps_overlap_within_the_limit() -> None:
    running = most = 0

    async def slow(parameters: dict[str, Any]) -> Any:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(5):
            await asyncio.wait([asyncio.ensure_future(_moment())])
        running -= 1
        return {}

    steps = [step(f"s{n}", "free") for n in range(6)]
    config = OrchestratorConfig(max_concurrency=3)
    record = await Chain([FREE], FakeTools(free=slow), config=config).execute(*steps)
    assert record.success
    assert most == 3


async def _moment() -> None:
    """Gives way once."""


async def test_pb_67_a_step_waits_for_what_it_needs_wherever_it_stands() -> None:
    tools = FakeTools(free={"v": 7}, takes={})
    await Chain([FREE, TAKES], tools).execute(
        step("s2", "takes", "s1", x="{{s1.response.v}}"), step("s1", "free")
    )
    assert tools.calls == [("free", {}), ("takes", {"x": 7})]


async def test_pb_68_what_needs_a_failed_step_is_skipped_and_the_rest_goes_on() -> None:
    tools = FakeTools(convert=[refusal(403, "forbidden")], free={"v": 1}, takes={})
    record = await Chain([CONVERT, FREE, TAKES], tools).execute(
        step("c", "takes", "b"),
        step("b", "takes", "s1"),
        PAY,
        step("d", "free"),
        step("e", "takes", "d", x=1),
    )
    assert {name: one.status for name, one in record.results.items()} == {
        "c": "skipped",
        "b": "skipped",
        "s1": "failed",
        "d": "done",
        "e": "done",
    }
    assert record.results["b"].error.startswith("skipped due to failed dependency: s1")
    assert "forbidden" in record.results["b"].error
    assert record.results["c"].error == "skipped due to failed dependency: b"
    assert not record.success
    assert len(tools.calls) == 3


async def test_pb_69_a_circle_is_refused_before_anything_is_done() -> None:
    tools = FakeTools(free={})
    chain = Chain([FREE], tools)
    with pytest.raises(PlanError, match="circular"):
        await chain.execute(step("x", "free"), step("a", "free", "b"), step("b", "free", "a"))
    with pytest.raises(PlanError, match="dependency q not found for step y"):
        await chain.execute(step("x", "free"), step("y", "free", "q"))
    assert tools.calls == []


async def test_pb_70_the_plan_is_the_same_after_the_run() -> None:
    tools = FakeTools(convert=[SAME, {"to": "x"}], takes={})
    chain = Chain([CONVERT, TAKES], tools, judges(should_retry=True, to="EUR"))
    wanted = plan(PAY, step("s2", "takes", "s1", x=["{{s1.response.to}}"]))
    before = wanted.model_dump_json()
    record = await chain.orchestrator.executor().execute(wanted)
    assert wanted.model_dump_json() == before
    assert record.plan == wanted
    assert record.results["s2"].parameters == {"x": ["x"]}


async def test_pb_24_pb_34_an_unsettled_step_fails_before_its_tool_is_called() -> None:
    tools = FakeTools(free={"city": "Paris"}, convert=[])
    chain = Chain([FREE, CONVERT], tools, "no", "no", "no", "no")
    wanted = step("s2", "convert", "s1", to="{{s1.response.currency}}", amount=1)
    result = (await chain.execute(step("s1", "free"), wanted)).results["s2"]
    assert tools.given("convert") == []
    assert "unresolved template {{s1.response.currency}}" in result.error
    assert "no value for the required 'from'" in result.error
    assert "available: s1: city" in result.error


async def test_pb_71_a_tool_that_breaks_fails_its_step_and_not_the_run() -> None:
    async def broken(parameters: dict[str, Any]) -> Any:
        raise ZeroDivisionError("oops")

    async def odd(parameters: dict[str, Any]) -> Any:
        return {1, 2}

    tools = FakeTools(free=broken, takes=odd)
    record = await Chain([FREE, TAKES], tools).execute(step("a", "free"), step("b", "takes"))
    assert "ZeroDivisionError: oops" in record.results["a"].error
    assert "not JSON" in record.results["b"].error


async def test_a_failure_of_the_run_stops_it_and_keeps_what_is_done() -> None:
    async def refuse(parameters: dict[str, Any]) -> Any:
        raise BudgetError("the cap is reached")

    tools = FakeTools(free={"v": 1}, takes=refuse)
    chain = Chain([FREE, TAKES], tools, config=OrchestratorConfig(max_concurrency=1))
    with pytest.raises(BudgetError):
        await chain.execute(step("a", "free"), step("b", "takes"), step("c", "free"))
    kept = chain.store.load()
    assert kept is not None
    assert list(kept.results) == ["a"]
    assert len(tools.calls) == 2


def test_a_limit_below_one_is_refused() -> None:
    model, _ = scripted()
    runner = Chain([FREE], FakeTools()).orchestrator.executor().runner
    with pytest.raises(ValueError, match="at least 1"):
        Executor([FREE], runner, model=model, max_concurrency=0)


@pytest.mark.parametrize(("status", "anew"), [(500, []), (403, ["research/b"])])
async def test_pb_60_replies_are_not_paid_again_for_what_a_server_did(
    status: int, anew: list[str]
) -> None:
    named = capability("named", lat="number")
    down = FakeTools(free={"latitude": 1}, named=[refusal(status)] * 3)
    chain = Chain([FREE, named], down, provides(lat=48.85))
    record = await chain.execute(step("a", "free"), step("b", "named", "a"))
    assert not record.success
    assert down.given("named")[0] == {"lat": 48.85}
    assert chain.anew == anew
