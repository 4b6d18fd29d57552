"""Whether a project is sound: every file read, hashed and compared with what is known of it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from libriscribe2.agents.agent_context import Unit
from libriscribe2.editing.structure import redo_of
from libriscribe2.engine.stages import AgentType, number_in
from libriscribe2.errors import LibriScribeError, ProjectError
from libriscribe2.models.story import ScenesFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE, SCENES
from libriscribe2.project.view import ProjectView


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be.

    Attributes:
        file: The file.
        place: Where in it; "" for the whole.
        what: What is wrong.
        fix: The command or edit that mends it.
        stops: Whether a run would stop for it.
    """

    file: str
    place: str
    what: str
    fix: str
    stops: bool = False


def examine(view: ProjectView, stages: Sequence[AgentType]) -> list[Finding]:
    """Everything that is wrong with the files of a book.

    Args:
        view: The project.
        stages: The stages that the book has.

    Raises:
        StorageError: A file cannot be read.
    """
    shapes = [finding for agent in stages for finding in _unreadable(agent, view)]
    known = [finding for name in view.manifest.files for finding in _unlike_record(name, view)]
    numbers: list[Finding] = []
    if not {OUTLINE, SCENES} & {finding.file for finding in shapes}:
        numbers = [*_plans_apart(stages, view), *_beyond_the_end(stages, view)]
    return [*shapes, *known, *numbers]


def told(error: LibriScribeError, file: str) -> Finding:
    """An error that stops a run, as a finding."""
    return Finding(file, error.why, error.what, error.fix, stops=True)


def _unreadable(agent: AgentType, view: ProjectView) -> Iterator[Finding]:
    """Files of a stage that cannot be read or have another shape."""
    for unit in _units_there(agent, view):
        try:
            if agent.shape is None:
                view.read_text(unit.output)
            else:
                Book(view).load(unit.output, agent.shape)
        except ProjectError as error:
            yield told(error, unit.output)


def _units_there(agent: AgentType, view: ProjectView) -> Iterable[Unit]:
    """The units of a stage whose files are there, whether or not an outline plans them."""
    if not agent.per_chapter():
        return [agent.unit()] if view.exists(agent.writes) else []
    numbers = (number_in(name, agent.writes) for name in view.names(agent.writes))
    return [agent.unit(number) for number in numbers if number is not None]


def _unlike_record(name: str, view: ProjectView) -> Iterator[Finding]:
    """A file that is not as the journal knows it."""
    kind = view.state(name, view.manifest.files[name].inputs).kind
    if kind == "missing":
        resume = f"`libriscribe2 resume {view.paths.called}`"
        fix = f"Nothing, if you took it away: {resume} makes it again where it is due."
        yield Finding(name, "", "it was written and is gone", fix)
    if kind == "old":
        what = "a run ended before its newest content was in place"
        yield Finding(name, "", what, f"Run `libriscribe2 resume {view.paths.called}`.")
    if kind == "edited":
        what = "its content is not the one that was written: an edit of yours, or damage"
        adopt = f"`libriscribe2 adopt {view.paths.called} {name}`"
        fix = f"Keep it, take it for the new base with {adopt}, or `redo` its stage with --force."
        yield Finding(name, "", what, fix)


def _plans_apart(stages: Iterable[AgentType], view: ProjectView) -> Iterator[Finding]:
    """Outline and scenes that do not plan the same chapters."""
    book = Book(view)
    planner = next((agent for agent in stages if agent.writes == SCENES), None)
    if planner is None or not (book.has(OUTLINE) and book.has(SCENES)):
        return
    redo = redo_of(view, SCENES, planner.name)
    chapters, plans = book.chapters(), book.load(SCENES, ScenesFile).chapters
    if len(plans) != chapters:
        what = f"it plans {len(plans)} chapters, and {OUTLINE} has {chapters}"
        stops = len(plans) < chapters
        yield Finding(SCENES, "chapters", what, f"Plan the same in both, or run {redo}.", stops)
    asked = view.manifest.asked_again(planner.unit().step)
    for plan in plans:
        if not plan.scenes and not asked:
            place = f"chapters.{plan.chapter - 1}.scenes"
            yield Finding(
                SCENES, place, "no scene is planned", f"Write some, or run {redo}.", stops=True
            )


def _beyond_the_end(stages: Iterable[AgentType], view: ProjectView) -> Iterator[Finding]:
    """Files of chapters that the outline does not have, or under a name that nobody reads."""
    if not view.exists(OUTLINE):
        return
    chapters = Book(view).chapters()
    for agent in (agent for agent in stages if agent.per_chapter()):
        for name in view.names(agent.writes):
            number = number_in(name, agent.writes)
            if number is None or number > chapters or agent.unit(number).output != name:
                what = f"it belongs to no chapter: {OUTLINE} has {chapters}"
                fix = (
                    "Move it elsewhere; for its text, make room with `libriscribe2 chapter insert`."
                )
                yield Finding(name, "", what, fix)
