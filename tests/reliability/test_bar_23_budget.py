"""Bar 23: at 16 requests at once, through failures and kills, nothing ever goes over the cap.

Again: .venv/bin/pytest tests/reliability/test_bar_23_budget.py -s
"""

import asyncio
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from tests.support.authors import Killed
from tests.support.charging_provider import PRICE, UNLISTED_USD_PER_TOKEN, ChargingProvider
from tests.support.project_faults import QuickOps

from libriscribe2.errors import BudgetError, ProviderError
from libriscribe2.llm.call_records import CallOptions
from libriscribe2.llm.client import LLMClient
from libriscribe2.llm.limits.budget import Budget, Caps, Spent
from libriscribe2.llm.limits.retries import RetryPolicy
from libriscribe2.llm.session import CallSession
from libriscribe2.project.lock import Machine, Rescue
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore

SEED: Final = 23
POINTS: Final = 50
QUESTIONS: Final = 24
AT_ONCE: Final = 16
ROUNDING: Final = 1e-9


async def no_wait(_seconds: float) -> None:
    """A clock that takes no time."""


class Project:
    """A project whose program is started again and again, and the provider that it asks.

    Attributes:
        provider: Keeps its own books.
        cap: US dollars.
    """

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self._paths = ProjectPaths(folder / "book", folder / "debug")
        self._paths.root.mkdir(parents=True)
        self._paths.book_toml.write_text("[book]\n", encoding="utf-8")
        self._machine = Machine(ops=QuickOps(), rescue=Rescue(folder / "rescue"))
        self._rng = rng
        self.provider = ChargingProvider(rng, deaths=0.05)
        self.cap = 0.0

    @contextmanager
    def _client(self) -> Iterator[LLMClient]:
        """A new process that holds the project."""
        with ProjectStore.open(self._paths, self._machine) as store:
            ledger = store.manifest.ledger

            def within_the_cap() -> None:
                assert self.provider.charged <= self.cap + ROUNDING
                unpriced = sum(
                    PRICE.cost(*tokens)
                    if model == "listed"
                    else sum(tokens) * UNLISTED_USD_PER_TOKEN
                    for model, tokens in ledger.unpriced().items()
                )
                assert self.provider.charged <= ledger.possible_usd() + unpriced + ROUNDING
                assert ledger.possible_usd() + unpriced <= self.cap + ROUNDING

            self.provider.on_charge = within_the_cap
            budget = Budget(
                Caps(self.cap, unknown_usd_per_million=UNLISTED_USD_PER_TOKEN * 1e6),
                before=Spent(ledger.sent, ledger.possible_usd(), ledger.unpriced()),
                price_of=lambda model: PRICE if model == "listed" else None,
            )
            session = CallSession(
                limit=asyncio.Semaphore(AT_ONCE),
                budget=budget,
                retry=RetryPolicy(attempts=3),
                sleep=no_wait,
                rng=self._rng,
            )
            yield LLMClient(
                "", "", "listed", backend=self.provider, call_log=store.call_log, session=session
            )

    async def run(self) -> list[BaseException]:
        """One process: ask everything; return what went wrong."""
        with self._client() as client:
            asked = [asyncio.create_task(self._ask(client, n)) for n in range(QUESTIONS)]
            done, rest = await asyncio.wait(asked, return_when=asyncio.FIRST_EXCEPTION)
            if any(isinstance(task.exception(), Killed) for task in done):
                for task in rest:
                    task.cancel()
            results = await asyncio.gather(*asked, return_exceptions=True)
        return [result for result in results if isinstance(result, BaseException)]

    async def _ask(self, client: LLMClient, number: int) -> None:
        model = "unlisted" if number % 8 == 0 else "listed"
        limited = CallOptions(step=f"s{number}", max_tokens=400 if model == "unlisted" else None)
        await client.using(model).with_options(limited).think("x" * (50 + 20 * number))


@pytest.mark.parametrize("point", range(POINTS))
def test_bar_23_spend_never_passes_the_cap_and_raising_it_resumes(
    tmp_path: Path, point: int
) -> None:
    rng = random.Random(SEED * 1000 + point)  # noqa: S311 - a repeatable course of events
    project = Project(tmp_path, rng)
    project.cap = rng.uniform(0.0, 8.0)
    reached = False
    for _ in range(200):
        failures = asyncio.run(project.run())
        if not failures:
            break
        if any(isinstance(failure, BudgetError) for failure in failures):
            reached = True
            project.cap *= 1.5
            project.cap += 0.5
            project.provider.deaths = 0.0
        expected = (BudgetError, ProviderError, Killed, asyncio.CancelledError)
        assert [one for one in failures if not isinstance(one, expected)] == []
    else:
        pytest.fail("the project never came to its end")
    assert set(project.provider.answered.values()) == {1}
    assert len(project.provider.answered) == QUESTIONS
    assert project.provider.charged <= project.cap + ROUNDING
    told = f"charged ${project.provider.charged:.2f}, cap ${project.cap:.2f}, reached: {reached}"
    sys.stdout.write(f"seed {SEED}, point {point}: {told}\n")
