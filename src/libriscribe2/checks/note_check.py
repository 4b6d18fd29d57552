"""Whether notes still hold, and what a book cites: each quote is looked up again."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from libriscribe2.checks.cited_sentences import (
    UNCITED,
    UNKNOWN,
    cited_faults,
    folded_words,
    unknown_names,
)
from libriscribe2.checks.continuity.story_report import TextNotes
from libriscribe2.checks.text import ChapterText
from libriscribe2.documents.decoding import DocumentError
from libriscribe2.documents.source_reader import LARGEST_SOURCE, read_source
from libriscribe2.errors import ProjectError
from libriscribe2.models.brief import Brief
from libriscribe2.models.citations import cited, facts
from libriscribe2.models.languages import is_english
from libriscribe2.models.notes import Note, Source
from libriscribe2.models.story import OutlineFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.paths import OUTLINE, chapter_file, draft_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.research_files import ResearchFolder, SavedText, saved_text
from libriscribe2.prose import without_notes
from libriscribe2.research.quotes import find_in_source, line_of_quote
from libriscribe2.research.tools.save_note import NOT_FOUND, TEXT_CHANGED

FACTS_RULE: Final = "F1"
"""The rule that an author lets be broken by `allow F1`."""


@dataclass(frozen=True, slots=True)
class CheckedNote:
    """How a note stands.

    Attributes:
        note: The note.
        place: The name or address of its source; the source's id where that is not known.
        reason: Why it does not hold; "" where it does.
        remark: What the author should know although it holds.
    """

    note: Note
    place: str
    reason: str = ""
    remark: str = ""

    @property
    def holds(self) -> bool:
        """Whether its quote was found again."""
        return not self.reason


def check_notes(folder: ResearchFolder, notes: Iterable[Note]) -> list[CheckedNote]:
    """How notes stand today, without any network; those that were never verified are left out.

    Raises:
        StorageError: A file cannot be read.
    """
    known: dict[str, _Source] = {}
    return list(_checked(folder, notes, known))


def _checked(
    folder: ResearchFolder, notes: Iterable[Note], known: "dict[str, _Source]"
) -> Iterator[CheckedNote]:
    for note in notes:
        if note.is_fact:
            source = known.setdefault(note.source, _Source(folder, note.source))
            yield CheckedNote(note, source.place, source.against(note.quote), source.remark)


class _Source:
    """A source that notes rest on; its texts are read once."""

    def __init__(self, folder: ResearchFolder, identifier: str) -> None:
        self._folder = folder
        self._identifier = identifier

    @cached_property
    def _saved(self) -> SavedText | None:
        try:
            return self._folder.load(self._identifier)
        except ProjectError:  # no id of a source, but a name that leads out of the project
            return None

    @property
    def place(self) -> str:
        """The name or address of the source."""
        return self._saved.source.place if self._saved is not None else self._identifier

    def against(self, quote: str) -> str:
        """What speaks against a quote; "" where nothing does."""
        if self._saved is None:
            return "the saved text of the source is gone"
        if not self._saved.whole:
            return TEXT_CHANGED
        if find_in_source(quote, self._saved.text) is None:
            return NOT_FOUND
        return self._against_the_file(quote)

    @property
    def remark(self) -> str:
        """What has become of the author's file."""
        if self._saved is None or self._saved.source.kind != "file" or self._now is not None:
            return ""
        return "the source file is gone; its saved text contains the quote"

    def _against_the_file(self, quote: str) -> str:
        """What the author's file says, where it is another than the one that was read."""
        now = self._now
        if now is None or now == "":
            return ""
        if isinstance(now, DocumentError):
            return f"the source file was changed and cannot be read: {now.message}"
        if find_in_source(quote, now) is None:
            return "the source file was changed and no longer contains the quote"
        return ""

    @cached_property
    def _now(self) -> str | DocumentError | None:
        """The present text of the author's file; "" where it is unchanged, None where it is gone."""
        saved = self._saved
        if saved is None or saved.source.kind != "file":
            return ""
        source = saved.source
        try:
            path = self._folder.own_path(source.place)
        except ProjectError:
            return None
        with storage_errors("read", path):
            if not path.is_file():
                return None
        if self._folder.own_sha(source.place) == source.sha256:
            return ""
        return _read(self._folder, source)


def _read(folder: ResearchFolder, source: Source) -> str | DocumentError:
    """The text of a file as it is now, or why there is none."""
    size = folder.own_size(source.place)
    if size > LARGEST_SOURCE:
        return DocumentError(413, "source_too_large", f"it has {size:,} bytes", {})
    path = folder.own_path(source.place)
    with storage_errors("read", path):
        data = path.read_bytes()
    try:
        text = read_source(source.place, data)
    except DocumentError as error:
        return error
    return saved_text(source, text.parts).text or " "


@dataclass(frozen=True, slots=True)
class ChapterMark:
    """A mark in a chapter behind which there is no note that may be used."""

    chapter: int
    mark: str
    reason: str


@dataclass(frozen=True, slots=True)
class ChapterClaim:
    """A sentence of a chapter with names that no note supports."""

    chapter: int
    sentence: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChapterFault:
    """A statement of a chapter that no note bears out.

    Attributes:
        chapter: The chapter's number.
        sentence: Its words.
        why: What is wrong.
        fix: What would mend it; "" where nobody said.
    """

    chapter: int
    sentence: str
    why: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class CitationReport:
    """How the citations of a book stand.

    Attributes:
        notes: Every verified note, looked up again.
        unverified: How many notes never were verified; no chapter is shown them.
        cited: Ids of the notes that chapters cite.
        marks: Marks that lead nowhere.
        claims: Sentences with names that no note has; none are looked for in fiction.
        unsupported: Statements that their notes do not bear out, or numbers that no note has; none
            are looked for in fiction, and what the author lets stand (`allow F1`) is none.
    """

    notes: tuple[CheckedNote, ...]
    unverified: int
    cited: frozenset[str]
    marks: tuple[ChapterMark, ...]
    claims: tuple[ChapterClaim, ...]
    unsupported: tuple[ChapterFault, ...] = ()

    @property
    def broken(self) -> tuple[CheckedNote, ...]:
        """The notes that no longer hold."""
        return tuple(one for one in self.notes if not one.holds)

    @property
    def holds(self) -> bool:
        """Whether every note holds, every mark leads to one, and every statement is borne out."""
        return not (self.broken or self.marks or self.unsupported)


def check_citations(view: ProjectView, brief: Brief) -> CitationReport:
    """Look at a book's citations; nothing is asked of anybody and nothing is written.

    Raises:
        ProjectError: A file of the book cannot be read.
        StorageError: A source cannot be read.
    """
    book = Book(view)
    notes = book.notes()
    checked = check_notes(ResearchFolder(view.paths), notes)
    texts = _chapters(book)
    plain = {number: without_notes(text) for number, text in texts.items()}
    found = cited(plain.values(), notes, book.sources())
    numbers = list(texts)
    marks = tuple(ChapterMark(numbers[bad.text], bad.mark, bad.reason) for bad in found.bad)
    holding = [f"{one.note.claim}\n{one.note.quote}" for one in checked if one.holds]
    known = folded_words("\n".join((*holding, *_own_names(book, brief))))
    is_told = brief.kind != "fiction" and is_english(brief.language)
    claims = (
        ChapterClaim(number, *found)
        for number, text in (plain.items() if is_told else ())
        for found in unknown_names(text, known)
    )
    return CitationReport(
        notes=tuple(checked),
        unverified=sum(not note.is_fact for note in notes),
        cited=found.used,
        marks=marks,
        claims=tuple(claims),
        unsupported=unsupported_in(view, texts, notes) if brief.kind != "fiction" else (),
    )


def unsupported_in(
    view: ProjectView, texts: Mapping[int, str], notes: Iterable[Note]
) -> tuple[ChapterFault, ...]:
    """What of the chapters of a book of facts no note bears out, in order.

    Code finds numbers. What a judge found when a chapter was written counts as long as its words
    stand there.

    Args:
        view: The project.
        texts: Its chapters by number, as they stand.
        notes: Its notes.
    """
    known = {note.id: note for note in facts(notes)}
    sources = {one.id: one.called for one in Book(view).sources()}
    found = list[ChapterFault]()
    earlier = list[str]()
    for number, text in texts.items():
        allowed = TextNotes(text)
        for one in cited_faults(ChapterText(number, "", text), known, earlier, sources=sources):
            is_told = one.kind == UNKNOWN or (one.kind == UNCITED and one.notes)
            if not is_told and not allowed.lets(FACTS_RULE, one.line):
                found.append(ChapterFault(number, one.sentence, one.why, one.fix))
        for quote, why in judged_in(view, number).items():
            line = line_of_quote(quote, text)
            if line is not None and not allowed.lets(FACTS_RULE, line):
                found.append(ChapterFault(number, quote, why))
        earlier.append(text)
    return tuple(found)


def judged_in(view: ProjectView, number: int, what: str = "unsupported") -> dict[str, str]:
    """What a judge found in a chapter when it was written: words and reasons.

    Args:
        view: The project.
        number: The chapter.
        what: `unsupported`, or `declined` for the ids of notes that it does without.
    """
    for name in (chapter_file(number), draft_file(number)):
        made = view.manifest.files.get(name)
        told = made.params.get(what) if made is not None else None
        if isinstance(told, dict):
            return {str(key): str(value) for key, value in told.items()}
    return {}


def _chapters(book: Book) -> dict[int, str]:
    """The chapters that are written, by number."""
    names = {number: chapter_file(number) for number in range(1, book.chapters() + 1)}
    return {number: book.text(name) for number, name in names.items() if book.has(name)}


def _own_names(book: Book, brief: Brief) -> list[str]:
    """The names that are the book's own and need no source."""
    people = [person.name for person in book.characters()]
    things = [entry.name for entry in (*book.places(), *book.terms())]
    if book.has(OUTLINE):
        things += [chapter.title for chapter in book.load(OUTLINE, OutlineFile).chapters]
    return [book.title(brief), brief.author, brief.premise, *people, *things]
