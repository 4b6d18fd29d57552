"""`LLMClient`: ask a model, remember the reply, and ask again with feedback until it can be read.

How often one question can leave is read off four loops: `attempts` asks again after each refusal
and lets a cut text of prose be continued; `_answer` goes through the fallback chain and sends the
same request again after each passing failure. Every send passes `Admission.admit`. The names and
the conversation are those of the think-with-retry design (seed 002).
"""

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.llm.attempt import (
    Attempt,
    AttemptConsumer,
    DumpWriter,
    dump_record,
    log_attempt,
    read_reply,
)
from libriscribe2.llm.backend import (
    Backend,
    BackendError,
    CallLog,
    Completion,
    Message,
    NoCallLog,
    PatientBackend,
    Request,
)
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.call_records import CallOptions, CallRecord, DumpWritten, Piece
from libriscribe2.llm.fallbacks import (
    CONTINUE,
    CUT,
    CUT_WITH_ROOM,
    MOST_PARTS,
    FallbackChain,
    FilteredReplyError,
    Messages,
    as_messages,
    explain,
    with_feedback,
)
from libriscribe2.llm.session import Admission, CallSession, Reply, SendOptions
from libriscribe2.replies.contract import failure, split_leading_reasoning

logger = logging.getLogger(__name__)


class LLMClient:
    """Asks one model, whoever serves it.

    Args:
        url: Base URL of an OpenAI-compatible server; "" leaves it to LiteLLM.
        api_key: The key; "" leaves it to the provider's variable.
        model_name: The model as LiteLLM spells it, such as `openai/gpt-4o-mini`.
        backend: Who answers; LiteLLM where none is given.
        call_log: The journal, which remembers replies; nobody does where none is given.
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
        self._journal: CallLog = call_log if call_log is not None else NoCallLog()
        self._session = session if session is not None else CallSession()
        self._admission = Admission(self._journal, self._session)
        self._dumps = dumps
        self._consumer: AttemptConsumer | None = None

    def using(self, model_name: str, fallbacks: Iterable[str] = ()) -> Self:
        """The same client for another model, with models to try when it cannot answer."""
        twin = self._twin()
        twin.model_name = model_name
        twin.fallbacks = tuple(fallbacks)
        return twin

    def with_options(self, options: CallOptions, consumer: AttemptConsumer | None = None) -> Self:
        """The same client for a step with its own options, whose attempts somebody takes."""
        twin = self._twin()
        twin.options = options
        twin._consumer = consumer if consumer is not None else twin._consumer
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
            ContentFilteredError: The provider filtered the reply.
            BudgetError: A cap does not allow the request.
        """
        completion = (await self.ask(messages)).completion
        reasoning, reply = split_leading_reasoning(completion.reply)
        return {"reasoning": completion.reasoning or reasoning, "reply": reply}

    async def ask(self, messages: Messages, *, attempt: int = 1) -> Reply:
        """Ask once, as `think` does, for the whole record: reply, tool calls, why it ended."""
        reply = await self._answer(as_messages(messages), attempt)
        while self._goes_on(reply):
            rest = with_feedback(reply.request, reply.completion.reply, CONTINUE)
            reply = reply.continued(await self._answer(rest, attempt))
        return reply

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
        if max_retries < 1:
            raise ValueError(f"max_retries counts attempts, at least 1, not {max_retries}")
        turns = as_messages(messages)
        cut_feedback = CUT if self.options.max_tokens is None else CUT_WITH_ROOM
        feedback, text, cuts = "", "", 0
        with self._asked_anew():
            for number in range(1, max_retries + 1):
                reply = await self._answer(turns, number, cuts)
                while self._goes_on(reply):
                    rest = with_feedback(reply.request, reply.completion.reply, CONTINUE)
                    reply = reply.continued(await self._answer(rest, number, cuts))
                attempt = await read_reply(reply, parser, cut_feedback, **parser_kwargs)
                self.record(attempt, parser)
                if self._consumer is not None:
                    self._consumer.add(attempt)
                if attempt.result["status"] == "success":
                    return attempt.value
                cuts += reply.is_cut
                feedback, text = attempt.feedback, reply.completion.reply
                turns = with_feedback(reply.request, text, feedback)
            raise MaxRetriesExceededError(max_retries, feedback, text)

    @contextmanager
    def _asked_anew(self) -> Iterator[None]:
        """Have the next run ask anew where a conversation of a stage brought nothing usable."""
        try:
            yield
        except MaxRetriesExceededError as error:
            stage = self.options.stage
            if stage:
                self._journal.anew(self.options.step)
                error.what = f"The stage {stage!r} got no usable reply: {error.what}"
                error.why = f"the model was last told: {error.last_feedback}"
                error.fix = "run `libriscribe2 resume` to ask again; `libriscribe2 debug list` shows the replies"
            raise

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

    async def _answer(self, turns: tuple[Message, ...], attempt: int, cuts: int = 0) -> Reply:
        """The reply of the first model of the fallback chain that gives one.

        A reply that any of them was paid for comes before a new request to the first.

        Args:
            turns: The conversation.
            attempt: Its number from 1.
            cuts: How many of the attempts before it were cut at the length limit.
        """
        session, models = self._session, (self.model_name, *self.fallbacks)
        requests = [self._request(turns, attempt, one, cuts) for one in models]
        chain = FallbackChain(requests, session.retry, session.rng)
        reply = self._replayed(chain.perhaps_paid(self._journal))
        while reply is None:
            asked = chain.next()
            how = self._send_options(is_last=asked.is_last_model, roomy=cuts > 0)
            reply = self._paid_or_expected(asked.request)
            if reply is not None:
                break
            try:
                async with self._admission.admit(asked.request, how) as call:
                    whole: Completion | None = None
                    if not self.options.streamed:
                        whole = await self._backend.complete(call.request)
                    else:  # to its end, or a task has to close it
                        async for item in self._backend.stream(call.request):
                            whole = self._heard(call.request.step, item)
                    reply = call.done(whole)
            except BackendError as error:
                self._report_filtered(asked.request, error)
                wait = chain.failed(asked, error)
                if wait is not None:
                    await session.wait_out(wait)
        chain.answered()
        self._report(reply)
        return reply

    def _heard(self, step: str, item: str | Completion) -> Completion | None:
        """Report a piece of a reply; its closing record is what is read."""
        if isinstance(item, Completion):
            return item
        self._session.outbox.put(Piece(step, item))
        return None

    async def stream(self, messages: Messages) -> AsyncIterator[str]:
        """Ask once and yield the reply in pieces of text; their concatenation is the reply.

        The pieces are passed on as they come, so a failure in the middle is not retried here.

        Raises:
            ModelError, ProviderError, ContentFilteredError: As for `think`.
        """
        request = self._request(as_messages(messages), 1, self.model_name)
        paid = self._paid_or_expected(request)
        if paid is not None:
            self._report(paid)
            yield paid.completion.reply
            return
        how = SendOptions(self.options.agent)
        try:
            async with self._admission.admit(request, how) as call:
                whole: Completion | None = None
                async for item in self._backend.stream(call.request):
                    if isinstance(item, Completion):
                        whole = item
                    else:
                        yield item
                self._report(call.done(whole))
        except BackendError as error:
            raise explain(error, request.model) from error

    def _goes_on(self, reply: Reply) -> bool:
        """Whether a text that was cut is continued."""
        unfinished = self.options.prose and reply.is_cut and bool(reply.completion.reply)
        return unfinished and reply.parts < MOST_PARTS

    def _replayed(self, requests: Iterable[Request]) -> Reply | None:
        """The first reply that the journal holds to one of the requests."""
        agent = self.options.agent
        replies = (self._admission.replay(request, agent) for request in requests)
        return next((reply for reply in replies if reply is not None), None)

    def _paid_or_expected(self, request: Request) -> Reply | None:
        """The reply that the journal holds; None where the request can leave now.

        Damage may hide that a request was filtered whole, so each is looked up again.

        Raises:
            ReplyAwaitedError: A person has not answered it yet.
        """
        reply = self._replayed([request])
        if reply is None and isinstance(self._backend, PatientBackend):
            self._backend.expect(request)
        return reply

    def _report(self, call: CallRecord) -> None:
        """Count an answered call and report it."""
        self._session.answered(call)
        request, completion = call.request, call.completion
        logger.debug(
            "%s attempt %d: %s, %.1f s, %d tokens in, %d out%s",
            request.step,
            request.attempt,
            completion.model,
            completion.seconds,
            completion.usage.input_tokens,
            completion.usage.output_tokens,
            " (replayed)" if call.replayed else "",
        )

    def _report_filtered(self, request: Request, error: BackendError) -> None:
        """Count and dump a reply that was paid for and filtered."""
        if isinstance(error, FilteredReplyError):
            call = CallRecord(self.options.agent, request, error.completion, replayed=False)
            self._report(call)
            result = failure(f"The reply was filtered: {error.message}.")
            self.record(Attempt(call, result, filtered=error.message))

    def _send_options(self, *, is_last: bool, roomy: bool) -> SendOptions:
        """How a request to one of the models leaves."""
        parts = MOST_PARTS if self.options.prose else 1
        variants = (1 + len(self.fallbacks)) * parts
        return SendOptions(self.options.agent, is_last, roomy, variants)

    def _request(
        self, turns: tuple[Message, ...], attempt: int, model: str, cuts: int = 0
    ) -> Request:
        """The request that stands for a conversation; each cut before it doubles its room."""
        options = self.options
        room = options.max_tokens
        return Request(
            step=options.step,
            model=model,
            messages=turns,
            temperature=options.temperature,
            max_tokens=None if room is None else room << cuts,
            schema=options.schema,
            tools=options.tools,
            attempt=attempt,
            generation=self._journal.generation(options.step),
            in_text=options.in_text,
            picture=options.picture,
        )

    def _twin(self) -> Self:
        """A copy that shares the backend, the journal and the session."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin
