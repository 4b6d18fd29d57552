"""Rate limits over SQLite: windows that hold, shared by processes, and a file that may be lost."""

import logging
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.calls import FakeTime

from libriscribe2.llm.limits import rate_store
from libriscribe2.llm.limits.rate_store import RateLimits, RateStore
from libriscribe2.llm.limits.rates import rate_gate

ASKS = st.lists(st.tuples(st.floats(0, 40), st.integers(1, 6)), min_size=1, max_size=25)


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


@pytest.fixture
def opened(tmp_path: Path, time: FakeTime) -> Iterator[Callable[..., RateStore]]:
    """Makes stores on one file, as so many processes."""
    made: list[RateStore] = []

    def one(requests: int | None = None, kilo_tokens: int | None = None) -> RateStore:
        limits = RateLimits(requests, kilo_tokens)
        made.append(RateStore(limits, tmp_path / "state" / "rates.sqlite", time))
        return made[-1]

    yield one
    for store in made:
        store.close()


def test_requests_beyond_the_limit_wait_until_the_window_has_moved_on(
    opened: Callable[..., RateStore], time: FakeTime
) -> None:
    store = opened(requests=2)
    assert [store.take("a", 1), store.take("a", 1)] == [0.0, 0.0]
    assert store.take("b", 1) == 0.0
    time.now += 20
    wait = store.take("a", 1)
    assert wait == pytest.approx(42, abs=0.01)
    time.now += wait
    assert store.take("a", 1) == 0.0


def test_both_limits_hold_and_a_refused_share_takes_nothing_of_either(
    opened: Callable[..., RateStore], time: FakeTime
) -> None:
    store = opened(requests=3, kilo_tokens=10)
    assert store.take("a", 8) == 0.0
    assert store.take("a", 5) > 0
    assert store.take("a", 5) > 0
    assert store.take("a", 2) == 0.0
    time.now += 62.01
    assert [store.take("a", 3) for _ in range(3)] == [0.0, 0.0, 0.0]


def test_a_request_larger_than_the_limit_gets_a_window_of_its_own(
    opened: Callable[..., RateStore],
) -> None:
    store = opened(kilo_tokens=4)
    assert store.take("a", 9) == 0.0
    assert store.take("a", 1) > 0


def test_processes_share_limits_and_pauses(
    opened: Callable[..., RateStore], time: FakeTime
) -> None:
    one, other = opened(requests=2), opened(requests=2)
    assert [one.take("a", 1), other.take("a", 1)] == [0.0, 0.0]
    assert other.take("a", 1) > 0
    one.pause("b", 7.0)
    one.pause("b", 3.0)
    assert other.take("b", 1) == pytest.approx(7.0)
    time.now += 7.0
    assert other.take("b", 1) == 0.0


def test_a_real_process_of_its_own_counts_too(tmp_path: Path) -> None:
    file = tmp_path / "rates.sqlite"
    program = (
        "import sys; from pathlib import Path;"
        "from libriscribe2.llm.limits.rate_store import RateLimits, RateStore;"
        "print(RateStore(RateLimits(1), Path(sys.argv[1])).take('a', 1) == 0.0)"
    )
    command = [sys.executable, "-c", program, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
    store = RateStore(RateLimits(1), file)
    assert 0 < store.take("a", 1) <= 62
    store.close()


@settings(max_examples=12, deadline=None)
@given(asks=ASKS)
def test_no_window_ever_holds_more_than_the_limits(
    tmp_path_factory: pytest.TempPathFactory, asks: list[tuple[float, int]]
) -> None:
    time = FakeTime()
    store = RateStore(RateLimits(5, 12), tmp_path_factory.mktemp("s") / "r.sqlite", time)
    sent: list[tuple[float, int]] = []
    for pause, kilo in asks:
        time.now += pause
        while (wait := store.take("a", kilo)) > 0:
            time.now += wait
        sent.append((time.now, kilo))
    store.close()
    for end, _ in sent:
        window = [kilo for at, kilo in sent if end - 60 < at <= end]
        assert len(window) <= 5
        assert sum(window) <= 12


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be read" * 40])
def test_a_damaged_file_is_put_aside_with_one_line(
    opened: Callable[..., RateStore], caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    store = opened(requests=1)
    store.file.parent.mkdir(parents=True)
    store.file.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert store.take("a", 1) == 0.0
    assert len(caplog.records) == 1
    assert store.take("a", 1) > 0
    assert opened(requests=1).take("a", 1) > 0, "the new file is shared again"


def test_a_file_that_is_lost_while_it_is_used_loses_no_work(
    opened: Callable[..., RateStore],
) -> None:
    store = opened(requests=1)
    store.take("a", 1)
    for path in store.file.parent.iterdir():
        path.unlink()
    assert store.take("a", 1) > 0


def test_a_file_that_two_processes_find_damaged_is_put_aside_once_and_shared_again(
    opened: Callable[..., RateStore], caplog: pytest.LogCaptureFixture
) -> None:
    one, other = opened(requests=2), opened(requests=2)
    assert [one.take("a", 1), other.take("a", 1)] == [0.0, 0.0]
    one.file.write_bytes(b"not a database any more " * 4_000)
    with caplog.at_level(logging.WARNING):
        assert [one.take("a", 1), other.take("a", 1)] == [0.0, 0.0]
        assert one.take("a", 1) > 0
        assert other.take("a", 1) > 0
    assert len(caplog.records) == 1
    assert one.file.with_suffix(".damaged").read_bytes().startswith(b"not a database")


def test_a_file_that_cannot_be_put_aside_is_done_without(
    opened: Callable[..., RateStore], caplog: pytest.LogCaptureFixture
) -> None:
    store = opened(requests=1)
    store.file.with_suffix(".damaged").mkdir(parents=True)
    store.file.write_bytes(b"not a database at all, but long enough to be read" * 40)
    with caplog.at_level(logging.WARNING):
        assert store.take("a", 1) == 0.0
        assert store.take("a", 1) > 0
    assert "this process alone" in caplog.text


def test_a_file_is_not_closed_under_a_request_that_is_at_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(rate_store, "_CLOSING_SECONDS", 0.01)
    slow, at_it, go_on = Event(), Event(), Event()

    def clock() -> float:
        if slow.is_set():
            at_it.set()
            go_on.wait(10)
        return 7.0

    store = RateStore(RateLimits(2), tmp_path / "rates.sqlite", clock)
    assert store.take("a", 1) == 0.0
    slow.set()
    with ThreadPoolExecutor(1) as threads:
        taken = threads.submit(store.take, "a", 1)
        assert at_it.wait(10)
        store.close()
        go_on.set()
        assert taken.result(10) == 0.0
    slow.clear()
    assert store.take("a", 1) > 0
    assert caplog.records == []
    store.close()


def test_a_locked_file_is_done_without(
    opened: Callable[..., RateStore],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(rate_store, "_LOCK_SECONDS", 0.01)
    store = opened(requests=1)
    store.file.parent.mkdir(parents=True)
    with FileLock(f"{store.file}.lock"), caplog.at_level(logging.WARNING):
        assert store.take("a", 1) == 0.0
        assert store.take("a", 1) > 0
    assert len(caplog.records) == 1
    assert "this process alone" in caplog.text


def test_a_folder_that_cannot_be_made_is_done_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "state").write_text("a file", encoding="utf-8")
    store = RateStore(RateLimits(1), tmp_path / "state" / "rates.sqlite")
    with caplog.at_level(logging.WARNING):
        assert store.take("a", 1) == 0.0
        assert store.take("a", 1) > 0
    assert len(caplog.records) == 1


def test_moments_from_before_the_machine_was_started_anew_do_not_count(
    opened: Callable[..., RateStore], time: FakeTime
) -> None:
    store = opened(requests=1)
    store.take("a", 1)
    store.pause("a", 500.0)
    time.now = 5.0
    assert opened(requests=1).take("a", 1) == 0.0


def test_the_file_keeps_no_name_of_model_or_key(tmp_path: Path) -> None:
    gate = rate_gate(1, None, lambda _model: "0a1b")
    assert isinstance(gate.shared, RateStore)
    assert gate.shared.file.name == "rates.sqlite"
    store = RateStore(RateLimits(1), tmp_path / "r.sqlite")
    store.take("0a1b", 1)
    store.close()
    with sqlite3.connect(tmp_path / "r.sqlite") as connection:
        dump = "\n".join(connection.iterdump())
    connection.close()
    assert "requests_0a1b" in dump
