"""How books stand: one with its files and what would stop a run of it, and all as a listing."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from libriscribe2.agents.agent_base import Agent
from libriscribe2.checks.project_health import (
    examine_files,
    examine_records,
    finding_of,
    health_finding,
)
from libriscribe2.commands.by_hand import waiting_requests
from libriscribe2.commands.calls import stats_of
from libriscribe2.commands.projects import (
    look_at,
    project_names,
    read_brief,
    settings_of,
    wanted_stages,
)
from libriscribe2.commands.runs import stand_in_files
from libriscribe2.engine.stages import RunDecision, all_stages, book_status, check_artifacts
from libriscribe2.errors import ConfigError, LibriScribeError, ProjectError
from libriscribe2.exporters.export_checks import cover_of
from libriscribe2.llm.backends.paste import as_record
from libriscribe2.models.brief import Brief
from libriscribe2.models.findings import Finding
from libriscribe2.project.artifacts import Book
from libriscribe2.project.legacy import is_legacy, read_legacy
from libriscribe2.project.manifest import Manifest
from libriscribe2.project.paths import (
    BOOK_TOML,
    CHAPTER_FILES,
    DRAFT_FILES,
    MANUSCRIPT,
    STATE,
    STORY_BIBLE_FILES,
    SUMMARY_FILES,
    ProjectPaths,
)
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.research_files import has_no_sources
from libriscribe2.settings.layers import read_toml
from libriscribe2.settings.schema import Settings
from libriscribe2.wording import counted


@dataclass(frozen=True, slots=True)
class BookOverview:
    """How a book stands.

    Attributes:
        record: The same as plain JSON: sums, and every file with its state and reason.
        runs: Whether a run would make something.
        is_legacy: Whether it is a project of the original LibriScribe2, not yet converted.
        obstacles: What would stop a run before its first stage.
        manifest: What its calls have come to.
    """

    record: dict[str, Any]
    runs: bool
    is_legacy: bool
    obstacles: tuple[Finding, ...]
    manifest: Manifest


def overview(paths: ProjectPaths, *, rates: bool = False) -> BookOverview:
    """How a book stands; takes no lock and writes nothing.

    Args:
        paths: The project.
        rates: Whether the record says how well replies could be read.

    Raises:
        ProjectError: The book cannot be read.
        ConfigError: Its brief cannot be used.
    """
    view, brief = look_at(paths), read_brief(paths)
    stages = wanted_stages(brief)
    check_artifacts(stages, view)
    units, originals = book_status(stages, brief, view), _originals(paths)
    record = {
        "project": paths.root.name,
        "title": Book(view).title(brief),
        **_sums(view),
        "units": [_row(one, originals) for one in units],
        "waiting": [as_record(one) for one in waiting_requests(view)],
        "stand_in": bool(stand_in_files(view)),
        "unsourced": has_no_sources(brief, view),
    }
    if rates:
        record["rates"] = stats_of(paths)[0]
    runs = any(one.runs for one in units)
    return BookOverview(record, runs, bool(originals), tuple(hindrances(paths)), view.manifest)


def _originals(paths: ProjectPaths) -> Collection[str]:
    """The files that would come from the original LibriScribe2; none in a project of this one."""
    return read_legacy(paths.root).artifacts.keys() if is_legacy(paths) else ()


def _sums(view: ProjectView) -> dict[str, Any]:
    """What the book has come to so far."""
    book, totals = Book(view), view.manifest.totals
    return {
        "words": book.words(),
        "chapters": book.chapters(),
        "calls": totals.calls,
        "failed_calls": totals.failed,
        "input_tokens": totals.input_tokens,
        "cached_tokens": totals.cached_tokens,
        "output_tokens": totals.output_tokens,
        "cost_usd": None if totals.unknown_costs else totals.cost_usd,
        "damaged_records": view.damaged,
    }


def _row(found: RunDecision, originals: Collection[str]) -> dict[str, Any]:
    """A unit as a flat record."""
    original = found.unit.output in originals
    return {
        "stage": found.unit.stage,
        "chapter": found.unit.chapter,
        "unit": found.unit.output,
        "state": "original" if original else found.state,
        "runs": found.runs,
        "reason": "from the original LibriScribe2" if original else found.reason,
    }


_FOLDERS: Final = (
    "",
    STATE,
    *(
        str(Path(name).parent)
        for name in (CHAPTER_FILES, SUMMARY_FILES, STORY_BIBLE_FILES, DRAFT_FILES)
    ),
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
        yield finding_of(fault, BOOK_TOML)
    written = [paths.root / name for name in _FOLDERS]
    written += [paths.state / name for name in _RECORDS] + [paths.dumps]
    for path in written:
        if path.exists() and not may_write(path):
            inside = path.is_relative_to(paths.root)
            yield health_finding(
                path.relative_to(paths.root.parent).as_posix() if inside else str(path),
                "",
                f"{path} is not writable",
                "Give yourself write permission there.",
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
        what = f"{error.what.removesuffix('.')}: {error.why}; exports fail"
        yield health_finding(BOOK_TOML, "cover", what, error.fix)


def book_findings(paths: ProjectPaths) -> list[Finding]:
    """All that is wrong with the files of a book, what stops a run first; nothing is written.

    Raises:
        ProjectError: There is no project.
        StorageError: A file cannot be read.
    """
    view = look_at(paths)
    stages, first = _stages(paths)
    found = [*first, *hindrances(paths), *examine_files(view, stages), *examine_records(paths)]
    return sorted(found, key=lambda finding: finding.severity != "error")


def _stages(paths: ProjectPaths) -> tuple[Sequence[type[Agent]], list[Finding]]:
    """The stages of the book, or all there are where the brief cannot be read."""
    try:
        brief = read_brief(paths)
        return wanted_stages(brief), list(doubtful_cover(paths, brief))
    except (ConfigError, ProjectError) as error:
        return all_stages(), [finding_of(error, BOOK_TOML)]


@dataclass(frozen=True, slots=True)
class ShelvedBook:
    """A book on the shelf.

    Attributes:
        book: Its name, as a command calls it.
        title: Its title; "" before there is one.
        words: Words of the chapters that are there.
        state: How far it is.
        cost_usd: What its calls cost; None where a price is unknown.
        changed: When it was last worked on, by the clock of its files; ISO 8601, UTC.
        waiting: How many requests wait for a reply that somebody pastes.
    """

    book: str
    title: str
    words: int
    state: str
    cost_usd: float | None
    changed: str
    waiting: int = 0


def shelf(settings: Settings) -> list[ShelvedBook]:
    """The books of the user, the one that was last worked on first; nothing is written.

    Raises:
        StorageError: The folder of the projects cannot be read.
    """
    names = project_names(settings)
    found = [
        _shelved(ProjectPaths(settings.projects_dir / n, settings.debug_dir / n)) for n in names
    ]
    return sorted(found, key=lambda one: one.changed, reverse=True)


def _shelved(paths: ProjectPaths) -> ShelvedBook:
    """A book; one that cannot be read says so in place of its state."""
    name, changed = paths.root.name, _changed(paths)
    try:
        view, brief = look_at(paths), read_brief(paths)
        book, totals = Book(view), view.manifest.totals
        cost = None if totals.unknown_costs else totals.cost_usd
        return ShelvedBook(
            name,
            book.title(brief),
            book.words(),
            _state(book, view.names(CHAPTER_FILES)),
            cost,
            changed,
            len(waiting_requests(view)),
        )
    except LibriScribeError as error:
        return ShelvedBook(name, "", 0, f"cannot be read: {error.what}", None, changed)


def _state(book: Book, written: "list[str] | tuple[str, ...]") -> str:
    """How far a book is."""
    planned = book.chapters()
    if not planned:
        return "begun"
    if not written:
        return f"planned, {counted(planned, 'chapter')}"
    if len(written) < planned:
        return f"{len(written)} of {counted(planned, 'chapter')}"
    return "finished" if book.has(MANUSCRIPT) else "all chapters, no manuscript yet"


def _changed(paths: ProjectPaths) -> str:
    """When the newest of its records and files was written."""
    there: list[Path] = [
        paths.journal,
        paths.book_toml,
        *paths.root.glob("*.json"),
        *paths.root.glob("*.md"),
        *paths.root.glob("chapters/*.md"),
    ]
    times = [path.stat().st_mtime for path in there if path.is_file()]
    return datetime.fromtimestamp(max(times, default=0), UTC).isoformat(timespec="seconds")
