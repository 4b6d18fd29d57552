"""From what a user names to stages."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from libriscribe2.agents.agent_base import Agent
from libriscribe2.engine.stages import all_stages, find_stage, stages_of, up_to
from libriscribe2.errors import UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.project.paths import BOOK_TOML

_SWITCHES: Final = {
    "title": ("--auto-title without --title", "auto_title = true"),
    "world": ("--worldbuilding", "worldbuilding = true"),
    "characters": ("--characters N", "characters = N"),
    "research": ("--research", "research = true"),
    "canon": ("--canon, for a story", "canon = true"),
    "drafts": ("--drafting parallel", 'drafting = "parallel"'),
}
"""What has the book get a stage that not every book has: at `create`, and in `book.toml`."""


JUDGE: Final = "judge"


_PLAN: Final = "plan"
"""How the command line also calls the stage that completes the plan."""


def stage_names() -> tuple[str, ...]:
    """Every name under which settings know a stage, or the judge, who is none."""
    return (*_names(all_stages()), JUDGE)


def wanted_stages(brief: Brief, until: Iterable[str] = ()) -> tuple[type[Agent], ...]:
    """The stages of a run.

    Args:
        brief: Says which stages the book has.
        until: Stages to run up to; none means all.

    Raises:
        UsageError: There is no such stage, or this book has none of that name.
    """
    stages = stages_of(brief)
    ends = [stage_called(name, stages) for name in until]
    if not ends:
        return stages
    kept = {agent.name for end in ends for agent in up_to(end.name, stages)}
    return tuple(agent for agent in stages if agent.name in kept)


def stage_called(name: str, stages: Iterable[type[Agent]]) -> type[Agent]:
    """The stage of that name, or of one of its other names.

    Raises:
        UsageError: The book has none; one that is only switched off says how to switch it on.
    """
    known = tuple(stages)
    found = _named(name, known)
    if found is not None:
        return found
    listed = ", ".join(_listed(agent) for agent in known)
    switched_off = _named(name, all_stages())
    if switched_off is not None:
        raise UsageError(
            f"This book has no stage {name!r}: it is switched off.",
            fix=f"{_switch(switched_off.name)}Its stages are {listed}.",
        )
    close = get_close_matches(name, _names(known), n=1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    raise UsageError(
        f"This book has no stage {name!r}.",
        fix=f"{hint}Its stages are {listed}.",
    )


def _named(name: str, stages: Iterable[type[Agent]]) -> type[Agent] | None:
    """The stage that is known under a name."""
    known = tuple(stages)
    called = (agent for agent in known if name in agent.also_called)
    return find_stage(name, known) or next(called, None)


def _names(stages: Iterable[type[Agent]]) -> tuple[str, ...]:
    """Every name under which the stages are known."""
    return tuple(name for agent in stages for name in (agent.name, *agent.also_called))


def _listed(agent: type[Agent]) -> str:
    """A stage's name with the word for all that is there once it is done."""
    return f"{agent.name} ({_PLAN})" if _PLAN in agent.also_called else agent.name


def _switch(stage: str) -> str:
    """How the author gets a stage; empty where nothing is known of it."""
    if stage not in _SWITCHES:
        return ""
    option, line = _SWITCHES[stage]
    return f"Switch it on: {option} at `create`, or `{line}` in {BOOK_TOML}. "
