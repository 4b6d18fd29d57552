"""Telling that another model answers than the one that was named."""

from collections.abc import Callable, Iterable, Mapping

from libriscribe2.agents.agent_base import Agent
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.observe.events import Event
from libriscribe2.settings import Settings
from libriscribe2.settings.parts import resolved, stage_model


def first_models(
    settings: Settings, choice: ModelChoice, stages: Iterable[type[Agent]]
) -> dict[str, str]:
    """The model that each stage asks first."""
    return {
        agent.name: resolved(stage_model(settings, agent).model, choice, settings).model
        for agent in stages
        if agent.asks_model
    }


class FallbackNotes:
    """Hears a run, and tells once of each model whose fallback was paid for.

    Args:
        tell: Tells a person.
        firsts: The model that each stage asks first.
    """

    def __init__(self, tell: Callable[[str], None], firsts: Mapping[str, str]) -> None:
        self._tell = tell
        self._firsts = firsts
        self._told: set[tuple[str, str]] = set()

    def __call__(self, event: Event) -> None:
        """Look at an event of the run."""
        first, asked = self._firsts.get(event.stage), event.asked or event.model
        if event.event != "llm.call" or not event.calls or first in {None, asked}:
            return
        if (pair := (str(first), asked)) not in self._told:
            self._told.add(pair)
            self._tell(f"{first} could not answer, so {asked} did; .libriscribe/run.log says why.")
