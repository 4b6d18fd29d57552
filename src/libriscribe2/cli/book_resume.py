"""`libriscribe2 resume`: go on with a book."""

from libriscribe2.app import AppOptions, SharedCalls
from libriscribe2.cli.book_run import run_book
from libriscribe2.cli.estimate import going_on, tell_dry_run
from libriscribe2.cli.frame import (
    DryRunOption,
    Frame,
    JsonLinesOption,
    ProjectArgument,
    ProjectNameOption,
    RefreshOption,
    RunOptions,
    UntilOption,
    command,
)
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import (
    open_project,
)
from libriscribe2.commands.runs import Prepare
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings


@command
def resume(
    frame: Frame,
    project: ProjectArgument = None,
    project_name: ProjectNameOption = None,
    until: UntilOption = None,
    refresh: RefreshOption = False,
    dry_run: DryRunOption = False,
    as_json: JsonLinesOption = False,
    *,
    options: RunOptions,
) -> None:
    """Go on with a book where it stopped.

    What you edited is kept, and what is not yet written follows it. Nothing that was paid for
    is asked again.
    """
    paths = frame.project(project, project_name, options)
    settings = frame.settings(options, paths)
    work = going_on(until, refresh=refresh, as_json=as_json)
    if dry_run:
        tell_dry_run(frame.renderer, paths, settings, work, as_json=as_json)
    else:
        calls = _calls_of_batch(paths, settings)
        carry_out(frame.renderer, paths, settings, work, AppOptions(shared_calls=calls))


def carry_out(
    renderer: Renderer,
    paths: ProjectPaths,
    settings: Settings,
    prepare: Prepare,
    options: AppOptions | None = None,
) -> None:
    """Hold the project and run what is asked for.

    Raises:
        LibriScribeError: The run failed; what was made is kept.
    """
    with ProjectStore.open(paths) as store:
        brief = open_project(store)
        request = prepare(store, brief)
        run_book(renderer, store, brief, settings, model_for(settings), request, options)


def _calls_of_batch(paths: ProjectPaths, settings: Settings) -> SharedCalls | None:
    """What sends the calls of a batch's book together with others; None for any other book.

    Raises:
        ProjectError: Its batch submitted calls and does not run: asked here, they would be paid
            twice.
        StorageError: Nobody can say.
    """
    if settings.batch.spool is None and not paths.batch_mark.exists():
        return None
    # A book of its own never passes the room of many books.
    from libriscribe2.batch.provider.book_calls import calls_of  # noqa: PLC0415

    return calls_of(paths, settings.batch.spool, settings.batches_dir)
