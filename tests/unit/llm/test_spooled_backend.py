"""Requests that wait in a spool, as a client sees them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.support.transport import ASK, with_litellm

from libriscribe2.errors import ProviderError, StorageError
from libriscribe2.llm.backend import BackendError, Completion, Request
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.backends.provider_batches import BatchLines, SpooledBackend, identity
from libriscribe2.llm.providers import DEMO_MODEL

pytestmark = with_litellm

WARM = replace(ASK, temperature=0.5)


def reply(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return {"status": 200, "body": body}


def refusal(status: int | None, message: str) -> dict[str, Any]:
    return {"status": status, "body": {"error": {"message": message}}}


class Inner:
    """Answers ordinary calls."""

    async def complete(self, request: Request) -> Completion:
        return Completion(f"ordinary {request.model}")

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        yield "ordinary "
        yield await self.complete(request)


class MemorySpool:
    """A spool whose keeper gives scripted replies, each after somebody has waited for it."""

    def __init__(self, *replies: Mapping[str, Any]) -> None:
        self.script = list(replies)
        self.asked: list[Mapping[str, Any]] = []
        self.idents: list[str] = []
        self.waiting: set[str] = set()
        self.there: dict[str, Mapping[str, Any]] = {}
        self.is_attended = True
        self.waits: list[float] = []
        self.answers_after = 3

    def put(self, ident: str, asked: Mapping[str, Any]) -> None:
        self.asked.append(asked)
        self.idents.append(ident)
        self.waiting.add(ident)

    def reply(self, ident: str) -> Mapping[str, Any] | None:
        return self.there.get(ident)

    def forget(self, ident: str) -> None:
        self.there.pop(ident, None)

    def withdraw(self, ident: str) -> None:
        self.waiting.discard(ident)

    def attended(self) -> bool:
        return self.is_attended

    async def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        if len(self.waits) % self.answers_after == 0:
            self.there[self.idents[-1]] = self.script.pop(0)


def backend_of(spool: MemorySpool) -> SpooledBackend:
    lines = BatchLines(LiteLLMBackend("http://127.0.0.1:9", None))
    return SpooledBackend(
        Inner(), lambda _model: lines, spool, lambda model: f"account of {model}", spool.wait
    )


async def test_a_reply_from_the_spool_is_an_answer_like_any_other() -> None:
    spool = MemorySpool(reply("Hello."))
    done = await backend_of(spool).complete(WARM)
    assert (done.reply, done.finish_reason, done.usage.known) == ("Hello.", "stop", False)
    (asked,) = spool.asked
    assert asked["account"] == "account of openai/test-model"
    assert asked["body"]["temperature"] == 0.5
    # It stays until the call log has it: a kill in between must not lose it.
    assert spool.there


async def test_looks_are_further_and_further_apart() -> None:
    spool = MemorySpool(reply("x"))
    spool.answers_after = 20
    await backend_of(spool).complete(ASK)
    assert spool.waits[0] < spool.waits[5] < spool.waits[-1] == 2.0


async def test_a_stream_is_the_same_reply_in_one_piece() -> None:
    items = [item async for item in backend_of(MemorySpool(reply("Hello."))).stream(ASK)]
    assert items[0] == "Hello."
    assert isinstance(items[1], Completion)
    assert len(items) == 2


async def test_a_model_without_batches_is_asked_at_once() -> None:
    spool = MemorySpool()
    for model in (DEMO_MODEL, "anthropic/claude-sonnet-5", "ollama_chat/x"):
        request = replace(ASK, model=model)
        assert (await backend_of(spool).complete(request)).reply == f"ordinary {model}"
        items = [item async for item in backend_of(spool).stream(request)]
        assert items[0] == "ordinary "
    assert not spool.asked


async def test_a_call_that_no_batch_takes_is_sent_as_an_ordinary_one() -> None:
    spool = MemorySpool({"ordinary": "the provider's batch is expired"})
    assert (await backend_of(spool).complete(ASK)).reply.startswith("ordinary")
    assert not spool.there


async def test_a_failure_is_raised_and_the_same_request_can_wait_again() -> None:
    spool = MemorySpool(refusal(429, "slow down"), reply("Hello."))
    backend = backend_of(spool)
    with pytest.raises(BackendError) as raised:
        await backend.complete(ASK)
    assert raised.value.kind == "rate"
    assert (await backend.complete(ASK)).reply == "Hello."
    assert spool.idents[0] == spool.idents[1]


@pytest.mark.parametrize("body", [{"choices": []}, None, "x"])
async def test_an_answer_that_cannot_be_read_is_asked_for_again(body: Any) -> None:
    spool = MemorySpool({"status": 200, "body": body}, reply("Hello."))
    backend = backend_of(spool)
    with pytest.raises(BackendError) as raised:
        await backend.complete(ASK)
    assert raised.value.kind == "malformed"
    assert (await backend.complete(ASK)).reply == "Hello."


async def test_a_parameter_that_is_refused_is_given_up() -> None:
    spool = MemorySpool(refusal(400, "Unsupported value: 'temperature'"), reply("Hello."))
    assert (await backend_of(spool).complete(WARM)).reply == "Hello."
    assert ["temperature" in asked["body"] for asked in spool.asked] == [True, False]


async def test_nobody_waits_for_a_keeper_that_is_gone() -> None:
    spool = MemorySpool()
    spool.is_attended = False
    with pytest.raises(ProviderError, match="no longer sent") as raised:
        await backend_of(spool).complete(ASK)
    assert "--provider-batch" in raised.value.fix


async def test_a_run_that_is_stopped_waits_no_longer() -> None:
    async def stopped(_seconds: float) -> None:
        raise RuntimeError("stopped")

    spool = MemorySpool()
    backend = SpooledBackend(
        Inner(),
        lambda _model: BatchLines(LiteLLMBackend("http://127.0.0.1:9", None)),
        spool,
        str,
        stopped,
    )
    with pytest.raises(RuntimeError, match="stopped"):
        await backend.complete(ASK)
    assert not spool.waiting


class FullSpool(MemorySpool):
    def withdraw(self, ident: str) -> None:
        super().withdraw(ident)
        raise StorageError("The disk says no", why="a test")


@pytest.mark.parametrize("kind", [MemorySpool, FullSpool])
async def test_a_request_that_nobody_waits_for_is_withdrawn(kind: type[MemorySpool]) -> None:
    waits, never = asyncio.Event(), asyncio.Event()

    async def wait(_seconds: float) -> None:
        waits.set()
        await never.wait()

    spool = kind()
    lines = BatchLines(LiteLLMBackend("http://127.0.0.1:9", None))
    backend = SpooledBackend(Inner(), lambda _model: lines, spool, str, wait)
    asking = asyncio.ensure_future(backend.complete(ASK))
    await waits.wait()
    assert spool.waiting
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert not spool.waiting


def test_a_cap_that_shortens_a_reply_leaves_the_request_the_same() -> None:
    assert identity(replace(ASK, max_tokens=9)) == identity(ASK)
    changes: list[dict[str, Any]] = [{"attempt": 2}, {"generation": 1}, {"step": "other"}]
    others = {identity(replace(ASK, **change)) for change in changes}
    assert len(others | {identity(ASK)}) == 4
