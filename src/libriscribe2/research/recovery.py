"""A failed tool call in HTTP's terms: which is tried again, how often, and when a tool rests."""

import json
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import httpx
from pydantic import ValidationError

from libriscribe2.errors import IncompleteError, LibriScribeError, ProjectError
from libriscribe2.llm.limits.retries import CircuitBreaker, Circuits, RetryPolicy, Sleep
from libriscribe2.project.texts import canonical_json
from libriscribe2.replies.cleanup import field_errors
from libriscribe2.research import chain_model as names
from libriscribe2.research.chain_model import ChainMetrics, clipped
from libriscribe2.research.tool_error import ToolError

Route = Literal["fail", "retry", "analyze"]

REFUSED: Final = frozenset({401, 403, 405})
CORRECTABLE: Final = frozenset({400, 404, 409, 422})
TRANSIENT: Final = frozenset({408, 429})
UNAVAILABLE: Final = 503
NO_CONNECTION: Final = 0
"""Stands for a status where no server has answered."""

_LONGEST_MESSAGE: Final = 1_000
_SERVICE_WORDS: Final = re.compile(
    r"unavailable|overload|maintenance|service|timeout|network|connection|rate|busy|throttl"
    r"|http|server|status|internal|temporar|circuit|capacity",
    re.IGNORECASE,
)
"""Codes with such a word tell of the server's own trouble, not of the request."""


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """Why a tool call brought no result.

    Attributes:
        status: An HTTP status; 0 where no server was reached.
        message: What went wrong, for a person and for a model.
        body: The tool's own words about it: JSON, plain text, HTML or "".
        code: A stable name, or "".
        retry_after: Seconds that the server asks to wait, or None.
        final: Whether no further call could succeed, whatever the status says.
    """

    status: int
    message: str
    body: str = ""
    code: str = ""
    retry_after: float | None = None
    final: bool = False

    @property
    def route(self) -> Route:
        """Which way of the status table the failure goes."""
        return "fail" if self.final else route_of(self.status, self.body)

    @property
    def summary(self) -> str:
        """The failure in one line."""
        where = f"HTTP {self.status}" if self.status else "no connection"
        return f"{where}: {clipped(' '.join(self.message.split()), _LONGEST_MESSAGE)}"


class ToolCallError(Exception):
    """Carries a `ToolFailure` up to who decides what to do about it."""

    def __init__(self, failure: ToolFailure) -> None:
        super().__init__(failure.summary)
        self.failure = failure


def route_of(status: int, body: str = "") -> Route:
    """The way of a status; the body decides for 503."""
    if status == UNAVAILABLE:
        return "analyze" if tells_of_the_request(body) else "retry"
    if status in CORRECTABLE:
        return "analyze"
    if status in TRANSIENT or status == NO_CONNECTION or status >= 500:
        return "retry"
    return "fail"


def tells_of_the_request(body: str) -> bool:
    """Whether a body is a structured error about what was asked, such as LOCATION_NOT_FOUND."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return False
    if not isinstance(value, dict):
        return False
    error = value["error"] if isinstance(value.get("error"), dict) else value
    code = error.get("code")
    if not isinstance(code, str) or not code or error.get("category") == "service_error":
        return False
    return not _SERVICE_WORDS.search(code)


def soft_failure(result: Any) -> ToolFailure | None:
    """The failure that a result tells of by `{"success": false}`, or None."""
    if not isinstance(result, Mapping) or result.get("success") is not False:
        return None
    error = result.get("error")
    told = error if isinstance(error, Mapping) else {"message": error}
    message = str(told.get("message") or "The tool reports that it did not succeed")
    return ToolFailure(422, message, canonical_json(dict(result)), str(told.get("code") or ""))


def failure_of(error: Exception) -> ToolFailure:
    """An exception of a tool as a failure."""
    if isinstance(error, ToolError):
        body = error.body or canonical_json(error.as_record())
        after = error.retry_after_seconds
        return ToolFailure(error.status, error.message, body, error.code, after)
    if isinstance(error, ValidationError):
        message = "; ".join(field_errors(error))
        return ToolFailure(422, message, canonical_json({"error": message}), "invalid_arguments")
    if isinstance(error, httpx.HTTPStatusError):
        response = error.response
        after = _seconds(response.headers.get("retry-after", ""))
        return ToolFailure(response.status_code, str(error), _body_of(response), "", after)
    status = _status_of(error)
    message = _words_of(error)
    if status is None:
        return ToolFailure(500, f"{type(error).__name__}: {message}", final=True)
    return ToolFailure(status, message)


def _body_of(response: httpx.Response) -> str:
    """What a server said; "" where the tool has not read it, and now nobody can."""
    try:
        return response.text
    except httpx.StreamError:
        return ""


def _words_of(error: Exception) -> str:
    if isinstance(error, LibriScribeError):
        return ": ".join(filter(None, (error.what, error.why)))
    return str(error) or type(error).__name__


def _status_of(error: Exception) -> int | None:
    """The status that stands for an exception of Python or of httpx, or None for no idea."""
    kinds: tuple[tuple[tuple[type[Exception], ...], int], ...] = (
        ((TimeoutError, httpx.TimeoutException), 408),
        ((ConnectionError, httpx.TransportError), NO_CONNECTION),
        ((PermissionError,), 403),
        ((FileNotFoundError, LookupError), 404),
        ((ValueError,), 422),
    )
    return next((status for classes, status in kinds if isinstance(error, classes)), None)


def _seconds(value: str) -> float | None:
    """A Retry-After in seconds; a date is left to the backoff."""
    return float(value) if re.fullmatch(r"[0-9]{1,9}", value.strip()) else None


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
        metrics: Counts calls and retries.
        circuits: The circuit breakers of hosts and tools.
    """

    sleep: Sleep
    policy: RetryPolicy = TOOL_RETRIES
    rng: random.Random = field(default_factory=random.Random)  # noqa: S311 - jitter only
    metrics: ChainMetrics = field(default_factory=ChainMetrics)
    circuits: Circuits = field(default_factory=Circuits)

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
        breaker = self.circuits.of(breaker_key(tool, parameters))
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
        claim, outcome = breaker.enter(), breaker.released
        try:
            result = await self._sent(parameters, send)
            outcome = breaker.succeeded
        except ToolCallError as error:
            outcome = breaker.failed if error.failure.route == "retry" else breaker.succeeded
            raise
        finally:
            outcome(claim)
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
