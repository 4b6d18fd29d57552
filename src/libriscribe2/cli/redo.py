"""`libriscribe2 redo`: write a stage of a book, or one chapter of it, again."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from libriscribe2.cli.book_resume import carry_out
from libriscribe2.cli.frame import (
    DryRunOption,
    Frame,
    JsonLinesOption,
    RunOptions,
    command,
)
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.quotes import keep_quote, remaking_record, run_dry, tell_quote, tell_remaking
from libriscribe2.cli.redoing import Chosen, Redo, in_short
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.forecasts import quote_project, quote_remaking
from libriscribe2.commands.projects import (
    look_at,
    read_brief,
    wanted_stages,
)
from libriscribe2.engine.staleness import book_status
from libriscribe2.forecast.quote import Quote, Remaking
from libriscribe2.project.machine import copy_in_trash
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.structure_change import peek
from libriscribe2.project.texts import utc_now
from libriscribe2.project.view import ProjectView
from libriscribe2.settings import Settings


@command
def redo(
    frame: Frame,
    project: Annotated[str, typer.Argument(metavar="PROJECT", help="Name of the project.")],
    stage: Annotated[str, typer.Argument(metavar="STAGE", help="The stage to do again.")],
    chapter: Annotated[
        int | None, typer.Option("--chapter", "-n", min=1, help="Only this chapter.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also replace what you edited or imported.")
    ] = False,
    dry_run: DryRunOption = False,
    as_json: JsonLinesOption = False,
    *,
    options: RunOptions,
) -> None:
    """Write a stage, or one chapter of it, again.

    The old text goes to the project's trash. What you edited or imported is kept; only --force
    replaces it. What was made from the old text is then stale; it is kept until
    `resume --refresh`.
    """
    renderer = frame.renderer
    paths = frame.project(project, options=options)
    settings = frame.settings(options, paths)
    work = Redo(stage, chapter, force, as_json)
    view = look_at(paths)
    chosen = work.chosen(view, read_brief(paths))
    _tell_kept(renderer, chosen, work, paths)
    if dry_run:
        _tell_dry(renderer, paths, settings, work, chosen)
    else:
        with _copies_named(renderer, view, chosen):
            carry_out(renderer, paths, settings, work.prepare)
        _tell_stale(renderer, paths, settings)


def _tell_kept(renderer: Renderer, chosen: Chosen, work: Redo, paths: ProjectPaths) -> None:
    """Say which files of the author's stay as they are, and how to have them replaced."""
    if chosen.kept:
        renderer.warning(
            f"{in_short(chosen.kept)}: your own text, kept. "
            f"{work.command(paths.called)} replaces it."
        )


@contextmanager
def _copies_named(renderer: Renderer, view: ProjectView, chosen: Chosen) -> Iterator[None]:
    """After the block, name the copy of each of the author's files that it has replaced."""
    own = {name: view.read_bytes(name) or b"" for name in chosen.replaced}
    try:
        yield
    finally:
        for name, data in own.items():
            copy = copy_in_trash(view.paths, name, data)
            if copy and view.read_bytes(name) != data:
                renderer.warning(f"{name}: your own text was replaced; it is kept as {copy}.")


def _tell_dry(
    renderer: Renderer, paths: ProjectPaths, settings: Settings, work: Redo, chosen: Chosen
) -> None:
    """What a redo would take and replace, make stale, and what remaking that would take.

    Raises:
        LibriScribeError: As the command itself would, before it sends anything.
    """
    choice = model_for(settings)
    quote = run_dry(quote_project(paths, settings, choice, work.prepare))
    later = run_dry(quote_remaking(paths, settings, choice, work.prepare))
    if chosen.replaced:
        names = in_short(chosen.replaced)
        renderer.warning(f"{names}: your own text, would be replaced; a copy goes to the trash.")
    more: Mapping[str, Any] = {
        "kept": list(chosen.kept),
        "replaced": list(chosen.replaced),
        **remaking_record(later),
    }
    tell_quote(renderer, quote, as_json=work.as_json, more=more)
    if not work.as_json:
        tell_remaking(renderer, paths.called, later)
    keep_quote(renderer, paths, quote)


def _tell_stale(renderer: Renderer, paths: ProjectPaths, settings: Settings) -> None:
    """What a redo has made stale, and what remaking it would take.

    Raises:
        LibriScribeError: The book cannot be read.
    """
    brief, view = read_brief(paths), peek(paths)
    later = Remaking({}, Quote(at=utc_now(), stages=()), 0)
    if any(one.state == "stale" for one in book_status(wanted_stages(brief), brief, view)):
        later = run_dry(quote_remaking(paths, settings, model_for(settings)))
    tell_remaking(renderer, paths.called, later)
