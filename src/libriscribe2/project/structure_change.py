"""Several files changed as one, and a project read without its lock."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from typing_extensions import override

from libriscribe2.errors import ProjectError
from libriscribe2.project.atomic import (
    PRIVATE,
    FileOps,
    atomic_write,
    is_file,
    look_at,
    make_folder,
    overwrite,
    storage_errors,
    take_away,
)
from libriscribe2.project.journal import read_journal
from libriscribe2.project.lock import Machine, check_format, put_in_trash
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import BOOK_TOML, PROJECT_DATA, STATE, ProjectPaths
from libriscribe2.project.project_view import FileContent, ProjectView, file_content, natural_order
from libriscribe2.project.records import Record, decode_line, encode_line

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
            why="it contains an interrupted change of chapters",
            fix=f"The earlier texts are in {paths.trash} and in the existing chapters; put them in "
            "order, delete the file, and run `libriscribe2 check`.",
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
        place_file(paths, one.name, path, one.data, before=one.before, machine=machine)


def place_file(
    paths: ProjectPaths,
    name: str,
    path: Path,
    data: bytes | None,
    *,
    before: str | None,
    machine: Machine,
) -> list[str]:
    """Give a file its new content; what is as it should be is left alone.

    Args:
        paths: The project, whose trash takes what the author wrote.
        name: What the file is called in the trash.
        path: The file, which may lie outside of the project.
        data: Its new content; None takes it away.
        before: The digest of the content that nobody will miss (`digest`).
        machine: The machine under the project.

    Returns:
        The copies in the trash of what else lay there, or was saved meanwhile.

    Raises:
        StorageError: The system refused.
    """
    copies: list[str] = []
    with storage_errors("write", path):
        present = path.read_bytes() if is_file(path) else None
        while present != data:
            if present is not None and digest(present) != before:
                copies.append(put_in_trash(paths, name, present, machine))
            *older, present = _exchanged(path, present, data, machine.ops)
            copies += [put_in_trash(paths, name, text, machine) for text in filter(None, older)]
    return copies


def _exchanged(
    path: Path, present: bytes | None, data: bytes | None, ops: FileOps
) -> list[bytes | None]:
    """Give a file its new content; what the author saved meanwhile, and what lies there now."""
    if data is None:
        taken = take_away(path, ops=ops)
        return [None] if taken == present else [taken, None]
    if present is None:
        make_folder(path.parent, ops=ops)
        atomic_write(path, data, ops=ops)
        return [data]
    others = overwrite(path, data, present, ops=ops)
    return [*others] or [data]


class ChangedView(ProjectView):
    """Reads a project through a change that has not happened, or has happened in part.

    Args:
        view: The project as it is.
        change: What is going to happen.
    """

    def __init__(self, view: ProjectView, change: Change) -> None:
        super().__init__(view.paths, view.manifest.after(change.record), view.damaged)
        self._under = view
        self._new = {one.name: one.data for one in change.files}

    @override
    def exists(self, name: str) -> bool:
        """Whether there will be a file of that name."""
        return self._new[name] is not None if name in self._new else self._under.exists(name)

    @override
    def find(self, name: str) -> FileContent | None:
        """What the file will hold; None where there will be no file."""
        if name not in self._new:
            return self._under.find(name)
        data = self._new[name]
        return None if data is None else file_content(name, data)

    @override
    def names(self, pattern: str) -> tuple[str, ...]:
        """The names of the files that will match a glob, numbers in order."""
        kept = {name for name in self._under.names(pattern) if name not in self._new}
        added = {
            name
            for name, data in self._new.items()
            if data is not None and fnmatchcase(name, pattern)
        }
        return tuple(sorted(kept | added, key=natural_order))


def is_project(paths: ProjectPaths) -> bool:
    """Whether the folder holds a project, of this program or of the original LibriScribe2.

    Raises:
        StorageError: The folder cannot be read.
    """
    with storage_errors("read", paths.root):
        return any(
            look_at(paths.root / name) is not None for name in (BOOK_TOML, STATE, PROJECT_DATA)
        )


def require_project(paths: ProjectPaths) -> None:
    """Make sure that there is a project.

    Raises:
        ProjectError: There is none.
        StorageError: The folder cannot be read.
    """
    if not is_project(paths):
        raise ProjectError(
            f"There is no project in {paths.root}",
            fix="Check the name, or start one with `libriscribe2 create`.",
        )


def peek(paths: ProjectPaths) -> ProjectView:
    """A project as it is on the disk right now, whoever is working on it.

    A change of several files that was begun is shown as done: the next opening finishes it.

    Raises:
        ProjectError: There is no project, a newer version wrote it, or a change that was begun
            cannot be read.
        StorageError: The folder cannot be read.
    """
    require_project(paths)
    check_format(paths)
    # Before the journal: a process that finishes the change in between is then seen as done.
    pending = read_pending(paths)
    found = read_journal(paths.journal)
    view = ProjectView(paths, Manifest(found.records), len(found.damaged))
    if pending is None or pending.id in view.manifest.changes:
        return view
    return ChangedView(view, pending)
