"""A change of several files that happens as a whole: written down first, then carried out.

The plan holds every new content in full, so carrying it out a second time changes nothing, and
whoever opens the project after a crash can finish it. It is one line with a checksum, as the
journal's lines are.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from libriscribe2.errors import ProjectError
from libriscribe2.project.atomic import PRIVATE, atomic_write, make_folder
from libriscribe2.project.file_ops import sync_folder
from libriscribe2.project.journal_lines import decode_line, encode_line
from libriscribe2.project.machine import Machine
from libriscribe2.project.paths import ProjectPaths
from libriscribe2.project.records import Record
from libriscribe2.project.storage_errors import storage_errors
from libriscribe2.project.trash import put_in_trash

VERSION: Final = 1
"""The form of a plan; a plan of another form is left to the version that wrote it."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """The new content of one file.

    Attributes:
        name: The file's name.
        before: Digest of the bytes that it replaces (`digest`); None where there was no file.
        text: The new content; None removes the file.
    """

    name: str
    before: str | None
    text: str | None

    @property
    def data(self) -> bytes | None:
        """The new content as bytes."""
        return None if self.text is None else self.text.encode("utf-8")


@dataclass(frozen=True, slots=True)
class Change:
    """A change of several files.

    Attributes:
        id: A name that no other change has; the journal's record carries it too.
        what: The command that asked for it, such as `chapter move 3 6`.
        files: The files that get another content.
        record: What the journal says of it (`records.reshaped`).
    """

    id: str
    what: str
    files: tuple[Replacement, ...]
    record: Record


def digest(data: bytes | None) -> str | None:
    """The SHA-256 of exactly these bytes; None for no file."""
    return None if data is None else hashlib.sha256(data).hexdigest()


def read_pending(paths: ProjectPaths) -> Change | None:
    """The change that was begun and not finished, if there is one.

    Raises:
        ProjectError: The plan is damaged, or a newer version wrote it.
        StorageError: It cannot be read.
    """
    with storage_errors("read", paths.pending):
        try:
            line = paths.pending.read_bytes()
        except FileNotFoundError:
            return None
    plan = decode_line(line.rstrip(b"\n"))
    if plan is None:
        raise ProjectError(
            f"{paths.pending} is damaged",
            why="it holds a change of chapters that was interrupted",
            fix=f"The texts as they were are in {paths.trash} and in the chapters that are there; "
            "put them in order, delete the file, and see `libriscribe2 check`.",
        )
    if plan.get("v") != VERSION:
        raise ProjectError(
            f"{paths.pending} was written by a newer version of libriscribe2",
            fix="Upgrade libriscribe2.",
        )
    files = tuple(Replacement(**one) for one in plan["files"])
    return Change(plan["id"], plan["what"], files, plan["record"])


def write_pending(paths: ProjectPaths, change: Change, machine: Machine) -> None:
    """Write a change down; from then on it is going to happen.

    Raises:
        StorageError: The system refused; nothing is going to happen.
    """
    files: list[Mapping[str, Any]] = [
        {"name": one.name, "before": one.before, "text": one.text} for one in change.files
    ]
    plan = {
        "v": VERSION,
        "id": change.id,
        "what": change.what,
        "files": files,
        "record": change.record,
    }
    with storage_errors("write", paths.pending):
        atomic_write(paths.pending, encode_line(plan), mode=PRIVATE, ops=machine.ops)


def drop_pending(paths: ProjectPaths, machine: Machine) -> None:
    """Forget a change that has happened.

    Raises:
        StorageError: The system refused; the next opening tries again.
    """
    with storage_errors("remove", paths.pending):
        machine.ops.unlink(paths.pending)


def place(paths: ProjectPaths, change: Change, machine: Machine) -> None:
    """Give every file its new content; what is as it should be is left alone.

    A file that the author changed after the change was written down goes to the trash first.

    Raises:
        ProjectError: A name leads out of the project.
        StorageError: The system refused; the rest can be done later.
    """
    for one in change.files:
        path = paths.resolve(one.name)
        with storage_errors("write", path):
            present = path.read_bytes() if path.is_file() else None
            if present == one.data:
                continue
            if present is not None and digest(present) != one.before:
                put_in_trash(paths, one.name, present, machine)
            if one.data is None:
                machine.ops.unlink(path)
                sync_folder(path.parent, machine.ops)
            else:
                make_folder(path.parent, ops=machine.ops)
                atomic_write(path, one.data, ops=machine.ops)
