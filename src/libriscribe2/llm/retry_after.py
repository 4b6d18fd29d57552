"""How long a provider asks to wait, in whichever of the usual ways it says so."""

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

_GOOGLE_DELAY = re.compile(r"\d+(?:\.\d+)?s")


def retry_after_seconds(
    headers: Mapping[str, str], body: Any, *, now: Callable[[], datetime]
) -> float | None:
    """Seconds to wait, never negative; None where the provider names none.

    Args:
        headers: Response headers, names in lower case.
        body: The parsed body, where Google puts its `retryDelay`.
        now: The present, for a header that holds an HTTP date (RFC 9110, 10.2.3).
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    if not value:
        return _google_delay(body)
    seconds = _number(value)
    return seconds if seconds is not None else _until(value, now())


def _number(value: str) -> float | None:
    """A finite count that is not negative, else None."""
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(value: str, now: datetime) -> float | None:
    """Seconds from now to an HTTP date; 0 for one that has passed, None for no date at all."""
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _google_delay(body: Any) -> float | None:
    """`error.details[].retryDelay`, such as `34s` (google.rpc.RetryInfo)."""
    error = body.get("error") if isinstance(body, Mapping) else None
    details = error.get("details") if isinstance(error, Mapping) else None
    if not isinstance(details, list):
        return None
    delays = [str(part.get("retryDelay", "")) for part in details if isinstance(part, Mapping)]
    matching = (delay for delay in delays if _GOOGLE_DELAY.fullmatch(delay))
    return next((_number(delay[:-1]) for delay in matching), None)
