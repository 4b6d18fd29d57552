"""One process at a time works on a project.

The operating system holds the lock and drops it when the process dies, so the file of a dead
process never blocks; its content is only for the message to the others.
"""

import os
import re
import socket
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from filelock import FileLock, Timeout

from libriscribe2.errors import ProjectInUseError
from libriscribe2.project.clock import Clock, iso_utc, utc_now
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.storage_errors import storage_errors

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
                f"{self._paths.root} is no longer held by this process",
                why=f"{self._paths.lock} was removed or replaced, so another process may work there",
                fix="See that no other process does, then run the same command again: "
                "it goes on where it stopped.",
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
    return holder or "the process did not say who it is"


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
