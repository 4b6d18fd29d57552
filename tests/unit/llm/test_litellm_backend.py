"""Replies of the real LiteLLM from a server on loopback."""

import functools
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.support.made_up_text import prose, wanted_schema
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer
from tests.support.transport import ASK, KEY, answered, both_ways, failed, streamed, with_litellm

from libriscribe2.llm import litellm_library
from libriscribe2.llm.backend import Completion, Usage
from libriscribe2.llm.backends import litellm
from libriscribe2.llm.backends.litellm import LiteLLMBackend

pytestmark = with_litellm

TOOL = {"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}
SCHEMA = {"type": "object", "title": "Concept", "properties": {"title": {"type": "string"}}}


async def test_TR_02_a_whole_reply() -> None:
    with OpenAIServer() as server:
        done = await LiteLLMBackend(server.url, KEY).complete(ASK)
    assert done.reply == prose(10)
    assert done.finish_reason == "stop"
    assert done.usage == Usage(3, 10, 1, 2, known=True)
    assert done.model == "test-model"
    assert done.cost_usd is None
    assert done.seconds > 0
    assert Completion.from_record(json.loads(json.dumps(done.as_record()))) == done


async def test_TR_01_url_key_and_model_reach_the_server_once() -> None:
    with OpenAIServer() as server:
        await LiteLLMBackend(server.url, KEY).complete(replace(ASK, max_tokens=99))
    (seen,) = server.posts
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.body["model"] == "test-model"
    assert seen.body["messages"] == list(ASK.messages)
    assert seen.body["max_tokens"] == 99
    assert "temperature" not in seen.body


async def test_a_server_of_ones_own_needs_no_key() -> None:
    with OpenAIServer() as server:
        await LiteLLMBackend(server.url, None).complete(ASK)
    assert KEY not in server.posts[0].headers["authorization"]


async def test_the_environments_key_goes_to_the_servers_url(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with OpenAIServer() as server:
        await LiteLLMBackend(server.url, None).complete(ASK)
    assert server.posts[0].headers["authorization"] == f"Bearer {KEY}"


async def test_TR_04_a_streamed_reply() -> None:
    with OpenAIServer(reasoning="Let me think.") as server:
        text, done = await streamed(LiteLLMBackend(server.url, KEY))
    assert text == done.reply == prose(10)
    assert done.reasoning == "Let me think."
    assert done.finish_reason == "stop"
    assert done.usage == Usage(3, 10, 1, 2, known=True)


async def test_TR_03_reasoning_comes_apart_or_is_none() -> None:
    with OpenAIServer(reasoning="Let me think.") as server:
        backend = LiteLLMBackend(server.url, KEY)
        assert (await backend.complete(ASK)).reasoning == "Let me think."
    with OpenAIServer() as server:
        assert (await LiteLLMBackend(server.url, KEY).complete(ASK)).reasoning is None


@both_ways
async def test_who_answered_is_told_alike(*, stream: bool) -> None:
    with OpenAIServer() as server:
        backend = LiteLLMBackend(server.url, KEY)
        done = await answered(backend, replace(ASK, model="openai/small"), stream=stream)
    assert done.model == "small"


@both_ways
async def test_usage_is_estimated_where_nobody_counts(*, stream: bool) -> None:
    with OpenAIServer(usage=False) as server:
        backend = LiteLLMBackend(server.url, KEY)
        done = await answered(backend, stream=stream)
    assert done.usage == Usage(3, 12, known=False)


@both_ways
async def test_OV_40_a_filtered_reply_says_so(*, stream: bool) -> None:
    with OpenAIServer([Fault("filtered")]) as server:
        backend = LiteLLMBackend(server.url, KEY)
        done = await answered(backend, stream=stream)
    assert (done.reply, done.finish_reason) == ("", "content_filter")


@both_ways
async def test_a_reply_at_the_length_limit_says_so(*, stream: bool) -> None:
    with OpenAIServer([Fault("length")]) as server:
        backend = LiteLLMBackend(server.url, KEY)
        done = await answered(backend, stream=stream)
    assert done.finish_reason == "length"


@both_ways
async def test_tools_are_passed_and_calls_come_back(*, stream: bool) -> None:
    """LiteLLM 1.106 looks for the `mcp` package before any tool call; ours never needs it."""
    with OpenAIServer(tool_call="find") as server:
        backend = LiteLLMBackend(server.url, KEY)
        request = replace(ASK, tools=(TOOL,))
        done = await answered(backend, request, stream=stream)
    assert server.posts[0].body["tools"] == [TOOL]
    assert done.finish_reason == "tool_calls"
    (call,) = done.tool_calls
    assert call["id"] == "call_1"
    assert call["function"] == {"name": "find", "arguments": '{"query": "lamps"}'}


async def test_MS_19_a_schema_travels_as_response_format() -> None:
    with OpenAIServer() as server:
        await LiteLLMBackend(server.url, KEY).complete(replace(ASK, schema=SCHEMA))
    wanted = server.posts[0].body["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["schema"] == SCHEMA


async def test_MS_19_claude_gets_its_schema_in_the_prompt_only() -> None:
    with OpenAIServer([Fault(status=401)]) as server:
        backend = LiteLLMBackend(server.root, KEY)
        request = replace(ASK, model="anthropic/claude-sonnet-5", schema=SCHEMA)
        await failed(backend, request, stream=False)
    assert not {"response_format", "output_format", "output_config", "tools"} & set(
        server.posts[0].body
    )


@both_ways
async def test_MS_19_refused_parameters_are_given_up_and_remembered(*, stream: bool) -> None:
    refuses = ["json_schema", "json_object", "temperature"]
    request = replace(ASK, schema=SCHEMA, temperature=0.0)
    with OpenAIServer(refuses=refuses) as server:
        backend = LiteLLMBackend(server.url, KEY)
        for _ in range(2):
            await answered(backend, request, stream=stream)
    forms = [seen.body.get("response_format", {}).get("type") for seen in server.posts]
    assert forms == ["json_schema", "json_object", None, None, None]
    assert ["temperature" in seen.body for seen in server.posts] == [True] * 3 + [False] * 2


async def test_a_stream_that_nobody_finishes_is_closed() -> None:
    with OpenAIServer() as server:
        stream = LiteLLMBackend(server.url, KEY).stream(ASK)
        first = await anext(stream)
        await stream.aclose()  # type: ignore[attr-defined]
    assert first == "The "


@pytest.mark.parametrize(
    ("model", "priced"),
    [("openai/gpt-5.4-mini", True), ("openai/nobody-knows", False), ("openai/claude-99", False)],
)
async def test_the_price_is_known_or_none_but_never_made_up(model: str, *, priced: bool) -> None:
    with OpenAIServer() as server:
        done = await LiteLLMBackend(server.url, KEY).complete(replace(ASK, model=model))
    expected = (3 * 0.75 + 10 * 4.5) / 1e6
    assert done.cost_usd == (pytest.approx(expected, rel=0.2) if priced else None)


async def test_the_price_map_is_asked_once_for_a_model_that_it_does_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    litellm = litellm_library.load_litellm()
    asked: list[str] = []
    price = litellm.cost_per_token

    def counted(model: str, **fields: object) -> object:
        asked.append(model)
        return price(model=model, **fields)

    monkeypatch.setattr(litellm, "cost_per_token", counted)
    with OpenAIServer() as server:
        backend = LiteLLMBackend(server.url, KEY)
        for model in ("openai/of-my-own", "openai/gpt-5.4-mini") * 2:
            await backend.complete(replace(ASK, model=model))
    assert asked == ["openai/of-my-own", "openai/gpt-5.4-mini", "openai/gpt-5.4-mini"]


async def test_a_price_that_the_provider_tells_is_taken() -> None:
    with OpenAIServer(replies=["x"], cost=0.25) as server:
        done = await LiteLLMBackend(server.url, KEY).complete(ASK)
    assert done.cost_usd == 0.25


async def test_the_servers_made_up_json_fits_its_schema() -> None:
    block = f"Fill it.\n<json_schema>\n{json.dumps(SCHEMA)}\n</json_schema>"
    request = replace(ASK, messages=({"role": "user", "content": block},))
    with OpenAIServer() as server:
        backend = LiteLLMBackend(server.url, KEY)
        bare, fenced, prose_around, after_thoughts = [
            await backend.complete(request) for _ in range(4)
        ]
    assert wanted_schema(block) == SCHEMA
    assert json.loads(bare.reply)["title"]
    assert fenced.reply.startswith("```json")
    assert prose_around.reply.startswith("Here is")
    assert json.loads(after_thoughts.reply)["title"]
    assert after_thoughts.reasoning == "They want JSON. I will fill it in."


async def test_closing_before_the_first_request_loads_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def load() -> None:
        raise AssertionError("LiteLLM was loaded to be closed")

    with monkeypatch.context() as patch:
        patch.setattr(litellm, "load_litellm", functools.cache(load))
        await LiteLLMBackend(None, None).aclose()


async def test_a_piece_without_a_choice_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some gateways send such pieces for usage alone; LiteLLM's own streams hide them so far."""

    class Stream:
        received_finish_reason = "stop"
        intermittent_finish_reason = None

        def __init__(self) -> None:
            delta = SimpleNamespace(content="text")
            usage = SimpleNamespace(prompt_tokens=3, completion_tokens=1)
            self.chunks = [
                SimpleNamespace(choices=[SimpleNamespace(delta=delta)]),
                SimpleNamespace(choices=[], usage=usage),
            ]
            self._left = iter(self.chunks)

        def __aiter__(self) -> "Stream":
            return self

        async def __anext__(self) -> SimpleNamespace:
            try:
                return next(self._left)
            except StopIteration:
                raise StopAsyncIteration from None

        async def aclose(self) -> None:
            """Nothing is open."""

    async def acompletion(**_: object) -> Stream:
        return Stream()

    fake = SimpleNamespace(acompletion=acompletion, cost_per_token=lambda **_: (0.0, 0.0))
    with monkeypatch.context() as patch:
        for module in (litellm_library, litellm):
            patch.setattr(module, "load_litellm", functools.cache(lambda: fake))
        text, done = await streamed(LiteLLMBackend(None, KEY))
    assert (text, done.usage, done.cost_usd) == ("text", Usage(3, 1, known=True), None)
