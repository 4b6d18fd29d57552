"""The one place where a run's events are read: whoever wants them receives them here, in order."""

from collections.abc import Iterable, Mapping
from contextlib import aclosing
from typing import TypeVar

from libriscribe2.agents.agent_base import Agent
from libriscribe2.cli.render import Renderer
from libriscribe2.engine.engine import Result, RunStream
from libriscribe2.llm.call_records import Piece
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.observe.events import Event, EventConsumer
from libriscribe2.settings import Settings
from libriscribe2.settings.parts import resolved, stage_model

T = TypeVar("T")


class Screen:
    """Shows a run: lines and how far it is, or one JSON object per event.

    Args:
        renderer: Prints.
        as_json: Whether events go to stdout, one JSON object per line.
    """

    def __init__(self, renderer: Renderer, *, as_json: bool = False) -> None:
        self._renderer = renderer
        self._as_json = as_json

    def receive(self, event: Event) -> None:
        """Show an event."""
        if self._as_json:
            self._renderer.render_event_json(event)
        else:
            self._renderer.render_event(event)

    def receive_piece(self, piece: Piece) -> None:
        """Show a piece of prose while it arrives."""
        self._renderer.on_text(piece.step, piece.text)


class FallbackNotes:
    """Warns once of each model whose fallback was paid for.

    Args:
        renderer: Warns.
        firsts: The model that each stage asks first (`first_models`).
    """

    def __init__(self, renderer: Renderer, firsts: Mapping[str, str]) -> None:
        self._renderer = renderer
        self._firsts = firsts
        self._warned: set[tuple[str, str]] = set()

    def receive(self, event: Event) -> None:
        """Look at an event of the run."""
        first, asked = self._firsts.get(event.stage), event.asked or event.model
        if event.event != "llm.call" or not event.calls or first in {None, asked}:
            return
        if (pair := (str(first), asked)) not in self._warned:
            self._warned.add(pair)
            self._renderer.warning(
                f"{first} could not answer, so {asked} did; .libriscribe/run.log says why."
            )


def first_models(
    settings: Settings, choice: ModelChoice, stages: Iterable[type[Agent]]
) -> dict[str, str]:
    """The model that each stage asks first."""
    return {
        agent.name: resolved(stage_model(settings, agent).model, choice, settings).model
        for agent in stages
        if agent.asks_model
    }


async def follow(run: RunStream[T], *consumers: EventConsumer, screen: Screen | None = None) -> T:
    """Read a run to its end, and return what came of it.

    Args:
        run: The run; it is closed in any case, which ends what is under way.
        *consumers: Receive every event, in this order.
        screen: Receives pieces of prose, too.

    Raises:
        LibriScribeError: The run failed; what was made is kept.
    """
    results: list[T] = []
    async with aclosing(run) as items:
        async for item in items:
            if isinstance(item, Event):
                for consumer in consumers:
                    consumer.receive(item)
            elif isinstance(item, Result):
                results.append(item.value)
            elif screen is not None:
                screen.receive_piece(item)
    return results[0]
