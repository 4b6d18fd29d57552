"""Commands that only a batch in a database has: `batch book`, `fetch` and `forget`."""

from functools import partial
from typing import Annotated

import typer

from libriscribe2.cli.batch_choice import is_shared
from libriscribe2.cli.batch_options import BatchOption, BooksArgument, DsnOption
from libriscribe2.cli.boundary import reported
from libriscribe2.cli.context import CliContext
from libriscribe2.cli.options import (
    ConcurrencyOption,
    JsonOption,
    MaxCostOption,
    MaxMinutesOption,
    MockOption,
    ModelOption,
)
from libriscribe2.cli.projects import budget_flags, locate, setting_flags, settings_of
from libriscribe2.cli.render import Renderer
from libriscribe2.errors import UsageError
from libriscribe2.settings import Settings


def book(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="BOOK")],
    batch: Annotated[str, typer.Option("--batch")],
    max_cost: MaxCostOption = None,
    max_minutes: MaxMinutesOption = None,
    model: ModelOption = None,
    mock: MockOption = False,
    max_concurrency: ConcurrencyOption = None,
) -> None:
    """Write one book of a batch in a database: what a worker starts for each."""
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    flags = dict(setting_flags(model, max_concurrency, None, no_input=True))
    flags |= budget_flags(max_cost, None, max_minutes)
    with reported(renderer, as_json=True):
        from libriscribe2.cli.batch_book import (  # noqa: PLC0415 - only its process pays for it
            write_book,
        )

        settings = settings_of(None, flags)
        paths = locate(name, None, settings)
        # Another machine may have begun the book, and then its settings come with its journal.
        own = partial(settings_of, paths.root, flags, mock=mock)
        write_book(renderer, paths, batch, settings, own)


def fetch(
    ctx: typer.Context,
    books: BooksArgument = None,
    batch: BatchOption = None,
    dsn: DsnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make finished books again on this machine, out of their journals in the database.

    Nothing is sent. A book whose folder is here is left alone.
    """
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    with reported(renderer, as_json=as_json):
        settings = _shared(dsn)
        from libriscribe2.cli.batch_kept import fetch_books  # noqa: PLC0415 - as above

        fetch_books(renderer, settings, batch, books or (), as_json=as_json)


def forget(
    ctx: typer.Context,
    books: BooksArgument = None,
    batch: BatchOption = None,
    dsn: DsnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete the journals of done and cancelled books from the database; folders are kept."""
    renderer = Renderer(quiet=CliContext.of(ctx).quiet)
    with reported(renderer, as_json=as_json):
        settings = _shared(dsn)
        from libriscribe2.cli.batch_kept import forget_books  # noqa: PLC0415 - as above

        forget_books(renderer, settings, batch, books or (), as_json=as_json)


def _shared(dsn: str | None) -> Settings:
    """The settings, with a database.

    Raises:
        UsageError: There is none.
    """
    settings = settings_of(None, {"batch.dsn": dsn})
    if not is_shared(settings):
        raise UsageError(
            "This needs a database",
            why="neither --dsn nor LIBRISCRIBE2_BATCH__DSN names one, and without one every book "
            "is in its folder on this machine",
            fix="Name the database.",
        )
    return settings
