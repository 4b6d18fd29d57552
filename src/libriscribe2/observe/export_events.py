"""An export, as an event of its project."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from libriscribe2.exporters.export_book import ExportBook
from libriscribe2.exporters.publishing import Published
from libriscribe2.observe.event_file import EventFile
from libriscribe2.observe.events import Event
from libriscribe2.project.paths import ProjectPaths


def tell_export(paths: ProjectPaths, book: ExportBook, done: Sequence[Published]) -> None:
    """Add an export to the project's events, where it has any records.

    Nothing is put aside: a run may be going on, for an export does not hold the project.
    """
    if not paths.events.parent.is_dir():
        return
    made = [one for one in done if one.error is None]
    failed = [(one.format, one.error.slug) for one in done if one.error is not None]
    with EventFile(paths.events, puts_aside=False) as file:
        event = Event(
            ts=datetime.now(UTC),
            run=uuid4().hex[:8],
            seq=1,
            event="export.done",
            path=_folder(done, paths.root),
            files=tuple(one.path.name for one in made),
            size=sum(one.size for one in made),
            errors=tuple(f"{name}: {slug}" for name, slug in failed),
            issues=tuple(f"{name} is not in the outline" for name in book.unplanned),
        )
        file.receive(event)


def _folder(done: Sequence[Published], root: Path) -> str:
    """Where the files went, seen from the project where it is in it."""
    if not done:
        return ""
    folder = done[0].path.parent
    inside = folder.is_relative_to(root)
    return folder.relative_to(root).as_posix() if inside else str(folder)
