"""How long a provider asks to wait."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libriscribe2.llm.failures import retry_after_seconds

NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def read(headers: dict[str, str], body: Any = None) -> float | None:
    return retry_after_seconds(headers, body, now=lambda: NOW)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("0", 0.0),
        ("Wed, 04 Mar 2026 12:01:00 GMT", 60.0),
        ("Wed, 04 Mar 2026 12:01:00 -0000", 60.0),
        ("Wed, 04 Mar 2026 11:00:00 GMT", 0.0),
        ("-3", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
    ],
)
def test_a_header_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert read({"retry-after": value}) == seconds


def test_milliseconds_are_the_finer_answer() -> None:
    assert read({"retry-after-ms": "250", "retry-after": "1"}) == 0.25


def test_no_header_means_no_wish() -> None:
    assert read({}) is None


def test_googles_delay_is_read_from_the_body() -> None:
    details = [{"@type": "x"}, "odd", {"retryDelay": "34.5s"}]
    assert read({}, {"error": {"details": details}}) == 34.5


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {"error": "text"},
        {"error": {}},
        {"error": {"details": [{"retryDelay": "soon"}]}},
        {"error": {"details": [{"retryDelay": f"{'9' * 400}s"}]}},
    ],
)
def test_other_bodies_hold_no_delay(body: Any) -> None:
    assert read({}, body) is None


@given(st.integers(0, 10_000_000))
def test_any_date_ahead_is_its_distance(ahead: int) -> None:
    value = format_datetime(NOW + timedelta(seconds=ahead), usegmt=True)
    assert read({"retry-after": value}) == ahead


@given(st.text(max_size=40))
def test_no_header_breaks_the_reader(value: str) -> None:
    seconds = read({"retry-after": value})
    assert seconds is None or seconds >= 0
