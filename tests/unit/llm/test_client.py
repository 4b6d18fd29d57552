"""`LLMClient`: one door to every model, and a conversation that ends in a value or an error."""

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from tests.support.calls import AttemptList, FakeTime, MemoryCallLog, StopAtWait, WaitList

from libriscribe2.errors import ContentFilteredError, MaxRetriesExceededError, ProviderError
from libriscribe2.llm.backend import BackendError, Completion, Line, Request, ScriptedBackend, Usage
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.budget import Budget, Reservation
from libriscribe2.llm.limits.retries import TRANSIENT_KINDS, RetryPolicy
from libriscribe2.llm.session import CallSession, RunStoppedError
from libriscribe2.parsing.sections import multi_section_parser

FEEDBACK = "Missing [Plan]. Please include it."


async def no_wait(_seconds: float) -> None:
    """A clock that takes no time."""


def client_of(*script: Line, log: MemoryCallLog | None = None) -> tuple[LLMClient, ScriptedBackend]:
    backend = ScriptedBackend(script)
    session = CallSession(sleep=no_wait, retry=RetryPolicy(attempts=3))
    return LLMClient("", "", "m", backend=backend, call_log=log, session=session), backend


def only_ok(reply: str) -> dict[str, Any]:
    if reply == "ok":
        return {"status": "success", "data": reply}
    return {"status": "error", "feedback": FEEDBACK}


def test_TR_01_one_class_for_all_providers() -> None:
    client = LLMClient("http://127.0.0.1:1/v1", "key", "openai/x", backend=ScriptedBackend())
    assert (client.url, client.api_key, client.model_name) == (
        "http://127.0.0.1:1/v1",
        "key",
        "openai/x",
    )
    assert list(inspect.signature(LLMClient).parameters)[:3] == ["url", "api_key", "model_name"]


@pytest.mark.parametrize("messages", ["hi", ["hi"], [{"role": "user", "content": "hi"}]])
async def test_TR_02_think_returns_reasoning_and_reply(messages: Any) -> None:
    client, backend = client_of("hello")
    assert await client.think(messages) == {"reasoning": None, "reply": "hello"}
    assert backend.calls[0].messages == ({"role": "user", "content": "hi"},)


async def test_TR_03_reasoning_comes_from_the_provider_or_a_think_block() -> None:
    client, _ = client_of(Completion("a", reasoning="why"), "<think>{not json}</think>b", "c")
    assert await client.think("1") == {"reasoning": "why", "reply": "a"}
    assert await client.think("2") == {"reasoning": "{not json}", "reply": "b"}
    assert await client.think("3") == {"reasoning": None, "reply": "c"}


async def test_TR_03_the_parser_never_sees_json_of_thoughts() -> None:
    seen: list[str] = []

    def parser(reply: str) -> dict[str, Any]:
        seen.append(reply)
        return {"status": "success", "data": 1}

    client, _ = client_of('<think>{"draft": 1}</think>{"final": 2}')
    await client.think_with_retry("q", parser)
    assert seen == ['{"final": 2}']


async def test_TR_04_streamed_pieces_add_up_to_the_reply() -> None:
    log = MemoryCallLog()
    client, _ = client_of("one two three", log=log)
    pieces = [piece async for piece in client.stream("q")]
    assert "".join(pieces).split() == ["one", "two", "three"]
    assert [kind for kind, _ in log.notes] == ["sent", "done"]
    assert [piece async for piece in client.stream("q")] == ["one two three"]


async def test_TR_04_a_stream_that_fails_is_told_apart_and_noted() -> None:
    log = MemoryCallLog()
    client, _ = client_of(BackendError("server", "down", status=500), log=log)
    with pytest.raises(ProviderError):
        _ = [piece async for piece in client.stream("q")]
    assert [kind for kind, _ in log.notes] == ["sent", "failed server"]


def test_TR_05_think_with_retry_is_an_async_method_with_three_attempts() -> None:
    parameters = inspect.signature(LLMClient.think_with_retry).parameters
    assert list(parameters)[1:4] == ["initial_messages", "parser", "max_retries"]
    assert parameters["max_retries"].default == 3
    assert inspect.iscoroutinefunction(LLMClient.think_with_retry)


async def test_TR_05_messages_is_an_alias() -> None:
    client, backend = client_of("ok")
    assert await client.think_with_retry(messages="q", parser=only_ok) == "ok"
    assert backend.calls[0].messages[0]["content"] == "q"


async def test_TR_07_the_callers_list_is_left_alone() -> None:
    client, _ = client_of("bad", "ok")
    messages = [{"role": "user", "content": "q"}]
    await client.think_with_retry(messages, only_ok)
    assert messages == [{"role": "user", "content": "q"}]


async def test_TR_08_and_MP_21_parser_arguments_are_passed_through() -> None:
    client, _ = client_of("[Plan]\nfirst\n[End]\nlast")
    sections = await client.think_with_retry(
        "q", multi_section_parser, section_headers=["[Plan]", "[End]"], match_mode="ALL"
    )
    assert sections == {"[Plan]": "first", "[End]": "last"}


@pytest.mark.parametrize("data", [[], {}, 0, "", False, None])
async def test_TR_09_falsy_data_is_data(data: object) -> None:
    client, _ = client_of("x")
    result = await client.think_with_retry("q", lambda _: {"status": "success", "data": data})
    assert result == data
    assert type(result) is type(data)


async def test_TR_10_and_TR_11_an_error_goes_on_as_a_conversation() -> None:
    client, backend = client_of("first", "second", "ok")
    await client.think_with_retry("q", only_ok)
    assert [len(call.messages) for call in backend.calls] == [1, 3, 5]
    assert [turn["role"] for turn in backend.calls[2].messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert backend.calls[1].messages[1:] == (
        {"role": "assistant", "content": "first"},
        {"role": "user", "content": FEEDBACK},
    )


async def test_TR_12_and_TR_13_exhaustion_raises_and_returns_nothing() -> None:
    client, backend = client_of("a", "b", "c", "ok")
    with pytest.raises(MaxRetriesExceededError, match=r"Max retries \(3\) exceeded") as caught:
        await client.think_with_retry("q", only_ok)
    assert len(backend.calls) == 3
    assert (caught.value.attempts, caught.value.last_reply) == (3, "c")
    assert caught.value.last_feedback == FEEDBACK


async def test_TR_14_one_attempt_asks_once_and_fewer_is_an_error() -> None:
    client, backend = client_of("bad", "ok")
    with pytest.raises(MaxRetriesExceededError):
        await client.think_with_retry("q", only_ok, max_retries=1)
    assert len(backend.calls) == 1
    with pytest.raises(ValueError, match="at least 1"):
        await client.think_with_retry("q", only_ok, max_retries=0)


async def test_TR_15_content_is_an_alias_of_data() -> None:
    client, _ = client_of("x")
    assert await client.think_with_retry("q", lambda _: {"status": "success", "content": 7}) == 7


@pytest.mark.parametrize("result", [None, {"status": "ok"}, [], {"status": "success"}])
async def test_TR_16_a_broken_contract_is_raised_at_once(result: object) -> None:
    client, backend = client_of("x", "y")
    with pytest.raises(TypeError):
        await client.think_with_retry("q", lambda _: result)
    assert len(backend.calls) == 1


async def test_TR_17_a_parsers_exception_becomes_feedback() -> None:
    def parser(reply: str) -> dict[str, Any]:
        if reply == "bad":
            raise ValueError("no number")
        return {"status": "success", "data": reply}

    client, backend = client_of("bad", "good")
    assert await client.think_with_retry("q", parser) == "good"
    assert backend.calls[1].messages[-1]["content"] == (
        "Parse error: no number. Please check format."
    )


@pytest.mark.parametrize("feedback", [None, "", "  "])
async def test_TR_18_an_error_without_feedback_still_says_something(feedback: str | None) -> None:
    replies = iter([{"status": "error", "feedback": feedback}, {"status": "success", "data": 1}])
    client, backend = client_of("x", "y")
    await client.think_with_retry("q", lambda _: next(replies))
    assert str(backend.calls[1].messages[-1]["content"]).strip()


@pytest.mark.parametrize("reply", ["", "  \n", "<think>only thoughts</think>"])
async def test_TR_19_an_empty_reply_is_never_parsed(reply: str) -> None:
    seen: list[str] = []

    def parser(text: str) -> dict[str, Any]:
        seen.append(text)
        return {"status": "success", "data": text}

    client, backend = client_of(reply, "ok")
    assert await client.think_with_retry("q", parser) == "ok"
    assert seen == ["ok"]
    assert backend.calls[1].messages[-1]["content"] == "Empty response. Please provide output."


async def test_TR_20_lambdas_and_async_parsers_work() -> None:
    async def parser(text: str) -> dict[str, Any]:
        return {"status": "success", "data": text.upper()}

    client, _ = client_of("a")
    assert await client.think_with_retry("q", parser) == "A"


async def test_TR_21_the_seeds_usage_example() -> None:
    def extract_plan(raw_reply: str) -> dict[str, Any]:
        if "[研究计划]" not in raw_reply:
            feedback = "Missing [研究计划] section. Please include it."
            return {"status": "error", "feedback": feedback}
        return {"status": "success", "data": raw_reply.split("[研究计划]")[1].strip()}

    client, backend = client_of("no plan", "[研究计划]\n1. read")
    assert await client.think_with_retry("Create a research plan", extract_plan) == "1. read"
    assert backend.calls[1].messages[-1]["content"].startswith("Missing [研究计划]")


async def test_TR_25_transport_errors_are_no_attempts() -> None:
    client, backend = client_of(BackendError("rate", "slow down", status=429), "ok")
    assert await client.think_with_retry("q", only_ok, max_retries=1) == "ok"
    assert len(backend.calls) == 2


async def test_TR_25_a_final_transport_error_reaches_the_caller() -> None:
    parsed: list[str] = []
    client, _ = client_of(*[BackendError("connection", "refused")] * 3)
    with pytest.raises(ProviderError):
        await client.think_with_retry("q", parsed.append)
    assert parsed == []


async def test_TR_26_every_attempt_is_told_with_its_number_and_feedback() -> None:
    client, _ = client_of("bad", "ok")
    told = AttemptList()
    await client.with_options(CallOptions(), told).think_with_retry("q", only_ok)
    assert [one.call.request.attempt for one in told] == [1, 2]
    assert [one.result["status"] for one in told] == ["error", "success"]
    assert told[0].result["feedback"] == FEEDBACK


async def test_TR_27_each_call_is_logged_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="libriscribe2.llm.client")
    client, _ = client_of("the secret reply")
    await client.with_options(CallOptions(step="outline")).think("the secret question")
    lines = [record.getMessage() for record in caplog.records]
    assert any("outline attempt 1" in line and "tokens" in line for line in lines)
    assert not any("secret" in line for line in lines)


async def test_a_paid_reply_is_replayed_and_never_asked_again() -> None:
    log = MemoryCallLog()
    client, backend = client_of("first", "second", log=log)
    assert await client.think("q") == await client.think("q")
    assert len(backend.calls) == 1
    assert [kind for kind, _ in log.notes] == ["sent", "done"]


async def test_the_reply_is_kept_before_anyone_reads_it() -> None:
    log = MemoryCallLog()
    client, _ = client_of("reply", log=log)

    def parser(_reply: str) -> dict[str, Any]:
        assert [kind for kind, _ in log.notes] == ["sent", "done"]
        return {"status": "success", "data": 1}

    await client.think_with_retry("q", parser)


async def test_OV_40_a_filtered_reply_is_an_error_of_its_own_and_not_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = MemoryCallLog()
    client, _ = client_of(*[Completion("", finish_reason="content_filter")] * 2, log=log)
    with pytest.raises(ContentFilteredError):
        await client.think("q")
    assert [kind for kind, _ in log.notes] == ["sent", "failed filtered"] * 2
    assert "CONTENT_FILTERING_DETECTED" in caplog.text


async def test_prose_that_hit_the_length_limit_is_continued_and_joined() -> None:
    client, backend = client_of(
        Completion("It was a dark", finish_reason="length"), Completion(" and stormy night.")
    )
    told = await client.with_options(CallOptions(prose=True)).think("write")
    assert told["reply"] == "It was a dark and stormy night."
    assert backend.calls[1].messages[-2] == {"role": "assistant", "content": "It was a dark"}


async def test_structured_replies_that_were_cut_are_asked_for_again() -> None:
    client, backend = client_of(Completion("ok", finish_reason="length"), "ok")
    assert await client.think_with_retry("q", only_ok) == "ok"
    assert "cut off" in backend.calls[1].messages[-1]["content"]


async def test_a_fallback_model_answers_when_the_first_cannot() -> None:
    client, backend = client_of(BackendError("quota", "no credit"), "ok")
    assert (await client.using("first", ["second"]).think("q"))["reply"] == "ok"
    assert [call.model for call in backend.calls] == ["first", "second"]


@pytest.mark.parametrize("kind", ["auth", "quota", "not_found", "bad_request", "context"])
async def test_OV_43_a_fallback_is_asked_whatever_the_first_model_lacks(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    client, backend = client_of(BackendError(kind, "what they said"), "ok")
    assert (await client.using("first", ["second"]).think("q"))["reply"] == "ok"
    assert [call.model for call in backend.calls] == ["first", "second"]
    assert f"first could not answer ({kind}: what they said)" in caplog.text


@pytest.mark.parametrize("kind", sorted(TRANSIENT_KINDS))
async def test_OV_43_a_passing_failure_is_retried_before_the_fallback_is_asked(kind: str) -> None:
    client, backend = client_of(*[BackendError(kind, "no")] * 3, "ok")
    assert (await client.using("first", ["second"]).think("q"))["reply"] == "ok"
    assert [call.model for call in backend.calls] == ["first"] * 3 + ["second"]


async def test_waits_are_told_and_the_same_payload_leaves_again() -> None:
    waits = WaitList()
    backend = ScriptedBackend([BackendError("server", "oops", status=503, retry_after=7.0), "ok"])
    session = FakeTime().session(outbox=waits)
    await LLMClient("", "", "m", backend=backend, session=session).think("q")
    assert [wait.seconds for wait in waits] == [7.0]
    assert backend.calls[0] == backend.calls[1]


async def test_no_request_leaves_a_run_that_is_being_stopped() -> None:
    backend = ScriptedBackend(["x"])
    session = CallSession(stopped=True)
    with pytest.raises(RunStoppedError):
        await LLMClient("", "", "m", backend=backend, session=session).think("q")
    assert backend.calls == []


async def test_no_more_requests_at_once_than_the_limit() -> None:
    under_way = most = 0

    class Slow(ScriptedBackend):
        async def complete(self, request: Request) -> Completion:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            turn = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(turn.set_result, None)
            await turn
            under_way -= 1
            return Completion("x")

    session = CallSession(limit=asyncio.Semaphore(2))
    client = LLMClient("", "", "m", backend=Slow(), session=session)
    await asyncio.gather(*(client.think(f"q{n}") for n in range(6)))
    assert most == 2


async def test_XC_13_costs_and_tokens_add_up_and_unknown_is_not_zero() -> None:
    usage = Usage(10, 5, known=True)
    priced = Completion("a", usage=usage, cost_usd=0.5)
    client, _ = client_of(priced, Completion("b", usage=usage, cost_usd=None))
    session = client._session
    await client.think("1")
    assert session.tally.known_cost == 0.5
    await client.think("2")
    assert (session.tally.calls, session.tally.input_tokens) == (2, 20)
    assert session.tally.known_cost is None


def test_a_key_depends_on_what_is_asked_and_on_nothing_else() -> None:
    request = Request("s", "m", ({"role": "user", "content": "q"},))
    assert request.key() == Request("s", "m", ({"role": "user", "content": "q"},)).key()
    assert request.key() != Request("s", "m", ({"role": "user", "content": "q2"},)).key()
    assert request.key() != Request("s", "m", request.messages, generation=1).key()


def test_a_key_is_the_same_in_every_version() -> None:
    """Journals of earlier versions hold it."""
    request = Request("a", "m", ({"role": "user", "content": "\u00e9"},), 0.5, 9, {"b": 1, "a": 2})
    assert request.key() == "1c0e7e8585c615eaabeb81356c8978dcd0bfb2a8a4391fa80570279a958e1acd"
    second = replace(request, attempt=2)
    assert second.key() == "ef1b8c2773b5d51eb2befa16ae7e4cc2418396f6a29bd3f0b4d1532f6be128c4"
    assert request == replace(request)


def test_a_completion_survives_its_record() -> None:
    whole = Completion("r", "why", "stop", Usage(1, 2, 3, 4, known=True), 0.1, "m", ({"id": 1},), 2)
    assert Completion.from_record(whole.as_record()) == whole


class BudgetLog(MemoryCallLog):
    """A call log that also keeps the amounts."""

    def __init__(self) -> None:
        super().__init__()
        self.amounts: list[float | None] = []

    def sent(self, key: str, *, step: str, model: str, est_usd: float | None = None) -> None:
        super().sent(key, step=step, model=model)
        self.amounts.append(est_usd)

    def failed(self, key: str, *, kind: str, status: int | None, usd: float = 0.0) -> None:
        super().failed(key, kind=kind, status=status)
        self.amounts.append(usd)


async def test_bar_23_the_log_hears_what_is_held_back_and_what_may_be_lost() -> None:
    log = BudgetLog()
    lost, refused = BackendError("timeout", "late"), BackendError("rate", "slow", status=429)
    client, _ = client_of(lost, refused, "ok", log=log)
    await client.think("hi")
    held = log.amounts[0]
    assert held is not None
    assert held > 0
    assert log.amounts == [held, held, held, 0.0, held]


async def test_bar_23_a_withheld_reply_is_paid_and_noted_once() -> None:
    log = BudgetLog()
    withheld = Completion("", finish_reason="content_filter", cost_usd=0.25)
    client, _ = client_of(withheld, withheld, log=log)
    with pytest.raises(ContentFilteredError):
        await client.think("hi")
    assert [kind for kind, _ in log.notes] == ["sent", "failed filtered"] * 2
    assert log.amounts[1] == log.amounts[3] == 0.25
    assert client._session.tally.cost_usd == 0.5


async def test_bar_23_a_withheld_stream_is_never_done() -> None:
    log = BudgetLog()
    client, _ = client_of(Completion("half", finish_reason="content_filter"), log=log)
    with pytest.raises(ContentFilteredError):
        _ = [piece async for piece in client.stream("hi")]
    assert [kind for kind, _ in log.notes] == ["sent", "failed filtered"]


async def test_bar_23_a_call_that_waited_while_the_run_was_stopped_never_leaves() -> None:
    backend = ScriptedBackend(["one", "two"])
    log = MemoryCallLog()

    class Stopping(Budget):
        """A budget at which somebody else's failure comes in between."""

        @asynccontextmanager
        async def reserve(
            self, request: Request, *, roomy: bool = False
        ) -> AsyncIterator[Reservation]:
            async with super().reserve(request, roomy=roomy) as held:
                session.stopped = True
                yield held

    session = CallSession(budget=Stopping())
    client = LLMClient("", "", "m", backend=backend, call_log=log, session=session)
    with pytest.raises(RunStoppedError):
        await client.think("hi")
    assert backend.calls == []
    assert log.notes == []


async def test_a_fallbacks_paid_reply_comes_before_a_new_request_to_the_first_model() -> None:
    log = MemoryCallLog()
    client, backend = client_of(BackendError("quota", "no credit"), "from b", "new", log=log)
    client = client.using("a", ["b"])
    assert (await client.think("q"))["reply"] == "from b"
    assert (await client.think("q"))["reply"] == "from b"
    assert [call.model for call in backend.calls] == ["a", "b"]


async def test_pieces_of_a_continued_reply_lose_their_thoughts_and_add_up_their_cost() -> None:
    usage = Usage(10, 5, known=True)
    client, _ = client_of(
        Completion("It was calm and", finish_reason="length", usage=usage, cost_usd=0.25),
        Completion("<think>go on</think> then a storm.", usage=usage, cost_usd=0.5),
    )
    taken = AttemptList()
    prose = client.with_options(CallOptions(prose=True), taken)
    await prose.think_with_retry("write", lambda reply: {"status": "success", "data": reply})
    (told,) = taken
    assert told.result["data"] == "It was calm and then a storm."
    whole = told.call.completion
    assert (whole.cost_usd, whole.usage.input_tokens, whole.reasoning) == (0.75, 20, "go on")


async def test_a_wait_before_a_retry_ends_when_the_run_is_stopped() -> None:
    async def never(_seconds: float) -> None:
        await asyncio.Event().wait()

    backend = ScriptedBackend([BackendError("server", "oops"), "ok"])
    session = CallSession(sleep=never)
    session.outbox = StopAtWait(session)
    with pytest.raises(RunStoppedError):
        await LLMClient("", "", "m", backend=backend, session=session).think("q")
    assert len(backend.calls) == 1
