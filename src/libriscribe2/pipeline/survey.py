"""How a book stands: every unit with its state, without running anything."""

from collections.abc import Iterable
from dataclasses import replace

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.models.brief import Brief
from libriscribe2.pipeline.staleness import Verdict, input_hashes, verdict
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE
from libriscribe2.project.view import ProjectView


def units_of(agent: type[Agent], view: ProjectView) -> list[Unit]:
    """The units of a stage as far as they are known; none before the outline for chapters."""
    if not agent.per_chapter():
        return [agent.unit()]
    return [agent.unit(chapter) for chapter in range(1, Book(view).chapters() + 1)]


def survey(
    stages: Iterable[type[Agent]], brief: Brief, view: ProjectView, *, refresh: bool = False
) -> list[Verdict]:
    """How every unit of `stages` stands, and whether a run (with `refresh`) would make it.

    Chapters that no outline plans yet stand as one line for their stage.
    """
    found: list[Verdict] = []
    for agent in stages:
        units = units_of(agent, view)
        found.extend(_judged(agent, unit, brief, view, refresh=refresh) for unit in units)
        if not units:
            unit = Unit(agent.name, None, agent.writes)
            found.append(Verdict(unit, runs=True, reason=f"waits for {OUTLINE}", state="missing"))
    return found


def check_artifacts(stages: Iterable[type[Agent]], view: ProjectView) -> None:
    """Read every artifact that is there, so that a damaged one stops a run before it pays.

    Raises:
        ProjectError: The first file that is empty, cut, not UTF-8 or of the wrong shape.
    """
    book = Book(view)
    for agent in stages:
        for unit in units_of(agent, view):
            if not book.has(unit.output):
                continue
            if agent.shape is None:
                book.text(unit.output)
            else:
                book.load(unit.output, agent.shape)


def _judged(
    agent: type[Agent], unit: Unit, brief: Brief, view: ProjectView, *, refresh: bool
) -> Verdict:
    """How one unit stands."""
    state = view.state(unit.output, input_hashes(agent, unit, brief, view))
    again = view.manifest.asked_again(unit.step)
    found = verdict(agent, unit, state, again=again, refresh=refresh)
    if found.state == "missing" and agent.made_where:
        return replace(found, reason=f"{found.reason}; made where there are {agent.made_where}")
    return found
