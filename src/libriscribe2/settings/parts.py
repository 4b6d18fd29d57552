"""Parts of a run made from settings: call session, models with their keys, research."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_passage_evaluator import PassageEvaluator
from libriscribe2.llm.default_model import resolve_model
from libriscribe2.llm.limits.budget import Budget, Caps, Spent, price_of
from libriscribe2.llm.limits.rates import SharedRates, account_name, rate_gate
from libriscribe2.llm.limits.retries import RetryPolicy, StepCounts, TimeLimits
from libriscribe2.llm.providers import ModelChoice, check_choice, is_recorded
from libriscribe2.llm.session import CallSession
from libriscribe2.models.brief import Brief
from libriscribe2.project.manifest import Ledger
from libriscribe2.project.research_files import keep_record
from libriscribe2.project.store import ProjectStore
from libriscribe2.research.access import ResearchMeans
from libriscribe2.settings.schema import BudgetConfig, LlmConfig, Settings, StageModel


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
    before = _spent(store.manifest.ledger)
    return Budget(
        caps,
        before=before,
        others=lambda: _spent(store.call_log.spent_by_others()),
        price_of=price_of,
        project=store.paths.called,
    )


def _spent(ledger: Ledger) -> Spent:
    return Spent(ledger.sent, ledger.possible_usd(), ledger.unpriced())


def stage_model(settings: Settings, agent: type[Agent]) -> StageModel:
    """What the settings say of a stage's model, under its name or one of its other names."""
    given = settings.models.stages()
    name = next((name for name in (agent.name, *agent.also_called) if name in given), agent.name)
    return settings.models.for_stage(name)


def resolved(name: str, choice: ModelChoice, settings: Settings) -> ModelChoice:
    """The model that a configured name stands for; "" is the model of the run (`resolve_model`)."""
    return resolve_model(name, choice, settings.llm.base_url, os.environ)


def is_revising(agent: type[Agent]) -> bool:
    """Whether a stage revises what it wrote, so that somebody may decide about it."""
    return "critique" in agent.prompts


def with_evaluator(
    settings: Settings, brief: Brief | None, stages: Iterable[type[Agent]]
) -> tuple[type[Agent], ...]:
    """The stages of a run, and the evaluator where it decides about the chapters of one of them.

    Without a brief it is asked whether it decides about any book.
    """
    asking = tuple(stages)
    revises = (brief is None or brief.revision) and any(is_revising(agent) for agent in asking)
    return (*asking, PassageEvaluator) if revises and settings.revision.evaluator else asking


def check_models(
    settings: Settings,
    choice: ModelChoice,
    stages: Sequence[type[Agent]],
    folder: Path | None = None,
    premise: str = "",
) -> set[str]:
    """Look for the key and the server of every model that a run of `stages` may ask.

    Args:
        settings: The settings in force.
        choice: The default model and why it is the one.
        stages: The stages.
        folder: The project's folder, where it is there already.
        premise: What the book is about; "" where nobody knows yet.

    Returns:
        The names of the models.

    Raises:
        ConfigError: The address of a server is none.
        ModelError: A key is missing, or nobody serves a model of that name.
    """
    asking = [stage_model(settings, agent) for agent in stages if agent.asks_model]
    names = {name for own in asking for name in (own.model, *own.fallbacks)}
    found = {resolved(name, choice, settings) for name in names}
    for one in sorted(found, key=lambda one: one.model):
        check_choice(one, os.environ)
        if is_recorded(one.model):
            from libriscribe2.llm.backends.recorded import check_recording  # noqa: PLC0415

            check_recording(one.model, folder, premise)
    return {one.model for one in found}


_MB: Final = 2**20


def research_means(
    settings: Settings,
    store: ProjectStore,
    sleep: Callable[[float], Awaitable[None]],
    *,
    asks_models: bool,
) -> ResearchMeans:
    """What a run may use.

    Args:
        settings: The settings in force.
        store: The project.
        sleep: Waits before a call is repeated.
        asks_models: Whether models are really asked; where somebody answers in their place, as
            for an estimate, nobody outside is asked anything.
    """
    research = settings.research
    servers = {name: server.model_dump() for name, server in research.mcp.items()}
    return ResearchMeans(
        paths=store.paths,
        search_url=research.search_url if asks_models else "",
        search_kind=research.search_kind,
        fetch=research.fetch and asks_models,
        most_bytes=research.max_page_mb * _MB,
        page_seconds=research.page_seconds,
        longest_quote=research.longest_quote,
        servers=servers if asks_models else {},
        without=frozenset(research.without),
        plan_retry_enabled=settings.plan_retry_enabled,
        plan_retry_max=settings.plan_retry_max,
        sleep=sleep,
        record=partial(keep_record, store),
        generation=store.manifest.generation,
    )
