"""The beginning of a prompt is marked for the caches of the providers that want it."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from tests.support.openai_server import OpenAIServer
from tests.support.transport import ASK, KEY, with_litellm

from libriscribe2.llm.backend import BackendError
from libriscribe2.llm.backends.litellm import (
    CHARACTERS_PER_TOKEN,
    FEWEST_TOKENS,
    LiteLLMBackend,
    marked,
)

pytestmark = with_litellm

FEWEST_CHARACTERS = round(FEWEST_TOKENS * CHARACTERS_PER_TOKEN)
LONG = "You write novels. " * (FEWEST_CHARACTERS // 10)
SHORT = "You write novels."


def asked(system: str) -> tuple[dict[str, str], ...]:
    return ({"role": "system", "content": system}, {"role": "user", "content": LONG})


MARK = {"cache_control": {"type": "ephemeral"}}


def test_only_a_long_system_message_is_marked() -> None:
    system, user = marked(asked(LONG), FEWEST_CHARACTERS)
    assert system["content"] == [{"type": "text", "text": LONG} | MARK]
    assert user == {"role": "user", "content": LONG}
    short, _ = marked(asked(SHORT), FEWEST_CHARACTERS)
    assert short["content"] == [{"type": "text", "text": SHORT}]


def test_the_ends_of_the_levels_are_marked_at_most_four() -> None:
    size = len(LONG)
    levels = [size * number for number in (1, 2, 3, 4)]
    system = {"role": "system", "content": LONG}
    user = {"role": "user", "content": LONG * 5, "levels": levels}
    blocks = [*(one := marked([system, user], 10))[0]["content"], *one[1]["content"]]
    assert "".join(block["text"] for block in blocks) == LONG * 6
    assert ["cache_control" in block for block in blocks] == [True, True, False, True, True, False]
    assert "levels" not in one[1]


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
