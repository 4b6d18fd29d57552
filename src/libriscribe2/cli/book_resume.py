"""`libriscribe2 resume` and `redo`: go on with a book, or write a part of it again."""

from typing import Annotated

import typer

from libriscribe2.agents.agent_base import Agent, Unit
from libriscribe2.cli.book_run import RunRequest, run_book
from libriscribe2.cli.boundary import reported
from libriscribe2.cli.context import CliContext
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.options import (
    ConcurrencyOption,
    JsonLinesOption,
    LogLevelOption,
    MockOption,
    ModelOption,
    NoInputOption,
    ProjectArgument,
    ProjectNameOption,
    RefreshOption,
    UntilOption,
)
from libriscribe2.cli.projects import (
    locate,
    open_project,
    setting_flags,
    settings_of,
    stage_called,
    wanted_stages,
)
from libriscribe2.cli.render import Renderer
from libriscribe2.errors import UsageError
from libriscribe2.pipeline.survey import units_of
from libriscribe2.project.store import ProjectStore


def resume(
    ctx: typer.Context,
    project: ProjectArgument = None,
    project_name: ProjectNameOption = None,
    model: ModelOption = None,
    mock: MockOption = False,
    until: UntilOption = None,
    refresh: RefreshOption = False,
    max_concurrency: ConcurrencyOption = None,
    log_level: LogLevelOption = None,
    no_input: NoInputOption = False,
    as_json: JsonLinesOption = False,
) -> None:
    """Go on with a book where it stopped.

    What you edited is kept, and what is not yet written follows it. Nothing that was paid for
    is asked again.
    """
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    flags = setting_flags(model, max_concurrency, log_level, no_input=no_input)
    with reported(renderer, as_json=as_json):
        paths = locate(project, project_name, settings_of(None, flags))
        settings = settings_of(paths.root, flags, mock=mock)
        with ProjectStore.open(paths) as store:
            brief = open_project(store)
            stages = wanted_stages(brief, [until] if until else ())
            choice = model_for(settings)
            request = RunRequest(stages, refresh=refresh, as_json=as_json)
            run_book(renderer, store, brief, settings, choice, request)


def redo(
    ctx: typer.Context,
    project: Annotated[str, typer.Argument(metavar="PROJECT", help="Name of the project.")],
    stage: Annotated[str, typer.Argument(metavar="STAGE", help="The stage to do again.")],
    chapter: Annotated[
        int | None, typer.Option("--chapter", "-n", min=1, help="Only this chapter.")
    ] = None,
    model: ModelOption = None,
    mock: MockOption = False,
    max_concurrency: ConcurrencyOption = None,
    log_level: LogLevelOption = None,
    no_input: NoInputOption = False,
    as_json: JsonLinesOption = False,
) -> None:
    """Write a stage, or one chapter of it, again.

    The old text goes to the project's trash. What was made from it is then stale; it is kept
    until `resume --refresh`.
    """
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    flags = setting_flags(model, max_concurrency, log_level, no_input=no_input)
    with reported(renderer, as_json=as_json):
        paths = locate(project, None, settings_of(None, flags))
        settings = settings_of(paths.root, flags, mock=mock)
        with ProjectStore.open(paths) as store:
            brief = open_project(store)
            stages = wanted_stages(brief)
            agent = stage_called(stage, stages)
            for unit in _units(agent, store, chapter):
                if not store.manifest.asked_again(unit.step):
                    store.again(unit.step)
            free = [one for one in stages if not one.asks_model and store.exists(one.writes)]
            request = RunRequest(
                [agent, *(one for one in free if one is not agent)], as_json=as_json
            )
            run_book(renderer, store, brief, settings, model_for(settings), request)


def _units(agent: type[Agent], store: ProjectStore, chapter: int | None) -> list[Unit]:
    """The units that are to be done again.

    Raises:
        UsageError: There is no such chapter, or the stage has none.
    """
    units = units_of(agent, store)
    if chapter is None:
        return units
    chosen = [unit for unit in units if unit.chapter == chapter]
    if not chosen:
        known = f"it has {len(units)}" if agent.per_chapter() else "it works on the whole book"
        raise UsageError(f"The stage {agent.name!r} has no chapter {chapter}.", why=known)
    return chosen
