"""Sends each request to whoever serves its model: the stand-in author, or a server's backend."""

from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

from libriscribe2.llm.backend import Backend, Completion, Request
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.limits.timeouts import TimeLimits
from libriscribe2.llm.providers import DEMO_NAMES, is_built_in


class RoutedBackend:
    """A backend that asks others, one per server address.

    An address belongs to a model and not to the run: a key for one provider must never reach
    the server of another.

    Args:
        url_of: The server of a model; None leaves it to the provider.
        limits: The clocks over each request.
        folder: The project's folder, in which the recording of a played book lies.
    """

    def __init__(
        self,
        url_of: Callable[[str], str | None],
        limits: TimeLimits,
        folder: Path | None = None,
    ) -> None:
        self._url_of = url_of
        self._limits = limits
        self._folder = folder
        self._built_in: dict[str, Backend] = {}
        self._online: dict[str | None, LiteLLMBackend] = {}

    def complete(self, request: Request) -> Coroutine[Any, Any, Completion]:
        """The answer of the model's own backend."""
        return self._of(request.model).complete(request)

    def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The pieces of the model's own backend."""
        return self._of(request.model).stream(request)

    async def aclose(self) -> None:
        """Close what the backends keep open."""
        for backend in self._online.values():
            await backend.aclose()

    def _of(self, model: str) -> Backend:
        """Who serves a model."""
        if not is_built_in(model):
            return self.online(model)
        if model not in self._built_in:
            self._built_in[model] = self._made(model)
        return self._built_in[model]

    def _made(self, model: str) -> Backend:
        """Who answers for a model without a server; each is imported where it is asked."""
        if model in DEMO_NAMES:
            from libriscribe2.llm.backends.demo import DemoAuthor  # noqa: PLC0415

            return DemoAuthor()
        from libriscribe2.llm.backends.recorded import RecordedAuthor, read_recording  # noqa: PLC0415

        return RecordedAuthor(read_recording(model, self._folder))

    def online(self, model: str) -> LiteLLMBackend:
        """Who asks the server of a model."""
        url = self._url_of(model)
        if url not in self._online:
            self._online[url] = LiteLLMBackend(url, None, limits=self._limits)
        return self._online[url]
