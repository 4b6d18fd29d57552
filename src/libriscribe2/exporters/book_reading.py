"""Reading a project into the value that the exporters work from."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from markdown_it import MarkdownIt

from libriscribe2.documents.chapter_division import without_number
from libriscribe2.errors import IncompleteError
from libriscribe2.exporters.book_markdown import plain_lines, with_kept_lines, without_readings
from libriscribe2.exporters.disclosure import written_by
from libriscribe2.exporters.export_book import ExportBook, ExportChapter
from libriscribe2.exporters.export_checks import cover_of, harmless, pictures_of, prepared, too_long
from libriscribe2.models.brief import Brief, Edition
from libriscribe2.models.citations import HEADING, cited
from libriscribe2.models.languages import language_of
from libriscribe2.models.story import ConceptFile, KeywordsModel, OutlineFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.journal import read_journal
from libriscribe2.project.paths import CONCEPT, OUTLINE, RESEARCH_NOTES, ProjectPaths, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.records import Record
from libriscribe2.project.research_files import has_no_sources
from libriscribe2.wording import first_of

_HEAD: Final = 4_000
"""Characters in which a heading at the beginning has to end."""

_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False})


def first_heading(text: str) -> str | None:
    """The plain text of a heading of level 1 at the very beginning; None where there is none."""
    tokens = _MARKDOWN.parse(text.lstrip("\n")[:_HEAD])
    if len(tokens) < 2 or (tokens[0].type, tokens[0].tag) != ("heading_open", "h1"):
        return None
    inner = tokens[1].children or []
    words = "".join(" " if one.type == "softbreak" else one.content for one in inner)
    return " ".join(without_readings(words).split()) or None


def chapter_of(name: str, text: str, title: str) -> ExportChapter:
    """A chapter for the exporters; one without a heading gets `title` as its own.

    Args:
        name: Its file.
        text: Markdown as it stands in the file.
        title: Plain text.
    """
    clean, plain = prepared(text), prepared(title)
    body = clean if too_long(clean) is not None else with_kept_lines(clean)
    heading = first_heading(body)
    if heading is not None:
        return ExportChapter(name, heading, body)
    return ExportChapter(name, plain, f"# {_literal(plain)}\n\n{body}", added=2)


def _literal(title: str) -> str:
    """A title as Markdown that means just these characters."""
    escaped = (
        "\\" + one if one.isascii() and not one.isalnum() and one != " " else one for one in title
    )
    return "".join(escaped)


_CHANGES: Final = frozenset({"done", "write", "adopt", "reshaped"})
_LONG_AGO: Final = 946_684_800
"""The year 2000, for a project without a record; before 1980 a zip file has no date."""


def identifier_of(records: Iterable[Record], otherwise: str) -> str:
    """A URN for the book, made from the beginning of its journal.

    Args:
        records: The journal, oldest first.
        otherwise: What stands for the book where there is no journal.
    """
    first = next(iter(records), None)
    start = otherwise if first is None else f"{first.get('at')} {first.get('id')}"
    return uuid5(NAMESPACE_URL, f"libriscribe2:{start}").urn


def last_change(records: Iterable[Record]) -> int:
    """When a record last told of a change of the book, in seconds since 1970."""
    days = (str(record.get("at")) for record in records if record.get("t") in _CHANGES)
    return max((_seconds(day) for day in days), default=_LONG_AGO)


def _seconds(moment: str) -> int:
    try:
        return max(_LONG_AGO, int(datetime.fromisoformat(moment).timestamp()))
    except ValueError:
        return _LONG_AGO


_DEDICATION: Final = "dedication.md"
_EPIGRAPH: Final = "epigraph.md"
_SOUNDS: Final = "pronunciations.md"
_BLURB: Final = "blurb.md"
_FONTS: Final = "fonts"
_BEHIND: Final = {
    "references.md": "References",
    "acknowledgements.md": "Acknowledgements",
    "about-the-author.md": "About the author",
    "also-by.md": "Also by the author",
}
"""What stands behind the chapters, and its heading where the file has none."""

_MOST_NAMED: Final = 12


def read_book(
    view: ProjectView, brief: Brief, edition: Edition | None = None, *, partial: bool = False
) -> ExportBook:
    """The book of a project.

    Args:
        view: The project.
        brief: What the author asked for; its metadata win over those of the concept.
        edition: How it is to be made.
        partial: Whether a book without some of its chapters is wanted too.

    Raises:
        IncompleteError: A chapter is missing, or with `partial` every one.
        ProjectError: A file cannot be read, or the cover cannot be used.
        StorageError: A file cannot be read.
    """
    book, records = Book(view), read_journal(view.paths.journal).records
    chapters, missing = _chapters(book)
    name = view.paths.root.name
    _check(view.paths.called, chapters, missing, partial=partial)
    concept = book.load(CONCEPT, ConceptFile) if book.has(CONCEPT) else None
    made = ExportBook(
        name=name,
        title=_set(_line(book.title(brief))) or name,
        language=language_of(brief.language),
        identifier=_line(brief.identifier) or identifier_of(records, f"{name} {brief.premise}"),
        epoch=last_change(records),
        parts=(*_cited(book, chapters, brief), *_behind(book)),
        author=_line(brief.author),
        series=_set(_line(brief.series)),
        series_number=brief.series_number,
        rights=_line(brief.rights),
        publisher=_line(brief.publisher),
        description=(_line(concept.concept.logline) if concept is not None else ""),
        keywords=_keywords(brief, concept),
        images=pictures_of(view.paths),
        cover=cover_of(view.paths, brief.cover),
        missing=missing,
        unplanned=book.unplanned_chapters(),
        unsourced=brief.kind != "fiction" and has_no_sources(brief, view),
        edition=edition or Edition(),
        disclosure=written_by(records, brief.cover, language_of(brief.language).code),
    )
    return _with_matter(made, book, brief, view.paths)


def _with_matter(made: ExportBook, book: Book, brief: Brief, paths: ProjectPaths) -> ExportBook:
    """The book with what its author put before and around the chapters."""
    return replace(
        made,
        printing=_line(brief.edition),
        dedication=_lines(book, _DEDICATION),
        epigraph=_lines(book, _EPIGRAPH),
        blurb=_lines(book, _BLURB) or tuple(filter(None, (made.description,))),
        pronunciations={**dict(_sounds_in_plan(book)), **dict(_sounds(book))},
        people=tuple(_line(one.name) for one in book.characters()),
        genre=_line(brief.genre or brief.category),
        is_of_facts=brief.kind != "fiction",
        fonts=fonts if (fonts := paths.root / _FONTS).is_dir() and not fonts.is_symlink() else None,
    )


def _keywords(brief: Brief, concept: ConceptFile | None) -> tuple[str, ...]:
    """The genre and the keywords of the concept, each once."""
    known = concept.keywords if concept is not None else KeywordsModel()
    named = (*known.primary_keywords, *known.secondary_keywords, *known.genre_keywords)
    return tuple(dict.fromkeys(filter(None, map(_line, (brief.genre, *named)))))


def _chapters(book: Book) -> tuple[tuple[ExportChapter, ...], tuple[int, ...]]:
    """The chapters that are written, and the numbers of those that are not."""
    plan = book.load(OUTLINE, OutlineFile).chapters if book.has(OUTLINE) else []
    found, missing = [], []
    for number, planned in enumerate(plan, start=1):
        name = chapter_file(number)
        if book.has(name):
            chapter = chapter_of(name, book.text(name), planned.title)
            plain = without_number(chapter.title) == chapter.title
            found.append(replace(chapter, number=number if plain else 0))
        else:
            missing.append(number)
    return tuple(found), tuple(missing)


def _cited(
    book: Book, chapters: tuple[ExportChapter, ...], brief: Brief
) -> tuple[ExportChapter, ...]:
    """The chapters with citations for the marks of notes, and the list of what they cite."""
    found = cited(
        (one.text for one in chapters),
        book.notes(),
        book.sources(),
        style=brief.citations,
        english=brief.in_english,
        linked=True,
    )
    parts = [replace(one, text=text) for one, text in zip(chapters, found.texts, strict=True)]
    if found.references:
        listed = f"# {HEADING}\n\n{found.references}\n"
        parts.append(chapter_of(RESEARCH_NOTES, listed, HEADING))
    return tuple(parts)


def _sounds(book: Book) -> Iterator[tuple[str, str]]:
    """The lines `Hester: ˈhɛstə` of the author's file."""
    for line in _lines(book, _SOUNDS):
        name, _, sound = line.partition(":")
        if name.strip() and sound.strip():
            yield name.strip(), sound.strip().strip("/[]")


_SOUND: Final = re.compile(r"\s*(?:/([^/\n]{1,60})/|\[([^\]\n]{1,60})\])")


def _sounds_in_plan(book: Book) -> Iterator[tuple[str, str]]:
    """How the plan says names: `Hester /ˈhɛstə/` where it tells of Hester."""
    told = [(one.name, one.background) for one in book.characters()]
    told += [(one.name, one.description) for one in (*book.places(), *book.terms())]
    for name, text in told:
        for part in {name, *name.split()}:
            _, found, behind = text.partition(part)
            sound = _SOUND.match(behind) if found else None
            if sound is not None and not (sound[1] or sound[2]).isascii():
                yield part, sound[1] or sound[2]


def _behind(book: Book) -> tuple[ExportChapter, ...]:
    """What the author put behind the chapters."""
    there = {name: title for name, title in _BEHIND.items() if book.has(name)}
    return tuple(chapter_of(name, book.text(name), title) for name, title in there.items())


def _lines(book: Book, name: str) -> tuple[str, ...]:
    """The lines of a short text of the author's, without marks."""
    return plain_lines(prepared(book.text(name))) if book.has(name) else ()


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
        return f"there is no {OUTLINE}, so no chapter is known"
    chapters = "chapters" if len(missing) > 1 else "chapter"
    return f"missing: {chapters} {first_of(missing, _MOST_NAMED)}"


_APOSTROPHE: Final = re.compile(r"(?<=\w)'(?=\w)")


def _set(title: str) -> str:
    """A title with the apostrophes of type, as chapters have them."""
    return _APOSTROPHE.sub("’", title)


def _line(text: str) -> str:
    """Metadata in one line without anything harmful."""
    return " ".join(harmless(text).split())
