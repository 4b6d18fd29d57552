"""A failed tool call in HTTP's terms, whatever raised it, and which way of the status table it goes.

| status | way |
|---|---|
| 400, 404, 409, 422, and a result `{"success": false}` | `analyze`: a model may change parameters |
| 408, 429, 5xx, no connection | `retry`: the same call again, later |
| 503 whose body tells an error of the request | `analyze` |
| 401, 403, 405 and all others | `fail` at once |
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import httpx
from pydantic import ValidationError

from libriscribe2.errors import LibriScribeError
from libriscribe2.project.texts import canonical_json
from libriscribe2.replies.cleanup import field_errors
from libriscribe2.toolchain.excerpt import clipped
from libriscribe2.toolchain.tool_error import ToolError

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
