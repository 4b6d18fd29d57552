"""Folders of a batch: its log, and the project of each book begun."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

from libriscribe2.batch.rows import Row
from libriscribe2.errors import ProjectError, ProjectInUseError
from libriscribe2.models.brief import Brief
from libriscribe2.project.atomic import (
    PRIVATE,
    SYSTEM,
    FileOps,
    atomic_write,
    make_folder,
    read_regular,
    storage_errors,
    sync_folder,
    write_all,
)
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.lock import holder_of, sign
from libriscribe2.project.paths import STATE, ProjectPaths
from libriscribe2.project.records import Record, encode_line, scan
from libriscribe2.project.store import ProjectStore
from libriscribe2.project.texts import Clock, iso_utc, utc_now

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


_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
_LONGEST_TURN: Final = 10.0


_PATIENCE: Final = 0.5
"""Seconds to wait for a lock, which others take for a moment to see who has it."""


@contextmanager
def held(file: Path, what: str, fix: str) -> Iterator[None]:
    """Hold the lock of a file while the block runs.

    Args:
        file: The file; its folder exists.
        what: What is told where another process has the lock.
        fix: What can be done then.

    Raises:
        ProjectInUseError: Another process has it.
        StorageError: It cannot be taken.
    """
    lock = FileLock(file, timeout=_PATIENCE, thread_local=False)
    with storage_errors("lock", file):
        try:
            lock.acquire()
        except Timeout as error:
            raise ProjectInUseError(what, why=holder_of(file), fix=fix) from error
    sign(file)
    try:
        yield
    finally:
        lock.release()


class BatchLog:
    """The log of one batch, read on from where the last reading ended.

    Attributes:
        damaged: Lines that were read and cannot be believed.
    """

    def __init__(self, paths: BatchPaths, *, ops: FileOps = SYSTEM, clock: Clock = utc_now) -> None:
        self.damaged = 0
        self._paths = paths
        self._ops = ops
        self._clock = clock
        self._read = 0
        self._lock = FileLock(paths.turn, timeout=_LONGEST_TURN, thread_local=False)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Keep others from adding while the block runs; a turn inside a turn is the same one.

        Raises:
            ProjectInUseError: Somebody else does not come to an end.
            StorageError: The folder cannot be written.
        """
        with storage_errors("write", self._paths.root):
            make_folder(self._paths.root, ops=self._ops)
            try:
                self._lock.acquire()
            except Timeout as error:
                raise ProjectInUseError(
                    f"{self._paths.log} is being written by another process",
                    why=f"it has held it for {_LONGEST_TURN:.0f} seconds",
                    fix="Check what that process is doing, then run the same command again.",
                ) from error
        try:
            yield
        finally:
            self._lock.release()

    def news(self) -> tuple[Record, ...]:
        """The records that were added since the last reading, oldest first.

        Raises:
            StorageError: The file cannot be read.
        """
        with storage_errors("read", self._paths.log):
            try:
                found = scan(read_regular(self._paths.log, self._read))
            except FileNotFoundError:
                return ()
        self._read += found.length
        self.damaged += len(found.damaged)
        return found.records

    def append(self, records: Sequence[Record]) -> None:
        """Add records, with the time; on return they are on the disk.

        A crash in between leaves the first of them or none.

        Raises:
            StorageError: They could not be stored.
        """
        at = iso_utc(self._clock())
        data = b"".join(encode_line({**record, "at": at}) for record in records)
        with self.turn(), storage_errors("write", self._paths.log):
            is_new = not self._paths.log.exists()
            descriptor = self._ops.open(self._paths.log, _FLAGS, PRIVATE)
            try:
                self._add(descriptor, data)
            finally:
                self._ops.close(descriptor)
            if is_new:
                sync_folder(self._paths.root, self._ops)

    def elsewhere(self, names: Sequence[str]) -> dict[str, str]:
        """Those of the names that a book of another batch has, capitals aside, with that batch.

        Raises:
            StorageError: A log cannot be read.
        """
        wanted = {name.casefold(): name for name in names}
        found: dict[str, str] = {}
        for other in batches_in(self._paths.root.parent):
            records = () if other.name == self._paths.name else BatchLog(other).news()
            theirs = {str(one["book"]).casefold() for one in records if one["t"] == "add"}
            found |= {wanted[name]: other.name for name in wanted.keys() & theirs}
        return found

    def _add(self, descriptor: int, data: bytes) -> None:
        """Add whole lines after the last whole line."""
        length = self._whole_length()
        try:
            if length < self._paths.log.stat().st_size:
                self._ops.ftruncate(descriptor, length)
            write_all(descriptor, data, self._ops)
            self._ops.fsync(descriptor)
        except OSError:
            self._ops.ftruncate(descriptor, length)
            raise

    def _whole_length(self) -> int:
        """Bytes up to the end of the last whole line; only what is new has to be looked at."""
        return self._read + scan(read_regular(self._paths.log, self._read)).length


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
