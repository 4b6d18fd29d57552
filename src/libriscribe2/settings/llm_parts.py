"""The parts of a run's calls, as the settings want them."""

import asyncio
import os
from collections.abc import Callable

from libriscribe2.llm.budget import Budget
from libriscribe2.llm.caps import Caps, Spent
from libriscribe2.llm.prices import price_of
from libriscribe2.llm.rate_limits import SharedRates, account_name, rate_gate
from libriscribe2.llm.resilience import RetryPolicy
from libriscribe2.llm.session import CallSession
from libriscribe2.llm.step_counts import StepCounts
from libriscribe2.llm.time_limits import TimeLimits
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings.schema import BudgetConfig, LlmConfig, Settings


def call_session(
    settings: Settings,
    store: ProjectStore,
    url_of: Callable[[str], str | None],
    *,
    asks_models: bool,
    shared: SharedRates | None = None,
) -> CallSession:
    """The shared state of a run's calls.

    Args:
        settings: The settings in force.
        store: The project, whose journal says what is spent.
        url_of: The server of a model; None is the provider's own.
        asks_models: Whether requests go to the models that they name; where somebody answers in
            their place, as for an estimate, no rate is limited.
        shared: The limits that other machines share; None keeps those of this machine.
    """
    llm = settings.llm
    return CallSession(
        limit=asyncio.Semaphore(settings.pipeline.max_concurrency),
        budget=_budget(settings.budget, store),
        retry=RetryPolicy(attempts=llm.retries + 1),
        rates=rate_gate(
            llm.requests_per_minute if asks_models else None,
            llm.kilo_tokens_per_minute if asks_models else None,
            lambda model: account_name(model, url_of(model), os.environ),
            shared,
        ),
        steps=StepCounts(settings.pipeline.max_attempts * (llm.retries + 1)),
    )


def time_limits(llm: LlmConfig) -> TimeLimits:
    """The clocks over each request."""
    return TimeLimits(
        first_piece=llm.first_token_seconds,
        between_pieces=llm.between_tokens_seconds,
        whole_call=llm.timeout_seconds,
    )


def _budget(config: BudgetConfig, store: ProjectStore) -> Budget:
    """The caps over what the project has spent so far, by its journal."""
    caps = Caps(
        config.max_cost, config.max_calls, config.max_minutes, config.unknown_usd_per_million
    )
    ledger = store.manifest.ledger
    before = Spent(ledger.sent, ledger.possible_usd(), ledger.unpriced())
    return Budget(caps, before=before, price_of=price_of, project=store.paths.called)
