"""A manuscript that was written elsewhere, or an edited Word file that comes back."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from libriscribe2.agents.agent_importer import ManuscriptReader, TakenOver, questions
from libriscribe2.commands.new_book import brief_from, read_author_file
from libriscribe2.commands.noting import note_down
from libriscribe2.commands.projects import kept_settings, look_at, new_paths, read_brief
from libriscribe2.commands.runs import OpenBook
from libriscribe2.documents.decoding import DocumentError
from libriscribe2.documents.manuscript_reader import Manuscript
from libriscribe2.documents.word_reader import read_changes
from libriscribe2.editing.manuscript_import import as_written, completed, keep, size_of
from libriscribe2.editing.returned_edits import Returned, place_edits
from libriscribe2.editing.versions import diff_lines, replace_texts
from libriscribe2.errors import BudgetError, LibriScribeError, ProjectError, UsageError
from libriscribe2.exporters.book_reading import read_book
from libriscribe2.llm.session import ReplyAwaitedError
from libriscribe2.models.brief import MOST_PREMISE, Brief
from libriscribe2.models.languages import is_english
from libriscribe2.observe.events import EventConsumer
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.book_file import write_book_toml
from libriscribe2.project.paths import BOOK_TOML, STATE, ProjectPaths, chapter_file
from libriscribe2.project.store import ProjectStore
from libriscribe2.prose import prose_words, shorten
from libriscribe2.settings.schema import Settings

_FIX: Final = "Name a manuscript as .md, .txt, .docx or .epub (save other formats as one of these)."
AGAIN: Final = "Run the same import again to continue."
_UNKNOWN: Final = "not known yet"


@dataclass(frozen=True, slots=True)
class ManuscriptImport:
    """A manuscript that is about to be taken over.

    Attributes:
        manuscript: What the file holds.
        more: How many chapters are to follow.
        brief: What is known of the book before it is read.
        premise: The idea of the book by its author; "" leaves it to who reads.
    """

    manuscript: Manuscript
    more: int
    brief: Brief
    premise: str

    @property
    def questions(self) -> int:
        """How many questions to the model reading it takes."""
        return questions(as_written(self.manuscript), self.more)

    def record(self, paths: ProjectPaths, taken: TakenOver) -> dict[str, Any]:
        """What was taken over, as plain JSON."""
        return {
            "project": paths.root.name,
            "path": str(paths.root),
            "title": self.brief.title,
            "author": self.brief.author,
            "chapters": self.chapters(),
            "characters": [one.name for one in taken.book.characters],
            "planned": [one.title for one in taken.following],
            "how": self.manuscript.how,
            "left_out": list(self.manuscript.left_out),
        }

    def chapters(self) -> list[dict[str, Any]]:
        """The chapters that the file holds."""
        return [
            {"chapter": number, "title": one.title, "words": prose_words(one.text)}
            for number, one in enumerate(self.manuscript.chapters, start=1)
        ]


def read_import(file: Path, asked: Mapping[str, Any], chapters: int | None) -> ManuscriptImport:
    """A manuscript, with what its author and the file say of the book.

    Args:
        file: The manuscript.
        asked: Keys of the brief that the author gives; None is one that he does not.
        chapters: How many it is to have in all; None is as many as it has.

    Raises:
        UsageError: There is none that can be read, or a value cannot be used.
        StorageError: The system refuses.
    """
    found = _read(file)
    more = _more(found, chapters)
    brief = _brief(found, asked, size_of(found, more))
    return ManuscriptImport(found, more, brief, asked.get("premise") or found.description)


def import_paths(work: ManuscriptImport, settings: Settings, name: str) -> ProjectPaths:
    """Where the project of a manuscript goes; an import that was broken off is gone on with.

    Raises:
        UsageError: The name cannot be used.
        ProjectError: There is a project of that name.
        StorageError: The folder cannot be read.
    """
    return new_paths(work.brief, settings, name, may_hold=_is_begun)


@contextmanager
def open_import(paths: ProjectPaths) -> Iterator[ProjectStore]:
    """The project of a manuscript, held while the block runs.

    Raises:
        ProjectInUseError: Another process holds it.
        StorageError: The folder cannot be written.
    """
    begun = paths.root.is_dir() and _is_begun(paths.root)
    with ProjectStore.open(paths) if begun else ProjectStore.create(paths) as store:
        yield store


async def take_over(
    book: OpenBook, work: ManuscriptImport, consumers: Sequence[EventConsumer] = ()
) -> TakenOver:
    """Have the manuscript read, and make the project.

    Args:
        book: The new project, held by this process.
        work: The manuscript.
        consumers: Receive every event.

    Raises:
        LibriScribeError: It could not be read; what was read is not asked again.
    """
    written = as_written(work.manuscript)
    try:
        taken = await book.ask(
            ManuscriptReader, lambda one: one.read(written, work.more), consumers
        )
    except LibriScribeError as error:
        # Until all is read there is no book that `resume` could go on with.
        if isinstance(error, BudgetError):
            error.fix = f"Raise the cap. {AGAIN}"
        elif isinstance(error, ReplyAwaitedError):  # `answer` needs a book
            error.fix = f"Put each reply beside its request as NNN-import.reply.md. {AGAIN}"
        elif not error.fix or "resume" in error.fix:
            error.fix = AGAIN
        else:
            error.fix = f"{error.fix.rstrip('.')}. {AGAIN}"
        raise
    brief = completed(work.brief, taken, premise=work.premise)
    keep(book.store, brief, work.manuscript, taken)
    kept = kept_settings(book.settings, book.choice)
    write_book_toml(book.store.paths.book_toml, brief.model_dump(), kept)
    return taken


def _read(file: Path) -> Manuscript:
    """The manuscript.

    Raises:
        UsageError: There is none that can be read.
        StorageError: The system refuses.
    """
    # The readers load libraries for Word and EPUB, which no other command needs.
    from libriscribe2.documents.manuscript_reader import (  # noqa: PLC0415
        LARGEST_MANUSCRIPT,
        MANUSCRIPT_ENDINGS,
        read_manuscript,
    )

    data = read_author_file(file, MANUSCRIPT_ENDINGS, most=LARGEST_MANUSCRIPT, fix=_FIX)
    try:
        return read_manuscript(file.name, data)
    except DocumentError as error:
        raise UsageError(str(error), fix=_FIX) from error


def _more(found: Manuscript, wanted: int | None) -> int:
    """How many chapters are to follow.

    Raises:
        UsageError: Fewer are wanted than there are.
    """
    there = len(found.chapters)
    if wanted is not None and wanted < there:
        raise UsageError(
            f"--chapters {wanted} is fewer than the manuscript has",
            why=f"it has {there}, and none of them is dropped",
            fix=f"Leave the option out, or give {there + 1} or more to have the book continued.",
        )
    return 0 if wanted is None else wanted - there


def _brief(found: Manuscript, asked: Mapping[str, Any], size: Mapping[str, Any]) -> Brief:
    """What is known of the book: what the author says outranks what the file says."""
    language = "English" if is_english(found.language) else found.language
    said = {
        "title": found.title,
        "author": found.author,
        "language": language or None,
        "premise": shorten(found.description, MOST_PREMISE) or _UNKNOWN,
    }
    given = {key: value for key, value in asked.items() if value is not None}
    return brief_from({**said, **given, **size}, "import")


def _is_begun(root: Path) -> bool:
    """Whether a folder holds an import that was broken off: records, and no book yet."""
    return (root / STATE).is_dir() and not (root / BOOK_TOML).exists()


_FIX_COPY: Final = "Name the .docx that `export` made and an editor changed."


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
        raise UsageError(str(error), fix=_FIX_COPY) from error
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
