"""Who holds a project, and what a kill or an accident on this machine leaves behind."""

import json
import logging
import os
import re
import secrets
import shutil
import socket
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from filelock import FileLock, Timeout

from libriscribe2.errors import NewerVersionError, ProjectError, ProjectInUseError
from libriscribe2.project.atomic import (
    PRIVATE,
    SYSTEM,
    FileOps,
    atomic_create,
    atomic_write,
    leftovers,
    look_at,
    make_folder,
    storage_errors,
)
from libriscribe2.project.journal import Journal, JournalMirror
from libriscribe2.project.paths import (
    OWNER,
    STATE,
    STORY_BIBLE_FILES,
    SUMMARY_FILES,
    ProjectPaths,
    user_state,
)
from libriscribe2.project.records import FORMAT
from libriscribe2.project.texts import (
    Clock,
    compact_utc,
    iso_utc,
    readable_json,
    utc_now,
    utf8,
    value_sha,
)
from libriscribe2.wording import counted


def default_folder() -> Path:
    """The folder of replies that no project's disk took."""
    return user_state("rescue")


def default_places() -> Path:
    """The folder that says where each project was held last, and its newest records then."""
    return user_state("projects")


@dataclass(frozen=True, slots=True)
class Rescue:
    """The folder of rescued replies.

    Attributes:
        folder: Where the files are; it need not exist.
    """

    folder: Path = field(default_factory=default_folder)

    def save(self, owner: str, key: str, completion: Mapping[str, Any]) -> Path:
        """Keep a completion of the project with an id, and return its file.

        Raises:
            OSError: This place cannot be written either.
        """
        make_folder(self.folder)
        path = self._paths(owner, key)[0]
        content = {"key": key, "sha": value_sha(completion), "completion": completion}
        atomic_write(path, utf8(readable_json(content)), mode=PRIVATE)
        return path

    def find(self, owner: str, keys: Collection[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """A project's rescued completions among `keys`; a damaged file is left where it is.

        Raises:
            OSError: A file is there and cannot be read.
        """
        for key in keys:
            there = (path for path in self._paths(owner, key) if path.exists())
            whole = (_whole_completion(path.read_bytes(), key) for path in there)
            completion = next(filter(None, whole), None)
            if completion is not None:
                yield key, completion

    def drop(self, owner: str, key: str) -> None:
        """Remove the files of a completion that the journal has now."""
        for path in self._paths(owner, key):
            path.unlink(missing_ok=True)

    def _paths(self, owner: str, key: str) -> tuple[Path, Path]:
        """Where a completion is, and where older versions put it."""
        return self.folder / f"{owner}-{key}.json", self.folder / f"{key}.json"


def _whole_completion(data: bytes, key: str) -> Mapping[str, Any] | None:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or content.get("key") != key:
        return None
    completion = content.get("completion")
    whole = isinstance(completion, dict) and value_sha(completion) == content.get("sha")
    return completion if whole else None


MIN_FREE_BYTES: Final = 64 * 2**20
"""Room that has to be free before a request leaves: a reply must never find a full disk."""


def free_bytes(folder: Path) -> int:
    """Bytes that are free on the disk of `folder`.

    Raises:
        OSError: The disk does not answer.
    """
    return shutil.disk_usage(folder).free


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine under a project.

    Attributes:
        ops: The calls that write.
        clock: The time of day.
        places: Where is written down in which folder each project was held last.
        free_bytes: Free room on the disk of a folder.
        rescue: Where replies go that the project's disk does not take.
        mirror: Keeps the journal's lines for other machines, too; None where nobody asks for it.
    """

    ops: FileOps = SYSTEM
    clock: Clock = utc_now
    places: Path = field(default_factory=default_places)
    free_bytes: Callable[[Path], int] = free_bytes
    rescue: Rescue = field(default_factory=Rescue)
    mirror: JournalMirror | None = None


def put_in_trash(paths: ProjectPaths, name: str, data: bytes, machine: Machine) -> str:
    """Keep `data`, the content of the file called `name`, under a name of its own.

    Returns:
        The copy's name, such as `.libriscribe/trash/20250112T103000Z-chapters_03.md`.

    Raises:
        StorageError: The copy cannot be written.
    """
    stamp, flat = compact_utc(machine.clock()), name.replace("/", "_")
    with storage_errors("write", paths.trash):
        make_folder(paths.trash, ops=machine.ops)
        copy, number = f"{stamp}-{flat}", 1
        # Whoever holds the project is alone, so the name needs no file that takes it first:
        # an empty one, left by a death, would look like a text to be put back.
        while (paths.trash / copy).exists():
            number += 1
            copy = f"{stamp}-{number}-{flat}"
        atomic_write(paths.trash / copy, data, mode=PRIVATE, ops=machine.ops)
    return f"{STATE}/{paths.trash.name}/{copy}"


def copy_in_trash(paths: ProjectPaths, name: str, data: bytes) -> str | None:
    """The name of the newest copy of a file with that content, or None.

    Raises:
        StorageError: The trash cannot be read.
    """
    flat = name.replace("/", "_")
    with storage_errors("read", paths.trash):
        for copy in sorted(paths.trash.glob(f"*-{flat}"), reverse=True):
            if copy.read_bytes() == data:
                return f"{STATE}/{paths.trash.name}/{copy.name}"
    return None


_HOLDER: Final = re.compile(r"pid (\d{1,9}) host (\S+) since ")


class ProjectLock:
    """The right to change a project, from `acquire` to `release`."""

    def __init__(self, paths: ProjectPaths) -> None:
        self._paths = paths
        self._lock = FileLock(paths.lock, timeout=0, thread_local=False)
        self._identity: tuple[int, int] | None = None

    @classmethod
    def acquire(cls, paths: ProjectPaths, clock: Clock = utc_now) -> Self:
        """Take the lock at once or not at all; the folder of records has to exist.

        Raises:
            ProjectInUseError: Another process has it.
            StorageError: The lock file cannot be opened.
        """
        held = cls(paths)
        with storage_errors("lock", paths.lock):
            try:
                held._lock.acquire()
            except Timeout as error:
                raise _in_use(paths) from error
        sign(paths.lock, clock)
        held._identity = held._present()
        return held

    def check(self) -> None:
        """Make sure that nobody else can have taken the lock since.

        Whoever deletes the file lets others lock a new one; cheap enough for every request.

        Raises:
            ProjectInUseError: The file is gone, or is another one.
        """
        if self._present() != self._identity:
            raise ProjectInUseError(
                f"{self._paths.root} is no longer locked by this process",
                why=f"{self._paths.lock} was removed or replaced, so another process may work there",
                fix="Make sure that no other process does, then run the same command again to "
                "continue.",
            )

    def _present(self) -> tuple[int, int] | None:
        """Which file is the lock's now; None where there is none to be seen."""
        try:
            found = self._paths.lock.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def release(self) -> None:
        """Let others in; a second time does nothing."""
        self._lock.release()


def is_locked(file: Path) -> bool:
    """Whether somebody holds the lock of a file just now.

    Raises:
        OSError: The file cannot be opened.
    """
    lock = FileLock(file, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return True
    lock.release()
    return False


def sign(lock: Path, clock: Clock = utc_now) -> None:
    """Write into a lock's file who holds it: only a text for the others, the lock needs none."""
    holder = f"pid {os.getpid()} host {socket.gethostname()} since {iso_utc(clock())}\n"
    with suppress(OSError):
        lock.write_text(holder, encoding="utf-8")


def holder_of(lock: Path) -> str:
    """Who holds a lock, as its file says it."""
    holder = ""
    with suppress(OSError):  # Windows does not let anyone read a locked file
        holder = lock.read_text(encoding="utf-8", errors="replace").strip()
    return holder or "the process is unknown"


def _in_use(paths: ProjectPaths) -> ProjectInUseError:
    return ProjectInUseError(
        f"{paths.root} is in use by another process",
        why=holder_of(paths.lock),
        fix="Wait until it is done, or stop it, then run the same command again.",
    )


def holder_may_live(paths: ProjectPaths) -> bool:
    """Whether the process that took the lock last may still be at work.

    Only a process of this machine can be known to be gone; the lock itself is not touched.
    """
    if os.name != "posix":
        return True  # elsewhere no process can be asked after without being disturbed
    found = _HOLDER.match(holder_of(paths.lock))
    if found is None or found[2] != socket.gethostname():
        return True
    try:
        os.kill(int(found[1]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def check_format(paths: ProjectPaths) -> bool:
    """Whether the project says that it has this program's format; an old or a new one does not.

    Raises:
        NewerVersionError: The format is newer than this program.
        ProjectError: The file is not a number.
        StorageError: The file cannot be read.
    """
    _refuse_devices(paths)
    with storage_errors("read", paths.format):
        if look_at(paths.format) is None:
            return False
        text = paths.format.read_bytes().decode("ascii", "replace").strip()
    if not text.isdecimal():
        raise ProjectError(
            f"{paths.format} should contain the number of a format, and contains {text[:20]!r}",
            fix=f"Write {FORMAT} into it if this project was made by this version.",
        )
    if int(text) > FORMAT:
        raise NewerVersionError(
            f"{paths.root} was written by a newer version of libriscribe2",
            why=f"its records have format {int(text)}; this version reads up to {FORMAT}",
            fix="Upgrade libriscribe2.",
        )
    return int(text) == FORMAT


_FOR_GIT: Final = {
    ".gitattributes": b"* -text\njournal.jsonl merge=union\njournal.head merge=union\n",
    ".gitignore": b"lock\n",
}
"""Records are bytes, two copies of a journal have the lines of both, and a lock is taken by nobody."""


def write_format(paths: ProjectPaths, ops: FileOps = SYSTEM) -> None:
    """Say that the project's records have this program's format, and to git how to treat them.

    Raises:
        StorageError: The files cannot be written.
    """
    with storage_errors("write", paths.format):
        for name, data in _FOR_GIT.items():
            if not (paths.state / name).exists():
                atomic_write(paths.state / name, data, ops=ops)
        atomic_write(paths.format, f"{FORMAT}\n".encode(), ops=ops)


_log = logging.getLogger(__name__)


def hold(paths: ProjectPaths, machine: Machine, held: ExitStack) -> Journal:
    """Take the lock of a project and open its journal; closing `held` lets go of both.

    Raises:
        ProjectError: A newer version wrote the project, or its records are links out of it.
        ProjectInUseError: Another process is working on it.
        StorageError: The folder cannot be read and written.
        LibriScribeError: The mirror cannot be reached, or is that of another journal.
    """
    _refuse_links(paths)
    with storage_errors("make", paths.state):
        make_folder(paths.state, ops=machine.ops)
    lock = ProjectLock.acquire(paths, machine.clock)
    held.callback(lock.release)
    if not check_format(paths):
        write_format(paths, machine.ops)
    with storage_errors("clean up", paths.root):
        for leftover in (*leftovers(paths.root), *leftovers(paths.dumps)):
            machine.ops.unlink(leftover)
    journal = Journal.open(
        paths.journal, ops=machine.ops, clock=machine.clock, mirror=machine.mirror
    )
    held.callback(journal.close)
    journal.check_held = lock.check
    _identify(paths, machine, is_older=bool(journal.found.records))
    held.callback(_remember, machine.places / f"{paths.id}.head", journal)
    if journal.found.damaged:
        _log.warning(
            "%s: %s skipped; a copy of the file is in %s",
            paths.journal,
            counted(len(journal.found.damaged), "damaged record"),
            journal.aside,
        )
    if journal.found.missing:
        _log.warning(
            "%s: at least %s missing; what they cost is not known, and their files count as yours",
            paths.journal,
            counted(journal.found.missing, "record"),
        )
    elif not journal.found.records and _was_recorded(paths):
        _log.warning(
            "%s is empty or missing: every file counts as edited by you, and earlier costs are "
            "unknown",
            paths.journal,
        )
    return journal


def _identify(paths: ProjectPaths, machine: Machine, *, is_older: bool) -> None:
    """Give a project an id: one without, and a copy whose original is still there.

    Args:
        paths: The project, which this process holds.
        machine: Knows where each project was held last.
        is_older: Whether it has records already: then the dumps under its name are its own.

    Raises:
        StorageError: The id cannot be read or written.
    """
    with storage_errors("write the id of", paths.root):
        own, root = paths.id, paths.root.resolve()
        known = machine.places / own
        original = Path(known.read_text(encoding="utf-8")) if own and known.is_file() else root
        if not own or (original != root and ProjectPaths(original, original).id == own):
            if own:
                _log.warning("%s is a copy of %s: it continues as a separate book", root, original)
            own = secrets.token_hex(4)
            atomic_write(paths.id_file, f"{own}\n".encode())
            if is_older and original == root and paths.debug.is_dir():
                mark_dumps(paths.debug, own)
    with suppress(OSError):  # a home that takes nothing: then no copy is recognised
        make_folder(machine.places)
        atomic_write(machine.places / own, str(root).encode(), mode=PRIVATE)


def _remember(seen: Path, journal: Journal) -> None:
    """Name the newest records outside of the folder, which may be put back as it was once."""
    with suppress(OSError):
        before = seen.read_text(encoding="ascii", errors="replace") if seen.is_file() else ""
        seen.write_text(journal.newest + journal.lacking(before), encoding="ascii")


def mark_dumps(folder: Path, owner: str) -> None:
    """Write down whose dumps are in a folder, unless that is known.

    Raises:
        OSError: The system refused.
    """
    with suppress(FileExistsError):
        atomic_create(folder / OWNER, f"{owner}\n".encode(), durable=False)


def _was_recorded(paths: ProjectPaths) -> bool:
    """Whether there are files that the program makes beside its records and nobody else does."""
    with storage_errors("read", paths.state):
        return any(any(paths.root.glob(name)) for name in (SUMMARY_FILES, STORY_BIBLE_FILES))


def _refuse_links(paths: ProjectPaths) -> None:
    """Make sure that no record is written through a link out of the project.

    A project may come from somebody else, and a record is appended to whatever file is there.

    Raises:
        ProjectError: There is such a link.
        StorageError: The folder cannot be read.
    """
    paths.resolve(STATE)
    for entry in _records(paths):
        if entry.is_symlink():
            paths.resolve(f"{STATE}/{entry.name}")
    _refuse_devices(paths)


def _refuse_devices(paths: ProjectPaths) -> None:
    """Make sure that no record is a pipe or a device, on which reading or writing would wait.

    Raises:
        ProjectError: There is such a one.
        StorageError: The folder cannot be read.
    """
    for entry in _records(paths):
        if entry.is_file() or entry.is_dir():
            continue
        if not (entry.is_symlink() and not Path(entry.path).exists()):
            raise ProjectError(
                f"{entry.path} is not a file",
                why="a pipe or a device is in its place",
                fix="Put it back from a backup, or move it away.",
            )


def _records(paths: ProjectPaths) -> list[os.DirEntry[str]]:
    with storage_errors("read", paths.state):
        return list(os.scandir(paths.state)) if paths.state.is_dir() else []
