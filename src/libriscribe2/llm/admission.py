"""Asked once before each request: may it leave? It then keeps the record of what came of it.

The order here is what makes a kill harmless: the journal knows that a request leaves before it
does, and holds the reply before anyone can read it.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import InitVar, dataclass
from typing import Final, final

from libriscribe2.llm.backend import BackendError, CallLog, Completion, Request
from libriscribe2.llm.call_records import CallRecord
from libriscribe2.llm.content_filter import FilteredReplyError, filter_marker
from libriscribe2.llm.fallbacks import joined
from libriscribe2.llm.limits.budget import Reservation
from libriscribe2.llm.limits.retries import RESTING, CircuitBreaker, Wait, resting, through
from libriscribe2.llm.session import CallSession
from libriscribe2.telemetry import CONTENT_FILTERING_DETECTED

logger = logging.getLogger(__name__)


class _Journalled:
    """Shows that a reply stands in the journal; only this module has one."""


_JOURNALLED: Final = _Journalled()


@final
@dataclass(frozen=True, slots=True)
class Reply(CallRecord):
    """An answered request whose reply stands in the journal; only such a reply may be read.

    It comes from `InFlight.done` and `Admission.replay` alone.

    Attributes:
        parts: Of how many replies it was joined.
    """

    journalled: InitVar[_Journalled]
    parts: int = 1

    def __post_init__(self, journalled: _Journalled) -> None:
        if journalled is not _JOURNALLED:
            raise TypeError("a reply is made of what the journal holds")

    @property
    def is_cut(self) -> bool:
        """Whether the model stopped at the length limit."""
        return self.completion.finish_reason == "length"

    def continued(self, rest: "Reply") -> "Reply":
        """This reply with one that continues it; the request stays the first one."""
        whole = joined(self.completion, rest.completion)
        return Reply(
            self.agent, self.request, whole, self.replayed, _JOURNALLED, self.parts + rest.parts
        )


@dataclass(frozen=True, slots=True)
class SendOptions:
    """How a request leaves.

    Attributes:
        agent: Class name of the agent that asks.
        waits: Whether a model whose circuit is open is waited for.
        roomy: Whether the longest reply of the model is asked for, because a shorter one was cut.
        variants: How many models, or parts of a long reply, the step's question may be put to.
    """

    agent: str = ""
    waits: bool = True
    roomy: bool = False
    variants: int = 1


@dataclass(slots=True)
class InFlight:
    """A request that has left.

    Attributes:
        asked: The request as it was made; its key is known to the journal.
        request: The request as it leaves; the budget may have set its `max_tokens`.
    """

    asked: Request
    request: Request
    _agent: str
    _reservation: Reservation
    _journal: CallLog
    _settled: bool = False

    def done(self, completion: Completion | None) -> Reply:
        """Keep the reply; it can be read from here on.

        Raises:
            BackendError: There is none: a stream ended without its closing record.
            FilteredReplyError: The provider or the model filtered it; nothing is kept as done.
        """
        if completion is None:
            raise BackendError("cut", "The stream ended without its closing record.")
        usd = self._reservation.answered(completion)
        self._settled = True
        marker = filter_marker(completion, self.request.messages)
        if marker:
            self._journal.failed(self.asked.key(), kind="filtered", status=None, usd=usd)
            raise FilteredReplyError(marker, completion)
        self._journal.done(self.asked.key(), completion.as_record())
        return Reply(self._agent, self.asked, completion, False, _JOURNALLED)  # noqa: FBT003

    def failed(self, error: BackendError) -> None:
        """Note that no reply came, unless `done` has noted why it is none."""
        if not self._settled:
            usd = self._reservation.failed(error)
            self._journal.failed(self.asked.key(), kind=error.kind, status=error.status, usd=usd)


class Admission:
    """Journal, stop flag, circuits, budget, rates and step counts, as one.

    Args:
        journal: Who remembers replies.
        session: The shared state of the run.
    """

    def __init__(self, journal: CallLog, session: CallSession) -> None:
        self._journal = journal
        self._session = session

    def replay(self, request: Request, agent: str) -> Reply | None:
        """The reply that was paid for before; None where the request has to leave."""
        record = self._journal.find(request.key())
        if record is None:
            return None
        return Reply(agent, request, Completion.from_record(record), True, _JOURNALLED)  # noqa: FBT003

    @asynccontextmanager
    async def admit(self, request: Request, options: SendOptions) -> AsyncIterator[InFlight]:
        """Let a request leave, with a note before and one after.

        The block hands what it receives to `InFlight.done`; a failure in it is noted here.

        Raises:
            RunStoppedError: The run is being stopped.
            BudgetError: A cap does not allow the request.
            MaxRetriesExceededError: The step has made as many requests as it may.
            StorageError: The note cannot be written; the request must not leave.
            BackendError: The block's own failure; or of kind `resting` or `rate`, and nothing has
                left.
        """
        session = self._session
        session.check()
        circuit = await self._closed_circuit(request.model, waits=options.waits)
        with through(circuit):
            async with session.budget.reserve(request, roomy=options.roomy) as reservation:
                await self._share_of_rate(reservation.request)
                session.check()  # the waits may have been long
                session.steps.leave(request.step, options.variants)
                self._journal.sent(
                    request.key(), step=request.step, model=request.model, est_usd=reservation.usd
                )
                reservation.leave()
                call = InFlight(
                    request, reservation.request, options.agent, reservation, self._journal
                )
                try:
                    yield call
                except BackendError as error:
                    call.failed(error)
                    await self._tell_others(call.request, error)
                    raise

    async def _closed_circuit(self, model: str, *, waits: bool) -> CircuitBreaker:
        """A model's circuit, as soon as a request may pass it.

        Raises:
            BackendError: Of kind `resting`; nobody waits, or it took longer than any wait may.
            RunStoppedError: The run was stopped meanwhile.
        """
        session = self._session
        circuit = session.circuits.of(model)
        left = session.retry.retry_after_cap_seconds if waits else 0.0
        while (seconds := circuit.wait_seconds()) > 0:
            refused = resting(model, seconds)
            if seconds > left:
                raise refused
            if circuit.state == "open":
                session.outbox.put(Wait(seconds, RESTING, 0, refused.message))
            left -= seconds
            await session.wait(seconds)
        return circuit

    async def _share_of_rate(self, request: Request) -> None:
        """Take a request's share of the rate limits, as soon as there is one.

        Raises:
            BackendError: Of kind `rate`: the provider wants nothing for longer than a wait may be.
            RunStoppedError: The run was stopped meanwhile.
        """
        session = self._session
        left = session.retry.retry_after_cap_seconds
        while (seconds := await session.rates.take(request)) > 0:
            message = f"{request.model} may be asked again in {seconds:.0f} s"
            if seconds > left:
                raise BackendError("rate", message, retry_after=seconds, unsent=True)
            left -= seconds
            await session.wait_out(Wait(seconds, "limit", 0, message))

    async def _tell_others(self, request: Request, error: BackendError) -> None:
        """What a failure means for other requests: the pause of a model, the count of a step."""
        session = self._session
        if error.kind == "filtered":
            logger.warning("%s: %s: %s", CONTENT_FILTERING_DETECTED, request.step, error.message)
        elif error.kind == "rate":
            session.steps.refused(request.step)
            if error.retry_after is not None:
                await session.rates.pause(request.model, error.retry_after)
