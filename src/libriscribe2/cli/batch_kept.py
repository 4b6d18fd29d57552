"""`libriscribe2 batch fetch` and `forget`: books whose journals are in the database."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from libriscribe2.batch.folders import mark_project
from libriscribe2.batch.postgres.book_journal import KeptBook, forget, kept_book
from libriscribe2.batch.postgres.database import Database
from libriscribe2.batch.postgres.jobs import batches, key_of
from libriscribe2.batch.postgres.worker import DatabaseQueue
from libriscribe2.batch.queue import one_of
from libriscribe2.batch.state import Book, BookState
from libriscribe2.cli.batch_output import tell_marked
from libriscribe2.cli.rebuilding import Rebuilt, rebuild
from libriscribe2.cli.render import Renderer
from libriscribe2.commands.batches import Bookshelf
from libriscribe2.commands.projects import settings_of
from libriscribe2.commands.shared_batches import database_of
from libriscribe2.editing.rebuild import GOOD
from libriscribe2.errors import IncompleteError, ProjectError
from libriscribe2.project.atomic import (
    PRIVATE,
    SYSTEM,
    atomic_write,
    make_folder,
    replace_file,
    storage_errors,
    sync_folder,
)
from libriscribe2.project.lock import write_format
from libriscribe2.project.paths import RESEARCH_NOTES, ProjectPaths
from libriscribe2.project.structure_change import peek
from libriscribe2.project.view import ProjectView
from libriscribe2.settings import Settings


def fetch_books(
    renderer: Renderer,
    settings: Settings,
    batch: str | None,
    names: Sequence[str],
    *,
    as_json: bool,
) -> None:
    """Make the folders of finished books; without names, of all that are not here.

    Raises:
        ProjectError: A book is not finished, or its journal is not in the database.
        IncompleteError: A journal does not make its book.
        LibriScribeError: The database or the folder cannot be used.
    """
    with closing(database_of(settings)) as database:
        shelf = Bookshelf(settings, one_of(batches(database), batch, database.dsn.shown))
        made: list[str] = []
        lacking: list[Book] = []
        for book in _chosen(database, shelf.batch, names, ("done",)):
            paths = shelf.paths(book.row.name)
            if paths.root.exists():
                renderer.note(
                    f"{book.row.name}: its folder is here; move it away to have it fetched"
                )
                continue
            kept = kept_book(database, key_of(shelf.batch, book.row.name))
            if kept is None:
                lacking.append(book)
                continue
            _make(kept, paths, shelf.batch)
            made.append(book.row.name)
            if not as_json:
                renderer.data(str(paths.root))
        tell_marked(renderer, "fetched", made, as_json=as_json)
        if lacking:
            raise _not_kept(database, lacking[0])


def forget_books(
    renderer: Renderer,
    settings: Settings,
    batch: str | None,
    names: Sequence[str],
    *,
    as_json: bool,
) -> None:
    """Delete the journals of books from the database; without names, of all done and cancelled.

    Raises:
        ProjectError: A book is neither done, cancelled nor failed.
        ProjectInUseError: A process still writes one of them.
        LibriScribeError: The database cannot be used.
    """
    states: tuple[BookState, ...] = ("done", "cancelled", "failed")
    with closing(database_of(settings)) as database:
        chosen = one_of(batches(database), batch, database.dsn.shown)
        books = _chosen(database, chosen, names, states if names else states[:2])
        gone = [one.row.name for one in books if forget(database, key_of(chosen, one.row.name))]
    tell_marked(renderer, "forgotten", gone, as_json=as_json)


def _chosen(
    database: Database, batch: str, names: Sequence[str], states: Sequence[BookState]
) -> list[Book]:
    """The books of some names, or all that are in one of the states.

    Raises:
        ProjectError: A book is not there, or is in none of the states.
    """
    found = DatabaseQueue(database, batch).status()
    if not names:
        return found.within(*states)
    books = {name: found.named(name) for name in names}
    for name, book in books.items():
        if book is None or book.state not in states:
            raise ProjectError(
                f"The batch {batch!r} has no book {name!r} that is {' or '.join(states)}",
                why="it has none of that name" if book is None else f"it is {book.state}",
                fix=f"See `libriscribe2 batch status --batch {batch}`.",
            )
    return [book for book in books.values() if book is not None]


def _make(kept: KeptBook, paths: ProjectPaths, batch: str) -> None:
    """Make a book beside its place, and put it there when it is whole.

    Raises:
        IncompleteError: The journal does not make the book.
        ProjectError: Its research is on another machine.
        StorageError: The folder cannot be written.
    """
    with (
        storage_errors("write", paths.root.parent),
        TemporaryDirectory(dir=_made(paths.root.parent), prefix=".fetch-") as name,
    ):
        place = Path(name)
        source = ProjectPaths(place / "kept" / paths.root.name, place / "debug")
        make_folder(source.state)
        atomic_write(source.book_toml, kept.request)
        atomic_write(source.journal, kept.journal, mode=PRIVATE)
        write_format(source)
        check_research(peek(source))
        target = place / paths.root.name
        rebuilt = rebuild(source, settings_of(source.root, {}), target)
        if not rebuilt.good or rebuilt.unmade:
            raise _not_whole(paths, rebuilt)
        mark_project(ProjectPaths(target, paths.debug), batch)
        replace_file(target, paths.root)
        sync_folder(paths.root.parent, SYSTEM)


def check_research(view: ProjectView) -> None:
    """Make sure that the notes of a book's research are where it is gone on with.

    They come from sources, which no journal holds and which may say something else by now. Without
    them every question that was paid for would be another one.

    Raises:
        ProjectError: They were made on another machine.
    """
    if RESEARCH_NOTES in view.manifest.files and not view.exists(RESEARCH_NOTES):
        name = view.paths.root.name
        raise ProjectError(
            f"The research of {name} is on another machine",
            why=f"its journal tells of {RESEARCH_NOTES}, which comes from sources and is not here",
            fix=f"Copy the folder of {name} from there. To begin it anew, `libriscribe2 batch "
            f"forget {name}`, remove the folder here, `libriscribe2 batch retry {name}`.",
        )


def _made(folder: Path) -> Path:
    make_folder(folder)
    return folder


def _not_kept(database: Database, book: Book) -> ProjectError:
    return ProjectError(
        f"The journal of {book.row.name!r} is not in {database.dsn.shown}",
        why="its worker kept it in the book's folder alone, or it was forgotten",
        fix="Its folder is on the machine that wrote it; `--journal database` keeps those of "
        "further books.",
    )


def _not_whole(paths: ProjectPaths, rebuilt: Rebuilt) -> IncompleteError:
    lacking = [one.name for one in rebuilt.files if one.likeness not in GOOD]
    files = ", ".join(dict.fromkeys((*lacking, *rebuilt.unmade)))
    told = rebuilt.failure.why or rebuilt.failure.what if rebuilt.failure is not None else ""
    return IncompleteError(
        f"The journal of {paths.root.name} in the database does not make the whole book",
        why=told or f"{files}: edited by hand, made from sources, or not in the journal",
        fix="Copy the folder from the machine that wrote it.",
    )
