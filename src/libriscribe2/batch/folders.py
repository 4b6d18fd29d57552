"""Folders of a batch, and the project of each book begun."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from libriscribe2.batch.rows import Row
from libriscribe2.errors import ProjectError
from libriscribe2.models.brief import Brief
from libriscribe2.project.atomic import atomic_write, storage_errors
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import STATE, ProjectPaths
from libriscribe2.project.store import ProjectStore

LOG: Final = "batch.jsonl"


@dataclass(frozen=True, slots=True)
class BatchPaths:
    """Where one batch lives.

    Attributes:
        root: The batch's folder, such as `batches/spring`.
    """

    root: Path

    @property
    def name(self) -> str:
        """What the batch is called."""
        return self.root.name

    @property
    def log(self) -> Path:
        """The record of every row and of what came of it."""
        return self.root / LOG

    @property
    def turn(self) -> Path:
        """The lock of who is just adding to the log."""
        return self.root / "log.lock"

    @property
    def runner(self) -> Path:
        """The lock of the process that writes the books."""
        return self.root / "run.lock"

    @property
    def provider(self) -> Path:
        """Where calls wait that are sent together."""
        return self.root / "provider"

    def report(self, kind: str) -> Path:
        """The report as a file of a kind: `html`, `json` or `csv`."""
        return self.root / f"report.{kind}"


def batches_in(folder: Path) -> list[BatchPaths]:
    """The batches in a folder, by name."""
    if not folder.is_dir():
        return []
    return [BatchPaths(path.parent) for path in sorted(folder.glob(f"*/{LOG}"))]


def begin_project(
    paths: ProjectPaths, row: Row, batch: str, settings: Mapping[str, Mapping[str, Any]]
) -> None:
    """Make the project of a row, unless the batch has made it before.

    The mark comes before `book.toml`, so that a crash in between leaves nothing that would be
    taken for somebody else's book.

    Args:
        paths: Where it goes.
        row: What was asked for.
        batch: The name of the batch.
        settings: The tables of settings for its `book.toml`.

    Raises:
        ProjectError: Somebody else made a project of that name.
        ProjectInUseError: Another process is working there.
        StorageError: The folder cannot be written.
    """
    if is_taken(paths, batch):
        raise ProjectError(
            f"There is a project {row.name!r} already",
            why=f"it was made after {row.place} was queued",
            fix="Rename or remove it, then `libriscribe2 batch retry`.",
        )
    if paths.book_toml.exists():
        return
    with ProjectStore.create(paths):
        mark_project(paths, batch)
        # The log sorts its keys; the file has them in the order of the brief.
        brief = Brief.model_validate(row.brief)
        write_book_toml(paths.book_toml, brief.model_dump(), settings)


def mark_project(paths: ProjectPaths, batch: str) -> None:
    """Note in a project that the batch made it.

    Raises:
        StorageError: The folder cannot be written.
    """
    mark = paths.batch_mark
    with storage_errors("write", mark):
        atomic_write(mark, f"{batch}\n".encode())


def is_taken(paths: ProjectPaths, batch: str) -> bool:
    """Whether there is a project, or something else, that the batch did not begin.

    Raises:
        StorageError: The folder cannot be read.
    """
    with storage_errors("read", paths.root):
        if not paths.root.exists():
            return False
        if not paths.root.is_dir():
            return True
        holds = any(path.name != STATE for path in paths.root.iterdir())
    return holds and batch_of(paths) != batch


def batch_of(paths: ProjectPaths) -> str:
    """The batch that began a project; empty where none did."""
    with suppress(OSError, UnicodeDecodeError):
        return paths.batch_mark.read_text(encoding="utf-8").strip()
    return ""
