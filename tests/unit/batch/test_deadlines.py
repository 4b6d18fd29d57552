"""Deadlines: what a user may write, which book comes first, and which comes too late."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.book_writers import Clock, Writer, done

from libriscribe2.batch.batch_report import as_html, report_of
from libriscribe2.batch.folders import BatchPaths
from libriscribe2.batch.progress import Batch, Book, Ended, RunTimes, Sums, added, ended, started
from libriscribe2.batch.queue import LocalQueue
from libriscribe2.batch.rows import RawRow, Row, check_rows, row_of
from libriscribe2.batch.work import Terms, expected_seconds, minutes_for, moment_of
from libriscribe2.project.texts import iso_utc

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
WORDS: dict[str, Any] = {"premise": "x", "words": 1_000, "chapters": 2}


class WallClock(Clock):
    """A clock that knows the day, too: its seconds count from `NOW`."""

    def today(self) -> datetime:
        return NOW + timedelta(seconds=self.at)


def terms(clock: WallClock, deadline: float | None = None, *, books: int = 1) -> Terms:
    """Terms with a deadline in so many seconds."""
    end = None if deadline is None else NOW + timedelta(seconds=deadline)
    return Terms(
        books, sleep=clock.sleep, now=clock.now, clock=clock.today, deadline=end, retry_seconds=1
    )


def due(seconds: float) -> str:
    return iso_utc(NOW + timedelta(seconds=seconds))


def queue_with(folder: Path, clock: WallClock, **deadlines: float | None) -> LocalQueue:
    queue = LocalQueue(BatchPaths(folder / "batch"), clock=clock.today)
    rows = [
        Row(name, "row", WORDS, deadline="" if at is None else due(at))
        for name, at in deadlines.items()
    ]
    queue.enqueue(rows, lambda _name: False)
    return queue


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("6h", NOW + timedelta(hours=6)),
        (" 90M ", NOW + timedelta(minutes=90)),
        ("1d12h30m", NOW + timedelta(hours=36, minutes=30)),
        ("1.5h", NOW + timedelta(minutes=90)),
        ("2026-11-23T08:00Z", datetime(2026, 11, 23, 8, tzinfo=UTC)),
        ("2026-11-23 08:00+02:00", datetime(2026, 11, 23, 6, tzinfo=UTC)),
        ("2026-11-23T08:00", datetime(2026, 11, 23, 8).astimezone(UTC)),
    ],
)
def test_a_moment_is_a_time_or_a_duration(text: str, wanted: datetime) -> None:
    assert moment_of(text, NOW) == wanted


@pytest.mark.parametrize("text", ["", "soon", "6", "6x", "h", "-6h", "2026-13-01", "9" * 400 + "h"])
def test_what_is_no_moment_is_told_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="neither a time such as 2026-11-23T08:00"):
        moment_of(text, NOW)


def test_a_row_may_have_a_deadline_and_a_bad_one_is_told_with_its_place() -> None:
    raw = [
        row_of(f"row {n}", {"premise": f"p{n}", "deadline": d})
        for n, d in enumerate(["6h", "soon"])
    ]
    rows, faults = check_rows(raw, lambda _: None, lambda text: moment_of(text, NOW))
    assert [row.deadline for row in rows] == ["2026-11-22T15:00:00Z"]
    assert [fault.place for fault in faults] == ["row 1"]
    assert faults[0].why.startswith("deadline: 'soon' is neither")
    close = RawRow("row 2", {"premise": "x", "deadlin": "6h"})
    told = check_rows([close], lambda _: None, lambda text: moment_of(text, NOW))[1]
    assert "did you mean 'deadline'?" in told[0].why


async def test_the_earliest_deadline_begins_first_and_none_comes_last(tmp_path: Path) -> None:
    clock = WallClock()
    queue = queue_with(tmp_path, clock, a=None, b=9_000, c=500, d=None, e=500)
    writer = Writer(lambda *_: done())
    await queue.work(writer, terms(clock))
    assert writer.runs == ["c", "e", "b", "a", "d"]


async def test_no_book_begins_after_the_deadline_and_the_same_batch_goes_on(tmp_path: Path) -> None:
    clock = WallClock()

    def act(_book: Book, _grant: float | None, _count: int) -> Ended:
        clock.at += 60
        return done()

    queue, writer = queue_with(tmp_path, clock, a=None, b=None, c=None), Writer(act)
    await queue.work(writer, terms(clock, 100))
    assert writer.runs == ["a", "b"]
    assert queue.status().counts()["queued"] == 1
    await queue.work(writer, terms(clock, 1_000))
    assert writer.runs == ["a", "b", "c"]


async def test_a_book_that_the_deadline_stopped_waits_and_is_no_failure(tmp_path: Path) -> None:
    clock = WallClock()

    def act(_book: Book, _grant: float | None, count: int) -> Ended:
        clock.at += 200
        return Ended("stopped", 8, "The run's 1 minutes are over") if count == 1 else done()

    queue, writer = queue_with(tmp_path, clock, a=None), Writer(act)
    await queue.work(writer, terms(clock, 100))
    book = queue.status().books["a"]
    assert (book.state, book.last.what) == ("queued", "The deadline was reached")
    await queue.work(writer, terms(clock))
    assert queue.status().books["a"].state == "done"


async def test_a_budget_that_is_reached_before_the_deadline_stops_its_book(tmp_path: Path) -> None:
    clock = WallClock()
    queue = queue_with(tmp_path, clock, a=None)
    await queue.work(Writer(lambda *_: Ended("stopped", 8, "budget")), terms(clock, 100))
    assert queue.status().books["a"].state == "stopped"


def batch_with(*runs: tuple[float, int]) -> Batch:
    """A batch with finished books, by seconds and words, and one with a deadline."""
    batch = Batch()
    for number, (seconds, words) in enumerate(runs):
        name = f"done-{number}"
        how = Ended("done", times=RunTimes(seconds=seconds), sums=Sums(words=words))
        batch.apply([added(Row(name, "row", WORDS)), started(name, None), ended(name, how)])
    batch.apply([added(Row("next", "row", WORDS, deadline=due(600)))])
    return batch


def test_a_book_is_expected_to_take_what_finished_ones_took_for_a_word() -> None:
    batch = batch_with((100, 1_000), (2_000, 2_000), (4_000, 1_000))
    assert expected_seconds(batch, batch.books["next"]) == 1_000
    assert expected_seconds(batch_with(), batch_with().books["next"]) is None


async def test_a_late_book_is_begun_all_the_same_and_told(tmp_path: Path) -> None:
    clock = WallClock()
    told: list[tuple[str, bool]] = []

    def act(book: Book, _grant: float | None, _count: int) -> Ended:
        clock.at += 100
        times = RunTimes(seconds=100 if book.row.name == "a" else 10)
        return Ended("done", times=times, sums=Sums(words=100))

    queue, writer = queue_with(tmp_path, clock, a=90, b=800, c=9_000, d=None), Writer(act)
    how = Terms(
        sleep=clock.sleep,
        now=clock.now,
        clock=clock.today,
        tell=lambda book, how: told.append((book.row.name, book.late)) if how is None else None,
    )
    await queue.work(writer, how)
    # The first is done after its deadline; by its pace the second is going to take 1,000 s.
    assert told == [("a", False), ("b", True), ("c", False), ("d", False)]
    report = report_of("batch", queue.status(), clock.today)
    assert {one["book"]: one["late"] for one in report["books"]} == {
        "a": True,
        "b": False,
        "c": False,
        "d": False,
    }
    assert report["late"] == 1
    assert "; 1 late." in as_html(report)


def test_a_book_that_still_waits_after_its_deadline_is_late() -> None:
    batch = batch_with()
    assert not report_of("b", batch, lambda: NOW)["late"]
    assert report_of("b", batch, lambda: NOW + timedelta(seconds=601))["late"] == 1


def test_a_run_lasts_no_longer_than_its_shortest_limit() -> None:
    row = Row("a", "row", WORDS, {"budget": {"max_minutes": 30}})
    hour = NOW + timedelta(hours=1)
    assert minutes_for(Book(row), None, None, NOW) is None
    assert minutes_for(Book(row), None, hour, NOW) == 30
    assert minutes_for(Book(row), 10, hour, NOW) == 10
    assert minutes_for(Book(Row("b", "row", WORDS)), None, hour, NOW) == 60
    assert minutes_for(Book(row), None, NOW - timedelta(hours=1), NOW) == 0
