"""Whether notes still hold, and what a book cites: each quote is looked up again."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from libriscribe2.checks.prose_claims import KnownFacts, Unsupported, unsupported_claims
from libriscribe2.documents.decoding import DocumentError
from libriscribe2.documents.source_reader import LARGEST_SOURCE, read_source
from libriscribe2.errors import ProjectError
from libriscribe2.models.brief import Brief
from libriscribe2.models.citations import cited
from libriscribe2.models.languages import is_english
from libriscribe2.models.notes import Note, Source
from libriscribe2.models.story import OutlineFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.atomic import storage_errors
from libriscribe2.project.paths import OUTLINE, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.research_files import ResearchFolder, SavedText, saved_text
from libriscribe2.prose import without_notes
from libriscribe2.research.quotes import find_in_source
from libriscribe2.research.tools.save_note import NOT_FOUND, TEXT_CHANGED


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
    """A sentence of a chapter that no note supports."""

    chapter: int
    found: Unsupported


@dataclass(frozen=True, slots=True)
class CitationReport:
    """How the citations of a book stand.

    Attributes:
        notes: Every verified note, looked up again.
        unverified: How many notes never were verified; no chapter is shown them.
        cited: Ids of the notes that chapters cite.
        marks: Marks that lead nowhere.
        claims: Sentences that no note supports; none are looked for in fiction.
    """

    notes: tuple[CheckedNote, ...]
    unverified: int
    cited: frozenset[str]
    marks: tuple[ChapterMark, ...]
    claims: tuple[ChapterClaim, ...]

    @property
    def broken(self) -> tuple[CheckedNote, ...]:
        """The notes that no longer hold."""
        return tuple(one for one in self.notes if not one.holds)

    @property
    def holds(self) -> bool:
        """Whether every note holds and every mark leads to one."""
        return not self.broken and not self.marks


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
    found = cited(texts.values(), notes, book.sources())
    numbers = list(texts)
    marks = tuple(ChapterMark(numbers[bad.text], bad.mark, bad.reason) for bad in found.bad)
    holding = KnownFacts.of((one.note for one in checked if one.holds), _own_names(book, brief))
    english = is_english(brief.language)
    claims = (
        ChapterClaim(number, claim)
        for number, text in texts.items()
        for claim in unsupported_claims(text, holding, names=english)
    )
    return CitationReport(
        notes=tuple(checked),
        unverified=sum(not note.is_fact for note in notes),
        cited=found.used,
        marks=marks,
        claims=tuple(claims) if brief.kind != "fiction" else (),
    )


def _chapters(book: Book) -> dict[int, str]:
    """The chapters that are written, by number."""
    names = {number: chapter_file(number) for number in range(1, book.chapters() + 1)}
    return {
        number: without_notes(book.text(name)) for number, name in names.items() if book.has(name)
    }


def _own_names(book: Book, brief: Brief) -> list[str]:
    """The names that are the book's own and need no source."""
    people = [person.name for person in book.characters()]
    things = [entry.name for entry in (*book.places(), *book.terms())]
    if book.has(OUTLINE):
        things += [chapter.title for chapter in book.load(OUTLINE, OutlineFile).chapters]
    return [book.title(brief), brief.author, brief.premise, *people, *things]
