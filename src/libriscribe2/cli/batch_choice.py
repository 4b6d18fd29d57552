"""From what a user types to a batch and to what its books need."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from libriscribe2.batch.beginning import begin_project, is_taken
from libriscribe2.batch.paths import BatchPaths, batches_in
from libriscribe2.batch.queue import LocalQueue
from libriscribe2.batch.state import Book
from libriscribe2.cli.model_choice import model_for
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.llm.providers import ModelChoice
from libriscribe2.project.paths import ProjectPaths, check_project_name, project_name_from
from libriscribe2.settings import Settings


def new_batch(settings: Settings, name: str | None, source: Path) -> BatchPaths:
    """The batch that rows go to; without a name it is called like the file.

    Raises:
        UsageError: The name cannot be one.
    """
    folder = check_project_name(name) if name else project_name_from(source.resolve().stem)
    return BatchPaths(settings.batches_dir / folder)


def known_batch(settings: Settings, name: str | None) -> BatchPaths:
    """A batch that is there; without a name the only one.

    Raises:
        UsageError: No batch was named, and there are several.
        ProjectError: There is no such batch, or none at all.
    """
    known = batches_in(settings.batches_dir)
    names = ", ".join(batch.name for batch in known)
    if name is None and len(known) > 1:
        raise UsageError("Which batch?", why=f"there are: {names}", fix="Name one with --batch.")
    found = [batch for batch in known if name in (None, batch.name)]
    if not found:
        what = f"There is no batch {name!r}" if name else "There is no batch"
        raise ProjectError(
            f"{what} in {settings.batches_dir}",
            why=f"there are: {names}" if known else "",
            fix="Queue books with `libriscribe2 batch add FILE`.",
        )
    return found[0]


class Bookshelf:
    """Where the books of a batch are, and how their folders are made.

    Args:
        settings: The settings in force for no book in particular.
        batch: The name of the batch.
    """

    def __init__(self, settings: Settings, batch: str) -> None:
        self._settings = settings
        self._batch = batch

    def paths(self, name: str) -> ProjectPaths:
        """The project of a name."""
        settings = self._settings
        return ProjectPaths(settings.projects_dir / name, settings.debug_dir / name)

    def is_taken(self, name: str) -> bool:
        """Whether there is a project of a name that the batch did not begin.

        Raises:
            StorageError: The folder cannot be read.
        """
        return is_taken(self.paths(name), self._batch)

    def begin(self, book: Book) -> None:
        """Make the project of a book, as `create` would; one that is there is left alone.

        Raises:
            LibriScribeError: It cannot be made.
        """
        begin_project(self.paths(book.row.name), book.row, self._batch, self._kept(book))

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


def queue_of(settings: Settings, name: str | None) -> LocalQueue:
    """The queue of a batch that is there.

    Raises:
        UsageError: No batch was named, and there are several.
        ProjectError: There is no such batch.
    """
    return LocalQueue(known_batch(settings, name))
