"""`libriscribe2 models`: which model does what, and which could."""

import os
from typing import Any

from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    ModelOption,
    ModelOptions,
    ProjectArgument,
    command,
)
from libriscribe2.cli.model_choice import local_servers, model_for
from libriscribe2.engine.stages import all_stages
from libriscribe2.llm.provider_table import PROVIDERS
from libriscribe2.settings import Settings
from libriscribe2.settings.parts import resolved, stage_model


@command
def models(
    frame: Frame,
    project: ProjectArgument = None,
    model: ModelOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which model does what, and which could.

    The model of every stage, the providers whose key is set, and local servers.
    """
    renderer = frame.renderer
    options = ModelOptions(model=model)
    paths = frame.project(project, options=options) if project else None
    record = _record(frame.settings(options, paths))
    if as_json:
        renderer.data_json(record)
        return
    renderer.table(
        ("stage", "model", "fallbacks"),
        [(row["stage"], row["model"], ", ".join(row["fallbacks"])) for row in record["stages"]],
    )
    renderer.note(f"default: {record['default']['model']} ({record['default']['reason']})")
    for name in record["providers_with_key"]:
        renderer.note(f"key found: {name}")
    for server in record["local_servers"]:
        renderer.note(f"{server['name']} at {server['url']}: {', '.join(server['models'])}")


def _record(settings: Settings) -> dict[str, Any]:
    """What there is to tell."""
    servers = local_servers()
    choice = model_for(settings, probe=lambda: servers)
    rows = []
    for agent in (agent for agent in all_stages() if agent.asks_model):
        own = stage_model(settings, agent)
        found = resolved(own.model, choice, settings)
        row = {"stage": agent.name, "model": found.model}
        rows.append({**row, "fallbacks": list(own.fallbacks)})
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
