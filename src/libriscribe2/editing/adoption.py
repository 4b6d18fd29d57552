"""How a change makes files fresh, stale or missing, and edits taken as the base of what follows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePath

from libriscribe2.agents.agent_base import Unit
from libriscribe2.editing.structure import Slot
from libriscribe2.engine.stages import AgentType, RunDecision, book_status, input_hashes, units_of
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.project.artifacts import Book
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.store import ProjectStore


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


@dataclass(frozen=True, slots=True)
class Adopted:
    """What came of it.

    Attributes:
        names: The files that were taken, in the order of the book.
        shifts: The files that stand otherwise than before.
        behind: The files that were made from another content of one of `names`.
    """

    names: tuple[str, ...]
    shifts: tuple[Shift, ...]
    behind: tuple[RunDecision, ...]


def adopt(
    store: ProjectStore, brief: Brief, stages: Sequence[AgentType], names: Iterable[str]
) -> Adopted:
    """Let files count as made from the present state of all that they depend on.

    They are fresh from then on, and out of date when something that they depend on changes. They
    stay the author's: only `--replace-mine` replaces them.

    Raises:
        UsageError: A name is no file of this book.
        ProjectError: A file is missing.
        StorageError: The journal cannot be written.
    """
    units = {unit.output: (agent, unit) for agent in stages for unit in units_of(agent, store)}
    chosen = {_known(name, tuple(units)) for name in names}
    missing = [name for name in chosen if not store.exists(name)]
    if missing:
        raise ProjectError(
            f"{min(missing)} is missing in {store.paths.root}",
            fix=f"Run `libriscribe2 resume {store.paths.called}` to have it made.",
        )
    before = book_status(stages, brief, store)
    in_order = tuple(name for name in units if name in chosen)
    for name in in_order:
        agent, unit = units[name]
        store.adopt(name, input_hashes(agent, unit, brief, store), unit.step)
    after = book_status(stages, brief, store)
    behind = (one for one in after if one.unit.output in units and one.state == "stale")
    made_from = tuple(
        one for one in behind if chosen & set(_changed(store, *units[one.unit.output], brief))
    )
    return Adopted(in_order, tuple(shifts(before, after)), made_from)


def edited_files(view: ProjectView, brief: Brief, stages: Sequence[AgentType]) -> tuple[str, ...]:
    """The files that the author changed, in the order of the book."""
    status = book_status(stages, brief, view)
    return tuple(one.unit.output for one in status if one.state == "edited")


def file_name(typed: str, root: Path) -> str:
    """The name of a file in a project, however it was typed.

    Args:
        typed: A name such as `chapters/03.md`, or a path to the file.
        root: The project's folder.
    """
    path = Path(typed)
    full = path if path.is_absolute() else Path.cwd() / path
    if full.exists() and full.resolve().is_relative_to(root.resolve()):
        return full.resolve().relative_to(root.resolve()).as_posix()
    return PurePath(typed).as_posix()


def _known(name: str, names: Sequence[str]) -> str:
    if name in names:
        return name
    close = get_close_matches(name, names, n=1)
    raise UsageError(
        f"{name} is not a file of this book",
        fix=f"Did you mean {close[0]}?" if close else f"Its files are {', '.join(names)}.",
    )


def _changed(view: ProjectView, agent: AgentType, unit: Unit, brief: Brief) -> tuple[str, ...]:
    return view.state(unit.output, input_hashes(agent, unit, brief, view)).changed


def later_shifts(
    stages: Iterable[AgentType], brief: Brief, after: ProjectView, stood: Iterable[RunDecision]
) -> list[Shift]:
    """The files that are fresh after a change, and stale once the next run has made others.

    Args:
        stages: The stages of the book.
        brief: What the author asked for.
        after: The project after the change.
        stood: How every unit stands then.
    """
    stood, order = tuple(stood), Book(after).draft_order(brief)
    coming = {one.unit.output for one in stood if one.state == "missing"}
    by_name = {agent.name: agent for agent in stages}
    result: list[Shift] = []
    for one in stood:
        awaited = by_name[one.unit.stage].inputs(one.unit, order)
        names = [name for name in awaited if name in coming]
        if one.state == "fresh" and names:
            reason = f"once {' and '.join(names)} {'is' if len(names) == 1 else 'are'} made"
            result.append(Shift(one.unit.output, one.state, "stale", reason))
    return result


def shifts(
    before: Iterable[RunDecision],
    after: Iterable[RunDecision],
    origin: Callable[[Unit], str | None] = lambda unit: unit.output,
) -> list[Shift]:
    """The files that stand otherwise than before.

    Args:
        before: How every unit stood.
        after: How every unit stands.
        origin: The name that a unit's file had before; None for a new one.
    """
    stood = {one.unit.output: one.state for one in before}
    result = (
        Shift(one.unit.output, stood.get(origin(one.unit) or "", ""), one.state, one.reason)
        for one in after
    )
    return [shift for shift in result if shift.before != shift.after]


def origins(before: Iterable[RunDecision], slots: Sequence[Slot]) -> Callable[[Unit], str | None]:
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
