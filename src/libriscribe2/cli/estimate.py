"""`libriscribe2 estimate`: what it would take to finish a book."""

from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    ModelOptions,
    ProjectArgument,
    ProjectNameOption,
    RefreshOption,
    UntilOption,
    command,
)
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.quotes import keep_quote, run_dry, tell_quote
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.forecasts import quote_project
from libriscribe2.commands.projects import wanted_stages
from libriscribe2.commands.runs import Prepare, RunRequest
from libriscribe2.models.brief import Brief
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings


@command
def estimate(
    frame: Frame,
    project: ProjectArgument = None,
    project_name: ProjectNameOption = None,
    until: UntilOption = None,
    refresh: RefreshOption = False,
    as_json: JsonOption = False,
    *,
    options: ModelOptions,
) -> None:
    """Say what it would take to finish a book: calls, tokens, cost.

    Nothing is sent, and no file of the book is touched. The same as `resume --dry-run`.
    """
    renderer = frame.renderer
    paths = frame.project(project, project_name, options)
    settings = frame.settings(options, paths)
    wanted = going_on(until, refresh=refresh)
    tell_dry_run(renderer, paths, settings, wanted, as_json=as_json)


def going_on(until: str | None, *, refresh: bool, as_json: bool = False) -> Prepare:
    """What `resume` does: bring the book, or the stages up to `until`, up to date."""

    def prepare(store: ProjectStore, brief: Brief) -> RunRequest:
        del store
        stages = wanted_stages(brief, [until] if until is not None else ())
        job = f"resume{'' if until is None else f' --until {until}'}"
        job += " --refresh" if refresh else ""
        return RunRequest(stages, refresh=refresh, as_json=as_json, job=job)

    return prepare


def tell_dry_run(
    renderer: Renderer, paths: ProjectPaths, settings: Settings, prepare: Prepare, *, as_json: bool
) -> None:
    """Say what a command on a project would take, and keep that for the statistics of its run.

    Raises:
        LibriScribeError: As the command itself would, before it sends anything.
    """
    quote = run_dry(quote_project(paths, settings, model_for(settings), prepare))
    if quote.stages or as_json:
        tell_quote(renderer, quote, as_json=as_json)
    else:
        renderer.note("Nothing is left to ask: a run would send nothing.")
    keep_quote(renderer, paths, quote)
