"""From what a user types to a batch and to what its books need."""

from collections.abc import Mapping
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from libriscribe2.batch.folders import BatchPaths, batches_in, begin_project, is_taken
from libriscribe2.batch.local import LocalQueue
from libriscribe2.batch.queue import BookQueue, one_of
from libriscribe2.batch.state import Book
from libriscribe2.cli.model_choice import model_for
from libriscribe2.errors import ConfigError
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.project.paths import ProjectPaths, check_project_name, project_name_from
from libriscribe2.settings import Settings


def is_shared(settings: Settings) -> bool:
    """Whether batches are in a database that several machines share.

    Raises:
        ConfigError: They are, and the extra `[batch]` is not installed.
    """
    shared = bool(settings.batch.dsn.get_secret_value())
    lacking = [name for name in ("procrastinate", "psycopg") if shared and find_spec(name) is None]
    if lacking:
        raise ConfigError(
            "A batch in a database needs the extra [batch], which is not installed.",
            why=f"{', '.join(lacking)} cannot be found; a batch in a folder does without.",
            fix="`uv tool install 'libriscribe2[batch]'`, or `pip install 'libriscribe2[batch]'`.",
        )
    return shared


def new_queue(settings: Settings, name: str | None, source: Path) -> BookQueue:
    """The batch that rows go to; without a name it is called like the file.

    Raises:
        UsageError: The name cannot be one.
        LibriScribeError: The database cannot be used.
    """
    chosen = check_project_name(name) if name else project_name_from(source.resolve().stem)
    if not is_shared(settings):
        return LocalQueue(BatchPaths(settings.batches_dir / chosen))
    from libriscribe2.cli.batch_database import (  # noqa: PLC0415 - only a shared batch pays for it
        open_queue,
    )

    return open_queue(settings, chosen)


def queue_of(settings: Settings, name: str | None) -> BookQueue:
    """A batch that is there; without a name the only one.

    Raises:
        UsageError: No batch was named, and there are several.
        ProjectError: There is no such batch, or none at all.
        LibriScribeError: The database cannot be used.
    """
    if not is_shared(settings):
        known = [batch.name for batch in batches_in(settings.batches_dir)]
        chosen = one_of(known, name, str(settings.batches_dir))
        return LocalQueue(BatchPaths(settings.batches_dir / chosen))
    from libriscribe2.cli.batch_database import (  # noqa: PLC0415 - only a shared batch pays for it
        known_queue,
    )

    return known_queue(settings, name)


class Bookshelf:
    """Where the books of a batch are, and how their folders are made.

    Args:
        settings: The settings in force for no book in particular.
        batch: The name of the batch.

    Attributes:
        batch: The name of the batch.
    """

    def __init__(self, settings: Settings, batch: str) -> None:
        self._settings = settings
        self.batch = batch

    def paths(self, name: str) -> ProjectPaths:
        """The project of a name."""
        settings = self._settings
        return ProjectPaths(settings.projects_dir / name, settings.debug_dir / name)

    def is_taken(self, name: str) -> bool:
        """Whether there is a project of a name that the batch did not begin.

        Raises:
            StorageError: The folder cannot be read.
        """
        return is_taken(self.paths(name), self.batch)

    def begin(self, book: Book) -> None:
        """Make the project of a book, as `create` would; one that is there is left alone.

        Raises:
            LibriScribeError: It cannot be made.
        """
        begin_project(self.paths(book.row.name), book.row, self.batch, self._kept(book))

    @cached_property
    def choice(self) -> ModelChoice:
        """The model of books that name none."""
        return model_for(self._settings)

    def _kept(self, book: Book) -> dict[str, Mapping[str, Any]]:
        """The settings of a book, with the model that it is begun with."""
        own = dict(book.row.settings)
        models = own.get("models", {})
        if "default" not in models:
            own["models"] = {**models, "default": {"model": self.choice.model}}
        return own
