"""Bar 15: half of all answers are 429s, two processes ask: nobody fails, nobody comes too early.

Again: .venv/bin/pytest tests/reliability/test_bar_15_429_storm.py -s
"""

import asyncio
import random
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from tests.support.calls import MemoryCallLog, WaitList
from tests.support.desk import PREMISE, Desk
from tests.support.openai_replies import Fault
from tests.support.openai_server import OpenAIServer
from tests.support.virtual_time import run_virtually

from libriscribe2.forecast.model_time import VirtualLoop
from libriscribe2.llm.backend import BackendError, Completion, Request
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.rate_store import RateLimits, RateStore
from libriscribe2.llm.limits.rates import RateGate
from libriscribe2.llm.limits.retries import Circuits
from libriscribe2.llm.session import CallSession

SEED: Final = 15
CALLS: Final = 500
PROCESSES: Final = 2
AT_ONCE: Final = 4
PER_MINUTE: Final = 60
MINUTE: Final = 60.0
SECONDS_TO_ANSWER: Final = 0.3


class Storm:
    """A provider that answers every second request, by a coin, with 429 and a Retry-After.

    Attributes:
        arrived: When each request came.
        pauses: From when until when nothing was to come.
    """

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._coin = random.Random(SEED)  # noqa: S311 - a repeatable storm
        self.arrived: list[float] = []
        self.pauses: list[tuple[float, float]] = []

    async def complete(self, request: Request) -> Completion:
        self.arrived.append(self._loop.time())
        seconds, refused = self._coin.randint(1, 3), self._coin.random() < 0.5
        await asyncio.sleep(SECONDS_TO_ANSWER)  # noqa: TID251 - on a clock that jumps
        if refused:
            now = self._loop.time()
            self.pauses.append((now, now + seconds))
            raise BackendError("rate", "slow down", status=429, retry_after=float(seconds))
        return Completion("ok", model=request.model)

    async def stream(self, request: Request) -> AsyncIterator[str | Completion]:
        yield await self.complete(request)

    @property
    def too_early(self) -> int:
        """Requests that came between a 429 and the moment that it named."""
        return sum(any(told < at < until for told, until in self.pauses) for at in self.arrived)

    @property
    def fullest_minute(self) -> int:
        """The most requests within any sixty seconds."""
        return max(sum(at - MINUTE < one <= at for one in self.arrived) for at in self.arrived)


class Process:
    """One of the programs, with its own state and the shared file."""

    def __init__(self, loop: VirtualLoop, storm: Storm, file: Path, *, limited: bool) -> None:
        limits = RateLimits(PER_MINUTE) if limited else RateLimits(10 * CALLS)
        self.store = RateStore(limits, file, loop.time)
        self.log = MemoryCallLog()
        self.waits = WaitList()
        session = CallSession(
            limit=asyncio.Semaphore(AT_ONCE),
            circuits=Circuits(clock=loop.time),
            rates=RateGate(self.store, clock=loop.time),
            outbox=self.waits,
        )
        self._client = LLMClient("", "", "m", backend=storm, call_log=self.log, session=session)

    async def ask(self, number: int) -> str | None:
        asked = self._client.with_options(CallOptions(step=f"s{number}"))
        return (await asked.think(f"question {number}"))["reply"]


def test_bar_15_a_storm_of_429s_fails_nobody_and_nobody_comes_too_early(tmp_path: Path) -> None:
    async def work(loop: VirtualLoop) -> tuple[Storm, list[Process], float]:
        storm = Storm(loop)
        began = loop.time()
        file = tmp_path / "rates.sqlite"
        programs = [Process(loop, storm, file, limited=True) for _ in range(PROCESSES)]
        asked = [programs[number % PROCESSES].ask(number) for number in range(CALLS)]
        assert await asyncio.gather(*asked) == ["ok"] * CALLS
        for program in programs:
            program.store.close()
        return storm, programs, loop.time() - began

    storm, programs, seconds = run_virtually(work)
    refused = len(storm.pauses)
    told = [wait for program in programs for wait in program.waits if wait.kind == "rate"]
    assert sum(program.log.kinds.count("done") for program in programs) == CALLS
    assert CALLS * 0.8 < refused < CALLS * 1.2
    assert storm.too_early == 0
    assert storm.fullest_minute <= PER_MINUTE
    assert len(told) == refused, "every wait is shown"
    assert all(wait.seconds >= 1 for wait in told)
    sys.stdout.write(
        f"seed {SEED}: {CALLS} calls, {refused} times 429, {PROCESSES} processes: 0 failed, "
        f"0 too early, at most {storm.fullest_minute} of {PER_MINUTE} in any minute, "
        f"{seconds / MINUTE:.0f} minutes\n"
    )


@pytest.mark.soak
def test_bar_15_two_programs_finish_their_books_in_a_real_storm(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    coin = random.Random(SEED)  # noqa: S311 - a repeatable storm
    busy = Fault(status=429, headers={"Retry-After": "1"}, body={"error": {"message": "slow"}})
    storm = [busy if coin.random() < 0.5 else Fault("ok") for _ in range(2_000)]
    size = ("--chapters", "2", "--scenes-per-chapter", "1", "--words", "200")
    with OpenAIServer(storm) as server, ExitStack() as stack:
        desk.environment |= {
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "sk-storm-0123456789",
            "LIBRISCRIBE2_LLM__REQUESTS_PER_MINUTE": "600",
        }
        programs = [
            stack.enter_context(
                desk.running("create", PREMISE, "-m", "openai/x", "-p", name, *size)
            )
            for name in ("one", "two")
        ]
        told = [program.communicate() for program in programs]
        assert [program.returncode for program in programs] == [0, 0], told
    assert all("Waiting 1s" in err for _, err in told), told
    for name in ("one", "two"):
        keys = [record["k"] for record in desk.project(name).records("done")]
        assert len(keys) == len(set(keys))
    sys.stdout.write(f"seed {SEED}: 2 books, {len(server.posts)} requests, 0 failed\n")
