"""What there is to make books with: settings, models, stages and tools, as plain records."""

import os
from collections.abc import Sequence
from typing import Any

from libriscribe2.commands.projects import locate, stage_names
from libriscribe2.engine.stages import all_stages
from libriscribe2.llm.default_model import LocalServer
from libriscribe2.llm.providers import PROVIDERS, ModelChoice
from libriscribe2.research.catalog import all_tools
from libriscribe2.research.tool import describe
from libriscribe2.settings import Loaded, Settings, load_for_project, without_secrets
from libriscribe2.settings.parts import resolved, stage_model


def load_settings(project: str | None) -> Loaded:
    """The settings in force for a project, or for none, and where each comes from.

    Raises:
        ConfigError: A file or a variable cannot be used.
        ProjectError: There is no such project.
    """
    stages = stage_names()
    loaded = load_for_project(None, environ=os.environ, flags={}, stages=stages)
    if project is None:
        return loaded
    root = locate(project, None, loaded.settings).root
    return load_for_project(root, environ=os.environ, flags={}, stages=stages)


def settings_record(loaded: Loaded, *, origin: bool) -> dict[str, Any]:
    """The settings by dotted key: the value alone, or the value and its origin."""
    values = {key: _without_secrets(value) for key, value in loaded.values().items()}
    record: dict[str, Any] = values
    if origin:
        record = {
            key: {"value": value, "origin": loaded.origins[key]} for key, value in values.items()
        }
    older = {key.replace(".evaluator", ".judge"): value for key, value in record.items()}
    return older | record  # who reads the older name finds it


def _without_secrets(value: Any) -> Any:
    return without_secrets(value) if isinstance(value, str) else value


def models_record(
    settings: Settings, choice: ModelChoice, servers: Sequence[LocalServer]
) -> dict[str, Any]:
    """Which model does what, and which could.

    Args:
        settings: The settings in force.
        choice: The default model and why it is the one.
        servers: The servers on this machine that serve models.
    """
    rows = []
    for agent in (agent for agent in all_stages() if agent.asks_model):
        own = stage_model(settings, agent)
        model = resolved(own.model, choice, settings).model
        rows.append({"stage": agent.name, "model": model, "fallbacks": list(own.fallbacks)})
    return {
        "default": {"model": choice.model, "reason": choice.reason, "url": choice.url},
        "stages": rows,
        "providers_with_key": [
            one.title for one in PROVIDERS if any(os.environ.get(name) for name in one.keys)
        ],
        "local_servers": [
            {"name": one.name, "url": one.url, "models": list(one.models)} for one in servers
        ],
    }


def stages_record() -> list[dict[str, Any]]:
    """What each stage declares, in running order."""
    return [
        {
            "stage": agent.name,
            "agent": agent.__name__,
            "reads": agent.reads,
            "writes": agent.writes,
            "per_chapter": agent.per_chapter(),
            "asks_model": agent.asks_model,
            "also_called": agent.also_called,
        }
        for agent in all_stages()
    ]


def tools_record() -> list[dict[str, Any]]:
    """The tools of the tool chains, with the JSON Schema of their parameters.

    Raises:
        LibriScribeError: A tool is no tool.
    """
    return [{**describe(tool), "needs": list(tool.needs)} for tool in all_tools()]
