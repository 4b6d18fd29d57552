"""Looking at a project without a lock and without writing a byte, for `status` and its like."""

from libriscribe2.errors import ProjectError
from libriscribe2.project.format_version import check_format
from libriscribe2.project.journal_lines import scan
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import BOOK_TOML, PROJECT_DATA, STATE, ProjectPaths
from libriscribe2.project.storage_errors import storage_errors
from libriscribe2.project.structure_change import read_pending
from libriscribe2.project.structure_view import ChangedView
from libriscribe2.project.view import ProjectView


def is_project(paths: ProjectPaths) -> bool:
    """Whether the folder holds a project, of this program or of the original LibriScribe2.

    Raises:
        StorageError: The folder cannot be read.
    """
    with storage_errors("read", paths.root):
        return any((paths.root / name).exists() for name in (BOOK_TOML, STATE, PROJECT_DATA))


def require_project(paths: ProjectPaths) -> None:
    """Make sure that there is a project.

    Raises:
        ProjectError: There is none.
        StorageError: The folder cannot be read.
    """
    if not is_project(paths):
        raise ProjectError(
            f"There is no project in {paths.root}",
            fix="Check the name, or begin one with `libriscribe2 create`.",
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
    with storage_errors("read", paths.journal):
        data = paths.journal.read_bytes() if paths.journal.exists() else b""
    found = scan(data)
    view = ProjectView(paths, Manifest(found.records), len(found.damaged))
    if pending is None or pending.id in view.manifest.changes:
        return view
    return ChangedView(view, pending)
