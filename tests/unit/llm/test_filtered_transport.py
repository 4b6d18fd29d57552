"""Signs of filtering as providers send them, through the real LiteLLM."""

import json

import pytest
from tests.support.calls import FakeTime, MemoryCallLog
from tests.support.raw_server import Answer, Line, RawServer, json_reply, reply_of
from tests.support.transport import KEY, with_litellm

from libriscribe2.errors import ContentFilteredError
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.client import LLMClient

pytestmark = with_litellm

REFUSAL = "I'm sorry, I can't assist with that."


def openai(message: dict[str, object], finish: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return json_reply(json.dumps({"id": "c", "created": 1, "choices": [choice]}).encode())


def anthropic(stop_reason: str) -> bytes:
    message = {"id": "m", "type": "message", "role": "assistant", "model": "x"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    said = {"content": [{"type": "text", "text": ""}], "stop_reason": stop_reason, "usage": usage}
    return json_reply(json.dumps(message | said).encode())


def gemini(reason: str) -> bytes:
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 0, "totalTokenCount": 1}
    said = {"candidates": [{"finishReason": reason, "index": 0}], "usageMetadata": usage}
    return json_reply(json.dumps(said).encode())


def sends(data: bytes) -> Answer:
    async def answer(line: Line) -> None:
        await line.send(data)

    return answer


@pytest.mark.parametrize(
    ("model", "path", "withheld"),
    [
        ("openai/m", "/v1", openai({"content": None, "refusal": REFUSAL}, "stop")),
        ("openai/m", "/v1", openai({"content": ""}, "content_filter")),
        ("openai/m", "/v1", reply_of(REFUSAL)),
        ("openrouter/a/m", "/v1", openai({"content": "Half"}, "content_filter")),
        ("anthropic/claude-sonnet-5", "", anthropic("refusal")),
        ("gemini/gemini-flash-latest", "", gemini("SAFETY")),
        ("gemini/gemini-flash-latest", "", gemini("PROHIBITED_CONTENT")),
    ],
    ids=["refusal", "finish", "words", "openrouter", "anthropic", "safety", "prohibited"],
)
async def test_OV_40_each_provider_says_it_in_its_own_way(
    model: str, path: str, withheld: bytes
) -> None:
    log = MemoryCallLog()
    async with RawServer([sends(withheld)]) as server:
        backend = LiteLLMBackend(server.url.removesuffix("/v1") + path, KEY)
        session = FakeTime().session(attempts=1)
        client = LLMClient("", "", model, backend=backend, call_log=log, session=session)
        with pytest.raises(ContentFilteredError):
            await client.think("q")
        await backend.aclose()
    assert log.kinds == ["sent", "failed filtered"] * 2
