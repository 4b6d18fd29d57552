"""Only what the journal holds can be read, and how often a question leaves can be counted."""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.calls import FakeTime, MemoryCallLog

from libriscribe2.errors import LibriScribeError, ProviderError
from libriscribe2.llm.backend import BackendError, Completion, Line, Request, ScriptedBackend
from libriscribe2.llm.call_records import CallOptions, ListOutbox
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.retries import Circuits
from libriscribe2.llm.session import Reply

REQUEST = Request("s", "m", ({"role": "user", "content": "q"},))
DOWN = BackendError("server", "down", status=503)
CUT = Completion("half a text", finish_reason="length")


def refused(_reply: str) -> dict[str, Any]:
    return {"status": "error", "feedback": "no"}


def test_a_reply_cannot_be_made_of_a_completion() -> None:
    with pytest.raises(TypeError, match="what the journal holds"):
        Reply("A", REQUEST, Completion("text"), False, object())  # type: ignore[arg-type]


async def test_a_reply_cannot_be_changed_after_the_journal_has_it() -> None:
    reply = await LLMClient("", "", "m", backend=ScriptedBackend(["text"])).ask("q")
    with pytest.raises((TypeError, ValueError), match="journalled"):
        replace(reply, completion=Completion("another"))  # type: ignore[call-arg]


async def test_the_journal_knows_what_leaves_before_it_does_and_what_came_before_it_is_read() -> (
    None
):
    log, outbox = MemoryCallLog(), ListOutbox()
    seen: list[list[str]] = []

    def answers(_request: Request) -> str:
        seen.append(list(log.kinds))
        return "text"

    client = LLMClient(
        "",
        "",
        "m",
        backend=ScriptedBackend([answers]),
        call_log=log,
        session=FakeTime().session(outbox=outbox),
    )
    reply = await client.ask("q")
    assert seen == [["sent"]]
    assert log.kept[reply.request.key()]["reply"] == "text"
    assert outbox == [reply]
    again = await client.ask("q")
    assert (again.replayed, again.completion) == (True, reply.completion)


async def test_a_question_leaves_once_for_each_attempt_part_model_and_retry() -> None:
    attempts, parts, models, retries = 2, 5, 2, 3
    part: list[Line] = [DOWN] * (models * retries - 1)
    backend = ScriptedBackend([*part, CUT] * parts * attempts)
    session = FakeTime().session(attempts=retries, circuits=Circuits(failures=1_000))
    client = LLMClient("", "", "a", backend=backend, session=session).using("a", ["b"])
    prose = client.with_options(CallOptions(prose=True))
    with pytest.raises(LibriScribeError, match="Max retries"):
        await prose.think_with_retry("q", refused, attempts)
    assert len(backend.calls) == attempts * parts * models * retries


async def test_what_every_model_fails_at_leaves_once_for_each_model_and_retry() -> None:
    backend = ScriptedBackend([DOWN] * 6)
    session = FakeTime().session(attempts=3, circuits=Circuits(failures=1_000))
    client = LLMClient("", "", "a", backend=backend, session=session).using("a", ["b"])
    with pytest.raises(ProviderError):
        await client.think_with_retry("q", refused)
    assert [call.model for call in backend.calls] == ["a"] * 3 + ["b"] * 3
