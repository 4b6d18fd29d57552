"""The beginning of a prompt is marked for the caches of the providers that want it."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from tests.support.openai_server import OpenAIServer
from tests.support.transport import ASK, KEY, with_litellm

from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.backends.litellm import FEWEST_CHARACTERS, LiteLLMBackend, marked

pytestmark = with_litellm

LONG = "You write novels. " * (FEWEST_CHARACTERS // 10)
SHORT = "You write novels."


def asked(system: str) -> tuple[dict[str, str], ...]:
    return ({"role": "system", "content": system}, {"role": "user", "content": LONG})


def test_only_a_long_system_message_is_marked() -> None:
    system, user = marked(asked(LONG))
    assert system["content"] == [
        {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    ]
    assert user == {"role": "user", "content": LONG}
    assert marked(asked(SHORT)) == list(asked(SHORT))


async def body_sent(model: str) -> dict[str, Any]:
    """What the server of a model is sent for a long prompt; how it answers is no matter."""
    request = replace(ASK, model=model, messages=asked(LONG))
    key = request.key()
    with OpenAIServer() as server:
        with suppress(BackendError):
            await LiteLLMBackend(server.url, KEY).complete(request)
        (seen,) = server.posts
    assert request.key() == key == replace(request).key()
    return dict(seen.body)


async def test_the_mark_reaches_anthropic() -> None:
    body = await body_sent("anthropic/claude-sonnet-4-5")
    assert body["system"] == [
        {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}
    ]


@pytest.mark.parametrize("model", ["openai/gpt-4o", "openai/claude-like"])
async def test_others_are_sent_the_text_as_it_is(model: str) -> None:
    body = await body_sent(model)
    assert body["messages"] == list(asked(LONG))
