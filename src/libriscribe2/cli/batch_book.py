"""`libriscribe2 batch book`: one book of a batch in a database, as the process of a worker."""

from contextlib import closing

from libriscribe2.batch.postgres.claim import ProjectClaim
from libriscribe2.batch.postgres.database import Database
from libriscribe2.batch.postgres.jobs import key_of
from libriscribe2.batch.postgres.rates import DatabaseRates
from libriscribe2.cli.batch_database import dsn_of
from libriscribe2.cli.book_run import run_book
from libriscribe2.cli.estimate import going_on
from libriscribe2.cli.model_choice import model_for
from libriscribe2.cli.projects import open_project
from libriscribe2.cli.render import Renderer
from libriscribe2.llm.rate_store import RateLimits
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.store import ProjectStore
from libriscribe2.settings import Settings


def write_book(renderer: Renderer, paths: ProjectPaths, batch: str, settings: Settings) -> None:
    """Bring a book up to date, its events on stdout as JSON lines.

    Nothing is sent unless this process holds the folder and the book's lock in the database.

    Raises:
        LibriScribeError: The run failed; what was made is kept.
        ProjectInUseError: Another process writes the book, or may do so by now.
        typer.Exit: The run was interrupted.
    """
    dsn = dsn_of(settings)
    llm = settings.llm
    limits = RateLimits(llm.requests_per_minute, llm.kilo_tokens_per_minute)
    with (
        ProjectClaim.take(dsn, key_of(batch, paths.root.name)) as claim,
        ProjectStore.open(paths) as store,
        closing(DatabaseRates(Database(dsn), limits)) as rates,
    ):
        holds_folder = store.journal.check_held

        def check_held() -> None:
            holds_folder()
            claim.check()

        store.journal.check_held = check_held
        brief = open_project(store)
        request = going_on(None, refresh=False, as_json=True)(store, brief)
        run_book(renderer, store, brief, settings, model_for(settings), request, rates)
