"""`libriscribe2 resume`: go on with a book."""

from libriscribe2.batch.folders import BatchPaths, batch_of
from libriscribe2.batch.provider.spool import BookSpool, Spool
from libriscribe2.cli.book_run import run_book
from libriscribe2.cli.dry_run import Prepare
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
from libriscribe2.errors import ProjectError
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
        _leave_to_batch(paths, settings)
        carry_out(frame.renderer, paths, settings, work)


def carry_out(
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


def _leave_to_batch(paths: ProjectPaths, settings: Settings) -> None:
    """Refuse a book of which its batch submitted calls: asked here, they would be paid twice.

    Raises:
        ProjectError: There are such calls.
        StorageError: Nobody can say.
    """
    batch = batch_of(paths)
    if not batch or settings.batch.spool is not None:
        return
    folder = BatchPaths(settings.batches_dir / batch).provider
    if BookSpool(Spool(folder), paths.root.name).is_used():
        raise ProjectError(
            f"Calls of {paths.root.name!r} were sent together with others of its batch",
            why="asked again here, they would be paid twice",
            fix=f"Go on with `libriscribe2 batch run --batch {batch}`, or give them up: "
            f"remove {folder}.",
        )
