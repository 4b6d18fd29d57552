"""What would stop every run of a book, whatever its files hold: its settings, and its rights."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from libriscribe2.commands.projects import settings_of
from libriscribe2.errors import ConfigError, ProjectError
from libriscribe2.exporters.pictures import cover_of
from libriscribe2.models.brief import Brief
from libriscribe2.pipeline.health import Finding, told
from libriscribe2.project.paths import (
    BOOK_TOML,
    CANON_FILES,
    CHAPTER_FILES,
    DRAFT_FILES,
    STATE,
    SUMMARY_FILES,
    ProjectPaths,
)
from libriscribe2.settings.layers import read_toml

_FOLDERS: Final = (
    "",
    STATE,
    *(str(Path(name).parent) for name in (CHAPTER_FILES, SUMMARY_FILES, CANON_FILES, DRAFT_FILES)),
)
_RECORDS: Final = ("journal.jsonl", "lock", "events.jsonl")


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def hindrances(
    paths: ProjectPaths, may_write: Callable[[Path], bool] = _may_write
) -> Iterator[Finding]:
    """What stops a run before its first stage, as findings.

    Args:
        paths: The project.
        may_write: Whether this process may write a file or a folder.
    """
    fault = _unusable_settings(paths)
    if fault is not None:
        yield told(fault, BOOK_TOML)
    written = [paths.root / name for name in _FOLDERS]
    written += [paths.state / name for name in _RECORDS] + [paths.debug]
    for path in written:
        if path.exists() and not may_write(path):
            inside = path.is_relative_to(paths.root)
            yield Finding(
                path.relative_to(paths.root.parent).as_posix() if inside else str(path),
                "",
                f"{path} may not be written",
                "Give yourself permission to write there.",
                stops=True,
            )
            return


def _unusable_settings(paths: ProjectPaths) -> ConfigError | None:
    """Why the settings cannot be used; a file that is no TOML is told by who reads the brief."""
    try:
        settings_of(paths.root, {})
    except ConfigError as error:
        return error if _is_toml(paths.book_toml) else None
    return None


def _is_toml(path: Path) -> bool:
    try:
        read_toml(path)
    except ConfigError:
        return False
    return True


def doubtful_cover(paths: ProjectPaths, brief: Brief) -> Iterator[Finding]:
    """A cover that no export can use; runs go on without it."""
    try:
        cover_of(paths, brief.cover)
    except ProjectError as error:
        what = f"{error.what.removesuffix('.')}: {error.why}; exports stop"
        yield Finding(BOOK_TOML, "cover", what, error.fix)
