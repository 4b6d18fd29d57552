"""`LLMClient`: ask a model, remember the reply, and ask again with feedback until it can be read.

The names and the conversation are those of the think-with-retry design (seed 002).
"""

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

from libriscribe2.llm.attempt import Attempt, DumpWriter, dump_record, log_attempt
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
from libriscribe2.llm.conversation import CUT, CUT_WITH_ROOM, Messages, as_messages, converse
from libriscribe2.llm.litellm_backend import LiteLLMBackend
from libriscribe2.llm.options import CallOptions, CallRecord
from libriscribe2.llm.outbox import DumpWritten, Piece
from libriscribe2.llm.resilience import explain, with_retries
from libriscribe2.llm.sending import Leaving, sending
from libriscribe2.llm.session import CallSession
from libriscribe2.llm.ways import first_answer, kept_reply
from libriscribe2.llm.withheld import WithheldError
from libriscribe2.replies.parsers import ParserResult, failure, payload, split_leading_reasoning

logger = logging.getLogger(__name__)


class LLMClient:
    """Asks one model, whoever serves it.

    Args:
        url: Base URL of an OpenAI-compatible server; "" leaves it to LiteLLM.
        api_key: The key; "" leaves it to the provider's variable.
        model_name: The model as LiteLLM spells it, such as `openai/gpt-4o-mini`.
        backend: Who answers; LiteLLM where none is given.
        call_log: Who remembers replies; nobody where none is given.
        session: The shared state of the run.
        dumps: Who keeps attempts for review; nobody where none is given.
    """

    def __init__(  # noqa: PLR0913 - the parts of a call, each with a default
        self,
        url: str,
        api_key: str,
        model_name: str,
        *,
        backend: Backend | None = None,
        call_log: CallLog | None = None,
        session: CallSession | None = None,
        dumps: DumpWriter | None = None,
    ) -> None:
        self.url = url
        self.api_key = api_key
        self.model_name = model_name
        self.fallbacks: tuple[str, ...] = ()
        self.options = CallOptions()
        self._backend: Backend = (
            backend if backend is not None else LiteLLMBackend(url or None, api_key or None)
        )
        self._log: CallLog = call_log if call_log is not None else NoCallLog()
        self._session = session if session is not None else CallSession()
        self._dumps = dumps

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

    async def ask(self, messages: Messages, *, attempt: int = 1) -> CallRecord:
        """Ask once, as `think` does, for the whole record: reply, tool calls, why it ended."""
        return await self._ask(as_messages(messages), attempt=attempt)

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
        result: ParserResult | None = None
        async for attempt in self.attempts(messages, parser, max_retries, **parser_kwargs):
            result = attempt.result
        return None if result is None else payload(result)

    async def attempts(
        self,
        messages: Messages,
        parser: Callable[..., Any],
        most: int = 3,
        **parser_kwargs: Any,
    ) -> AsyncIterator[Attempt]:
        """The attempts of `think_with_retry`, each after its reply was read; the last one succeeds.

        Raises:
            MaxRetriesExceededError, TypeError, ValueError: As for `think_with_retry`.
            ModelError, ProviderError, ContentFilteredError: As for `think`.
        """

        async def parse(reply: str) -> Any:
            found = parser(reply, **parser_kwargs)
            return await found if hasattr(found, "__await__") else found

        on_cut = CUT if self.options.max_tokens is None else CUT_WITH_ROOM
        async for attempt in converse(self._ask, as_messages(messages), parse, most, on_cut=on_cut):
            self.record(attempt, parser)
            yield attempt

    def record(self, attempt: Attempt, parser: object = None) -> None:
        """Log an attempt and write its dump; a replayed one is dumped once.

        Args:
            attempt: A reply and what was made of it.
            parser: What read it, for the dump.
        """
        record = dump_record(self.options.stage, attempt, parser)
        log_attempt(record, filtered=bool(attempt.filtered))
        if self._dumps is None or (attempt.call.replayed and self._dumps.has(record.key)):
            return
        path = self._dumps.write(record)
        self._session.outbox.put(DumpWritten(record, path.name))

    async def _ask(
        self, messages: tuple[Message, ...], *, attempt: int, cuts: int = 0
    ) -> CallRecord:
        """One attempt: the reply of the first model that answers, continued if it was cut.

        Args:
            messages: The conversation.
            attempt: Its number from 1.
            cuts: How many of the attempts before it were cut at the length limit.
        """
        call = await self._answer(messages, attempt, cuts)
        whole = call.completion
        for _ in range(MAX_CONTINUATIONS):
            if not (self.options.prose and whole.finish_reason == "length" and whole.reply):
                break
            turn = next_turn(call.request.messages, whole.reply)
            whole = joined(whole, (await self._answer(turn, attempt, cuts)).completion)
        return replace(call, completion=whole)

    async def _answer(self, messages: tuple[Message, ...], attempt: int, cuts: int) -> CallRecord:
        """The reply of the first of the models that can be had.

        A reply that any of them was paid for comes before a new request to the first.
        """
        models = (self.model_name, *self.fallbacks)
        requests = [self._request(messages, attempt, model, cuts) for model in models]
        kept = kept_reply(requests, self._log)
        if kept is not None:
            return self._replayed(*kept)

        async def call(request: Request, last_model: bool) -> CallRecord:  # noqa: FBT001
            paid = self._log.find(request.key())  # where damage hid that the whole was withheld
            if paid is not None:
                return self._replayed(request, paid)
            parts = 1 + MAX_CONTINUATIONS if self.options.prose else 1
            return await self._call(request, Leaving(last_model, cuts > 0, len(models) * parts))

        return await first_answer(requests, call)

    async def _call(self, request: Request, how: Leaving) -> CallRecord:
        """The model's reply to a request, asked for again after a passing failure."""
        session = self._session
        try:
            async with session.limit:
                completion = await with_retries(
                    lambda: self._send(request, how),
                    policy=session.retry,
                    sleep=session.pause,
                    rng=session.rng,
                    on_wait=session.outbox.put,
                )
        except WithheldError as error:
            call = self._told(request, error.completion, replayed=False)
            result = failure(f"The reply was withheld: {error.message}.")
            self.record(Attempt(call, result, filtered=error.message))
            raise
        return self._told(request, completion, replayed=False)

    async def _send(self, request: Request, how: Leaving) -> Completion:
        """Send a request once."""
        async with sending(request, self._log, self._session, how) as call:
            return call.keep(await self._receive(call.request))

    async def _receive(self, request: Request) -> Completion | None:
        """The backend's reply, streamed where its pieces are reported; None where no stream closed it."""
        if not self.options.streamed:
            return await self._backend.complete(request)
        whole: Completion | None = None
        async for item in self._backend.stream(request):  # to its end, or a task has to close it
            if isinstance(item, Completion):
                whole = item
            else:
                self._session.outbox.put(Piece(request.step, item))
        return whole

    async def _journalled_stream(self, request: Request) -> AsyncIterator[str]:
        """A backend's pieces, with the same notes as `_send`."""
        async with self._session.limit, sending(request, self._log, self._session) as call:
            whole: Completion | None = None
            async for item in self._backend.stream(call.request):
                if isinstance(item, Completion):
                    whole = item
                else:
                    yield item
            self._told(request, call.keep(whole), replayed=False)

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

    def _request(
        self, messages: tuple[Message, ...], attempt: int, model: str, cuts: int = 0
    ) -> Request:
        """The request that stands for a conversation; each cut before it doubles its room."""
        options = self.options
        room = options.max_tokens
        return Request(
            step=options.step,
            model=model,
            messages=messages,
            temperature=options.temperature,
            max_tokens=None if room is None else room << cuts,
            schema=options.schema,
            tools=options.tools,
            attempt=attempt,
            generation=self._log.generation(options.step),
        )

    def _twin(self) -> Self:
        """A copy that shares the backend, the log and the session."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin
