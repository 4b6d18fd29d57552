"""The same pages as a folder that opens from `file://`."""

import json
import shutil
from pathlib import Path
from typing import Any, Final

from libriscribe2.commands.calls import CallFilter
from libriscribe2.errors import UsageError
from libriscribe2.project.atomic import storage_errors
from libriscribe2.review.pages.call_pages import call_rows
from libriscribe2.review.site import FolderAddresses, Site
from libriscribe2.review.snapshot import ProjectSource, take

STATIC: Final = Path(__file__).parent / "static"
LIST: Final = "review-files.json"
"""Names the files of an export, so that the next one can clear them away."""

_ADDRESSES: Final = FolderAddresses()


def freeze(source: ProjectSource, folder: Path) -> int:
    """Write every page to a folder, and return how many there are.

    Args:
        source: The project.
        folder: A new or empty folder, or one that holds an earlier export and nothing else.

    Raises:
        UsageError: The folder holds something else.
        ProjectError: The project cannot be read.
        StorageError: The folder cannot be written.
    """
    snapshot = take(source, source.calls())
    site = Site(snapshot, _ADDRESSES, live=False)
    files = {_ADDRESSES.page(*page): site.render(page) for page in site.pages()}
    count = len(files)
    rows = call_rows(snapshot, CallFilter())
    files["calls.json"] = _json({"project": snapshot.name, "calls": rows})
    with storage_errors("write", folder):
        _clear(folder)
        # First of all: a folder of which half is written can be cleared away again.
        (folder / LIST).write_text(_json(sorted(files)), encoding="utf-8")
        shutil.copytree(STATIC, folder / "static")
        for name, text in files.items():
            (folder / name).write_bytes(str(text).encode("utf-8", "replace"))
    return count


def _clear(folder: Path) -> None:
    """Make room: an earlier export is removed, anything else is refused."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {path.name for path in folder.iterdir()}
    if not found:
        return
    known = _known(folder / LIST)
    if LIST not in found or found - known - {LIST, "static"}:
        raise UsageError(
            f"{folder} is not empty",
            why="it holds something that is not part of an earlier export",
            fix="Name a new folder for --export.",
        )
    for asset in STATIC.iterdir():
        (folder / "static" / asset.name).unlink(missing_ok=True)
    if (folder / "static").is_dir():
        (folder / "static").rmdir()
    for name in found & known:
        (folder / name).unlink()
    (folder / LIST).unlink()


def _known(path: Path) -> set[str]:
    """The names in the list of an earlier export; none where it cannot be read."""
    try:
        names = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return set()
    return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
