"""Whether what a book cites still stands: its notes, the marks in its prose, its claims."""

from dataclasses import dataclass

from libriscribe2.checks.note_check import CheckedNote, check_notes
from libriscribe2.checks.prose_claims import KnownFacts, Unsupported, unsupported_claims
from libriscribe2.models.brief import Brief
from libriscribe2.models.citations import cited
from libriscribe2.models.story import OutlineFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.research_files import ResearchFolder
from libriscribe2.prose import without_notes


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
    english = brief.language.casefold().startswith("en")
    claims = (
        ChapterClaim(number, claim)
        for number, text in texts.items()
        for claim in unsupported_claims(text, holding, names=english)
    )
    return CitationReport(
        notes=tuple(checked),
        unverified=sum(not note.verified for note in notes),
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
