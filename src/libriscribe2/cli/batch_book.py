"""`libriscribe2 batch book`: one book of a batch in a database, as the process of a worker."""

from collections.abc import Callable
from contextlib import closing

from libriscribe2.app import AppOptions
from libriscribe2.batch.postgres.book_journal import DatabaseJournal, ProjectClaim, is_kept
from libriscribe2.batch.postgres.database import DatabaseRates
from libriscribe2.batch.postgres.jobs import key_of
from libriscribe2.cli.batch_kept import check_research
from libriscribe2.cli.book_run import run_book
from libriscribe2.cli.estimate import going_on
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.projects import open_project
from libriscribe2.commands.shared_batches import database_of
from libriscribe2.llm.limits.rate_store import RateLimits
from libriscribe2.project.machine import Machine
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings


def write_book(
    renderer: Renderer,
    paths: ProjectPaths,
    batch: str,
    settings: Settings,
    own: Callable[[], Settings],
) -> None:
    """Bring a book up to date, its events on stdout as JSON lines.

    Nothing is sent unless this process holds the folder and the book's lock in the database.

    Args:
        renderer: Shows how it goes.
        paths: The book's folder on this machine.
        batch: The name of the batch.
        settings: The settings in force for no book in particular.
        own: Loads those of the book, once its `book.toml` is that of whoever began it.

    Raises:
        LibriScribeError: The run failed; what was made is kept.
        ProjectInUseError: Another process writes the book, or may do so by now.
        typer.Exit: The run was interrupted.
    """
    with (
        closing(database_of(settings)) as database,
        ProjectClaim.take(database.dsn, key_of(batch, paths.root.name)) as claim,
        ProjectStore.open(paths, _machine(settings, claim, paths)) as store,
    ):
        check_research(store)
        _ask_both(store, claim)
        brief, of_book = open_project(store), own()
        llm = of_book.llm
        limits = RateLimits(llm.requests_per_minute, llm.kilo_tokens_per_minute)
        rates = DatabaseRates(database, limits)
        request = going_on(None, refresh=False, as_json=True)(store, brief)
        run_book(
            renderer, store, brief, of_book, model_for(of_book), request, AppOptions(rates=rates)
        )


def _machine(settings: Settings, claim: ProjectClaim, paths: ProjectPaths) -> Machine:
    """This machine, with the database beside it where the book's journal is there."""
    # Whoever goes on with a book that began there has to keep it there.
    beside = settings.batch.journal == "database" or is_kept(claim)
    return Machine(mirror=DatabaseJournal(claim, paths)) if beside else Machine()


def _ask_both(store: ProjectStore, claim: ProjectClaim) -> None:
    """Let nothing begin unless the folder and the database are still held."""
    holds_folder = store.journal.check_held

    def check_held() -> None:
        holds_folder()
        claim.check()

    store.journal.check_held = check_held
