"""What is written of a book, as it is put beside the plan."""

from libriscribe2.errors import IncompleteError
from libriscribe2.models.brief import Brief
from libriscribe2.models.canon import Attribute, CanonFile, ExitState
from libriscribe2.models.story import OutlineFile
from libriscribe2.pipeline.story_canon import canon_of
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    SCENES,
    WORLD,
    canon_file,
    chapter_file,
)
from libriscribe2.project.view import ProjectView
from libriscribe2.prose import without_notes
from libriscribe2.quality.canon.rules_of_people import is_death
from libriscribe2.quality.lengths import chapter_words
from libriscribe2.quality.plan.divergence import Written
from libriscribe2.quality.plan.plan import PlanFinding
from libriscribe2.quality.text import ChapterText

_SAID = (CONCEPT, CHARACTERS, WORLD, OUTLINE, SCENES)
"""Files that say who and what belongs to the book."""


def written_of(brief: Brief, view: ProjectView) -> Written:
    """The chapters that are written, with what the canon says of them.

    Raises:
        ProjectError: A file cannot be used.
        StorageError: A file cannot be read.
    """
    book = Book(view)
    numbers = [n for n in range(1, book.chapters() + 1) if book.has(chapter_file(n))]
    if not numbers:
        return Written(())
    lengths = chapter_words(brief, book.load(OUTLINE, OutlineFile).chapters)
    said = (book.text(name) for name in _SAID if book.has(name))
    return Written(
        chapters=[_chapter(book, number) for number in numbers],
        words={number: lengths[number - 1] for number in numbers},
        dead=_dead(brief, view),
        left={n: _left(book, n) for n in numbers if book.has(canon_file(n))},
        told=" ".join((brief.premise, brief.title, brief.author, *said)),
    )


def way_back(one: PlanFinding, project: str) -> str:
    """What brings a plan and the text together again, and what to type."""
    again = f"`libriscribe2 redo {project} chapters --chapter {one.chapter}`"
    return (
        f"Have the chapter written again: {again}. Or let the plan follow the text: edit {OUTLINE} "
        f"and {SCENES} from there on, and `libriscribe2 resume {project}` writes what is missing "
        "from them."
    )


def _chapter(book: Book, number: int) -> ChapterText:
    name = chapter_file(number)
    return ChapterText(number, name, without_notes(book.text(name)))


def _left(book: Book, number: int) -> ExitState:
    return book.load(canon_file(number), CanonFile).exit


def _dead(brief: Brief, view: ProjectView) -> dict[str, int]:
    """Who has died by the text of this book, and where; nobody where it was not read for facts."""
    try:
        facts = canon_of(brief, view).facts
    except IncompleteError:
        return {}
    dead: dict[str, int] = {}
    for fact in facts:
        if fact.attribute is Attribute.ALIVE and fact.stance == "asserted" and is_death(fact):
            dead.setdefault(fact.entity, fact.chapter)
    return dead
