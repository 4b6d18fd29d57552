"""Which model the agent of a stage asks, and whether there is a key for it."""

import os
from collections.abc import Iterable, Sequence

from libriscribe2.agents.agent_base import Agent
from libriscribe2.llm.choice import resolve_model
from libriscribe2.llm.providers import ModelChoice, check_choice
from libriscribe2.models.brief import Brief
from libriscribe2.pipeline.passage_judge import PassageJudge
from libriscribe2.settings.schema import Settings
from libriscribe2.settings.stage_models import StageModel


def stage_model(settings: Settings, agent: type[Agent]) -> StageModel:
    """What the settings say of a stage's model, under its name or one of its other names."""
    given = settings.models.stages()
    name = next((name for name in (agent.name, *agent.also_called) if name in given), agent.name)
    return settings.models.for_stage(name)


def resolved(name: str, choice: ModelChoice, settings: Settings) -> ModelChoice:
    """The model that a configured name stands for; "" is the model of the run (`resolve_model`)."""
    return resolve_model(name, choice, settings.llm.base_url, os.environ)


def with_judge(
    settings: Settings, brief: Brief, stages: Iterable[type[Agent]]
) -> tuple[type[Agent], ...]:
    """The stages of a run, and the judge where it decides about the chapters of one of them."""
    asking = tuple(stages)
    revises = brief.revision and any("critique" in agent.prompts for agent in asking)
    return (*asking, PassageJudge) if revises and settings.revision.judge else asking


def check_models(settings: Settings, choice: ModelChoice, stages: Sequence[type[Agent]]) -> None:
    """Look for the key and the server of every model that a run of `stages` may ask.

    Raises:
        ConfigError: The address of a server is none.
        ModelError: A key is missing, or nobody serves a model of that name.
    """
    asking = [stage_model(settings, agent) for agent in stages if agent.asks_model]
    names = {name for own in asking for name in (own.model, *own.fallbacks)}
    found = {resolved(name, choice, settings) for name in names}
    for one in sorted(found, key=lambda one: one.model):
        check_choice(one, os.environ)
