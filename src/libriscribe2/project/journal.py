"""The journal of a project: append-only, synced, nothing believed without its checksum.

Every record is on the disk before its writer goes on; only one that may be lost (`durable=False`)
waits for the sync of the next. With a mirror it waits for the next one in memory.
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
from libriscribe2.project.journal_mirror import JournalMirror
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
        self._mirror: JournalMirror | None = None
        self._held: list[bytes] = []
        self._turn = Lock()

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        ops: FileOps = SYSTEM,
        clock: Clock = utc_now,
        mirror: JournalMirror | None = None,
    ) -> Self:
        """Open the journal at `path`, or begin it; its folder has to exist.

        A last line that a crash tore is cut off. Damaged lines stay where they are and are skipped;
        a copy of such a file goes to the folder `trash` beside it. Lines that a mirror has beyond
        the last one are added.

        Raises:
            StorageError: The file cannot be read and written.
            LibriScribeError: The mirror cannot be reached, or is that of another journal.
        """
        with storage_errors("open", path):
            descriptor = ops.open(path, _FLAGS, PRIVATE)
            try:
                sync_folder(path.parent, ops)
                data = path.read_bytes()
                journal = cls(path, scan(data), descriptor, ops=ops, clock=clock)
                journal._mend(data)
                if mirror is not None:
                    journal._meet(mirror, data)
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
            LibriScribeError: The mirror cannot keep it, so it was not stored either.
        """
        line = encode_line({**record, "at": iso_utc(self._clock())})
        with self._turn:
            if self._broken:
                raise StorageError(
                    f"{self.path} takes no more records",
                    why="an earlier write to it failed",
                    fix="Run the same command again: it goes on from what is stored.",
                )
            self._held.append(line)
            if durable or self._mirror is None:
                self._keep_held(durable=durable)

    def close(self) -> None:
        """Give the file back, with every record on the disk.

        Raises:
            StorageError: The last record may not be durable.
            LibriScribeError: The mirror cannot keep the last records.
        """
        try:
            with self._turn, storage_errors("write", self.path):
                if self._held and not self._broken:
                    self._keep_held(durable=True)
                if self._unsynced and not self._broken:
                    self._ops.fsync(self._descriptor)
        finally:
            self._broken = True
            self._ops.close(self._descriptor)

    def _keep_held(self, *, durable: bool) -> None:
        """Keep what is held: in the mirror, then in the file."""
        lines, self._held = self._held, []
        if self._mirror is not None:
            self._mirror.add([line[:-1] for line in lines])
        data = b"".join(lines)
        try:
            self._store(data, durable=durable)
        except OSError as error:
            # What only the mirror has comes here when the journal is opened, before anything else.
            self._broken = self._broken or self._mirror is not None
            raise storage_error("write", self.path, error) from error
        self._length += len(data)

    def _store(self, data: bytes, *, durable: bool) -> None:
        # Only a write that failed and was undone in full leaves the journal usable.
        self._broken = True
        try:
            write_all(self._descriptor, data, self._ops)
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

    def _meet(self, mirror: JournalMirror, data: bytes) -> None:
        """Give a mirror what it lacks, and add what only it has."""
        whole = data[: self._length]
        lacking = mirror.meet(whole.split(b"\n")[:-1])
        if lacking:
            # Torn here by a crash, it is still a beginning of what the mirror has.
            more = b"".join(line + b"\n" for line in lacking)
            write_all(self._descriptor, more, self._ops)
            self._ops.fsync(self._descriptor)
            self.found = scan(whole + more)
            self._length = self.found.length
        self._mirror = mirror

    def _copy_aside(self, data: bytes) -> Path:
        """Copy a damaged journal once: the name is made of the damage, not of the time."""
        damage = hashlib.sha256(b"\n".join(self.found.damaged)).hexdigest()[:12]
        copy = self.path.parent / "trash" / f"journal-{damage}.jsonl"
        if not copy.exists():
            make_folder(copy.parent, ops=self._ops)
            atomic_write(copy, data, mode=PRIVATE, ops=self._ops)
        return copy
