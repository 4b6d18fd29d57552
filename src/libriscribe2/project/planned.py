"""The plan of a book as the rules over plans look at it."""

from collections.abc import Sequence

from libriscribe2.models.brief import Brief
from libriscribe2.models.story import OutlineFile, PlannedChapter, ScenesFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE, RESEARCH_NOTES, SCENES
from libriscribe2.quality.plan.plan import Plan


def plan_of(brief: Brief, book: Book) -> Plan:
    """The plan that stands in the files.

    Raises:
        ProjectError: There is no outline, or a file cannot be used.
    """
    scenes = book.load(SCENES, ScenesFile).chapters if book.has(SCENES) else ()
    return plan_with(brief, book, book.load(OUTLINE, OutlineFile), scenes)


def plan_with(
    brief: Brief, book: Book, outline: OutlineFile, scenes: Sequence[PlannedChapter] = ()
) -> Plan:
    """A plan that stands in no file yet, beside the files that are there.

    Raises:
        ProjectError: A file cannot be used.
    """
    count = len(outline.chapters)
    researched = book.has(RESEARCH_NOTES)
    return Plan(
        outline.chapters,
        outline.threads,
        scenes,
        people=tuple(person.name for person in book.characters()),
        places=tuple(place.name for place in book.places()),
        terms=tuple(term.name for term in book.terms()),
        notes=frozenset(one.id for one in book.notes() if one.verified) if researched else None,
        words=brief.words_per_chapter(count) * count,
        story=brief.kind == "fiction",
        english=brief.language.casefold().startswith("en"),
    )
