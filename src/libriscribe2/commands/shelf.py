"""The books that there are, as a listing."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from libriscribe2.commands.by_hand import waiting_requests
from libriscribe2.commands.projects import look_at, project_names, read_brief
from libriscribe2.errors import LibriScribeError
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import CHAPTER_FILES, MANUSCRIPT, ProjectPaths
from libriscribe2.settings import Settings
from libriscribe2.wording import counted


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
