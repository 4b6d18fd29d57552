"""The same tool call again, after what waiting may mend."""

import asyncio
import random
from typing import Any

import pytest
from tests.support.chain import Waits

from libriscribe2.errors import BudgetError
from libriscribe2.llm.limits.retries import Circuits, RetryPolicy
from libriscribe2.research.recovery import ResilientCaller, ToolCallError, breaker_key
from libriscribe2.research.tool_error import ToolError


class Service:
    """A tool that answers by a script and keeps what it was sent."""

    def __init__(self, *script: Any) -> None:
        self._script = iter(script)
        self.seen: list[dict[str, Any]] = []

    async def __call__(self, parameters: dict[str, Any]) -> Any:
        self.seen.append(dict(parameters))
        parameters.clear()
        told = next(self._script)
        if isinstance(told, BaseException):
            raise told
        return told


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def caller(**changes: Any) -> tuple[ResilientCaller, Waits]:
    waits = Waits()
    return ResilientCaller(sleep=waits, rng=random.Random(1), **changes), waits  # noqa: S311


def http(status: int, **details: Any) -> ToolError:
    return ToolError(status, "http_status", f"answered {status}", details)


@pytest.mark.parametrize(
    "failure",
    [
        http(408),
        http(429),
        http(500),
        http(502),
        http(503),
        http(504),
        http(520),
        TimeoutError(),
        ConnectionRefusedError("refused"),
    ],
)
async def test_pb_42_pb_58_the_same_payload_is_sent_again(failure: Exception) -> None:
    calling, waits = caller()
    service = Service(failure, failure, {"ok": 1})
    assert await calling.call("t", {"a": [1]}, service) == {"ok": 1}
    assert service.seen == [{"a": [1]}] * 3
    first, second = waits.seconds
    assert 0.09 <= first <= 0.11
    assert 0.18 <= second <= 0.22


async def test_pb_58_waits_double_up_to_the_cap() -> None:
    calling, waits = caller(policy=RetryPolicy(9, 1.0, 5.0, 60.0))
    with pytest.raises(ToolCallError):
        await calling.call("t", {}, Service(*[TimeoutError()] * 4, *[http(500)] * 9))
    assert [round(seconds) for seconds in waits.seconds[:4]] == [1, 2, 4, 5]
    assert len(waits.seconds) <= 8


async def test_pb_58_the_wait_that_a_server_asks_for_is_kept_up_to_a_cap() -> None:
    calling, waits = caller()
    await calling.call("t", {}, Service(http(429, retry_after_seconds=7), {}))
    assert waits.seconds == [7.0]
    service = Service(http(429, retry_after_seconds=3600), {})
    with pytest.raises(ToolCallError):
        await calling.call("t", {}, service)
    assert len(service.seen) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 409, 422])
async def test_pb_38_other_failures_are_not_repeated_here(status: int) -> None:
    calling, waits = caller()
    with pytest.raises(ToolCallError) as caught:
        await calling.call("t", {}, Service(http(status)))
    assert caught.value.failure.status == status
    assert waits.seconds == []


async def test_pb_59_a_circuit_opens_and_lets_one_call_through_after_its_rest() -> None:
    clock = Clock()
    calling, _ = caller(circuits=Circuits(clock=clock), policy=RetryPolicy(1, 0.0, 0.0, 0.0))
    service = Service(*[http(500)] * 5, {"ok": 1}, {"ok": 2})
    for _ in range(5):
        with pytest.raises(ToolCallError):
            await calling.call("t", {}, service)
    with pytest.raises(ToolCallError, match="rests for 30 more s"):
        await calling.call("t", {}, service)
    assert len(service.seen) == 5
    assert await calling.call("other", {}, Service({"ok": 0})) == {"ok": 0}
    clock.now = 30.0
    assert await calling.call("t", {}, service) == {"ok": 1}
    assert await calling.call("t", {}, service) == {"ok": 2}


async def test_pb_59_wrong_requests_and_cancellation_do_not_open_it() -> None:
    calling, _ = caller()
    ending = asyncio.CancelledError()
    service = Service(*[http(404)] * 10, *[ending] * 10, {"ok": 1})
    for _ in range(10):
        with pytest.raises(ToolCallError):
            await calling.call("t", {}, service)
    for _ in range(10):
        with pytest.raises(asyncio.CancelledError):
            await calling.call("t", {}, service)
    assert await calling.call("t", {}, service) == {"ok": 1}


def test_pb_59_servers_are_told_apart() -> None:
    keys = [
        breaker_key("fetch", {"url": "https://A.example/1"}),
        breaker_key("fetch", {"url": "https://a.example/2"}),
        breaker_key("fetch", {"url": "https://b.example/"}),
        breaker_key("fetch", {"url": "http://[broken"}),
        breaker_key("fetch", {"q": "x"}),
    ]
    assert keys == ["fetch a.example", "fetch a.example", "fetch b.example", "fetch", "fetch"]


async def test_a_failure_that_is_the_runs_is_not_the_tools() -> None:
    calling, _ = caller()
    with pytest.raises(BudgetError):
        await calling.call("t", {}, Service(BudgetError("the cap is reached")))


async def test_pb_51_a_result_without_success_is_raised_for_the_analyzer() -> None:
    calling, _ = caller()
    with pytest.raises(ToolCallError) as caught:
        await calling.call("t", {}, Service({"success": False, "error": {"message": "no"}}))
    assert caught.value.failure.route == "analyze"
