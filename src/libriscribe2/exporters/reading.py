"""Reading a project into the value that the exporters work from."""

from dataclasses import replace
from typing import Final

from libriscribe2.errors import IncompleteError
from libriscribe2.exporters.export_book import ExportBook, ExportChapter
from libriscribe2.exporters.headings import chapter_of
from libriscribe2.exporters.journal_facts import identifier_of, journal_records, last_change
from libriscribe2.exporters.languages import language_of
from libriscribe2.exporters.pictures import cover_of, pictures_of
from libriscribe2.exporters.prepass import harmless
from libriscribe2.models.brief import Brief
from libriscribe2.models.citations import HEADING, cited
from libriscribe2.models.story import ConceptFile, OutlineFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import CONCEPT, OUTLINE, RESEARCH_NOTES, chapter_file
from libriscribe2.project.view import ProjectView

_REFERENCES: Final = "references.md"
_MOST_NAMED: Final = 12


def read_book(view: ProjectView, brief: Brief, *, partial: bool = False) -> ExportBook:
    """The book of a project.

    Args:
        view: The project.
        brief: What the author asked for; its metadata win over those of the concept.
        partial: Whether a book without some of its chapters is wanted too.

    Raises:
        IncompleteError: A chapter is missing, or with `partial` every one.
        ProjectError: A file cannot be read, or the cover cannot be used.
        StorageError: A file cannot be read.
    """
    book, records = Book(view), journal_records(view.paths)
    chapters, missing = _chapters(book)
    name = view.paths.root.name
    _check(view.paths.called, chapters, missing, partial=partial)
    concept = book.load(CONCEPT, ConceptFile) if book.has(CONCEPT) else None
    known = concept.keywords if concept is not None else None
    keywords = (
        [*known.primary_keywords, *known.secondary_keywords, *known.genre_keywords] if known else []
    )
    return ExportBook(
        name=name,
        title=_line(book.title(brief)) or name,
        language=language_of(brief.language),
        identifier=_line(brief.identifier) or identifier_of(records, f"{name} {brief.premise}"),
        epoch=last_change(records),
        parts=(*_numbered(book, chapters), *_references(book)),
        author=_line(brief.author),
        series=_line(brief.series),
        series_number=brief.series_number,
        rights=_line(brief.rights),
        publisher=_line(brief.publisher),
        description=_line(concept.concept.logline) if concept is not None else "",
        keywords=tuple(dict.fromkeys(filter(None, map(_line, (brief.genre, *keywords))))),
        images=pictures_of(view.paths),
        cover=cover_of(view.paths, brief.cover),
        missing=missing,
        unplanned=book.unplanned_chapters(),
    )


def _chapters(book: Book) -> tuple[tuple[ExportChapter, ...], tuple[int, ...]]:
    """The chapters that are written, and the numbers of those that are not."""
    plan = book.load(OUTLINE, OutlineFile).chapters if book.has(OUTLINE) else []
    found, missing = [], []
    for number, planned in enumerate(plan, start=1):
        name = chapter_file(number)
        if book.has(name):
            found.append(chapter_of(name, book.text(name), planned.title))
        else:
            missing.append(number)
    return tuple(found), tuple(missing)


def _numbered(book: Book, chapters: tuple[ExportChapter, ...]) -> tuple[ExportChapter, ...]:
    """The chapters with numbers for the marks of notes, and the list of what they cite."""
    found = cited((one.text for one in chapters), book.notes(), book.sources())
    parts = [replace(one, text=text) for one, text in zip(chapters, found.texts, strict=True)]
    if found.references:
        listed = f"# {HEADING}\n\n{found.references}\n"
        parts.append(chapter_of(RESEARCH_NOTES, listed, HEADING))
    return tuple(parts)


def _references(book: Book) -> tuple[ExportChapter, ...]:
    """The list of sources, where the book has one."""
    if not book.has(_REFERENCES):
        return ()
    return (chapter_of(_REFERENCES, book.text(_REFERENCES), "References"),)


def _check(
    called: str, chapters: tuple[ExportChapter, ...], missing: tuple[int, ...], *, partial: bool
) -> None:
    """Refuse a book that is not there, or not all of it unless that is wanted."""
    if chapters and (partial or not missing):
        return
    fix = f"Finish it with `libriscribe2 resume {called}`"
    if not chapters:
        raise IncompleteError("No chapter is written yet.", why=_told(missing), fix=f"{fix}.")
    raise IncompleteError(
        "The book is not finished.",
        why=_told(missing),
        fix=f"{fix}, or export what is there with --partial.",
    )


def _told(missing: tuple[int, ...]) -> str:
    """Which chapters are missing."""
    if not missing:
        return f"there is no {OUTLINE}, so nobody knows of any chapter"
    named = ", ".join(map(str, missing[:_MOST_NAMED]))
    more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
    return f"missing: chapter{'s' if len(missing) > 1 else ''} {named}{more}"


def _line(text: str) -> str:
    """Metadata in one line without anything harmful."""
    return " ".join(harmless(text).split())
