"""Bar 13: a wall clock that jumps changes no byte of a book, and no request leaves early or late.

Again: .venv/bin/pytest tests/reliability/test_bar_13_clocks.py
"""

import asyncio
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import Final

import pytest
from tests.support.bars import Bar, Trials
from tests.support.conditions import ShiftedClock, elapse

from libriscribe2.llm.backend import BackendError, Request, ScriptedBackend
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.retries import RetryPolicy
from libriscribe2.llm.session import CallSession
from libriscribe2.project import texts
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore

BAR: Final = Bar(13, 13, "test_bar_13_clocks.py")
YEAR: Final = 365.25 * 86_400
HOUR: Final = 3_600.0
WAIT: Final = 0.1
"""Seconds that the provider has the program wait."""


@pytest.mark.slow
def test_bar_13_a_book_of_a_mad_clock_is_the_same_book(
    trials: Trials, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, trial = trials.new(), trials.new()
    whole.run("create")
    trial.run("create", dies_at=9, expect=-9, clock=((0, 0.0), (5, -10 * YEAR), (7, HOUR)))
    trial.run("redo", "book", "concept", dies_at=2, expect=-9, clock=((0, -30 * YEAR),))
    trial.run("resume", "book", clock=((0, 30 * YEAR), (3, -HOUR)))
    redone = trials.new()
    redone.run("create", dies_at=9, expect=-9)
    redone.run("redo", "book", "concept", dies_at=2, expect=-9)
    redone.run("resume", "book")
    assert trial.book.contents() == redone.book.contents()
    assert trial.answered() == redone.answered()
    assert trial.repaid() == 0
    years = {record["at"][:4] for record in trial.book.records("done")}
    assert len(years) > 1, "the clock never jumped"
    calls = sum(trial.answered().values())
    BAR.tell(capsys, f"years {', '.join(sorted(years))}: same bytes, {calls} calls, 0 repaid")


@pytest.fixture
def jumping(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A wall clock that a test moves by `ShiftedClock.shift`."""
    monkeypatch.setattr(texts, "datetime", ShiftedClock)
    yield
    ShiftedClock.shift = timedelta()


@pytest.mark.parametrize("jump", [-HOUR, HOUR])
@pytest.mark.usefixtures("jumping")
def test_bar_13_a_jump_while_the_provider_has_the_program_wait_moves_no_request(
    tmp_path: Path, jump: float
) -> None:
    sent: list[float] = []

    async def sleep(seconds: float) -> None:
        ShiftedClock.shift += timedelta(seconds=jump)
        await elapse(seconds)

    def busy(_request: Request) -> str:
        sent.append(monotonic())
        if len(sent) == 1:
            raise BackendError("rate", "slow down", status=429, retry_after=WAIT)
        return "An answer."

    async def ask() -> str:
        backend = ScriptedBackend(then=busy)
        session = CallSession(retry=RetryPolicy(attempts=3), sleep=sleep, rng=BAR.rng())
        paths = ProjectPaths(tmp_path / "book", tmp_path / "debug")
        with ProjectStore.create(paths) as store:
            client = LLMClient(
                "", "", "m", backend=backend, call_log=store.call_log, session=session
            )
            return str((await client.think("Hello"))["reply"])

    assert asyncio.run(ask()) == "An answer."
    first, second = sent
    assert WAIT <= second - first < HOUR


def test_bar_13_minutes_of_the_budget_are_no_minutes_of_the_wall_clock(trials: Trials) -> None:
    trial = trials.new()
    trial.run("create", "--max-minutes", "5", clock=((0, 0.0), (3, HOUR), (6, -10 * YEAR)))
    assert trial.book.path("manuscript.md").exists()
