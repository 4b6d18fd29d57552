"""Replies cut at the length limit get more room, and retries inside retries do not multiply."""

from typing import Any

import pytest
from tests.support.calls import FakeTime, MemoryCallLog, MemoryDumps

from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.llm.backend import BackendError, Completion, ScriptedBackend
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.budget import Budget, Caps, Price
from libriscribe2.llm.limits.retries import StepCounts
from libriscribe2.llm.session import CallSession
from libriscribe2.models.story import TitleFile
from libriscribe2.replies.parsers import pydantic_parser

LIMIT = 1_000
WHOLE = '{"title": "The Drowned Coast", "alternatives": []}'
CUT = Completion('{"title": "The Drowned Co', finish_reason="length")


def priced(limit: int | None) -> Budget:
    return Budget(price_of=lambda _model: Price(1e-6, 1e-6, 1e-6, 1e-6, limit))


def asking(
    *script: Any,
    session: CallSession | None = None,
    log: MemoryCallLog | None = None,
    **options: Any,
) -> tuple[LLMClient, ScriptedBackend]:
    backend = ScriptedBackend(script)
    session = session if session is not None else FakeTime().session(budget=priced(LIMIT))
    client = LLMClient("", "", "m", backend=backend, call_log=log, session=session)
    return client.with_options(CallOptions(step="title", **options)), backend


async def test_TR_12_a_wanted_limit_is_doubled_after_each_cut_up_to_the_models_own() -> None:
    client, backend = asking(CUT, CUT, Completion(WHOLE), max_tokens=300)
    found = await client.think_with_retry("q", pydantic_parser(TitleFile))
    assert found.title == "The Drowned Coast"
    assert [call.max_tokens for call in backend.calls] == [300, 600, LIMIT]
    assert "more room" in backend.calls[1].messages[-1]["content"]


async def test_a_reply_without_a_wanted_limit_gets_the_models_longest_and_the_advice() -> None:
    client, backend = asking(CUT, Completion(WHOLE))
    await client.think_with_retry("q", pydantic_parser(TitleFile))
    assert [call.max_tokens for call in backend.calls] == [None, LIMIT]
    assert "more briefly" in backend.calls[1].messages[-1]["content"]


async def test_where_nobody_knows_the_models_longest_the_advice_is_all() -> None:
    session = FakeTime().session(budget=priced(None))
    client, backend = asking(CUT, Completion(WHOLE), session=session)
    await client.think_with_retry("q", pydantic_parser(TitleFile))
    assert [call.max_tokens for call in backend.calls] == [None, None]


async def test_a_cost_cap_is_kept_when_more_room_is_asked_for() -> None:
    price = Price(0.0, 0.01, 0.0, 0.01, 100_000)
    session = FakeTime().session(budget=Budget(Caps(usd=200.0), price_of=lambda _model: price))
    client, backend = asking(CUT, Completion(WHOLE, cost_usd=0.1), session=session)
    await client.think_with_retry("q", pydantic_parser(TitleFile))
    assert max(call.max_tokens or 0 for call in backend.calls) * 0.01 <= 200.0


async def test_TR_13_cut_json_is_refused_even_where_it_could_be_repaired() -> None:
    dumps = MemoryDumps()
    whole_but_cut = Completion(WHOLE, finish_reason="length")
    backend = ScriptedBackend([whole_but_cut] * 3)
    client = LLMClient("", "", "m", backend=backend, dumps=dumps)
    with pytest.raises(MaxRetriesExceededError):
        await client.think_with_retry("q", pydantic_parser(TitleFile))
    assert [one.attempt for one in dumps.records] == [1, 2, 3]
    assert all("cut off" in one.feedback for one in dumps.records)


async def test_room_is_part_of_what_is_replayed() -> None:
    log = MemoryCallLog()
    client, _ = asking(CUT, Completion(WHOLE), log=log, max_tokens=300)
    await client.think_with_retry("q", pydantic_parser(TitleFile))
    other_limit = FakeTime().session(budget=priced(LIMIT * 4))
    again, backend = asking(log=log, session=other_limit, max_tokens=300)
    await again.think_with_retry("q", pydantic_parser(TitleFile))
    assert backend.calls == []


def never(_reply: str) -> dict[str, Any]:
    return {"status": "error", "feedback": "no"}


async def test_TR_12_retries_inside_a_parser_share_the_steps_one_count() -> None:
    session = FakeTime().session(steps=StepCounts(5))
    client, backend = asking(*["x"] * 40, session=session)

    async def parser(_reply: str) -> dict[str, Any]:
        """A parser that has its own questions, and takes their failure for one of the reply."""
        try:
            await client.think_with_retry(f"mend {len(backend.calls)}", never)
        except MaxRetriesExceededError as error:
            return {"status": "error", "feedback": error.what}
        return {"status": "success", "data": 1}

    with pytest.raises(MaxRetriesExceededError, match=r"Max retries \(5\)") as caught:
        await client.think_with_retry("q", parser)
    assert len(backend.calls) == 5, "3 attempts of 4 requests each would be 12"
    assert "'title' has made 5 requests in this run" in caught.value.why


async def test_the_count_is_of_one_step_and_grows_with_the_models_that_may_answer() -> None:
    session = FakeTime().session(attempts=1, steps=StepCounts(1))
    down = BackendError("server", "down")
    client, backend = asking(down, "ok", "ok", session=session)
    assert (await client.using("a", ["b"]).think("q"))["reply"] == "ok"
    await client.with_options(CallOptions(step="other")).think("q")
    assert len(backend.calls) == 3


async def test_replays_429s_and_calls_without_a_step_are_not_counted() -> None:
    log = MemoryCallLog()
    session = FakeTime().session(steps=StepCounts(1))
    slow = BackendError("rate", "slow", status=429, retry_after=2.0)
    client, backend = asking(slow, slow, "ok", "1", "2", session=session, log=log)
    for _ in range(3):
        assert (await client.think("q"))["reply"] == "ok"
    nobodys = client.with_options(CallOptions())
    await nobodys.think("1")
    await nobodys.think("2")
    assert len(backend.calls) == 5
    with pytest.raises(MaxRetriesExceededError):
        await client.think("another question of the same step")
