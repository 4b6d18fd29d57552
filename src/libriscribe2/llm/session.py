"""What all clients of one run share, and what is asked once before each request: may it leave?

The order in `Admission.admit` is what makes a kill harmless: the journal knows that a request leaves
before it does, and holds the reply before anyone can read it.
"""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import InitVar, dataclass, field
from typing import Final, final

from libriscribe2.errors import IncompleteError, LibriScribeError
from libriscribe2.llm.backend import BackendError, CallLog, Completion, Request
from libriscribe2.llm.call_records import CallRecord, NoOutbox, Outbox
from libriscribe2.llm.fallbacks import FilteredReplyError, filter_marker, joined
from libriscribe2.llm.limits.budget import Budget, Reservation
from libriscribe2.llm.limits.rates import RateGate
from libriscribe2.llm.limits.retries import (
    RESTING,
    CircuitBreaker,
    Circuits,
    RetryPolicy,
    StepCounts,
    Wait,
    resting,
    through,
)
from libriscribe2.telemetry import CONTENT_FILTERING_DETECTED


class RunStoppedError(LibriScribeError):
    """No request leaves any more, because another part of the run has failed."""

    slug = "stopped"


class ReplyAwaitedError(LibriScribeError):
    """A person has not given a reply yet; nothing has failed, and what does not need it goes on."""

    exit_code = IncompleteError.exit_code
    slug = "waiting"


@dataclass
class Tally:
    """What a run's calls came to; replays are counted apart and cost nothing.

    Attributes:
        calls: Requests that were answered by a model.
        replays: Requests that the call log answered.
        input_tokens: Tokens sent.
        cached_tokens: Those of them that a provider's cache held.
        output_tokens: Tokens received.
        cost_usd: Sum of the known prices.
        unpriced: Calls whose price is unknown.
    """

    calls: int = 0
    replays: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0

    def add(self, call: CallRecord) -> None:
        """Count one call."""
        if call.replayed:
            self.replays += 1
            return
        self.calls += 1
        self.input_tokens += call.completion.usage.input_tokens
        self.cached_tokens += call.completion.usage.cached_tokens
        self.output_tokens += call.completion.usage.output_tokens
        if call.completion.cost_usd is None:
            self.unpriced += 1
        else:
            self.cost_usd += call.completion.cost_usd

    @property
    def known_cost(self) -> float | None:
        """The cost in US dollars, or None where a call's price is unknown."""
        return None if self.unpriced else self.cost_usd


@dataclass
class CallSession:
    """The shared state of the clients of one run.

    Attributes:
        limit: How many requests may be in flight at once.
        budget: Lets requests leave as long as the caps allow.
        retry: When and how often the same payload is sent again.
        circuits: Who has failed so often that it is left alone for a while.
        rates: How often each model may be asked.
        steps: How many requests each step has made.
        sleep: Waits so many seconds; a test passes its own.
        rng: Source of the jitter between retries.
        outbox: Takes what the calls report while they go on.
        tally: The sums of the run.
        stopped: Set once nothing new may be sent.
    """

    limit: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(4))
    budget: Budget = field(default_factory=Budget)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    circuits: Circuits = field(default_factory=Circuits)
    rates: RateGate = field(default_factory=RateGate)
    steps: StepCounts = field(default_factory=StepCounts)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep  # noqa: TID251 - the real clock
    rng: random.Random = field(default_factory=random.Random)  # noqa: S311 - jitter only
    outbox: Outbox = field(default_factory=NoOutbox)
    tally: Tally = field(default_factory=Tally)
    stopped: bool = False
    _ended: asyncio.Event = field(default_factory=asyncio.Event)

    def stop(self) -> None:
        """Let nothing new be sent; waits before a retry end at once."""
        self.stopped = True
        self._ended.set()

    async def pause(self, seconds: float) -> None:
        """Wait before a retry, at most until the run is stopped."""
        waits = {
            asyncio.ensure_future(self.sleep(seconds)),
            asyncio.ensure_future(self._ended.wait()),
        }
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def wait(self, seconds: float) -> None:
        """Pause, and do not go on with a run that is being stopped.

        Raises:
            RunStoppedError: The run was stopped meanwhile.
        """
        await self.pause(seconds)
        self.check()

    async def wait_out(self, wait: Wait) -> None:
        """Report a wait and wait so long.

        Raises:
            RunStoppedError: The run was stopped meanwhile.
        """
        self.outbox.put(wait)
        await self.wait(wait.seconds)

    def answered(self, call: CallRecord) -> None:
        """Count a call and report it."""
        self.tally.add(call)
        self.outbox.put(call)

    def check(self) -> None:
        """Let a request leave.

        Raises:
            RunStoppedError: The run is being stopped.
        """
        if self.stopped:
            raise RunStoppedError("The run was stopped before this request was sent.")


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
        record = self._journal.find(request.key(), request.step)
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
        async with session.limit:
            circuit = await self._closed_circuit(request.model, waits=options.waits)
            with through(circuit):
                async with session.budget.reserve(request, roomy=options.roomy) as reservation:
                    await self._share_of_rate(reservation.request)
                    session.check()  # the waits may have been long
                    session.steps.leave(request.step, options.variants)
                    self._journal.sent(
                        request.key(),
                        step=request.step,
                        model=request.model,
                        est_usd=reservation.usd,
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
