"""The journal: records of every call and write, appended and synced, read back line by line."""

import hashlib
import logging
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final, Protocol, Self

from libriscribe2.errors import ProjectInUseError, StorageError
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
from libriscribe2.project.records import JournalScan, Record, encode_line, scan_journal
from libriscribe2.project.texts import Clock, iso_utc, utc_now
from libriscribe2.wording import counted

_log = logging.getLogger(__name__)


def read_journal(path: Path, seen: Path | None = None) -> JournalScan:
    """Read a project's journal; a file that is not there holds no record.

    Args:
        path: The journal.
        seen: Where else its newest records are named (`Journal.newest`).

    Raises:
        StorageError: It cannot be read.
    """
    with storage_errors("read", path):
        # Before the journal, so that no record that is being added seems to be missing.
        head = _head(path)
        if seen is not None and seen.is_file():
            head += seen.read_bytes()
        try:
            return scan_journal(read_regular(path), head)
        except FileNotFoundError:
            return scan_journal(b"", head)


def _head(path: Path) -> bytes:
    """The newest records, as they stand beside a journal."""
    try:
        return path.with_suffix(".head").read_bytes()
    except FileNotFoundError:
        return b""


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
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_MOST_LOOKS: Final = 20
_TAIL: Final = 256
"""Bytes by which the end of a journal is told from another one's: every line ends in its own."""


class Journal:
    """An open journal; one process at a time has one (see `ProjectLock`).

    Whoever syncs, restores or versions the folder may put another file in its place at any time,
    so its path is looked at before and after each record.

    Attributes:
        path: The file.
        found: What the file held when it was opened.
        aside: The copy of a damaged file, or None.
        check_held: Raises where this process has no right to the project any more; asked before
            anything new is begun, but not before what was paid for is stored.
    """

    def __init__(
        self, path: Path, data: bytes, descriptor: int, *, ops: FileOps, clock: Clock
    ) -> None:
        self.path = path
        self.found = scan_journal(data, _head(path))
        self.aside: Path | None = None
        self.check_held: Callable[[], None] = lambda: None
        self._descriptor = descriptor
        self._ops = ops
        self._clock = clock
        self._broken = False
        self._unsynced = False
        self._mirror: JournalMirror | None = None
        self._held: list[bytes] = []
        self._news: list[str] = []
        self._turn = Lock()
        self._know(self.found, data)

    def _know(self, found: JournalScan, data: bytes) -> None:
        """Take what a scan says for what the file holds."""
        self._length = found.length
        self._tail = data[: found.length][-_TAIL:]
        self._lines = dict(found.lines)
        self._numbers = dict(found.numbers)
        self._tips = dict(found.tips)

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
                journal = cls(path, data, descriptor, ops=ops, clock=clock)
                journal._mend(data)
                if mirror is not None:
                    journal._meet(mirror, data)
            except BaseException:
                ops.close(descriptor)
                raise
        return journal

    def append(self, record: Record, *, durable: bool = True) -> tuple[Record, ...]:
        """Add a record, with the time and its predecessors; on return it is on the disk.

        Args:
            record: The record.
            durable: False where a power failure may take the record: it becomes durable with the
                next one, or when the journal is closed.

        Returns:
            Records of somebody else, which the file had that was put in the journal's place.

        Raises:
            StorageError: It could not be stored. The file is cut back to the record before; after
                a failed fsync the journal accepts no more records, because the system may have
                dropped what it could not write.
            ProjectInUseError: Another file is in the journal's place and does not take the records.
            LibriScribeError: The mirror cannot keep it, so it was not stored either.
        """
        with self._turn:
            if self._broken:
                raise StorageError(
                    f"{self.path} accepts no more records",
                    why="an earlier write to it failed",
                    fix="Run the same command again to continue from what is stored.",
                )
            others = self._follow()
            self._add(record, durable=durable)
            # What was put there in between would be found by the next record, if there is one.
            return others + self._follow()

    def follow(self) -> tuple[Record, ...]:
        """See whether another file lies at the path by now, and go on in it.

        Returns:
            Records of somebody else that it holds.

        Raises:
            ProjectInUseError: It does not take the records that it lacks.
        """
        with self._turn:
            return () if self._broken else self._follow()

    def take_news(self) -> list[str]:
        """What has been put in the journal's place since the last time, in words."""
        news, self._news = self._news, []
        return news

    def close(self) -> None:
        """Give the file back, with every record on the disk.

        Raises:
            StorageError: The last record may not be durable.
            ProjectInUseError: Another file is in the journal's place and does not take the records.
            LibriScribeError: The mirror cannot keep the last records.
        """
        try:
            with self._turn, storage_errors("write", self.path):
                if self._held and not self._broken:
                    self._keep_held(durable=True)
                if not self._broken:
                    self._follow()
                if self._unsynced and not self._broken:
                    self._ops.fsync(self._descriptor)
                    self._note_head()
        finally:
            self._broken = True
            self._ops.close(self._descriptor)

    def _add(self, record: Record, *, durable: bool) -> None:
        after = [f"{number}-{crc}" for crc, number in self._tips.items()]
        whole = {**record, "at": iso_utc(self._clock()), "after": after}
        line = encode_line(whole)
        self._held.append(line)
        if durable or self._mirror is None:
            self._keep_held(durable=durable)
        self._lines[hash(line[:-1])] = whole
        self._tips = {line[:8].decode(): max(self._tips.values(), default=0) + 1}
        self._numbers |= self._tips
        if durable:
            self._note_head()

    @property
    def newest(self) -> str:
        """The names of the newest records, by which the loss of the end can be seen."""
        return "".join(f"{number}-{crc}\n" for crc, number in self._tips.items())

    def lacking(self, names: str) -> str:
        """Those of the named records that are not here."""
        return "".join(
            f"{name}\n" for name in names.split() if name.partition("-")[2] not in self._numbers
        )

    def _note_head(self) -> None:
        """Name the newest records beside the journal."""
        with suppress(OSError):  # an older name only shows less
            self.path.with_suffix(".head").write_text(self.newest, encoding="ascii")

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
        self._tail = data[-_TAIL:]

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

    def _follow(self) -> tuple[Record, ...]:
        """Go on in the file that lies at the path: give it what it lacks, return what only it has."""
        others: tuple[Record, ...] = ()
        for _ in range(_MOST_LOOKS):
            if self._is_there():
                return others
            try:
                descriptor = self._ops.open(self.path, _FLAGS | _NO_LINK, PRIVATE)
            except FileNotFoundError as error:
                if os.fstat(self._descriptor).st_nlink:
                    return others  # the whole folder has another name now
                raise self._lost(str(error)) from error
            except OSError as error:
                raise self._lost(str(error)) from error
            others += self._go_on_in(descriptor)
        raise self._lost("it is replaced again and again")

    def _is_there(self) -> bool:
        """Whether the path leads to the open file, and nobody else has changed that."""
        try:
            there, here = self.path.stat(), os.fstat(self._descriptor)
        except OSError:
            return False
        if not os.path.samestat(there, here) or there.st_size != self._length:
            return False
        os.lseek(self._descriptor, -len(self._tail), os.SEEK_END)
        return os.read(self._descriptor, _TAIL) == self._tail

    def _go_on_in(self, descriptor: int) -> tuple[Record, ...]:
        """Take another file for the journal.

        Raises:
            ProjectInUseError: It is no file, or it does not take the records, or its records do not
                go with those of the mirror.
        """
        try:
            if self._held:
                self._keep_held(durable=True)
            data, lacking, others = self._merged(descriptor)
        except BaseException as error:
            self._ops.close(descriptor)
            if isinstance(error, OSError):
                raise self._lost(str(error)) from error
            raise
        self._ops.close(self._descriptor)
        self._descriptor = descriptor
        self._know(scan_journal(data), data)
        if lacking or others:
            back, more = counted(lacking, "record"), counted(len(others), "record")
            self._news.append(
                f"{self.path} was replaced during this run: {back} restored, {more} of "
                "others taken up"
            )
            _log.warning(self._news[-1])
        return others

    def _merged(self, descriptor: int) -> tuple[bytes, int, tuple[Record, ...]]:
        """Add what a file lacks.

        Returns:
            What it holds then, how many records it lacked, and those that only it had.
        """
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise self._lost("there is no file")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read()
        found = scan_journal(data)
        if self._mirror is not None and [*found.lines] != [*self._lines][: len(found.lines)]:
            raise self._lost("its records are not those of the database")
        lacking = [one for known, one in self._lines.items() if known not in found.lines]
        others = [one for known, one in found.lines.items() if known not in self._lines]
        more = b"".join(map(encode_line, lacking))
        if found.length < len(data):
            more = b"\n" + more  # whoever copies the file there may be in the middle of a line
        write_all(descriptor, more, self._ops)
        self._ops.fsync(descriptor)
        sync_folder(self.path.parent, self._ops)
        return data + more, len(lacking), tuple(others)

    def _lost(self, why: str) -> ProjectInUseError:
        return ProjectInUseError(
            f"{self.path} was replaced or removed, and what this run knows cannot be put there",
            why=why,
            fix="See what replaces it (a sync program, git, a restore), then run the same command "
            "again to continue.",
        )

    def _mend(self, data: bytes) -> None:
        if self.found.damaged:
            self.aside = self._copy_aside(data)
        if self._length < len(data):
            self._ops.ftruncate(self._descriptor, self._length)
            self._ops.fsync(self._descriptor)

    def _meet(self, mirror: JournalMirror, data: bytes) -> None:
        """Give a mirror what it lacks, and add what only it has."""
        whole = data[: self._length]
        lacking = mirror.meet(whole.replace(b"\r\n", b"\n").split(b"\n")[:-1])
        if lacking:
            # Torn here by a crash, it is still a beginning of what the mirror has.
            more = b"".join(line + b"\n" for line in lacking)
            write_all(self._descriptor, more, self._ops)
            self._ops.fsync(self._descriptor)
            self.found = scan_journal(whole + more)
            self._know(self.found, whole + more)
        self._mirror = mirror

    def _copy_aside(self, data: bytes) -> Path:
        """Copy a damaged journal once: the name is made of the damage, not of the time."""
        damage = hashlib.sha256(b"\n".join(self.found.damaged.values())).hexdigest()[:12]
        copy = self.path.parent / "trash" / f"journal-{damage}.jsonl"
        if not copy.exists():
            make_folder(copy.parent, ops=self._ops)
            atomic_write(copy, data, mode=PRIVATE, ops=self._ops)
        return copy
