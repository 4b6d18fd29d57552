"""Whether a book of facts agrees with its notes and with itself: numbers, names, terms, definitions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import regex

from libriscribe2.checks.cited_sentences import (
    NAMED,
    QUOTED,
    UNCITED,
    cited_faults,
    sentences_with_marks,
)
from libriscribe2.checks.continuity.story_report import StoryReport, TextNotes
from libriscribe2.checks.function_words import STOPWORDS
from libriscribe2.checks.text import ChapterText, words
from libriscribe2.checks.text_names import name_drift
from libriscribe2.models.brief import Brief
from libriscribe2.models.citations import MARK, facts, ids_in, mark_of
from libriscribe2.models.findings import Finding, Place, Severity, in_order
from libriscribe2.models.languages import is_english
from libriscribe2.models.notes import Note
from libriscribe2.models.story import OutlineChapter, OutlineFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import OUTLINE, chapter_file
from libriscribe2.project.project_view import ProjectView
from libriscribe2.research.support import SMALL, plain_number

RULES: Final = {
    "F1": "a number, name, quotation or mark that no cited note supports, or a number without a mark",
    "F2": "two chapters give different numbers for the same thing",
    "F3": "a name that is one letter away from another",
    "F4": "a term is used in a chapter before the one that explains it",
    "F5": "a fact or a definition is stated outside the chapter that it belongs to",
    "F6": "a model finds that no note supports a statement",
}
JUDGED: Final = "F6"

FEWEST_SHARED: Final = 3
MOST_SHARE: Final = 0.6
"""Two sentences that share so much of what the shorter one is about are about the same thing."""

_MEASURED: Final = regex.compile(r"(?<![\p{L}\p{N}.,])(\d[\d.,]*\d|\d)[\s\-]*(\p{L}+|%)")
_LET_STAND: Final = " Or allow it: `<!-- libriscribe2: allow {rule} -->` in that paragraph."


@dataclass(frozen=True)
class FactBook:
    """What a book of facts says, and what it may say.

    Attributes:
        chapters: The chapters that are written.
        notes: The notes that may be cited, by id.
        sources: What their sources call themselves, by id.
        plan: The chapters of the outline.
        terms: Names of the terms.
        names: Names that are right.
        language: The language of the book.
    """

    chapters: Sequence[ChapterText]
    notes: Mapping[str, Note]
    sources: Mapping[str, str]
    plan: Sequence[OutlineChapter]
    terms: Sequence[str]
    names: Sequence[str]
    language: str


def check_facts(brief: Brief, view: ProjectView) -> StoryReport:
    """Hold the chapters of a book of facts beside its notes and beside each other.

    Raises:
        ProjectError: A file cannot be used.
    """
    book = read_facts(brief, Book(view))
    found = (*_numbers(book), *_conflicts(book), *_names(book), *_terms(book), *_homes(book))
    read = tuple(one.number for one in book.chapters)
    name = view.paths.root.name
    return StoryReport(name, with_allowances(book, found), facts=len(book.notes), read=read)


def read_facts(brief: Brief, book: Book) -> FactBook:
    """What a book says and may say."""
    numbers = [n for n in range(1, book.chapters() + 1) if book.has(chapter_file(n))]
    terms = [one.name for one in book.terms()]
    people = [*(one.name for one in book.characters()), *(one.name for one in book.places())]
    plan = book.load(OUTLINE, OutlineFile).chapters if book.has(OUTLINE) else []
    return FactBook(
        chapters=[ChapterText(n, chapter_file(n), book.text(chapter_file(n))) for n in numbers],
        notes={note.id: note for note in facts(book.notes())},
        sources={one.id: one.called for one in book.sources()},
        plan=plan,
        terms=terms,
        names=[*people, *terms, brief.author, book.title(brief)],
        language=brief.language,
    )


def with_allowances(book: FactBook, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings in order, each with whether a note in the text lets it stand."""
    texts = {one.file: TextNotes(one.text) for one in book.chapters}
    return in_order(
        replace(
            one,
            fix=one.fix + _LET_STAND.format(rule=one.rule),
            allowed=texts[one.where.file].lets(one.rule, one.where.line),
        )
        for one in findings
    )


def _place(chapter: ChapterText, line: int, quote: str) -> Place:
    return Place(chapter.file, chapter.number, line=line, quote=" ".join(quote.split())[:240])


def _numbers(book: FactBook) -> Iterator[Finding]:
    """F1: what `cited_faults` finds; nothing where the book has no notes."""
    own = book.names if is_english(book.language) else None
    for at, chapter in enumerate(book.chapters if book.notes else ()):
        earlier = [two.text for two in book.chapters[:at]]
        for one in cited_faults(chapter, book.notes, earlier, own, book.sources):
            weight: Severity = "warning" if one.kind in (UNCITED, NAMED, QUOTED) else "error"
            where = _place(chapter, one.line, one.sentence)
            yield Finding(weight, where, f"{one.why[0].upper()}{one.why[1:]}.", one.fix, "F1")


@dataclass(frozen=True)
class _Measured:
    """A sentence that measures something."""

    chapter: ChapterText
    line: int
    text: str
    about: frozenset[str]
    values: Mapping[str, frozenset[str]]


def _conflicts(book: FactBook) -> Iterator[Finding]:
    """F2: sentences of two chapters about the same thing, with other numbers of one unit."""
    for one, two in combinations(list(_measured(book)), 2):
        if one.chapter is two.chapter:
            continue
        shared = one.about & two.about
        least = min(len(one.about), len(two.about))
        if len(shared) < max(FEWEST_SHARED, MOST_SHARE * least):
            continue
        for unit in one.values.keys() & two.values.keys():
            if one.values[unit].isdisjoint(two.values[unit]):
                said = [f"{', '.join(sorted(m.values[unit]))} {unit}" for m in (two, one)]
                why = f"{said[0]} here, {said[1]} in chapter {one.chapter.number}."
                where = _place(two.chapter, two.line, two.text)
                other = _place(one.chapter, one.line, one.text)
                yield Finding("warning", where, why, "Say which one is right.", "F2", other)


def _measured(book: FactBook) -> Iterator[_Measured]:
    for chapter in book.chapters:
        for paragraph in chapter.paragraphs:
            for sentence in sentences_with_marks(paragraph.text):
                plain = MARK.sub("", sentence)
                values: dict[str, set[str]] = {}
                for number, unit in _MEASURED.findall(plain):
                    values.setdefault(unit.casefold().removesuffix("s"), set()).add(
                        plain_number(number)
                    )
                about = frozenset(w for w in words(plain) if w not in STOPWORDS and not w.isdigit())
                kept = {unit: frozenset(own) for unit, own in values.items() if _counts(own)}
                if kept:
                    yield _Measured(chapter, paragraph.line, plain, about - kept.keys(), kept)


def _counts(numbers: set[str]) -> bool:
    """Whether some numbers are more than counts of daily life."""
    return any(not one.isdecimal() or int(one[:9]) > SMALL for one in numbers)


def _names(book: FactBook) -> Iterator[Finding]:
    """F3: spellings close to a name of the book or of its notes."""
    told = " ".join(f"{note.claim} {note.quote}" for note in book.notes.values())
    for one in name_drift(book.chapters, book.names, told.split(), book.language):
        chapter = book.chapters[one.chapter]
        why = f"{one.spelling} stands here; the book calls it {one.name} elsewhere."
        where = _place(chapter, one.paragraph.line, one.spelling)
        yield Finding("warning", where, why, f"Write {one.name}, if that is meant.", "F3")


def _terms(book: FactBook) -> Iterator[Finding]:
    """F4: terms in the text of a chapter that comes before the one that is to explain them."""
    homes = {
        entry.casefold(): number
        for number, chapter in enumerate(book.plan, start=1)
        for entry in chapter.plants
    }
    for term in book.terms:
        home = homes.get(term.casefold(), 0)
        pattern = regex.compile(rf"(?i)(?<!\w){regex.escape(term)}(?!\w)")
        early = (
            (chapter, paragraph)
            for chapter in book.chapters
            for paragraph in chapter.paragraphs
            if chapter.number < home and pattern.search(paragraph.text)
        )
        for chapter, paragraph in [*early][:1]:
            why = f"{term} is used here, and chapter {home} explains it."
            fix = "Explain it here, or say it without the term."
            yield Finding("warning", _place(chapter, paragraph.line, term), why, fix, "F4")


def _homes(book: FactBook) -> Iterator[Finding]:
    """F5: notes cited in a chapter that neither is their home nor goes back to them."""
    homes = {
        one: number
        for number, chapter in enumerate(book.plan, start=1)
        for entry in chapter.plants
        for one in ids_in(entry)
    }
    for chapter in book.chapters:
        own = book.plan[chapter.number - 1] if chapter.number <= len(book.plan) else None
        back = {one for entry in (own.payoffs if own else ()) for one in ids_in(entry)}
        for paragraph in chapter.paragraphs:
            for one in dict.fromkeys(ids_in(paragraph.text)):
                home = homes.get(one, chapter.number)
                if one in book.notes and home != chapter.number and one not in back:
                    note = book.notes[one]
                    why = f"Chapter {home} is to state this, and chapter {chapter.number} does too: {note.claim}"
                    where = _place(chapter, paragraph.line, mark_of(note))
                    fix = "State it once, and refer to it elsewhere."
                    yield Finding("warning", where, why, fix, "F5")
