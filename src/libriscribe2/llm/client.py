"""`LLMClient`: ask a model, remember the reply, and ask again with feedback until it can be read.

The names and the conversation are those of the think-with-retry design (seed 002).
"""

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

from libriscribe2.llm.backend import (
    Backend,
    BackendError,
    CallLog,
    Completion,
    Message,
    NoCallLog,
    Request,
)
from libriscribe2.llm.continuation import MAX_CONTINUATIONS, joined, next_turn
from libriscribe2.llm.conversation import converse
from libriscribe2.llm.litellm_backend import LiteLLMBackend
from libriscribe2.llm.options import CallOptions, CallRecord
from libriscribe2.llm.resilience import explain, with_retries
from libriscribe2.llm.sending import sending
from libriscribe2.llm.session import CallSession
from libriscribe2.parsing.prose import split_leading_reasoning

logger = logging.getLogger(__name__)

Messages = str | Iterable[str | Message]


class LLMClient:
    """Asks one model, whoever serves it.

    Args:
        url: Base URL of an OpenAI-compatible server; "" leaves it to LiteLLM.
        api_key: The key; "" leaves it to the provider's variable.
        model_name: The model as LiteLLM spells it, such as `openai/gpt-4o-mini`.
        backend: Who answers; LiteLLM where none is given.
        call_log: Who remembers replies; nobody where none is given.
        session: The shared state of the run.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        model_name: str,
        *,
        backend: Backend | None = None,
        call_log: CallLog | None = None,
        session: CallSession | None = None,
    ) -> None:
        self.url = url
        self.api_key = api_key
        self.model_name = model_name
        self.fallbacks: tuple[str, ...] = ()
        self.options = CallOptions()
        self._backend = backend if backend is not None else _litellm(url, api_key)
        self._log: CallLog = call_log if call_log is not None else NoCallLog()
        self._session = session if session is not None else CallSession()

    def using(self, model_name: str, fallbacks: Iterable[str] = ()) -> Self:
        """The same client for another model, with models to try when it cannot answer."""
        twin = self._twin()
        twin.model_name = model_name
        twin.fallbacks = tuple(fallbacks)
        return twin

    def with_options(self, options: CallOptions) -> Self:
        """The same client for a step with its own options."""
        twin = self._twin()
        twin.options = options
        return twin

    async def think(self, messages: Messages) -> dict[str, str | None]:
        """Ask once.

        Args:
            messages: The conversation, or one user message.

        Returns:
            `{"reasoning": the model's thoughts or None, "reply": the answer}`; a leading
            `<think>` block counts as thoughts.

        Raises:
            ModelError: The key or the model's name is wrong.
            ProviderError: The network or the provider failed.
            ContentFilteredError: The provider withheld the reply.
            BudgetError: A cap does not allow the request.
        """
        call = await self._ask(as_messages(messages), attempt=1)
        reasoning, reply = split_leading_reasoning(call.completion.reply)
        return {"reasoning": call.completion.reasoning or reasoning, "reply": reply}

    async def stream(self, messages: Messages) -> AsyncIterator[str]:
        """Ask once and yield the reply in pieces of text; their concatenation is the reply.

        The pieces are passed on as they come, so a failure in the middle is not retried here.

        Raises:
            ModelError, ProviderError, ContentFilteredError: As for `think`.
        """
        request = self._request(as_messages(messages), attempt=1, model=self.model_name)
        kept = self._log.find(request.key())
        if kept is not None:
            yield self._replayed(request, kept).completion.reply
            return
        try:
            async for item in self._journalled_stream(request):
                yield item
        except BackendError as error:
            raise explain(error, request.model) from error

    async def think_with_retry(
        self,
        initial_messages: Messages | None = None,
        parser: Callable[..., Any] | None = None,
        max_retries: int = 3,
        **parser_kwargs: Any,
    ) -> Any:
        """Ask until the reply can be parsed, telling the model each time what was wrong.

        Args:
            initial_messages: The conversation, or one user message; `messages` is an alias.
            parser: Reads a reply: `parser(raw_reply, **parser_kwargs)` returns a dict with
                `status` and `data` or `sections`, or `feedback`. It may be async.
            max_retries: How many requests are made at most, the first one included.
            **parser_kwargs: Passed to the parser.

        Returns:
            The parser's `data`, or its `sections`.

        Raises:
            MaxRetriesExceededError: No reply could be parsed.
            TypeError: The parser broke its contract.
            ValueError: `max_retries` is below 1.
            ModelError, ProviderError, ContentFilteredError: As for `think`; these are not
                attempts of the conversation.
        """
        messages = parser_kwargs.pop("messages", initial_messages)
        if messages is None or parser is None:
            raise TypeError("think_with_retry needs messages and a parser")

        async def parse(reply: str) -> Any:
            found = parser(reply, **parser_kwargs)
            return await found if hasattr(found, "__await__") else found

        return await converse(
            self._ask, as_messages(messages), parse, max_retries, self.options.on_attempt
        )

    async def _ask(self, messages: tuple[Message, ...], *, attempt: int) -> CallRecord:
        """One attempt: the reply of the first model that answers, continued if it was cut."""
        call = await self._answer(messages, attempt)
        whole = call.completion
        for _ in range(MAX_CONTINUATIONS):
            if not (self.options.prose and whole.finish_reason == "length" and whole.reply):
                break
            turn = next_turn(messages, whole.reply)
            whole = joined(whole, (await self._answer(turn, attempt)).completion)
        return replace(call, completion=whole)

    async def _answer(self, messages: tuple[Message, ...], attempt: int) -> CallRecord:
        """The reply of the first of the models that can be had.

        A reply that any of them was paid for comes before a new request to the first.
        """
        models = (self.model_name, *self.fallbacks)
        requests = [self._request(messages, attempt, model) for model in models]
        for request in requests:
            kept = self._log.find(request.key())
            if kept is not None:
                return self._replayed(request, kept)
        for request in requests:
            try:
                return await self._call(request)
            except BackendError as error:
                if request is requests[-1]:
                    raise explain(error, request.model) from error
                told = (request.model, error.kind)
                logger.warning("%s could not answer (%s); asking the next", *told)
        raise AssertionError("unreachable: the last model either answers or raises")

    async def _call(self, request: Request) -> CallRecord:
        """The model's reply to a request, asked for again after a passing failure."""
        session = self._session
        async with session.limit:
            completion = await with_retries(
                lambda: self._send(request),
                policy=session.retry,
                sleep=session.pause,
                rng=session.rng,
                on_wait=session.on_wait,
            )
        return self._told(request, completion, replayed=False)

    async def _send(self, request: Request) -> Completion:
        """Send a request once."""
        async with sending(request, self._log, self._session) as call:
            return call.keep(await self._receive(call.request))

    async def _receive(self, request: Request) -> Completion:
        """The backend's reply, streamed if somebody listens."""
        listener = self.options.on_piece
        if listener is None:
            return await self._backend.complete(request)
        async for item in self._backend.stream(request):
            if isinstance(item, Completion):
                return item
            listener(item)
        raise BackendError("cut", "The stream ended without its closing record.")

    async def _journalled_stream(self, request: Request) -> AsyncIterator[str]:
        """A backend's pieces, with the same notes as `_send`."""
        async with self._session.limit, sending(request, self._log, self._session) as call:
            async for item in self._backend.stream(call.request):
                if isinstance(item, Completion):
                    self._told(request, call.keep(item), replayed=False)
                    return
                yield item
            raise BackendError("cut", "The stream ended without its closing record.")

    def _replayed(self, request: Request, kept: Mapping[str, Any]) -> CallRecord:
        """A call that the log answers."""
        return self._told(request, Completion.from_record(kept), replayed=True)

    def _told(self, request: Request, completion: Completion, *, replayed: bool) -> CallRecord:
        """Count a call."""
        call = CallRecord(self.options.agent, request, completion, replayed)
        self._session.answered(call)
        logger.debug(
            "%s attempt %d: %s, %.1f s, %d tokens in, %d out%s",
            request.step,
            request.attempt,
            completion.model,
            completion.seconds,
            completion.usage.input_tokens,
            completion.usage.output_tokens,
            " (replayed)" if replayed else "",
        )
        return call

    def _request(self, messages: tuple[Message, ...], attempt: int, model: str) -> Request:
        """The request that stands for a conversation."""
        options = self.options
        return Request(
            step=options.step,
            model=model,
            messages=messages,
            temperature=options.temperature,
            max_tokens=options.max_tokens,
            schema=options.schema,
            attempt=attempt,
            generation=self._log.generation(options.step),
        )

    def _twin(self) -> Self:
        """A copy that shares the backend, the log and the session."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin


def as_messages(messages: Messages) -> tuple[Message, ...]:
    """Text, texts or role dicts as a conversation; the caller's list is left alone."""
    if isinstance(messages, str):
        messages = [messages]
    return tuple(
        {"role": "user", "content": turn} if isinstance(turn, str) else turn for turn in messages
    )


def _litellm(url: str, api_key: str) -> Backend:
    """The backend that LiteLLM is behind."""
    return LiteLLMBackend(url or None, api_key or None)
