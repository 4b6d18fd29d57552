"""Deadlines: when something is to be done, which book comes first, and which comes too late."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Final

from libriscribe2.batch.state import Batch, Book
from libriscribe2.models.brief import Brief

_UNITS: Final = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}
_DURATION: Final = re.compile(r"(?:\d+(?:\.\d+)?[dhms])+", re.IGNORECASE)
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)([dhms])", re.IGNORECASE)
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_OPEN: Final = ("queued", "running", "failed", "stopped")


def moment_of(text: str, now: datetime) -> datetime:
    """The moment that a user names.

    Args:
        text: A time such as `2026-11-23T08:00` (of the local zone where it names none), or a
            duration from now such as `6h`, `90m` or `1d12h`.
        now: The present moment.

    Raises:
        ValueError: It is neither; the message says what is wanted.
    """
    wanted = text.strip()
    try:
        if _DURATION.fullmatch(wanted):
            parts = _PART.findall(wanted.lower())
            return now + timedelta(seconds=sum(float(n) * _UNITS[unit] for n, unit in parts))
        return datetime.fromisoformat(wanted).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"{text!r} is neither a time such as 2026-11-23T08:00 nor a duration such as 6h or 90m"
        ) from error


def due_of(book: Book) -> datetime | None:
    """When a book is to be done; None where its row does not say."""
    return datetime.fromisoformat(book.row.deadline) if book.row.deadline else None


def in_turn(books: Iterable[Book]) -> list[Book]:
    """Books in the order in which they begin: the earliest deadline first, then as they were."""
    return sorted(books, key=lambda book: due_of(book) or _NEVER)


def expected_seconds(batch: Batch, book: Book) -> float | None:
    """How long a book is going to take yet, by the books of its batch that are done.

    They give seconds for each word, and half of them took no longer; None while none is done.
    """
    done = [(one.times.seconds, one.last.sums.words) for one in batch.within("done")]
    paces = [seconds / words for seconds, words in done if words and seconds]
    if not paces:
        return None
    brief = Brief.model_validate(book.row.brief)
    chapters = brief.chapter_range().middle()
    whole = median(paces) * brief.words_per_chapter(chapters) * chapters
    return max(0.0, whole - book.times.seconds)


def comes_late(batch: Batch, book: Book, now: datetime) -> bool:
    """Whether a book that begins now is not going to be done by its deadline."""
    due = due_of(book)
    if due is None:
        return False
    seconds = expected_seconds(batch, book) or 0.0
    return now >= due or seconds > (due - now).total_seconds()


def is_late(book: Book, now: datetime) -> bool:
    """Whether a book was done late, is expected to be, or is open after its deadline."""
    due = due_of(book)
    return book.late or (due is not None and book.state in _OPEN and now > due)


def minutes_for(
    book: Book, most: float | None, deadline: datetime | None, now: datetime
) -> float | None:
    """The most minutes that a book's run may last; None is no limit.

    Args:
        book: The book, whose row may have a limit of its own.
        most: The limit of every run.
        deadline: When every run stops; None is never.
        now: The present moment.
    """
    if deadline is None:
        return None  # the run knows the others by itself
    own = book.row.settings.get("budget", {}).get("max_minutes")
    left = max(0.0, (deadline - now).total_seconds() / 60)
    return min(float(limit) for limit in (own, most, left) if limit is not None)
