"""The same tool call again: after 408, 429, 5xx and lost connections, with backoff and a breaker.

The analyzer never sees what is settled here, so that no model is asked about a server's troubles.
"""

import random
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final
from urllib.parse import urlsplit

from libriscribe2.errors import IncompleteError, LibriScribeError, ProjectError
from libriscribe2.llm.circuit_breaker import CircuitBreaker
from libriscribe2.llm.retries import RetryPolicy, Sleep
from libriscribe2.toolchain import chain_metrics as names
from libriscribe2.toolchain.chain_metrics import ChainMetrics
from libriscribe2.toolchain.tool_failure import (
    UNAVAILABLE,
    ToolCallError,
    ToolFailure,
    failure_of,
    soft_failure,
)

TOOL_RETRIES: Final = RetryPolicy(
    attempts=3, base_seconds=0.1, cap_seconds=5.0, retry_after_cap_seconds=60.0
)
"""How patiently a tool is called again."""

_OPEN: Final = "circuit_open"
_FACTOR: Final = 2.0
_JITTER: Final = 0.1

Call = Callable[[dict[str, Any]], Awaitable[Any]]
"""Calls a tool once with its parameters."""


@dataclass
class ResilientCaller:
    """Calls tools.

    Attributes:
        sleep: Waits so many seconds.
        policy: How often and how patiently.
        rng: Draws the jitter.
        clock: Seconds, for the circuit breakers.
        metrics: Counts calls and retries.
        new_breaker: Makes the breaker of a host or tool.
    """

    sleep: Sleep
    policy: RetryPolicy = TOOL_RETRIES
    rng: random.Random = field(default_factory=random.Random)  # noqa: S311 - jitter only
    clock: Callable[[], float] = monotonic
    metrics: ChainMetrics = field(default_factory=ChainMetrics)
    new_breaker: Callable[[Callable[[], float]], CircuitBreaker] = field(
        default=lambda clock: CircuitBreaker(clock=clock)
    )
    _breakers: dict[str, CircuitBreaker] = field(default_factory=dict)

    async def call(self, tool: str, parameters: Mapping[str, Any], send: Call) -> Any:
        """Call until there is a result or a failure that waiting does not mend.

        Args:
            tool: Name of the tool.
            parameters: What it is given; every call gets a copy of its own.
            send: Calls it once.

        Raises:
            ToolCallError: The last failure.
            LibriScribeError: A failure that is the run's and not the tool's.
        """
        breaker = self._breaker(breaker_key(tool, parameters))
        attempt = 1
        while True:
            try:
                return await self._once(breaker, parameters, send)
            except ToolCallError as error:
                seconds = self._pause(error.failure, attempt)
                if seconds is None:
                    raise
            self.metrics.count(names.TOOL_RETRIES)
            await self.sleep(seconds)
            attempt += 1

    async def again_later(self, attempt: int) -> None:
        """Wait before a call that a model has judged to be worth repeating as it is."""
        await self.sleep(self._backoff(attempt))

    async def _once(
        self, breaker: CircuitBreaker, parameters: Mapping[str, Any], send: Call
    ) -> Any:
        """One call, if the circuit is closed; only the server's own troubles count against it."""
        wait = breaker.wait_seconds()
        if wait > 0:
            raise ToolCallError(_rested(wait))
        claim = breaker.enter()
        try:
            result = await self._sent(parameters, send)
        except ToolCallError as error:
            if error.failure.route == "retry":
                breaker.failed(claim)
            else:
                breaker.succeeded(claim)
            raise
        except BaseException:
            breaker.released(claim)
            raise
        breaker.succeeded(claim)
        return result

    async def _sent(self, parameters: Mapping[str, Any], send: Call) -> Any:
        self.metrics.count(names.TOOL_CALLS)
        try:
            result = await send(deepcopy(dict(parameters)))
        except Exception as error:  # the boundary: a tool of another package raises anything
            if is_the_runs(error):
                raise
            raise ToolCallError(failure_of(error)) from error
        failed = soft_failure(result)
        if failed is not None:
            raise ToolCallError(failed)
        return result

    def _pause(self, failure: ToolFailure, attempt: int) -> float | None:
        """Seconds before the same call again; None where it is final."""
        if failure.route != "retry" or failure.code == _OPEN or attempt >= self.policy.attempts:
            return None
        asked = failure.retry_after if failure.retry_after is not None else 0.0
        if asked > self.policy.retry_after_cap_seconds:
            return None
        return max(asked, self._backoff(attempt))

    def _backoff(self, attempt: int) -> float:
        """The exponential wait, a tenth more or less, so that callers do not return together."""
        policy = self.policy
        seconds = min(policy.cap_seconds, policy.base_seconds * _FACTOR ** min(attempt - 1, 62))
        return seconds * self.rng.uniform(1 - _JITTER, 1 + _JITTER)

    def _breaker(self, key: str) -> CircuitBreaker:
        if key not in self._breakers:
            self._breakers[key] = self.new_breaker(self.clock)
        return self._breakers[key]


def breaker_key(tool: str, parameters: Mapping[str, Any]) -> str:
    """Whose troubles are counted together: the tool's, or one server's where it is given a URL."""
    for value in parameters.values():
        if isinstance(value, str) and value.lower().startswith(("http://", "https://")):
            try:
                return f"{tool} {urlsplit(value).netloc.casefold()}"
            except ValueError:
                break
    return tool


def is_the_runs(error: Exception) -> bool:
    """Whether a failure inside a tool stops the run, as a budget does, and not only the step."""
    return isinstance(error, LibriScribeError) and not isinstance(
        error, IncompleteError | ProjectError
    )


def _rested(seconds: float) -> ToolFailure:
    message = f"not called: it failed several times in a row and rests for {seconds:.0f} more s"
    return ToolFailure(UNAVAILABLE, message, code=_OPEN)
