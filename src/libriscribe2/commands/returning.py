"""An edited Word file comes back: its changes as the author's, its comments as notes."""

from pathlib import Path
from typing import Final

from libriscribe2.commands.noting import note_down
from libriscribe2.commands.projects import look_at, read_brief
from libriscribe2.documents.decoding import DocumentError
from libriscribe2.documents.word_changes import read_changes
from libriscribe2.editing.returned_edits import Returned, place_edits
from libriscribe2.editing.versions import diff_lines, replace_texts
from libriscribe2.errors import ProjectError, UsageError
from libriscribe2.exporters.book_reading import read_book
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.paths import ProjectPaths, chapter_file
from libriscribe2.project.store import ProjectStore

_FIX: Final = "Name the .docx that `export` made and an editor changed."


def read_returned(paths: ProjectPaths, file: Path) -> Returned:
    """What an edited Word file means for a book; nothing is written.

    Raises:
        UsageError: The file is not there, or is no Word file.
        ProjectError: The book cannot be read.
        StorageError: The system refused.
    """
    try:
        with storage_errors("read", file):
            document = read_changes(file.name, file.read_bytes())
    except DocumentError as error:
        raise UsageError(str(error), fix=_FIX) from error
    view = look_at(paths)
    book = read_book(view, read_brief(paths), partial=True)
    texts = Book(view)
    names = [chapter_file(number) for number in range(1, texts.chapters() + 1)]
    chapters = {name: texts.text(name) for name in names if texts.has(name)}
    return place_edits(document, book, chapters)


def diffs(paths: ProjectPaths, returned: Returned) -> list[str]:
    """What would be different, as the lines of a diff."""
    book = Book(look_at(paths))
    return [
        line
        for name, text in sorted(returned.texts.items())
        for line in diff_lines(name, book.text(name), text)
    ]


def keep_returned(store: ProjectStore, returned: Returned, file: Path) -> tuple[str, ...]:
    """Save the changes as the author's own, in one step, and the comments as notes.

    Returns:
        Comments for which there was no room among the notes.

    Raises:
        ProjectError: A chapter was changed since it was read; nothing is done.
        StorageError: The system refused.
    """
    if returned != read_returned(store.paths, file):
        raise ProjectError("The book was changed meanwhile.", fix="Run the same command again.")
    if returned.texts:
        made = dict.fromkeys(returned.texts)
        replace_texts(store, returned.texts, f"import --back {file.name}", made)
    lost = []
    numbers = {chapter_file(number): number for number in range(1, 1001)}
    for name, text in returned.notes:
        try:
            note_down(store.paths, str(numbers[name]), text)
        except UsageError as error:
            lost.append(f"{name}: {text} ({error.what})")
    return tuple(lost)
