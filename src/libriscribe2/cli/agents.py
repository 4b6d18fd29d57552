"""`libriscribe2 agents`: the stages of a book, in running order."""

import typer

from libriscribe2.agents.agent_base import Agent
from libriscribe2.cli.boundary import reported
from libriscribe2.cli.context import CliContext
from libriscribe2.cli.options import JsonOption
from libriscribe2.cli.render import Renderer
from libriscribe2.engine.stages import all_stages


def agents(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """List the stages that make a book.

    In running order, with what each reads and writes.
    """
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    with reported(renderer, as_json=as_json):
        stages = all_stages()
    if as_json:
        renderer.data_json([_record(agent) for agent in stages])
        return
    rows = [
        (
            one.name,
            one.__name__,
            ", ".join(one.reads),
            one.writes,
            ", ".join(one.also_called),
        )
        for one in stages
    ]
    renderer.table(("stage", "agent", "reads", "writes", "also called"), rows)


def _record(agent: type[Agent]) -> dict[str, object]:
    """What an agent declares."""
    return {
        "stage": agent.name,
        "agent": agent.__name__,
        "reads": agent.reads,
        "writes": agent.writes,
        "per_chapter": agent.per_chapter(),
        "asks_model": agent.asks_model,
        "also_called": agent.also_called,
    }
