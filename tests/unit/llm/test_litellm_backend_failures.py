"""Refusals, silence and broken replies, through the real LiteLLM from a server on loopback."""

import traceback
from dataclasses import replace

import pytest
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer
from tests.support.transport import ASK, KEY, both_ways, failed, with_litellm

from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.limits.retries import TimeLimits

pytestmark = with_litellm

QUOTA = {"error": {"message": f"no credit for {KEY}", "code": "insufficient_quota"}}

OPENAI = ("openai/test-model", "/v1")
ANTHROPIC = ("anthropic/claude-sonnet-5", "")
OLLAMA = ("ollama_chat/test-model", "")
OPENROUTER = ("openrouter/a/test-model", "/v1")
GEMINI = ("gemini/gemini-flash-latest", "")


@both_ways
@pytest.mark.parametrize(
    "provider",
    [OPENAI, ANTHROPIC, OLLAMA, OPENROUTER, GEMINI],
    ids=["openai", "anthropic", "ollama", "openrouter", "gemini"],
)
@pytest.mark.parametrize(
    ("fault", "kind", "status", "retry_after"),
    [
        (Fault(status=401), "auth", 401, None),
        (Fault(status=404), "not_found", 404, None),
        (Fault(status=429, headers={"Retry-After": "7"}), "rate", 429, 7.0),
        (Fault(status=429, body=QUOTA), "quota", 429, None),
        (Fault(status=500), "server", 500, None),
        (Fault(status=503), "server", 503, None),
        (Fault("drop"), "connection", None, None),
    ],
    ids=["401", "404", "429", "quota", "500", "503", "drop"],
)
async def test_OV_43_failures_are_the_same_for_every_provider(
    provider: tuple[str, str],
    fault: Fault,
    kind: str,
    status: int | None,
    retry_after: float | None,
    *,
    stream: bool,
) -> None:
    model, path = provider
    with OpenAIServer([fault]) as server:
        backend = LiteLLMBackend(server.root + path, KEY)
        error = await failed(backend, replace(ASK, model=model), stream=stream)
    assert (error.kind, error.status, error.retry_after) == (kind, status, retry_after)
    assert not error.unsent
    assert KEY not in "".join(traceback.format_exception(error))
    assert len(server.posts) == 1, "nobody but us retries"


@both_ways
async def test_a_refused_connection_is_one(*, stream: bool) -> None:
    with OpenAIServer() as server:
        gone = server.url
    error = await failed(LiteLLMBackend(gone, KEY), stream=stream)
    assert error.kind == "connection"
    assert error.unsent


async def test_no_key_at_all_is_told_as_one() -> None:
    assert (await failed(LiteLLMBackend(None, None), stream=False)).kind == "auth"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("html"), "malformed"),
        (Fault("broken_json"), "malformed"),
        (Fault("no_choices"), "malformed"),
        (Fault(status=400), "bad_request"),
    ],
    ids=lambda value: getattr(value, "kind", value),
)
async def test_whole_replies_that_are_none(fault: Fault, kind: str) -> None:
    with OpenAIServer([fault]) as server:
        assert (await failed(LiteLLMBackend(server.url, KEY), stream=False)).kind == kind


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault("cut"), "cut"),
        (Fault("no_finish"), "cut"),
        (Fault("html"), "malformed"),
        (Fault("broken_json"), "malformed"),
        (Fault("repeat"), "malformed"),
        (Fault("error_event", body=QUOTA), "quota"),
        (
            Fault("error_event", body={"error": {"message": "busy", "code": "server_error"}}),
            "server",
        ),
    ],
    ids=["cut", "no_finish", "html", "broken_json", "repeat", "quota", "busy"],
)
async def test_streams_that_break_never_count_as_whole(fault: Fault, kind: str) -> None:
    with OpenAIServer([fault]) as server:
        error = await failed(LiteLLMBackend(server.url, KEY), stream=True)
    assert error.kind == kind
    assert KEY not in error.message


@both_ways
async def test_a_runaway_reply_is_refused(*, stream: bool) -> None:
    with OpenAIServer(replies=["word " * 20]) as server:
        backend = LiteLLMBackend(server.url, KEY)
        error = await failed(backend, replace(ASK, max_tokens=10), stream=stream)
    assert (error.kind, error.message) == ("malformed", "the reply is longer than 80 characters")


@pytest.mark.parametrize(
    ("fault", "limits", "said"),
    [
        (Fault("drip", seconds=0.6), TimeLimits(between_pieces=0.05), "no further piece"),
        (Fault("drip", seconds=0.1), TimeLimits(whole_call=0.12), "took over"),
        (Fault("stall", seconds=0.8), TimeLimits(first_piece=0.1), "within 0.1 seconds"),
    ],
    ids=["between", "whole", "first"],
)
async def test_silent_streams_are_timeouts(fault: Fault, limits: TimeLimits, said: str) -> None:
    with OpenAIServer([fault]) as server:
        error = await failed(LiteLLMBackend(server.url, KEY, limits=limits), stream=True)
    assert error.kind == "timeout"
    assert said in error.message


async def test_a_silent_whole_reply_is_a_timeout() -> None:
    with OpenAIServer([Fault("stall", seconds=0.8)]) as server:
        backend = LiteLLMBackend(server.url, KEY, limits=TimeLimits(whole_call=0.1))
        error = await failed(backend, stream=False)
    assert (error.kind, error.message) == ("timeout", "no answer within 0.1 seconds")
