"""The time of day, for records that people read; nothing else in a project depends on it."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]
"""Gives the present moment with its time zone."""


def utc_now() -> datetime:
    """The present moment in UTC."""
    return datetime.now(UTC)


def iso_utc(moment: datetime) -> str:
    """`moment` as ISO 8601 in UTC, to the second: `2025-01-12T10:30:00Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def compact_utc(moment: datetime) -> str:
    """`moment` in UTC as part of a file name: `20250112T103000Z`."""
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
