"""How a book stands: every unit with its state, without running anything."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.engine.staleness import Verdict, draft_order, input_hashes, verdict
from libriscribe2.errors import ProjectError
from libriscribe2.models.brief import Brief
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

    Chapters that no outline plans yet stand as one line for their stage. A stage that works from
    the author's files alone is left out while there are none, and so is a missing file that is made
    on demand where nothing needs it.
    """
    stages, found = tuple(stages), list[Verdict]()
    for agent in stages:
        units = units_of(agent, view)
        judged = [_judged(agent, unit, brief, view, refresh=refresh) for unit in units]
        found.extend(one for one in judged if not _has_nothing_to_do(agent, one, view))
        if not units:
            unit = Unit(agent.name, None, agent.writes)
            found.append(Verdict(unit, runs=True, reason=f"waits for {OUTLINE}", state="missing"))
    return _without_unneeded(stages, found, brief, view)


def check_artifacts(stages: Iterable[type[Agent]], view: ProjectView) -> None:
    """Read every artifact that is there, so that a damaged one stops a run before it pays.

    Raises:
        ProjectError: The first file that is empty, cut, not UTF-8 or of the wrong shape.
    """
    book = Book(view)
    for agent in stages:
        for unit in units_of(agent, view):
            if not book.has(unit.output):
                _check_place(unit.output, view)
                continue
            if agent.shape is None:
                book.text(unit.output)
            else:
                book.load(unit.output, agent.shape)


def _check_place(name: str, view: ProjectView) -> None:
    """Refuse what stands where a missing file would be written.

    Raises:
        ProjectError: There is a folder, or something else that is no file.
    """
    if view.paths.resolve(name).exists():
        raise ProjectError(
            f"{name} is not a file",
            why="something else stands in its place",
            fix="Move it away; what the program made before is made again.",
        )


def _without_unneeded(
    stages: Sequence[type[Agent]], found: list[Verdict], brief: Brief, view: ProjectView
) -> list[Verdict]:
    """The units without the missing ones that are made on demand and that nothing asks for."""
    by_name = {agent.name: agent for agent in stages}
    if not any(agent.on_demand for agent in stages):
        return found
    order = draft_order(brief, view)
    needed = {
        name
        for one in found
        if one.runs
        for name in by_name[one.unit.stage].awaits(one.unit, order)
    }
    return [
        one
        for one in found
        if one.state != "missing"
        or one.unit.chapter is None
        or one.unit.output in needed
        or not by_name[one.unit.stage].on_demand
    ]


def _has_nothing_to_do(agent: type[Agent], found: Verdict, view: ProjectView) -> bool:
    """Whether a file is not made because there is none of the files that it would be made from."""
    patterns = bool(agent.reads) and all("*" in name for name in agent.reads)
    absent = found.state == "missing" and agent.made_where and patterns
    return bool(absent) and not any(view.names(name) for name in agent.reads)


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
