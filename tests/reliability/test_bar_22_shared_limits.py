"""Bar 22: limits that several processes share are kept by all of them together, and used up."""

import subprocess
import sys
from bisect import bisect_left
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import pytest
from tests.support.bars import Bar

from libriscribe2.batch.postgres.database import Database, DatabaseRates, Dsn, ensure_schema
from libriscribe2.llm.limits.rate_store import RateLimits

BAR: Final = Bar(22, seed=22, file="test_bar_22_shared_limits.py")
PROCESSES: Final = 4
CALLS: Final = 200
SPAN: Final = timedelta(seconds=2.5)
WITNESS: Final = """
    create table witness as select * from libriscribe2_shares;
    create function bear_witness() returns trigger language plpgsql as
        'begin insert into witness values (new.*); return new; end';
    create trigger witness after insert on libriscribe2_shares
        for each row execute function bear_witness();
"""
"""Keeps every share that was taken; the program forgets those that have run out."""

pytestmark = pytest.mark.postgres


@pytest.fixture
def database(dsn: str) -> Database:
    database = Database(Dsn(dsn))
    ensure_schema(database)
    database.close()
    return database


@pytest.mark.parametrize(("requests", "kilos"), [("200", "-"), ("-", "500")])
def test_bar_22_processes_keep_one_limit_and_use_it(
    dsn: str, database: Database, requests: str, kilos: str, capsys: pytest.CaptureFixture[str]
) -> None:
    database.rows(WITNESS)
    ask(dsn, requests, kilos)
    taken = database.rows("select at, kilo_tokens as kilos from witness order by at")
    database.close()
    assert len(taken) == PROCESSES * CALLS
    times = [one["at"] - taken[0]["at"] for one in taken]
    weights = [1 if kilos == "-" else one["kilos"] for one in taken]
    limit = int(requests if kilos == "-" else kilos)
    most = fullest(times, weights)
    whole = times[-1] // SPAN
    used = sum(weights[: bisect_left(times, whole * SPAN)]) / (limit * whole)
    assert most <= limit
    assert used >= 0.95
    BAR.tell(capsys, f"{PROCESSES} processes, at most {most} of {limit} a window, {used:.0%} used")


def test_bar_22_a_pause_that_one_is_told_holds_for_all(dsn: str, database: Database) -> None:
    one, other = (DatabaseRates(Database(Dsn(dsn)), RateLimits(5)) for _ in range(2))
    assert one.take("account", 1) == 0
    one.pause("account", 30.0)
    one.pause("account", 1.0)
    assert 25 < other.take("account", 1) <= 30
    assert other.take("another account", 1) == 0
    one.close()
    other.close()


def test_bar_22_a_request_larger_than_the_limit_leaves_alone(dsn: str, database: Database) -> None:
    rates = DatabaseRates(Database(Dsn(dsn)), RateLimits(kilo_tokens=10))
    assert rates.take("account", 500) == 0
    assert rates.take("account", 1) > 55
    rates.close()


def ask(dsn: str, requests: str, kilos: str) -> None:
    """Have all processes make their calls at once."""
    words = (dsn, requests, kilos, str(SPAN // timedelta(milliseconds=1)), str(CALLS))
    command = [sys.executable, "-m", "tests.support.rate_caller", *words]
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(PROCESSES)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in started:
        process.communicate(timeout=60)
        assert process.returncode == 0


def fullest(times: Sequence[timedelta], weights: Sequence[int]) -> int:
    """The most that left within any window."""
    most = total = begin = 0
    for end, at in enumerate(times):
        total += weights[end]
        while times[begin] <= at - SPAN:
            total -= weights[begin]
            begin += 1
        most = max(most, total)
    return most
