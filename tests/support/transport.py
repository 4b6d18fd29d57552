"""Asking through the real LiteLLM backend in tests: one request, both ways of answering it."""

from collections.abc import Awaitable

import pytest

from libriscribe2.llm.backend import BackendError, Completion, Request
from libriscribe2.llm.backends.litellm import LiteLLMBackend

KEY = "sk-canary-0123456789"
"""A key that must not turn up in anything people read."""

ASK = Request("step", "openai/test-model", ({"role": "user", "content": "Write 10 words"},))

both_ways = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])

with_litellm = [
    pytest.mark.usefixtures("litellm_connections"),
    pytest.mark.filterwarnings(
        "ignore:.*`ReadOnly` qualifier", "ignore:Accessing the .* attribute on the instance"
    ),
]
"""For modules that load LiteLLM: it mutes these warnings when it is imported, but pytest gives each
test its own filters."""


async def streamed(backend: LiteLLMBackend, request: Request = ASK) -> tuple[str, Completion]:
    """The concatenated pieces and the closing record."""
    items = [item async for item in backend.stream(request)]
    last = items.pop()
    assert isinstance(last, Completion)
    assert all(isinstance(item, str) for item in items)
    return "".join(str(item) for item in items), last


async def answered(backend: LiteLLMBackend, request: Request = ASK, *, stream: bool) -> Completion:
    """The reply, whole or streamed."""
    return (await streamed(backend, request))[1] if stream else await backend.complete(request)


async def failed(backend: LiteLLMBackend, request: Request = ASK, *, stream: bool) -> BackendError:
    """The failure, whole or streamed."""
    answer: Awaitable[object] = answered(backend, request, stream=stream)
    with pytest.raises(BackendError) as raised:
        await answer
    return raised.value
