"""What a book of facts makes of its research: questions, sources, notes, and what no note bears out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from libriscribe2.checks.note_check import ChapterFault, judged_in, unsupported_in
from libriscribe2.models.brief import Brief
from libriscribe2.models.citations import ids_in
from libriscribe2.models.notes import AnsweredQuestion, Note, Source
from libriscribe2.models.story import OutlineFile, ScenesFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE, SCENES, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.project.research_files import ResearchFolder
from libriscribe2.prose import without_notes
from libriscribe2.wording import counted

NO_HOME: Final = "the plan gives it no home"
NOT_USED: Final = "its section does not cite it, and nobody said why"


@dataclass(frozen=True, slots=True)
class CoveredNote:
    """A note, and what became of it.

    Attributes:
        note: The note.
        home: Chapter and section to which the plan gives it; zeros where it gives it none.
        cited: The chapters that cite it.
        why: Why no chapter does; "" where one does.
    """

    note: Note
    home: tuple[int, int]
    cited: tuple[int, ...]
    why: str = ""


@dataclass(frozen=True, slots=True)
class CoveredQuestion:
    """A question of the research, and what became of the notes that answer it.

    Attributes:
        question: The question with its answer.
        verified: How many verified notes answer it.
        cited: How many of them the book cites.
    """

    question: AnsweredQuestion
    verified: int
    cited: int

    @property
    def notes_in_words(self) -> str:
        """Its notes: `2 of 5 verified notes cited`."""
        if not self.verified:
            return "no verified note"
        return f"{self.cited} of {counted(self.verified, 'verified note')} cited"


@dataclass(frozen=True, slots=True)
class CoveredSource:
    """A source, and what became of it.

    Attributes:
        title: Its title.
        place: Its address, or its name in `research/sources/`.
        url: Its address, where it is one; "" for a file.
        id: Its id; "" for a file of which no note was taken.
        notes: How many notes rest on it.
        cited: How many of them the book cites.
    """

    title: str
    place: str
    url: str
    id: str
    notes: int
    cited: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a book makes of its research.

    Attributes:
        questions: The questions with their answers and the use of their notes.
        sources: The sources, those of which most is cited first; unused ones last.
        notes: The notes, used ones first.
        unsupported: Statements that no note bears out.
    """

    questions: tuple[CoveredQuestion, ...]
    sources: tuple[CoveredSource, ...]
    notes: tuple[CoveredNote, ...]
    unsupported: tuple[ChapterFault, ...]

    @property
    def used(self) -> tuple[CoveredNote, ...]:
        """The notes that a chapter cites."""
        return tuple(one for one in self.notes if one.cited)

    @property
    def unused(self) -> tuple[CoveredNote, ...]:
        """The others."""
        return tuple(one for one in self.notes if not one.cited)

    @property
    def facts(self) -> int:
        """How many notes a chapter may cite."""
        return sum(one.note.is_fact for one in self.notes)

    def as_record(self) -> dict[str, Any]:
        """The same as plain JSON."""
        questions = [
            {
                **one.question.model_dump(mode="json"),
                "verified": one.verified,
                "cited": one.cited,
            }
            for one in self.questions
        ]
        notes = [
            {
                "id": one.note.id,
                "claim": one.note.claim,
                "source": one.note.source,
                "home": list(one.home),
                "cited": list(one.cited),
                "why": one.why,
            }
            for one in self.notes
        ]
        return {
            "questions": questions,
            "sources": [asdict(one) for one in self.sources],
            "notes": notes,
            "unsupported": [asdict(one) for one in self.unsupported],
        }


def coverage_of(brief: Brief, view: ProjectView) -> Coverage | None:
    """What a book makes of its research; None for a story, and where nothing was looked up.

    Raises:
        ProjectError: A file cannot be used.
        StorageError: A file cannot be read.
    """
    book = Book(view)
    notes = book.notes()
    if brief.kind == "fiction" or not notes:
        return None
    numbers = [n for n in range(1, book.chapters() + 1) if book.has(chapter_file(n))]
    texts = {n: book.text(chapter_file(n)) for n in numbers}
    cited = {n: frozenset(ids_in(without_notes(text))) for n, text in texts.items()}
    reasons = _Reasons(book, view, numbers)
    covered = [_covered(note, cited, reasons) for note in notes]
    return Coverage(
        questions=tuple(_question(one, covered) for one in book.answers()),
        sources=_sources(book.sources(), covered, ResearchFolder(view.paths).own_files()),
        notes=tuple(sorted(covered, key=lambda one: (not one.cited, one.home, one.note.id))),
        unsupported=unsupported_in(view, texts, notes),
    )


class _Reasons:
    """Where notes belong by the plans, and why they are not used."""

    def __init__(self, book: Book, view: ProjectView, written: Sequence[int]) -> None:
        self.homes: dict[str, tuple[int, int]] = {}
        self.left_out: dict[str, str] = {}
        self.declined: dict[str, str] = {}
        self.written = frozenset(written)
        plans = book.load(SCENES, ScenesFile).chapters if book.has(SCENES) else []
        for plan in plans:
            for number, scene in enumerate(plan.scenes, start=1):
                for one in ids_in(" ".join(scene.reveals)):
                    self.homes.setdefault(one, (plan.chapter, number))
        outline = book.load(OUTLINE, OutlineFile) if book.has(OUTLINE) else None
        if outline is not None:
            self.left_out = {one.id: one.why for one in outline.left_out}
            for number, chapter in enumerate(outline.chapters, start=1):
                for one in ids_in(" ".join(chapter.plants)):
                    self.homes.setdefault(one, (number, 0))
        for number in written:
            self.declined |= judged_in(view, number, "declined")

    def of(self, note: Note) -> str:
        """Why no chapter cites a note."""
        if not note.is_fact:
            return note.reason or "it is not verified"
        told = self.left_out.get(note.id) or self.declined.get(note.id)
        home = self.homes.get(note.id)
        if told or home is None:
            return told or NO_HOME
        return NOT_USED if home[0] in self.written else "its chapter is not written yet"


def _covered(note: Note, cited: Mapping[int, frozenset[str]], reasons: _Reasons) -> CoveredNote:
    chapters = tuple(number for number, ids in cited.items() if note.id in ids)
    home = reasons.homes.get(note.id, (0, 0))
    return CoveredNote(note, home, chapters, "" if chapters else reasons.of(note))


def _question(question: AnsweredQuestion, notes: Sequence[CoveredNote]) -> CoveredQuestion:
    """A question with the notes among its own that a text may state, as they are now."""
    own = [one for one in notes if one.note.is_fact and one.note.id in question.notes]
    return CoveredQuestion(question, len(own), sum(bool(one.cited) for one in own))


def _sources(
    known: Sequence[Source], notes: Sequence[CoveredNote], files: Sequence[str]
) -> tuple[CoveredSource, ...]:
    """The sources of notes, and the files of which no note was taken."""
    found = []
    for one in known:
        own = [note for note in notes if note.note.source == one.id]
        used = sum(bool(note.cited) for note in own)
        url = one.place if one.kind == "web" else ""
        found.append(CoveredSource(one.title, one.place, url, one.id, len(own), used))
    places = {one.place for one in known}
    found += [CoveredSource(name, name, "", "", 0, 0) for name in files if name not in places]
    return tuple(sorted(found, key=lambda one: (-one.cited, -one.notes)))
