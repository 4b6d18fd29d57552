"""A provider's batch API through the real LiteLLM, against a server on loopback."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from tests.support.batch_server import BatchServer
from tests.support.openai_server import OpenAIServer
from tests.support.transport import ASK, KEY, with_litellm

from libriscribe2.llm.backend import BackendError, Usage
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.backends.provider_batches import (
    ENDPOINT,
    BatchLines,
    ProviderBatches,
    batch_price,
    close_clients,
)

TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}
SCHEMA = {"type": "object", "title": "Concept", "properties": {"title": {"type": "string"}}}


@pytest.fixture(autouse=True)
async def own_clients(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    yield
    await close_clients()


pytestmark = with_litellm


@pytest.mark.parametrize(
    "model", ["openai/test-model", "openai/gpt-4o-mini", "openai/gpt-5.4-mini"]
)
async def test_a_line_is_the_body_of_the_ordinary_call(model: str) -> None:
    asked = replace(
        ASK,
        model=model,
        messages=({"role": "system", "content": "You."}, *ASK.messages),
        temperature=0.5,
        max_tokens=900,
        schema=SCHEMA,
        tools=(TOOL,),
    )
    with OpenAIServer() as server:
        backend = LiteLLMBackend(server.url, None)
        line = await BatchLines(backend).asked(asked)
        await backend.complete(asked)
    assert json.loads(json.dumps(line.body)) == server.posts[0].body


async def test_a_file_goes_there_and_its_answers_come_back_as_replies() -> None:
    asked = replace(ASK, model="openai/gpt-4o-mini")
    with BatchServer() as server:
        backend, api = LiteLLMBackend(server.url, None), ProviderBatches("openai", server.url)
        lines = BatchLines(backend)
        body = (await lines.asked(asked)).body
        line = {"custom_id": "x", "method": "POST", "url": ENDPOINT, "body": body}
        file = await api.upload("order", json.dumps(line).encode())
        batch = await api.submit("order", file)
        assert not (await api.look(batch)).ended
        done = await api.look(batch)
        answer = json.loads(await api.content(done.files[0]))
        ordinary = await backend.complete(asked)
        found = [await api.find("order", "?"), await api.find("?", file), await api.find("?", "?")]
    assert found == [batch, batch, None]
    assert (done.status, done.ended) == ("completed", True)
    cheap = await lines.answered(asked, answer["response"]["body"], 0.0)
    assert cheap.cost_usd is not None
    assert ordinary.cost_usd is not None
    assert cheap.cost_usd == pytest.approx(ordinary.cost_usd / 2, rel=0.02)
    assert replace(cheap, cost_usd=0, seconds=0) == replace(ordinary, cost_usd=0, seconds=0)
    headers = {seen.headers["authorization"] for seen in server.requests}
    assert headers == {f"Bearer {KEY}"}


async def test_what_a_batch_says_of_its_failure_is_told() -> None:
    with BatchServer(["failed"], looks=0) as server:
        api = ProviderBatches("openai", server.url)
        batch = await api.submit("order", await api.upload("order", b"{}\n"))
        done = await api.look(batch)
    assert (done.status, done.files, done.why) == ("failed", (), "line 1 is not JSON")


async def test_a_batch_is_cancelled_with_what_it_has_answered() -> None:
    with BatchServer() as server:
        api = ProviderBatches("openai", server.url)
        lines = [{"custom_id": name, "body": {"messages": []}} for name in "xy"]
        data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        batch = await api.submit("order", await api.upload("order", data))
        await api.cancel(batch)
        done = await api.look(batch)
        texts = [await api.content(file) for file in done.files]
    assert done.status == "cancelled"
    assert [json.loads(text)["custom_id"] for text in texts] == ["x", "y"]


@pytest.mark.parametrize("status", ["completed", "expired", "cancelled"])
async def test_answers_may_come_into_sight_after_the_end_of_a_batch(status: str) -> None:
    with BatchServer(looks=0) as server:
        api = ProviderBatches("openai", server.url)
        batch = await api.submit("order", await api.upload("order", b""))
        server.look(batch)
        errors, answers = server.store(b"")["id"], server.store(b"")["id"]
        counts = {"completed": 9, "failed": 1, "total": 10}
        server.batches[batch] |= {"status": status, "request_counts": counts}
        server.batches[batch] |= {"output_file_id": None, "error_file_id": errors}
        assert (await api.look(batch)).unseen
        server.batches[batch]["output_file_id"] = answers
        done = await api.look(batch)
    assert (done.ended, done.unseen, done.files) == (True, False, (answers, errors))
    # A look fetches nothing.
    assert not any("content" in seen.path for seen in server.requests)


@pytest.mark.slow
async def test_a_look_that_hangs_is_given_up_soon() -> None:
    answering: list[asyncio.Task[Any] | None] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.append(asyncio.current_task())
        if (await reader.readuntil(b"\r\n\r\n")).startswith(b"POST /files"):
            about = {"id": "f", "object": "file", "bytes": 2, "created_at": 1, "filename": "f"}
            body = json.dumps({**about, "purpose": "batch", "status": "processed"}).encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n"
            writer.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
            await writer.drain()
        await reader.read()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        api = ProviderBatches("openai", f"http://127.0.0.1:{port}", glance_seconds=0.2)
        await api.upload("order", b"{}")
        for call in (api.look("b"), api.find("order", "f"), api.cancel("b")):
            with pytest.raises(BackendError) as raised:
                await asyncio.wait_for(call, 10)
            assert raised.value.kind == "timeout"
        await close_clients()
        await asyncio.gather(*(task for task in answering if task is not None))


async def test_failures_are_told_in_our_terms_and_without_the_key() -> None:
    with BatchServer(batches=False) as server:
        api = ProviderBatches("openai", server.url)
        with pytest.raises(BackendError) as raised:
            await api.upload("order", b"{}")
    assert (raised.value.kind, raised.value.status) == ("not_found", 404)
    await close_clients()
    with pytest.raises(BackendError) as raised:
        await api.look("batch-1")
    assert raised.value.kind == "connection"
    assert KEY not in str(raised.value)


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"code": "rate_limit_exceeded", "message": "slow"}, "rate"),
        (429, {"code": "insufficient_quota", "message": "pay"}, "quota"),
        (400, {"code": "content_filter", "message": "no"}, "filtered"),
        (500, {"message": "oops"}, "server"),
        (None, {"code": "server_error", "message": "oops"}, "server"),
    ],
)
async def test_a_line_that_failed_is_a_failure_like_any_other(
    status: int | None, error: dict[str, str], kind: str
) -> None:
    lines = BatchLines(LiteLLMBackend("http://127.0.0.1:9", None))
    failure = lines.failed(status, {"error": {**error, "message": f"{error['message']} {KEY}"}})
    assert (failure.kind, failure.status) == (kind, status)
    assert KEY not in failure.message


@pytest.mark.parametrize(
    "body", [{}, {"choices": []}, {"choices": "x"}, {"error": {"message": "x"}}]
)
async def test_an_answer_without_a_reply_is_malformed(body: dict[str, object]) -> None:
    lines = BatchLines(LiteLLMBackend("http://127.0.0.1:9", None))
    with pytest.raises(BackendError) as raised:
        await lines.answered(ASK, body, 0.0)
    assert raised.value.kind == "malformed"


async def test_the_price_of_a_batch_is_the_lists_or_half_or_unknown() -> None:
    usage = Usage(1_000_000, 1_000_000, known=False)
    assert batch_price("openai/gpt-4o-mini", usage, None) == pytest.approx(0.375)
    assert batch_price("openai/nobody-knows-it", usage, None) is None
