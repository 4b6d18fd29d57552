"""`libriscribe2 resume` and `redo`: go on with a book, or write a part of it again."""

from typing import Annotated

import typer

from libriscribe2.agents.agent_base import Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.cli.book_run import RunRequest, run_book
from libriscribe2.cli.boundary import reported
from libriscribe2.cli.context import CliContext
from libriscribe2.cli.dry_run import Prepare, quote_project, quote_remaking
from libriscribe2.cli.estimate import going_on, tell_dry_run
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.options import (
    ConcurrencyOption,
    DryRunOption,
    JsonLinesOption,
    LogLevelOption,
    MaxCallsOption,
    MaxCostOption,
    MaxMinutesOption,
    MockOption,
    ModelOption,
    NoInputOption,
    ProjectArgument,
    ProjectNameOption,
    RefreshOption,
    UntilOption,
)
from libriscribe2.cli.projects import (
    budget_flags,
    locate,
    open_project,
    read_brief,
    setting_flags,
    settings_of,
)
from libriscribe2.cli.quotes import keep_quote, remaking_record, tell_quote, tell_remaking
from libriscribe2.cli.render import Renderer
from libriscribe2.cli.stage_choice import stage_called, wanted_stages
from libriscribe2.errors import UsageError
from libriscribe2.models.brief import Brief
from libriscribe2.pipeline.quote import Quote
from libriscribe2.pipeline.staleness import draft_order
from libriscribe2.pipeline.survey import survey, units_of
from libriscribe2.project.clock import utc_now
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.peek import peek
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings


def resume(
    ctx: typer.Context,
    project: ProjectArgument = None,
    project_name: ProjectNameOption = None,
    model: ModelOption = None,
    mock: MockOption = False,
    until: UntilOption = None,
    refresh: RefreshOption = False,
    max_concurrency: ConcurrencyOption = None,
    max_cost: MaxCostOption = None,
    max_calls: MaxCallsOption = None,
    max_minutes: MaxMinutesOption = None,
    dry_run: DryRunOption = False,
    log_level: LogLevelOption = None,
    no_input: NoInputOption = False,
    as_json: JsonLinesOption = False,
) -> None:
    """Go on with a book where it stopped.

    What you edited is kept, and what is not yet written follows it. Nothing that was paid for
    is asked again.
    """
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    flags = dict(setting_flags(model, max_concurrency, log_level, no_input=no_input))
    flags |= budget_flags(max_cost, max_calls, max_minutes)
    with reported(renderer, as_json=as_json):
        paths = locate(project, project_name, settings_of(None, flags))
        settings = settings_of(paths.root, flags, mock=mock)
        work = going_on(until, refresh=refresh, as_json=as_json)
        if dry_run:
            tell_dry_run(renderer, paths, settings, work, as_json=as_json)
        else:
            _carry_out(renderer, paths, settings, work)


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
    max_cost: MaxCostOption = None,
    max_calls: MaxCallsOption = None,
    max_minutes: MaxMinutesOption = None,
    dry_run: DryRunOption = False,
    log_level: LogLevelOption = None,
    no_input: NoInputOption = False,
    as_json: JsonLinesOption = False,
) -> None:
    """Write a stage, or one chapter of it, again.

    The old text goes to the project's trash. What was made from it is then stale; it is kept
    until `resume --refresh`.
    """
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    flags = dict(setting_flags(model, max_concurrency, log_level, no_input=no_input))
    flags |= budget_flags(max_cost, max_calls, max_minutes)
    with reported(renderer, as_json=as_json):
        paths = locate(project, None, settings_of(None, flags))
        settings = settings_of(paths.root, flags, mock=mock)
        work = _again(stage, chapter, as_json=as_json)
        if dry_run:
            _tell_dry_redo(renderer, paths, settings, work, as_json=as_json)
        else:
            _carry_out(renderer, paths, settings, work)
            _tell_stale(renderer, paths, settings)


def _tell_dry_redo(
    renderer: Renderer, paths: ProjectPaths, settings: Settings, work: Prepare, *, as_json: bool
) -> None:
    """What a redo would take, what it would make stale, and what remaking that would take.

    Raises:
        LibriScribeError: As the command itself would, before it sends anything.
    """
    choice = model_for(settings)
    quote = quote_project(paths, settings, choice, work)
    later = quote_remaking(paths, settings, choice, work)
    more = remaking_record(later.units, later.quote)
    tell_quote(renderer, quote, as_json=as_json, more=more)
    if not as_json:
        tell_remaking(renderer, paths.root.name, later.units, later.quote)
    keep_quote(renderer, paths, quote)


def _tell_stale(renderer: Renderer, paths: ProjectPaths, settings: Settings) -> None:
    """What a redo has made stale, and what remaking it would take.

    Raises:
        LibriScribeError: The book cannot be read.
    """
    brief, view = read_brief(paths), peek(paths)
    units: dict[str, str] = {}
    quote = Quote(at=utc_now(), stages=())
    if any(one.state == "stale" for one in survey(wanted_stages(brief), brief, view)):
        later = quote_remaking(paths, settings, model_for(settings))
        units, quote = dict(later.units), later.quote
    tell_remaking(renderer, paths.root.name, units, quote)


def _carry_out(
    renderer: Renderer, paths: ProjectPaths, settings: Settings, prepare: Prepare
) -> None:
    """Hold the project and run what is asked for.

    Raises:
        LibriScribeError: The run failed; what was made is kept.
    """
    with ProjectStore.open(paths) as store:
        brief = open_project(store)
        request = prepare(store, brief)
        run_book(renderer, store, brief, settings, model_for(settings), request)


def _again(stage: str, chapter: int | None, *, as_json: bool) -> Prepare:
    """What `redo` does: the units of a stage again, and what has to follow them.

    Records of chapters that other units of the redo work from are remade on the way, and so is
    what code puts together; nothing else runs.
    """

    def prepare(store: ProjectStore, brief: Brief) -> RunRequest:
        stages = wanted_stages(brief)
        agent = stage_called(stage, stages)
        units = _units(agent, store, chapter)
        order = draft_order(brief, store)
        needed = {name for unit in units for name in agent.awaits(unit, order)}
        along = [one for one in stages if (one.follows or one.on_demand) and one is not agent]
        drawn_on = [
            other
            for one in stages
            for unit in units
            if one.on_demand
            and one is not agent
            and (other := one.unit(unit.chapter)).output in needed
        ]
        records = {
            unit.output for one in along for unit in units_of(one, store) if unit.output in needed
        }
        free = [one for one in stages if not one.asks_model and store.exists(one.writes)]
        names = {agent.name, *(one.name for one in (*along, *free))}
        return RunRequest(
            [one for one in stages if one.name in names],
            as_json=as_json,
            only=frozenset({unit.output for unit in units} | records | {o.writes for o in free}),
            again=(*units, *drawn_on),
        )

    return prepare


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
