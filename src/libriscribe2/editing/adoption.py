"""Taking files of the book as they are for the base of what follows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePath

from libriscribe2.agents.agent_context import Unit
from libriscribe2.editing.structure_report import Shift, shifts
from libriscribe2.engine.stages import AgentType
from libriscribe2.engine.staleness import Verdict, input_hashes
from libriscribe2.engine.status import survey, units_of
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.view import ProjectView


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
    behind: tuple[Verdict, ...]


def adopt(
    store: ProjectStore, brief: Brief, stages: Sequence[AgentType], names: Iterable[str]
) -> Adopted:
    """Let files count as made from the present state of all that they depend on.

    They are fresh from then on, may be replaced by `resume --refresh` when something that they
    depend on changes, and are no longer protected as edits.

    Raises:
        UsageError: A name is no file of this book.
        ProjectError: A file is missing.
        StorageError: The journal cannot be written.
    """
    units = {unit.output: (agent, unit) for agent in stages for unit in units_of(agent, store)}
    wanted = {_known(name, tuple(units)) for name in names}
    missing = [name for name in wanted if not store.exists(name)]
    if missing:
        raise ProjectError(
            f"{min(missing)} is missing in {store.paths.root}",
            fix=f"Run `libriscribe2 resume {store.paths.called}` to have it made.",
        )
    before = survey(stages, brief, store)
    in_order = tuple(name for name in units if name in wanted)
    for name in in_order:
        agent, unit = units[name]
        store.adopt(name, input_hashes(agent, unit, brief, store))
    after = survey(stages, brief, store)
    behind = (one for one in after if one.unit.output in units and one.state == "stale")
    made_from = tuple(
        one for one in behind if wanted & set(_changed(store, *units[one.unit.output], brief))
    )
    return Adopted(in_order, tuple(shifts(before, after)), made_from)


def edited_files(view: ProjectView, brief: Brief, stages: Sequence[AgentType]) -> tuple[str, ...]:
    """The files that the author changed, in the order of the book."""
    found = survey(stages, brief, view)
    return tuple(one.unit.output for one in found if one.state == "edited")


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
        f"{name} is no file that a stage of this book makes",
        fix=f"Did you mean {close[0]}?" if close else f"Its files are {', '.join(names)}.",
    )


def _changed(view: ProjectView, agent: AgentType, unit: Unit, brief: Brief) -> tuple[str, ...]:
    return view.state(unit.output, input_hashes(agent, unit, brief, view)).changed
