"""`libriscribe2 agents`: the stages of a book, in running order."""

from libriscribe2.agents.agent_base import Agent
from libriscribe2.cli.frame import Frame, JsonOption, command
from libriscribe2.engine.stages import all_stages


@command
def agents(frame: Frame, as_json: JsonOption = False) -> None:
    """List the stages that make a book.

    In running order, with what each reads and writes.
    """
    renderer = frame.renderer
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
