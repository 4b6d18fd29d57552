"""What all clients of one run share: the limit on calls at once, the stop flag, the tally."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from libriscribe2.errors import LibriScribeError
from libriscribe2.llm.call_records import CallRecord, NoOutbox, Outbox
from libriscribe2.llm.limits.budget import Budget
from libriscribe2.llm.limits.rates import RateGate
from libriscribe2.llm.limits.retries import Circuits, RetryPolicy, StepCounts, Wait


class RunStoppedError(LibriScribeError):
    """No request leaves any more, because another part of the run has failed."""

    slug = "stopped"


@dataclass
class Tally:
    """What a run's calls came to; replays are counted apart and cost nothing.

    Attributes:
        calls: Requests that were answered by a model.
        replays: Requests that the call log answered.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        cost_usd: Sum of the known prices.
        unpriced: Calls whose price is unknown.
    """

    calls: int = 0
    replays: int = 0
    input_tokens: int = 0
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
            raise RunStoppedError("The run was stopped before this request left.")
