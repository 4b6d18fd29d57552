"""Commands that only a batch in a database has: `batch book`, `fetch` and `forget`."""

from functools import partial
from typing import Annotated

import typer

from libriscribe2.cli.batch_choice import is_shared
from libriscribe2.cli.batch_options import BatchOption, BookOptions, BooksArgument, DsnOption
from libriscribe2.cli.frame import (
    Frame,
    JsonOption,
    MaxCostOption,
    MaxMinutesOption,
    command,
)
from libriscribe2.commands.projects import settings_of
from libriscribe2.errors import UsageError
from libriscribe2.settings import Settings


@command
def book(
    frame: Frame,
    name: Annotated[str, typer.Argument(metavar="BOOK")],
    batch: Annotated[str, typer.Option("--batch")],
    max_cost: MaxCostOption = None,
    max_minutes: MaxMinutesOption = None,
    *,
    options: BookOptions,
) -> None:
    """Write one book of a batch in a database: what a worker starts for each."""
    from libriscribe2.cli.batch_book import write_book  # noqa: PLC0415 - only its process pays

    frame.as_json = True
    flags = options.flags() | {"budget.max_cost": max_cost, "budget.max_minutes": max_minutes}
    paths = frame.project(name)
    # Another machine may have begun the book, and then its settings come with its journal.
    own = partial(settings_of, paths.root, flags, mock=options.mock)
    write_book(frame.renderer, paths, batch, settings_of(None, flags), own)


@command
def fetch(
    frame: Frame,
    books: BooksArgument = None,
    batch: BatchOption = None,
    dsn: DsnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make finished books again on this machine, out of their journals in the database.

    Nothing is sent. A book whose folder is here is left alone.
    """
    renderer = frame.renderer
    settings = _shared(frame, dsn)
    from libriscribe2.cli.batch_kept import fetch_books  # noqa: PLC0415 - as above

    fetch_books(renderer, settings, batch, books or (), as_json=as_json)


@command
def forget(
    frame: Frame,
    books: BooksArgument = None,
    batch: BatchOption = None,
    dsn: DsnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete the journals of done and cancelled books from the database; folders are kept."""
    renderer = frame.renderer
    settings = _shared(frame, dsn)
    from libriscribe2.cli.batch_kept import forget_books  # noqa: PLC0415 - as above

    forget_books(renderer, settings, batch, books or (), as_json=as_json)


def _shared(frame: Frame, dsn: str | None) -> Settings:
    """The settings, with a database.

    Raises:
        UsageError: There is none.
    """
    settings = frame.settings(more={"batch.dsn": dsn})
    if not is_shared(settings):
        raise UsageError(
            "This needs a database",
            why="neither --dsn nor LIBRISCRIBE2_BATCH__DSN names one, and without one every book "
            "is in its folder on this machine",
            fix="Name the database.",
        )
    return settings
