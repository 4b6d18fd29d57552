"""Taking hold of a project: the lock, the format, the remains of a crash, the journal."""

import logging
import os
from contextlib import ExitStack

from libriscribe2.project.atomic import leftovers, make_folder
from libriscribe2.project.format_version import check_format, write_format
from libriscribe2.project.journal import Journal
from libriscribe2.project.lock import ProjectLock
from libriscribe2.project.machine import Machine
from libriscribe2.project.paths import CANON_FILES, STATE, SUMMARY_FILES, ProjectPaths
from libriscribe2.project.storage_errors import storage_errors
from libriscribe2.wording import counted

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
        for leftover in (*leftovers(paths.root), *leftovers(paths.debug)):
            machine.ops.unlink(leftover)
    journal = Journal.open(
        paths.journal, ops=machine.ops, clock=machine.clock, mirror=machine.mirror
    )
    held.callback(journal.close)
    journal.check_held = lock.check
    if journal.found.damaged:
        _log.warning(
            "%s: %s skipped; a copy of the file is in %s",
            paths.journal,
            counted(len(journal.found.damaged), "damaged record"),
            journal.aside,
        )
    elif not journal.found.records and _was_recorded(paths):
        _log.warning(
            "%s is empty or missing: every file counts as edited by you, and what was spent before "
            "is not known",
            paths.journal,
        )
    return journal


def _was_recorded(paths: ProjectPaths) -> bool:
    """Whether there are files that the program makes beside its records and nobody else does."""
    with storage_errors("read", paths.state):
        return any(any(paths.root.glob(name)) for name in (SUMMARY_FILES, CANON_FILES))


def _refuse_links(paths: ProjectPaths) -> None:
    """Make sure that no record is written through a link out of the project.

    A project may come from somebody else, and a record is appended to whatever file is there.

    Raises:
        ProjectError: There is such a link.
        StorageError: The folder cannot be read.
    """
    paths.resolve(STATE)
    with storage_errors("read", paths.state):
        found = list(os.scandir(paths.state)) if paths.state.is_dir() else []
    for entry in found:
        if entry.is_symlink():
            paths.resolve(f"{STATE}/{entry.name}")
