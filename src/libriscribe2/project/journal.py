"""The journal: records of every call and write, appended and synced, read back line by line."""

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final, Protocol, Self

from pydantic_core import PydanticSerializationError, to_json

from libriscribe2.errors import StorageError
from libriscribe2.project.atomic import (
    PRIVATE,
    SYSTEM,
    FileOps,
    atomic_write,
    make_folder,
    read_regular,
    storage_error,
    storage_errors,
    sync_folder,
    write_all,
)
from libriscribe2.project.records import Record
from libriscribe2.project.texts import Clock, canonical_json, iso_utc, utc_now, utf8


@dataclass(frozen=True, slots=True)
class JournalScan:
    """What the bytes of a journal say.

    Attributes:
        records: The records that are whole, oldest first.
        damaged: The complete lines whose checksum is wrong.
        length: Bytes up to the end of the last complete line; what follows was torn off by a
            crash and had not been acknowledged to anyone.
    """

    records: tuple[Record, ...]
    damaged: tuple[bytes, ...]
    length: int


def encode_line(record: Record) -> bytes:
    """The line that holds `record`."""
    try:
        body = to_json(record)
    except PydanticSerializationError:  # half a surrogate pair
        body = utf8(canonical_json(record))
    return b"%08x %s\n" % (zlib.crc32(body), body)


def decode_line(line: bytes) -> Record | None:
    """The record in a line without its line feed; None where the line is damaged."""
    checksum, _, body = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(body):
        return None
    try:
        # As `json.loads` reads bytes, without its search for their encoding.
        record = json.loads(body.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def scan(data: bytes) -> JournalScan:
    """Read the bytes of a journal."""
    length = data.rfind(b"\n") + 1
    records: list[Record] = []
    damaged: list[bytes] = []
    for line in filter(None, data[:length].split(b"\n")):
        record = decode_line(line)
        if record is None:
            damaged.append(line)
        else:
            records.append(record)
    return JournalScan(tuple(records), tuple(damaged), length)


class JournalMirror(Protocol):
    """Keeps every line of one journal elsewhere, in the same order.

    A line is in the mirror before it is in the folder, so that the folder of a machine that died
    holds nothing that another one, which went on from the mirror, does not know. Lines are the
    bytes without their line feed.
    """

    def meet(self, lines: Sequence[bytes]) -> Sequence[bytes]:
        """Come to terms with a journal that is opened; what the mirror lacks, it takes.

        Args:
            lines: The whole lines that the file holds.

        Returns:
            The lines that the file lacks.

        Raises:
            LibriScribeError: Neither begins with all of the other, or the mirror cannot be reached.
        """
        ...

    def add(self, lines: Sequence[bytes]) -> None:
        """Keep lines; on return they are kept for good.

        Raises:
            LibriScribeError: They cannot be kept for now, and must not go into the folder.
        """
        ...


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
                data = read_regular(path)
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
