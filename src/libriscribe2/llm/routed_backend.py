"""Sends each request to whoever serves its model: the offline author, or LiteLLM."""

from collections.abc import AsyncIterator

from libriscribe2.llm.backend import Backend, Completion, Request
from libriscribe2.llm.providers import OFFLINE_MODEL


class RoutedBackend:
    """A backend that asks one of two others.

    Args:
        offline: Answers for the model `offline`.
        online: Answers for every other model.
    """

    def __init__(self, offline: Backend, online: Backend) -> None:
        self._offline = offline
        self._online = online

    async def complete(self, request: Request) -> Completion:
        """The answer of the model's own backend."""
        return await self._of(request).complete(request)

    def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The pieces of the model's own backend."""
        return self._of(request).stream(request)

    def _of(self, request: Request) -> Backend:
        """Who serves the model."""
        return self._offline if request.model == OFFLINE_MODEL else self._online
