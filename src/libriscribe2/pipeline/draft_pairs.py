"""Passages of two drafts that stand for the same place in a book."""

from dataclasses import dataclass
from typing import Final

from libriscribe2.errors import IncompleteError, UsageError
from libriscribe2.pipeline.passage_judge import EXAM_PASSAGES, Pair
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import CHAPTER_FILES, chapter_file
from libriscribe2.project.view import ProjectView
from libriscribe2.quality.judging.windows import Where, equal_windows

_PLACES: Final[tuple[Where, ...]] = ("beginning", "end")


@dataclass(frozen=True, slots=True)
class DraftPairs:
    """What a judge is to compare.

    Attributes:
        pairs: Passages of the same chapters, two pairs of each chapter.
        sound: Passages of the first draft, for the exam.
        names: Names of its people.
    """

    pairs: tuple[Pair, ...]
    sound: tuple[str, ...]
    names: tuple[str, ...]


def pairs_of(
    ours: ProjectView, theirs: ProjectView, *, chapter: int | None = None, most: int = 10
) -> DraftPairs:
    """The passages of two drafts.

    Args:
        ours: The one draft.
        theirs: The other.
        chapter: The only chapter to look at; None takes chapters spread over the book.
        most: Most chapters to look at.

    Raises:
        UsageError: The drafts do not both have the chapter.
        IncompleteError: They have no chapter in common that is long enough.
    """
    books = Book(ours), Book(theirs)
    common = [
        n
        for n in range(1, min(book.chapters() for book in books) + 1)
        if all(book.has(chapter_file(n)) for book in books)
    ]
    if chapter is not None and chapter not in common:
        raise UsageError(f"Chapter {chapter} is not written in both books.")
    chosen = [chapter] if chapter is not None else _spread(common, most)
    pairs: list[Pair] = []
    for number in chosen:
        texts = [book.text(chapter_file(number)) for book in books]
        for where in _PLACES:
            found = equal_windows(texts[0], texts[1], where)
            if found is not None:
                pairs.append(Pair(f"chapter {number} {where}", *found))
    if not pairs:
        raise IncompleteError(
            "The two books have no chapter in common that could be judged.",
            why="a passage needs some hundred words on both sides",
        )
    sound = tuple(pair.ours for pair in pairs[::2][:EXAM_PASSAGES])
    return DraftPairs(tuple(pairs), sound, tuple(one.name for one in books[0].characters()))


def writers_of(view: ProjectView) -> list[str]:
    """The models that wrote the chapters of a project, by name."""
    chapters = view.names(CHAPTER_FILES)
    records = (view.manifest.files.get(name) for name in chapters)
    return sorted(
        {name for one in records if one is not None for name in one.params.get("models", ())}
    )


def _spread(numbers: list[int], most: int) -> list[int]:
    """At most so many of some numbers, evenly spread."""
    if len(numbers) <= most:
        return numbers
    return [numbers[index * len(numbers) // most] for index in range(most)]
