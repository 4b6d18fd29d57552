"""`libriscribe2 adopt`: take edited files as the new base."""

from dataclasses import asdict
from typing import Annotated

import typer

from libriscribe2.cli.frame import Frame, JsonOption, RequiredProjectArgument, command
from libriscribe2.commands.projects import open_project, wanted_stages
from libriscribe2.editing.adoption import Adopted, edited_files, file_name
from libriscribe2.editing.adoption import adopt as take
from libriscribe2.engine.decisions import check_artifacts
from libriscribe2.errors import UsageError
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore


@command
def adopt(
    frame: Frame,
    project: RequiredProjectArgument,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", help="Such as chapters/03.md.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every file that you edited.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Take edited files as the new base.

    An edited file is never written over. Adopted, it counts as made from the present state of all
    that it depends on: it is up to date, and becomes stale like any other when that changes;
    `resume --refresh` then makes it again.
    """
    renderer = frame.renderer
    if every == bool(files):
        raise UsageError("Which files?", fix="Name them, or say --all for all that you edited.")
    done = _adopted(frame.project(project), files or [])
    if as_json:
        behind = [one.unit.output for one in done.behind]
        record = {"adopted": done.names, "states": list(map(asdict, done.shifts)), "stale": behind}
        renderer.data_json(record)
        return
    if not done.names:
        renderer.note("No file of the book is edited.")
    for name in done.names:
        renderer.data(name)
    for shift in done.shifts:
        renderer.note(f"{shift.unit}: {shift.before} -> {shift.after} ({shift.reason})")
    for one in done.behind:
        renderer.note(f"{one.unit.output}: {one.reason}")


def _adopted(paths: ProjectPaths, typed: list[str]) -> Adopted:
    """Adopt the files that were named, or all that are edited."""
    with ProjectStore.open(paths) as store:
        brief = open_project(store)
        stages = wanted_stages(brief)
        check_artifacts(stages, store)
        named = tuple(file_name(name, paths.root) for name in typed)
        return take(store, brief, stages, named or edited_files(store, brief, stages))
