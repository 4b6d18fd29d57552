"""`libriscribe2 status` and `accept`: how a book stands, and edits that are accepted as current."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from libriscribe2.cli.frame import (
    Frame,
    ProjectArgument,
    ProjectNameOption,
    RequiredProjectArgument,
    command_with_json,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.run_output import quote_beside_actual, refreshing, written_by_stand_in
from libriscribe2.commands.book_state import BookOverview, overview
from libriscribe2.commands.chapter_edits import adopt_files
from libriscribe2.errors import UsageError
from libriscribe2.project.paths import STATE, ProjectPaths
from libriscribe2.wording import cost, tokens_in, without_sources
from libriscribe2.wording import state_in_words as words


@command_with_json
def status(
    frame: Frame,
    project: ProjectArgument = None,
    project_name: ProjectNameOption = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also list the program's own files.")
    ] = False,
    rates: Annotated[
        bool, typer.Option("--rates", help="Also show how many replies could be read.")
    ] = False,
) -> None:
    """Show the files of a book with their states and the reasons.

    Nothing is written and no lock is taken, so it can be used during a run. The program's own files
    are listed where they are out of date; --json lists all.
    """
    renderer = frame.renderer
    paths = frame.project(project, project_name)
    state = overview(paths, rates=rates)
    if renderer.told_json(state.record):
        return
    units = [row for row in state.record["units"] if every or not _goes_without_saying(row)]
    rows = [(row["unit"], *_state_and_reason(row)) for row in units]
    renderer.table(("file", "state", "why"), rows)
    quoted = quote_beside_actual(renderer, paths, state.manifest)
    renderer.panel(paths.root.name, {**_in_words(state.record), **quoted})
    if rates:
        shares = [
            (one["name"], f"{one['count']} of {one['of']}", one["agent"], one["model"])
            for one in state.record["rates"]
        ]
        renderer.table(("rate", "count", "agent", "model"), shares)
    _tell_next(renderer, paths, state)


def _goes_without_saying(row: Mapping[str, Any]) -> bool:
    """Whether it is a file of the program's own that is up to date, or will be made."""
    return row["unit"].startswith(f"{STATE}/") and row["state"] in {"fresh", "missing"}


def _tell_next(renderer: Renderer, paths: ProjectPaths, state: BookOverview) -> None:
    """What comes next: a run, or what would stop it."""
    if state.record["stand_in"]:
        renderer.note(written_by_stand_in(paths.called))
    if state.record["unsourced"]:
        renderer.warning(without_sources(paths.called))
    for one in state.obstacles:
        parts = (text.rstrip(".") for text in (one.why, one.where.part, one.fix) if text)
        renderer.warning(f"A run would stop: {'. '.join(parts)}.")
    if state.obstacles:
        return
    if state.is_legacy:
        told = "This is a project of the original LibriScribe2"
        renderer.note(f"{told}: `libriscribe2 resume {paths.called}` converts it.")
    elif state.runs or state.record["waiting"]:
        _tell_run(renderer, paths, state.record["waiting"])
    if any(row["state"] == "stale" and not row["runs"] for row in state.record["units"]):
        renderer.note(refreshing(paths.called))


def _tell_run(
    renderer: Renderer, paths: ProjectPaths, waiting: Sequence[Mapping[str, Any]]
) -> None:
    """By which command the book goes on, and what that one asks for."""
    for one in waiting:
        renderer.note(f"{one['file']} waits for a reply: {one['about']}")
    going_on = "answer" if waiting else "resume"
    renderer.note(f"Continue with `libriscribe2 {going_on} {paths.called}`.")


def _state_and_reason(row: Mapping[str, Any]) -> tuple[str, str]:
    """The state of a file, and what it does not yet say of why."""
    state, reason = words(row["state"]), row["reason"]
    return state, "" if reason == state else reason.removeprefix(f"{state}: ")


def _in_words(record: Mapping[str, Any]) -> dict[str, str]:
    """The sums for people; what did not happen is left out."""
    happened = {
        "failed calls": record["failed_calls"],
        "damaged records": record["damaged_records"],
    }
    return {
        "title": record["title"],
        "words": f"{record['words']:,}" if record["words"] else "no chapter yet",
        "chapters": f"{record['chapters']:,}" if record["chapters"] else "not planned yet",
        "calls": f"{record['calls']:,}",
        **{name: f"{count:,}" for name, count in happened.items() if count},
        "tokens": f"{tokens_in(record['input_tokens'], record['cached_tokens'])}, "
        f"{record['output_tokens']:,} out",
        "cost": cost(record["cost_usd"]),
    }


@command_with_json
def accept(
    frame: Frame,
    project: RequiredProjectArgument,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILE...", help="Such as chapters/03.md.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every file that you edited.")] = False,
) -> None:
    """Accept your edits as current.

    An edited file is kept and used without it, and never overwritten. Once accepted, it counts as
    up to date with all that it depends on, and as out of date when that changes; it stays yours,
    and only --replace-mine replaces it. A text that a `redo` was to replace and has not stays.
    """
    renderer = frame.renderer
    if every == bool(files):
        raise UsageError(
            "Which files?", fix="Name them, or use --all for every file that you edited."
        )
    paths = frame.project(project)
    done = adopt_files(paths, files or [])
    if renderer.as_json:
        behind = [one.unit.output for one in done.behind]
        record = {"adopted": done.names, "states": list(map(asdict, done.shifts)), "stale": behind}
        renderer.data_json(record)
        return
    if not done.names:
        renderer.note("No file of the book is edited.")
    for name in done.names:
        renderer.data(name)
    for shift in done.shifts:
        after = words(shift.after)
        why = "" if shift.reason == after else f" ({shift.reason.removeprefix(f'{after}: ')})"
        renderer.note(f"{shift.unit}: {words(shift.before)} -> {after}{why}")
    for one in done.behind:
        renderer.note(f"{one.unit.output}: {one.reason}")
    if done.behind:
        renderer.note(refreshing(paths.called))
