"""A review of a book as findings with places, and what it reads."""

from dataclasses import dataclass
from typing import Final

from libriscribe2.errors import IncompleteError
from libriscribe2.pipeline.book_review import Found, Reviewed
from libriscribe2.pipeline.story_finding import StoryFinding, StoryPlace, StoryReport, in_order
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import chapter_file, summary_file
from libriscribe2.project.view import ProjectView
from libriscribe2.quality.canon.allowed import Allowed
from libriscribe2.quality.text import ChapterText

REVIEWED: Final = "J2"
"""What a reader of the whole book finds."""

RULES: Final = {
    REVIEWED: "a model that read the whole book finds something, and the text proves it"
}


@dataclass(frozen=True, slots=True)
class ReadBook:
    """What a review reads.

    Attributes:
        chapters: The chapters that are written.
        summaries: What they come to, by number.
    """

    chapters: tuple[ChapterText, ...]
    summaries: dict[int, str]


def book_to_read(view: ProjectView) -> ReadBook:
    """The chapters of a book and their summaries.

    Raises:
        IncompleteError: A chapter is not written, or not summarised.
        ProjectError: A file cannot be used.
    """
    book = Book(view)
    numbers = range(1, book.chapters() + 1)
    missing = [n for n in numbers if not (book.has(chapter_file(n)) and book.has(summary_file(n)))]
    if missing or not numbers:
        raise IncompleteError(
            "A review reads a whole book, and this one is not all there.",
            why=f"chapter {missing[0]} or its summary is missing" if missing else "it has no plan",
            fix=f"Run `libriscribe2 resume {view.paths.called}` first.",
        )
    return ReadBook(
        tuple(ChapterText(n, chapter_file(n), book.text(chapter_file(n))) for n in numbers),
        {n: book.text(summary_file(n)).strip() for n in numbers},
    )


def review_report(project: str, read: ReadBook, reviewed: Reviewed) -> StoryReport:
    """What a review found, in the shape of a check of the story."""
    texts = {one.number: Allowed(one.text) for one in read.chapters}
    findings = tuple(
        _finding(found, allowed=texts[found.doubt.chapter].lets(REVIEWED, found.line))
        for found in reviewed.found
    )
    numbers = tuple(one.number for one in read.chapters)
    return StoryReport(
        project, in_order(findings), facts=0, read=numbers, verdicts=reviewed.verdicts
    )


def _finding(found: Found, *, allowed: bool) -> StoryFinding:
    doubt = found.doubt
    place = StoryPlace(chapter_file(doubt.chapter), found.line, found.quote)
    other = None
    if found.other_quote:
        other = StoryPlace(chapter_file(doubt.other), found.other_line, found.other_quote)
    message = " ".join(found.why.split())
    kind = f"{doubt.kind}: " if doubt.kind else ""
    return StoryFinding(
        REVIEWED, "warning", f"{kind}{message}", place, other, _fix(found, place), allowed
    )


def _fix(found: Found, place: StoryPlace) -> str:
    """What to do, with the change that worsens no gate where one is known."""
    leave = f"Or let it stand: `<!-- libriscribe2: allow {REVIEWED} -->` in that paragraph."
    if found.patch is None:
        return f"Mend {place.name}, if you see it so too. {leave}"
    find, replace = (" ".join(one.split()) for one in (found.patch.find, found.patch.replace))
    change = (
        f"change \u201c{find}\u201d to \u201c{replace}\u201d"
        if replace
        else f"take out \u201c{find}\u201d"
    )
    return f"If you see it so too, {change} in {place.file}. {leave}"
