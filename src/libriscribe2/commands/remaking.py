"""Which files a `redo` writes again: those that are ours, and the author's own only by force."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.commands.projects import stage_called, wanted_stages
from libriscribe2.engine.engine import RunRequest
from libriscribe2.engine.stages import units_of
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.project.artifacts import Book, check_chapter
from libriscribe2.project.lock import copy_in_trash
from libriscribe2.project.project_view import ProjectView
from libriscribe2.wording import counted

_NAMED = 4
"""Most files that one sentence names."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a redo does with the files that it is about.

    Attributes:
        units: The units that are written again.
        drawn_on: What is made anew on the way, because one of them works from it.
        kept: Files of the author's that stay as they are.
        replaced: Files of the author's that are written again, by force.
    """

    units: tuple[Unit, ...]
    drawn_on: tuple[Unit, ...]
    kept: tuple[str, ...]
    replaced: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Redo:
    """What a command line asks to be written again.

    Attributes:
        stage: A stage, by any of its names.
        chapter: One of its chapters; None means all.
        force: Whether files that the author edited or imported are replaced too.
        scene: One of the chapter's scenes, the others of which stay; None means all.
    """

    stage: str
    chapter: int | None = None
    force: bool = False
    scene: int | None = None

    @property
    def job(self) -> str:
        """What is done, in the words of the command line."""
        return f"redo {self._what}"

    def command(self, project: str) -> str:
        """The command line of this redo, by force."""
        return f"`libriscribe2 redo {project} {self._what} --replace-mine`"

    @property
    def _what(self) -> str:
        if self.scene is not None:
            return f"{self.chapter}.{self.scene}"
        return self.stage if self.chapter is None else f"{self.stage} --chapter {self.chapter}"

    def chosen(self, view: ProjectView, brief: Brief) -> Chosen:
        """What is done with the files of a book.

        Raises:
            UsageError: The book has no such stage or chapter.
            ProjectError: All of it is the author's own, and nothing is said of force.
        """
        stages = wanted_stages(brief)
        agent = stage_called(self.stage, stages)
        asked = _units(agent, view, self.chapter)
        own = [unit.output for unit in asked if _is_authors(unit, view)]
        units = [unit for unit in asked if self.force or unit.output not in own]
        if own and not units:
            raise self._nothing_left(own, view.paths.called)
        if self.scene is not None:
            units = [replace(one, part=f"scene{self.scene:02d}") for one in units]
        drawn_on = _drawn_on(agent, units, stages, brief, view) if self.scene is None else []
        own += [unit.output for unit in drawn_on if _is_authors(unit, view)]
        if not self.force:
            drawn_on = [unit for unit in drawn_on if unit.output not in own]
        kept, replaced = ((), tuple(own)) if self.force else (tuple(own), ())
        return Chosen(tuple(units), tuple(drawn_on), kept, replaced)

    def prepare(self, view: ProjectView, brief: Brief) -> RunRequest:
        """The run: the units of a stage again, and what has to follow them.

        Records of chapters that other units of the redo work from are remade on the way, and so
        is what code puts together; nothing else runs. One chapter never remakes the plan of others.

        Raises:
            LibriScribeError: As `chosen` does.
        """
        chosen, stages = self.chosen(view, brief), wanted_stages(brief)
        agent = stage_called(self.stage, stages)
        needed = _needed(agent, chosen.units, brief, view)
        along = [one for one in stages if (one.auto_refresh or one.lazy) and one is not agent]
        if self.chapter is not None:
            along = [one for one in along if one.per_chapter()]
        records = {unit.output for one in along for unit in units_of(one, view)} & needed
        free = [one for one in stages if not one.asks_model and view.exists(one.writes)]
        names = {agent.name, *(one.name for one in (*along, *free))}
        outputs = {unit.output for unit in chosen.units}
        return RunRequest(
            [one for one in stages if one.name in names],
            only=frozenset((outputs | records | {one.writes for one in free}) - {*chosen.kept}),
            again=(*chosen.units, *chosen.drawn_on),
            job=self.job,
        )

    def _nothing_left(self, own: Sequence[str], project: str) -> ProjectError:
        """The error of a redo that has nothing to replace."""
        return ProjectError(
            f"Nothing was written again: {in_short(own)} {'is' if len(own) == 1 else 'are'} "
            "your own text.",
            why="you edited or imported it, and only --replace-mine replaces that",
            fix=f"{self.command(project)} replaces it; a copy goes to the project's trash.",
        )


def own_texts(view: ProjectView, chosen: Chosen) -> dict[str, bytes]:
    """The author's own texts that a redo is about to replace."""
    return {name: view.read_bytes(name) or b"" for name in chosen.replaced}


def copies_of(view: ProjectView, texts: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """The name of each text that was replaced since, and of its copy in the trash."""
    for name, data in texts.items():
        copy = copy_in_trash(view.paths, name, data)
        if copy and view.read_bytes(name) != data:
            yield name, copy


def in_short(names: Sequence[str]) -> str:
    """The names of some files, or of the first of them and how many more there are."""
    if len(names) <= _NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} and {counted(len(names) - _NAMED, 'other file')}"


def _is_authors(unit: Unit, view: ProjectView) -> bool:
    """Whether a unit's file holds what the author wrote or brought along."""
    state = view.state(unit.output, {})
    return state.kind == "edited" or state.own


def _needed(agent: type[Agent], units: Iterable[Unit], brief: Brief, view: ProjectView) -> set[str]:
    """The files that the units work from."""
    order = Book(view).draft_order(brief)
    return {name for unit in units for name in agent.awaits(unit, order)}


def _drawn_on(
    agent: type[Agent],
    units: Sequence[Unit],
    stages: Iterable[type[Agent]],
    brief: Brief,
    view: ProjectView,
) -> list[Unit]:
    """What is made on demand for the units alone, so that they need it anew."""
    needed = _needed(agent, units, brief, view)
    others = (one for one in stages if one.lazy and one is not agent)
    found = (one.unit(unit.chapter) for one in others for unit in units)
    return [unit for unit in found if unit.output in needed]


def _units(agent: type[Agent], view: ProjectView, chapter: int | None) -> list[Unit]:
    """The units that are asked for.

    Raises:
        UsageError: There is no such chapter, or the stage has none.
    """
    units = units_of(agent, view)
    if chapter is None:
        return units
    if agent.of_chapters:
        check_chapter(chapter, Book(view).chapters())
        return [replace(unit, part=f"ch{chapter:02d}") for unit in units]
    if not agent.per_chapter():
        raise UsageError(
            f"The stage {agent.name!r} has no chapter {chapter}.",
            why="it works on the whole book",
            fix="Leave out --chapter.",
        )
    check_chapter(chapter, len(units))
    return [unit for unit in units if unit.chapter == chapter]
