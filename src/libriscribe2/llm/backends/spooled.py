"""Requests that somebody else sends: many together, as one batch of the provider.

A request is put into a spool that the processes of all books share. Whoever keeps the spool (the
parent of these processes) submits what is there as one file and puts the replies back, which may
take a day. To the client this is an answer like any other.
"""

import hashlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any, Final, Protocol

from libriscribe2.errors import ProviderError, StorageError
from libriscribe2.llm.backend import Backend, BackendError, Completion, Request
from libriscribe2.llm.backends.provider_batches import BatchLines
from libriscribe2.llm.providers import batch_provider

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


class SpooledBackend:
    """A backend that leaves its requests to a spool, where their provider has a batch API.

    Args:
        inner: Answers all that is to be sent as an ordinary call.
        lines: Writes and reads a model's lines of a batch.
        spool: Where requests wait.
        account_of: A name for the account of a model, which tells neither key nor address.
        wait: Waits so many seconds; it raises where the run is being stopped.
    """

    def __init__(
        self,
        inner: Backend,
        lines: Callable[[str], BatchLines],
        spool: Spool,
        account_of: Callable[[str], str],
        wait: Callable[[float], Awaitable[None]],
    ) -> None:
        self._inner = inner
        self._lines = lines
        self._spool = spool
        self._account_of = account_of
        self._wait = wait

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
