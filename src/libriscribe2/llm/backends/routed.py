"""Sends each request to whoever serves its model: the stand-in author, or a server's backend."""

from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from libriscribe2.errors import UsageError
from libriscribe2.llm.backend import Backend, Completion, Request
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.limits.retries import TimeLimits
from libriscribe2.llm.providers import DEMO_NAMES, MANUAL_MODEL, is_built_in
from libriscribe2.project.paths import ProjectPaths

if TYPE_CHECKING:
    from libriscribe2.llm.backends.manual import ManualBackend


@dataclass(eq=False)
class RoutedBackend:
    """A backend that asks others, one per server address.

    An address belongs to a model and not to the run: a key for one provider must never reach
    the server of another.

    Args:
        url_of: The server of a model; None leaves it to the provider.
        limits: The clocks over each request.
        paths: The project, which holds the recording of a played book, and what a person is asked.
        always_apart: Whether a schema is sent apart even where many requests begin alike.
    """

    _url_of: Callable[[str], str | None]
    _limits: TimeLimits
    _paths: ProjectPaths | None = None
    always_apart: bool = False
    _built_in: dict[str, Backend] = field(default_factory=dict)
    _manual: "ManualBackend | None" = None
    _online: dict[str | None, LiteLLMBackend] = field(default_factory=dict)
    _painters: dict[str | None, LiteLLMBackend] = field(default_factory=dict)

    def complete(self, request: Request) -> Coroutine[Any, Any, Completion]:
        """The answer of the model's own backend."""
        if request.picture:
            return self._painting(request.model).complete(request)
        return self._of(request.model).complete(request)

    def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The pieces of the model's own backend."""
        return self._of(request.model).stream(request)

    def expect(self, request: Request) -> None:
        """Make sure that a person has given the reply, where a person is to answer.

        Raises:
            ReplyAwaitedError: Nobody has.
        """
        if request.model == MANUAL_MODEL:
            self._by_hand().expect(request)

    async def aclose(self) -> None:
        """Hand out what a person is to answer, and close what the backends keep open."""
        if self._manual is not None:
            self._manual.hand_out()
        for backend in (*self._online.values(), *self._painters.values()):
            await backend.aclose()

    def _of(self, model: str) -> Backend:
        """Who serves a model."""
        if model == MANUAL_MODEL:
            return self._by_hand()
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

        folder = None if self._paths is None else self._paths.root
        return RecordedAuthor(read_recording(model, folder))

    def _by_hand(self) -> "ManualBackend":
        """Who has a person ask.

        Raises:
            UsageError: There is no project for the requests.
        """
        if self._manual is None:
            from libriscribe2.llm.backends.manual import ManualBackend  # noqa: PLC0415 - rarely asked

            if self._paths is None:
                raise UsageError("The model `manual` answers only for a project.")
            self._manual = ManualBackend(self._paths)
        return self._manual

    def _painting(self, model: str) -> LiteLLMBackend:
        """Who has a model paint.

        Raises:
            UsageError: The model only stands for one, or there is no project for the picture.
        """
        from libriscribe2.llm.backends.pictures import PictureBackend  # noqa: PLC0415 - rarely asked

        if self._paths is None or model == MANUAL_MODEL or is_built_in(model):
            raise UsageError(
                f"{model!r} paints no pictures.",
                fix="Name a model that does, such as --model openai/gpt-image-1.",
            )
        url = self._url_of(model)
        if url not in self._painters:
            self._painters[url] = PictureBackend(self._paths, url, self._limits)
        return self._painters[url]

    def online(self, model: str) -> LiteLLMBackend:
        """Who asks the server of a model."""
        url = self._url_of(model)
        if url not in self._online:
            self._online[url] = LiteLLMBackend(
                url, None, limits=self._limits, always_apart=self.always_apart
            )
        return self._online[url]
