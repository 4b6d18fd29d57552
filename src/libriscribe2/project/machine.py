"""What a project takes from the machine that it lives on, so that a test can hand in another."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from libriscribe2.project.clock import Clock, utc_now
from libriscribe2.project.file_ops import SYSTEM, FileOps
from libriscribe2.project.journal_mirror import JournalMirror
from libriscribe2.project.rescue import Rescue

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
        free_bytes: Free room on the disk of a folder.
        rescue: Where replies go that the project's disk does not take.
        mirror: Keeps the journal's lines for other machines, too; None where nobody asks for it.
    """

    ops: FileOps = SYSTEM
    clock: Clock = utc_now
    free_bytes: Callable[[Path], int] = free_bytes
    rescue: Rescue = field(default_factory=Rescue)
    mirror: JournalMirror | None = None
