"""What a change of files makes fresh, stale or missing: a book before and after, compared."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from libriscribe2.agents.agent_context import Unit
from libriscribe2.editing.structure import Slot
from libriscribe2.engine.stages import AgentType
from libriscribe2.engine.staleness import Verdict, draft_order
from libriscribe2.models.brief import Brief
from libriscribe2.project.view import ProjectView


@dataclass(frozen=True, slots=True)
class Shift:
    """A file that stands otherwise than before.

    Attributes:
        unit: The file's name now.
        before: How it stood, under whatever name; "" where it was not part of the book.
        after: How it stands.
        reason: Why, in words for the author.
    """

    unit: str
    before: str
    after: str
    reason: str


def later_shifts(
    stages: Iterable[AgentType], brief: Brief, after: ProjectView, stood: Iterable[Verdict]
) -> list[Shift]:
    """The files that are fresh after a change, and stale once the next run has made others.

    Args:
        stages: The stages of the book.
        brief: What the author asked for.
        after: The project after the change.
        stood: How every unit stands then.
    """
    stood, order = tuple(stood), draft_order(brief, after)
    coming = {one.unit.output for one in stood if one.state == "missing"}
    by_name = {agent.name: agent for agent in stages}
    found: list[Shift] = []
    for one in stood:
        awaited = by_name[one.unit.stage].inputs(one.unit, order)
        names = [name for name in awaited if name in coming]
        if one.state == "fresh" and names:
            reason = f"once {' and '.join(names)} {'is' if len(names) == 1 else 'are'} made"
            found.append(Shift(one.unit.output, one.state, "stale", reason))
    return found


def shifts(
    before: Iterable[Verdict],
    after: Iterable[Verdict],
    origin: Callable[[Unit], str | None] = lambda unit: unit.output,
) -> list[Shift]:
    """The files that stand otherwise than before.

    Args:
        before: How every unit stood.
        after: How every unit stands.
        origin: The name that a unit's file had before; None for a new one.
    """
    stood = {one.unit.output: one.state for one in before}
    found = (
        Shift(one.unit.output, stood.get(origin(one.unit) or "", ""), one.state, one.reason)
        for one in after
    )
    return [shift for shift in found if shift.before != shift.after]


def origins(before: Iterable[Verdict], slots: Sequence[Slot]) -> Callable[[Unit], str | None]:
    """Where the files of a new order come from.

    Args:
        before: Every unit of the old order.
        slots: The chapters in the new order.
    """
    names = {(one.unit.stage, one.unit.chapter): one.unit.output for one in before}

    def origin(unit: Unit) -> str | None:
        if unit.chapter is None:
            return unit.output
        sources = slots[unit.chapter - 1].sources
        return names.get((unit.stage, sources[0])) if sources else None

    return origin
