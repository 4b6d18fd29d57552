"""The journal of a project: append-only, synced, nothing believed without its checksum.

Every record is on the disk before its writer goes on; only one that may be lost (`durable=False`)
waits for the sync of the next.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Final, Self

from libriscribe2.errors import StorageError
from libriscribe2.project.atomic import PRIVATE, atomic_write, make_folder
from libriscribe2.project.clock import Clock, iso_utc, utc_now
from libriscribe2.project.file_ops import SYSTEM, FileOps, sync_folder, write_all
from libriscribe2.project.journal_lines import JournalScan, encode_line, scan
from libriscribe2.project.records import Record
from libriscribe2.project.storage_errors import storage_error, storage_errors

_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)


class Journal:
    """An open journal; one process at a time has one (see `ProjectLock`).

    Attributes:
        path: The file.
        found: What the file held when it was opened.
        aside: The copy of a damaged file, or None.
        check_held: Raises where this process has no right to the project any more; asked before
            anything new is begun, but not before what was paid for is stored.
    """

    def __init__(
        self, path: Path, found: JournalScan, descriptor: int, *, ops: FileOps, clock: Clock
    ) -> None:
        self.path = path
        self.found = found
        self.aside: Path | None = None
        self.check_held: Callable[[], None] = lambda: None
        self._descriptor = descriptor
        self._length = found.length
        self._ops = ops
        self._clock = clock
        self._broken = False
        self._unsynced = False
        self._turn = Lock()

    @classmethod
    def open(cls, path: Path, *, ops: FileOps = SYSTEM, clock: Clock = utc_now) -> Self:
        """Open the journal at `path`, or begin it; its folder has to exist.

        A last line that a crash tore is cut off. Damaged lines stay where they are and are skipped;
        a copy of such a file goes to the folder `trash` beside it.

        Raises:
            StorageError: The file cannot be read and written.
        """
        with storage_errors("open", path):
            descriptor = ops.open(path, _FLAGS, PRIVATE)
            try:
                sync_folder(path.parent, ops)
                data = path.read_bytes()
                journal = cls(path, scan(data), descriptor, ops=ops, clock=clock)
                journal._mend(data)
            except BaseException:
                ops.close(descriptor)
                raise
        return journal

    def append(self, record: Record, *, durable: bool = True) -> None:
        """Add a record, with the time; on return it is on the disk.

        Args:
            record: The record.
            durable: False where a power failure may take the record: it becomes durable with the
                next one, or when the journal is closed.

        Raises:
            StorageError: It could not be stored. The file is cut back to the record before; after
                a failed fsync the journal takes no more records, because the system may have
                dropped what it could not write.
        """
        line = encode_line({**record, "at": iso_utc(self._clock())})
        with self._turn:
            if self._broken:
                raise StorageError(
                    f"{self.path} takes no more records",
                    why="an earlier write to it failed",
                    fix="Run the same command again: it goes on from what is stored.",
                )
            try:
                self._store(line, durable=durable)
            except OSError as error:
                raise storage_error("write", self.path, error) from error
            self._length += len(line)

    def close(self) -> None:
        """Give the file back, with every record on the disk.

        Raises:
            StorageError: The last record may not be durable.
        """
        try:
            with storage_errors("write", self.path):
                if self._unsynced and not self._broken:
                    self._ops.fsync(self._descriptor)
        finally:
            self._broken = True
            self._ops.close(self._descriptor)

    def _store(self, line: bytes, *, durable: bool) -> None:
        # Only a write that failed and was undone in full leaves the journal usable.
        self._broken = True
        try:
            write_all(self._descriptor, line, self._ops)
        except OSError:
            self._ops.ftruncate(self._descriptor, self._length)
            self._broken = False
            raise
        if durable:
            self._ops.fsync(self._descriptor)
        self._unsynced = not durable
        self._broken = False

    def _mend(self, data: bytes) -> None:
        if self.found.damaged:
            self.aside = self._copy_aside(data)
        if self._length < len(data):
            self._ops.ftruncate(self._descriptor, self._length)
            self._ops.fsync(self._descriptor)

    def _copy_aside(self, data: bytes) -> Path:
        """Copy a damaged journal once: the name is made of the damage, not of the time."""
        damage = hashlib.sha256(b"\n".join(self.found.damaged)).hexdigest()[:12]
        copy = self.path.parent / "trash" / f"journal-{damage}.jsonl"
        if not copy.exists():
            make_folder(copy.parent, ops=self._ops)
            atomic_write(copy, data, mode=PRIVATE, ops=self._ops)
        return copy
