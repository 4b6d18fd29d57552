"""Replies of LiteLLM's own kinds that lie ready, so that asking for one costs nothing."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Self

from bench.zero_latency_server import PIECES


class ReadyStream:
    """A stream whose pieces are all there."""

    received_finish_reason = "stop"
    intermittent_finish_reason = None

    def __init__(self, chunks: list[Any]) -> None:
        self.chunks = chunks
        self._left: Iterator[Any] = iter(chunks)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        for chunk in self._left:
            return chunk
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Nothing is open."""


def ready_completion(litellm: Any) -> Callable[..., Awaitable[Any]]:
    """A function in place of `litellm.acompletion` that gives the same reply each time."""
    message = {"role": "assistant", "content": "hello " * 100}
    whole = litellm.ModelResponse(
        choices=[{"index": 0, "message": message, "finish_reason": "stop"}],
        usage={"prompt_tokens": 10, "completion_tokens": 100, "total_tokens": 110},
        model="x",
    )
    chunks = [_chunk(litellm.types.utils, f"word{number} ") for number in range(PIECES)]

    async def answer(*, stream: bool = False, **_: Any) -> Any:
        return ReadyStream(list(chunks)) if stream else whole

    return answer


def _chunk(types: Any, text: str) -> Any:
    choice = types.StreamingChoices(delta=types.Delta(content=text), finish_reason=None)
    return types.ModelResponseStream(choices=[choice])
