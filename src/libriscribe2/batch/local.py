"""A queue in a folder of this machine, with its log."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from filelock import FileLock, Timeout
from typing_extensions import override

from libriscribe2.batch.folders import BatchPaths, batches_in
from libriscribe2.batch.queue import BookQueue
from libriscribe2.batch.work import BookWriter, Terms, Work
from libriscribe2.errors import ProjectInUseError
from libriscribe2.project.atomic import (
    PRIVATE,
    SYSTEM,
    FileOps,
    make_folder,
    read_regular,
    storage_errors,
    sync_folder,
    write_all,
)
from libriscribe2.project.lock import holder_of, is_locked, sign
from libriscribe2.project.records import Record, encode_line, scan
from libriscribe2.project.texts import Clock, iso_utc, utc_now

_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
_LONGEST_TURN: Final = 10.0


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


_PATIENCE: Final = 0.5


class LocalQueue(BookQueue):
    """A batch in a folder of this machine.

    Args:
        paths: The batch; its folder need not be there yet.
        clock: The time of day, for the log.
    """

    def __init__(self, paths: BatchPaths, *, clock: Clock = utc_now) -> None:
        super().__init__(paths.name, BatchLog(paths, clock=clock))
        self.paths = paths

    @override
    async def work(self, writer: BookWriter, terms: Terms) -> None:
        """Run books until nothing waits any more, or the batch is paused.

        Raises:
            ProjectInUseError: Another process runs the books of this batch.
            StorageError: The log cannot be written.
        """
        with self._running():
            self.go(terms)
            await Work(self.status, self.note, writer, terms).run()

    @override
    def is_running(self) -> bool:
        """Whether a process runs the books of this batch just now."""
        if not self.paths.runner.exists():
            return False
        with storage_errors("lock", self.paths.runner):
            return is_locked(self.paths.runner)

    @override
    def close(self) -> None:
        """Nothing is held between two calls."""

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Be the one process that runs the books."""
        lock = FileLock(self.paths.runner, timeout=_PATIENCE, thread_local=False)
        with storage_errors("lock", self.paths.runner):
            make_folder(self.paths.root)
            try:
                lock.acquire()
            except Timeout as error:
                raise _in_use(self.paths) from error
        sign(self.paths.runner)
        try:
            yield
        finally:
            lock.release()


def _in_use(paths: BatchPaths) -> ProjectInUseError:
    return ProjectInUseError(
        f"The books of {paths.root} are being written by another process",
        why=holder_of(paths.runner),
        fix="Wait until it is done, or stop it with `libriscribe2 batch pause`.",
    )
