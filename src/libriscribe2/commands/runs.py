"""What a command asks of a run, and of a new book before its run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.engine.engine import Engine, RunStream
from libriscribe2.engine.runner import Outcome
from libriscribe2.models.brief import Brief
from libriscribe2.project.atomic import atomic_write, make_folder, storage_errors
from libriscribe2.project.paths import CHAPTER_FILES, SCENES, ProjectPaths
from libriscribe2.project.store import ProjectStore


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a command asks of a run.

    Attributes:
        stages: The stages to bring up to date.
        refresh: Whether stale units are remade.
        as_json: Whether events go to stdout, one JSON object per line.
        only: Files whose units may run; None means all.
        again: Units to do again, whatever their state.
        job: The same in the words of the command line, such as `redo chapters --chapter 2`.
    """

    stages: Sequence[type[Agent]]
    refresh: bool = False
    as_json: bool = False
    only: frozenset[str] | None = None
    again: tuple[Unit, ...] = ()
    job: str = ""

    @property
    def ends_with_plan(self) -> bool:
        """Whether it is the plan that is asked for, and no prose."""
        made = {stage.writes for stage in self.stages}
        return self.only is None and SCENES in made and CHAPTER_FILES not in made

    def by(self, engine: Engine) -> RunStream[Outcome]:
        """The run that carries it out."""
        return engine.run(self.stages, refresh=self.refresh, only=self.only, again=self.again)


Prepare = Callable[[ProjectStore, Brief], RunRequest]
"""What a command does before its run, and the run that it asks for."""


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file of a new book.

    Attributes:
        name: Its name in the project, such as `samples/letters.md`.
        data: Its bytes.
    """

    name: str
    data: bytes


def place_files(paths: ProjectPaths, files: Sequence[GivenFile]) -> None:
    """Put files into a project.

    Raises:
        StorageError: The system refuses.
    """
    for file in files:
        path = paths.resolve(file.name)
        with storage_errors("write", path):
            make_folder(path.parent)
            atomic_write(path, file.data)
