"""`libriscribe2 models`: which model does what, and which could."""

import os
from typing import Any

import typer

from libriscribe2.cli.boundary import reported
from libriscribe2.cli.context import CliContext
from libriscribe2.cli.model_choice import local_servers, model_for
from libriscribe2.cli.options import JsonOption, ModelOption, ProjectArgument
from libriscribe2.cli.projects import locate, setting_flags, settings_of
from libriscribe2.cli.render import Renderer
from libriscribe2.engine.stages import all_stages
from libriscribe2.llm.provider_table import PROVIDERS
from libriscribe2.settings import Settings
from libriscribe2.settings.model_keys import resolved, stage_model


def models(
    ctx: typer.Context,
    project: ProjectArgument = None,
    model: ModelOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which model does what, and which could.

    The model of every stage, the providers whose key is set, and local servers.
    """
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    with reported(renderer, as_json=as_json):
        flags = setting_flags(model, None, None, no_input=True)
        settings = settings_of(None, flags)
        if project:
            settings = settings_of(locate(project, None, settings).root, flags)
        record = _record(settings)
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
