"""Providers' batch APIs through LiteLLM, and the spool of requests that go there together.

LiteLLM comes through the door of `litellm_library`, with the same switches. Batches are in OpenAI's
form: a JSON object per line, `/v1/chat/completions` in all of them, answered within 24 hours.

A request is put into a spool that the processes of all books share. Whoever keeps the spool (the
parent of these processes) submits what is there as one file and puts the replies back, which may
take a day. To the client this is an answer like any other.

"""

import hashlib
import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any, Final, Protocol

from libriscribe2.errors import ProviderError, StorageError
from libriscribe2.llm.backend import Backend, BackendError, Completion, Request, Usage
from libriscribe2.llm.backends.litellm import LiteLLMBackend
from libriscribe2.llm.backends.responses import cost_of
from libriscribe2.llm.failures import classify, of_answer
from libriscribe2.llm.litellm_library import load_litellm, loaded
from libriscribe2.llm.providers import batch_provider
from libriscribe2.llm.server_addresses import server_arguments
from libriscribe2.wording import secrets_in

_CLIENTS: Final[dict[tuple[object, ...], Any]] = {}
_PLACES: Final = (("batches", "openai_batches_instance"), ("files", "openai_files_instance"))
_ACCOUNT: Final = ("api_key", "api_base", "organization", "timeout")


def share_clients(litellm: Any) -> None:
    """Have the calls of one account share a client until `close_clients`; a second time does nothing."""
    for package, name in _PLACES:
        handler = getattr(getattr(litellm, package).main, name)
        if "get_openai_client" not in vars(handler):
            handler.get_openai_client = _sharing(handler.get_openai_client)


async def close_clients() -> None:
    """Close all of them; further calls make others."""
    clients = list(_CLIENTS.values())
    _CLIENTS.clear()
    for client in clients:
        await client.close()


def _sharing(make: Callable[..., Any]) -> Callable[..., Any]:
    def client(**named: Any) -> Any:
        if not named.get("_is_async"):
            return make(**named)
        account = tuple(named.get(name) for name in _ACCOUNT)
        if account not in _CLIENTS:
            _CLIENTS[account] = make(**named)
        return _CLIENTS[account]

    return client


ENDPOINT: Final = "/v1/chat/completions"
WINDOW: Final = "24h"
MARK: Final = "libriscribe2"
"""Key of a batch's metadata under which it is found again."""

_LISTED: Final = 100
_FILE_SECONDS: Final = 300.0
_GLANCE_SECONDS: Final = 30.0
_UNPRICED: Final = {"batch_ignore_default_logging": True}
"""Else LiteLLM fetches all files of a batch that has ended, in the background, to price it."""

_NOT_SENT: Final = ("stream", "extra_body", "stream_options")

_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})


@dataclass(frozen=True, slots=True)
class Line:
    """A request as a line of a batch.

    Attributes:
        body: The body that an ordinary call would have.
        optional: The parameters that may be given up.
    """

    body: Mapping[str, Any]
    optional: Mapping[str, Any]


class BatchLines:
    """Writes requests as lines of a batch and reads the answers, as ordinary calls would.

    Args:
        backend: Who would send them as ordinary calls.
    """

    def __init__(self, backend: LiteLLMBackend) -> None:
        self._backend = backend

    async def asked(self, request: Request) -> Line:
        """The line of a request.

        Raises:
            BackendError: LiteLLM refuses the request.
        """
        litellm = await loaded()
        call, optional = self._backend.wording(request)
        try:
            return Line(_body(litellm, call), optional)
        except Exception as error:  # noqa: BLE001 - the boundary: LiteLLM raises anything
            raise _failure(error) from None

    async def answered(self, request: Request, body: Mapping[str, Any], began: float) -> Completion:
        """The completion in an answer, at the price of a batch.

        Raises:
            BackendError: It holds no reply.
        """
        litellm = await loaded()
        try:
            response = litellm.utils.convert_to_model_response_object(
                response_object=dict(body), model_response_object=litellm.ModelResponse()
            )
        except Exception as error:  # noqa: BLE001 - as above
            raise BackendError("malformed", _failure(error).message) from None
        return self._backend.read(request, response, began, batch_price)

    def failed(self, status: int | None, body: Any) -> BackendError:
        """The failure that an answer tells."""
        return of_answer(status, body, secrets=secrets_in(os.environ))

    def give_up(self, request: Request, line: Line, failure: BackendError) -> bool:
        """Give up what a refusal blames; whether the request is worth another line."""
        return self._backend.give_up(request, line.optional, failure)


@dataclass(frozen=True, slots=True)
class Progress:
    """How a batch stands at its provider.

    Attributes:
        status: The provider's word.
        ended: Whether nothing more is going to be answered.
        files: Ids of the files that hold answers and failures.
        why: Why it failed, if it says so.
        unseen: Whether there are answers that no file holds yet.
    """

    status: str
    ended: bool
    files: tuple[str, ...] = ()
    why: str = ""
    unseen: bool = False


class ProviderBatches:
    """The batch API of one provider's account.

    Args:
        provider: LiteLLM's name of the provider.
        url: Base address of the server; None leaves it to the provider.
        glance_seconds: How long a call may take that moves no file and submits nothing.
    """

    def __init__(
        self, provider: str, url: str | None, glance_seconds: float = _GLANCE_SECONDS
    ) -> None:
        self._named = {
            "custom_llm_provider": provider,
            "max_retries": 0,
            "timeout": _FILE_SECONDS,
            **server_arguments(url),
        }
        self._glance = {**self._named, "timeout": glance_seconds}

    async def upload(self, name: str, data: bytes) -> str:
        """Store an input file there; its id.

        Raises:
            BackendError: It could not be stored.
        """
        litellm = await _sharing_lines()
        named = {"file": (f"{name}.jsonl", data), "purpose": "batch", **self._named}
        return str((await _done(litellm.acreate_file(**named))).id)

    async def submit(self, name: str, file: str) -> str:
        """Have a file answered; the id of the batch.

        Raises:
            BackendError: It was refused, or nobody knows.
        """
        litellm = await _sharing_lines()
        named = {
            "completion_window": WINDOW,
            "endpoint": ENDPOINT,
            "input_file_id": file,
            "metadata": {MARK: name},
            **self._named,
        }
        return str((await _done(litellm.acreate_batch(**named))).id)

    async def find(self, name: str, file: str) -> str | None:
        """The id of the batch that was submitted under a name, or of a file; None if none was.

        Only the hundred latest batches of the account are looked through.

        Raises:
            BackendError: The provider does not say.
        """
        litellm = await _sharing_lines()
        listed = await _done(litellm.alist_batches(limit=_LISTED, **self._glance))
        for one in getattr(listed, "data", None) or ():
            marked = dict(getattr(one, "metadata", None) or {}).get(MARK) == name
            if marked or one.input_file_id == file:
                return str(one.id)
        return None

    async def look(self, batch: str) -> Progress:
        """How a batch stands.

        Raises:
            BackendError: The provider does not say.
        """
        litellm = await _sharing_lines()
        named = {"litellm_metadata": dict(_UNPRICED), **self._glance}
        found = await _done(litellm.aretrieve_batch(batch_id=batch, **named))
        files = tuple(
            str(file) for file in (found.output_file_id, found.error_file_id) if file is not None
        )
        counts = getattr(found, "request_counts", None)
        # The answers of a batch may come into sight a moment after its end, and after its failures.
        unseen = found.output_file_id is None and bool(getattr(counts, "completed", 0))
        status = str(found.status)
        return Progress(status, status in _ENDED, files, _reason(found), unseen)

    async def cancel(self, batch: str) -> None:
        """Have nothing more of a batch answered.

        Raises:
            BackendError: The provider refused; it may have ended.
        """
        litellm = await _sharing_lines()
        await _done(litellm.acancel_batch(batch_id=batch, **self._glance))

    async def content(self, file: str) -> bytes:
        """A file with answers.

        Raises:
            BackendError: It could not be had.
        """
        litellm = await _sharing_lines()
        found = await _done(litellm.afile_content(file_id=file, **self._named))
        return bytes(found.content)


def batch_price(model: str, usage: Usage, reporting: Any) -> float | None:
    """US dollars of a call in a batch: what the provider says it cost, else by the price map.

    That is LiteLLM's price for batches, and half the ordinary price where it knows none. A price of
    0 counts as unknown, as for ordinary calls.
    """
    told = cost_of(reporting)
    if told is not None:
        return told
    litellm = load_litellm()
    counted = reporting if usage.known else None
    tokens = counted or litellm.Usage(
        prompt_tokens=usage.input_tokens, completion_tokens=usage.output_tokens
    )
    try:
        price = sum(litellm.cost_calculator.batch_cost_calculator(usage=tokens, model=model))
    except Exception:  # noqa: BLE001 - unknown models raise anything, a bare Exception included
        return None
    return float(price) if price > 0 else None


async def _sharing_lines() -> Any:
    """LiteLLM, with one client per account."""
    litellm = await loaded()
    share_clients(litellm)
    return litellm


def _body(litellm: Any, call: Mapping[str, Any]) -> dict[str, Any]:
    """The body that LiteLLM would send for the arguments of `acompletion`."""
    model, provider, _, _ = litellm.get_llm_provider(call["model"])
    names = ("temperature", "max_tokens", "response_format", "tools")
    wanted = {name: call[name] for name in names if name in call}
    optional = litellm.utils.get_optional_params(
        model=model, custom_llm_provider=provider, messages=call["messages"], **wanted
    )
    config = litellm.utils.ProviderConfigManager.get_provider_chat_config(
        model, litellm.LlmProviders(provider)
    )
    body: dict[str, Any] = config.transform_request(
        model=model,
        messages=call["messages"],
        optional_params=optional,
        litellm_params={},
        headers={},
    )
    more = body.get("extra_body") or {}
    return {name: value for name, value in (body | more).items() if name not in _NOT_SENT}


def _reason(found: Any) -> str:
    """The first fault that a batch names."""
    faults = getattr(getattr(found, "errors", None), "data", None) or ()
    return next((str(one.message) for one in faults if getattr(one, "message", None)), "")


async def _done(work: Awaitable[Any]) -> Any:
    """What LiteLLM gives.

    Raises:
        BackendError: It failed.
    """
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - the boundary: LiteLLM raises anything
        raise _failure(error) from None


def _failure(error: Exception) -> BackendError:
    return classify(error, secrets=secrets_in(os.environ))


_FIRST_LOOK_SECONDS: Final = 0.1
_LONGEST_LOOK_SECONDS: Final = 2.0
_GROWTH: Final = 1.5

# A cap on the cost may shorten `max_tokens`, and by how much depends on what is spent by then.
_IDENTITY: Final = sorted(
    one.name for one in fields(Request) if one.init and one.name != "max_tokens"
)


class Spool(Protocol):
    """Where one book's requests wait for their replies."""

    def put(self, ident: str, asked: Mapping[str, Any]) -> None:
        """Let a request wait, unless its reply is there."""
        ...

    def reply(self, ident: str) -> Mapping[str, Any] | None:
        """What came of a request: `status` and `body`, or `ordinary` with a reason; None as yet."""
        ...

    def withdraw(self, ident: str) -> None:
        """Have a request wait no longer: nobody wants its reply, or has it."""
        ...

    def forget(self, ident: str) -> None:
        """Throw a reply away: it is kept elsewhere, or wanted no more."""
        ...

    def attended(self) -> bool:
        """Whether somebody keeps the spool."""
        ...


@dataclass(eq=False)
class SpooledBackend:
    """A backend that leaves its requests to a spool, where their provider has a batch API.

    Args:
        inner: Answers all that is to be sent as an ordinary call.
        lines: Writes and reads a model's lines of a batch.
        spool: Where requests wait.
        account_of: A name for the account of a model, which tells neither key nor address.
        wait: Waits so many seconds; it raises where the run is being stopped.
    """

    _inner: Backend
    _lines: Callable[[str], BatchLines]
    _spool: Spool
    _account_of: Callable[[str], str]
    _wait: Callable[[float], Awaitable[None]]

    async def complete(self, request: Request) -> Completion:
        """The reply of the provider's batch, or of an ordinary call where there is none.

        Raises:
            BackendError: No usable reply came.
            ProviderError: Nobody keeps the spool any more.
        """
        if batch_provider(request.model) is None:
            return await self._inner.complete(request)
        began = time.monotonic()
        lines, ident = self._lines(request.model), identity(request)
        while True:
            line = await lines.asked(request)
            account = self._account_of(request.model)
            self._spool.put(ident, {"model": request.model, "account": account, "body": line.body})
            reply = await self._reply_or_withdrawn(ident)
            if "ordinary" in reply:
                self._spool.forget(ident)
                return await self._inner.complete(request)
            if reply["status"] == 200:
                return await self._answered(lines, request, reply["body"], began)
            self._spool.forget(ident)
            failure = lines.failed(reply["status"], reply["body"])
            if not lines.give_up(request, line, failure):
                raise failure

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        """The same reply in one piece: a batch does not stream.

        Raises:
            BackendError: No usable reply came.
            ProviderError: Nobody keeps the spool any more.
        """
        if batch_provider(request.model) is None:
            async for item in self._inner.stream(request):
                yield item
            return
        whole = await self.complete(request)
        if whole.reply:
            yield whole.reply
        yield whole

    async def _answered(
        self, lines: BatchLines, request: Request, body: Any, began: float
    ) -> Completion:
        """The completion in an answer; one that cannot be read is not read again."""
        try:
            return await lines.answered(request, body, began)
        except BackendError:
            self._spool.forget(identity(request))
            raise

    async def _reply_or_withdrawn(self, ident: str) -> Mapping[str, Any]:
        """What comes of a request; where nobody waits for it any more, it does not leave."""
        try:
            return await self._reply(ident)
        finally:
            with suppress(StorageError):  # it would hide why the waiting ended
                self._spool.withdraw(ident)

    async def _reply(self, ident: str) -> Mapping[str, Any]:
        """What comes of a request that waits."""
        pause = _FIRST_LOOK_SECONDS
        while (found := self._spool.reply(ident)) is None:
            if not self._spool.attended():
                raise ProviderError(
                    "The calls of this batch are no longer sent",
                    why="the process that runs its books has ended",
                    fix="Continue with `libriscribe2 batch run --provider-batch`.",
                )
            await self._wait(pause)
            pause = min(_LONGEST_LOOK_SECONDS, pause * _GROWTH)
        return found


def identity(request: Request) -> str:
    """What a request is called in a spool: 64 hex digits, the same in every run of a book."""
    said = {name: getattr(request, name) for name in _IDENTITY}
    text = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
