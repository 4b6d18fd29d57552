"""Reads from a project what a chapter's scenes may be written from."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from libriscribe2.checks.continuity.fact_names import canonical_facts
from libriscribe2.context.earlier_text import overused_block
from libriscribe2.context.prompt_context import PromptContext
from libriscribe2.models.brief import Brief
from libriscribe2.models.canon import CanonFile, Fact
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.story import ConceptFile, OutlineFile, ScenePlan, WorldFile
from libriscribe2.models.style import StyleFile
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    CONCEPT,
    OUTLINE,
    STYLE,
    WORLD,
    canon_file,
    chapter_file,
    summary_file,
)
from libriscribe2.prose import without_notes
from libriscribe2.research.quotes import line_of_quote

HEEDED: Final = 12
"""How many chapters are looked through for what the book has used up."""

HABITS_BUDGET: Final = 1_150


def read_context(
    brief: Brief, book: Book, number: int, scenes: Sequence[ScenePlan], order: DraftOrder
) -> PromptContext:
    """What chapter `number` may be written from, and nothing besides.

    Args:
        brief: What the author asked for.
        book: The project's artifacts.
        number: The chapter, from 1.
        scenes: The plans of its scenes.
        order: Says which chapters may be read.

    Raises:
        ProjectError: A file cannot be used.
        StorageError: A file cannot be read.
    """
    texts = _texts(book, number, order)
    near = _nearest(texts, number)
    canon = {
        n: book.load(canon_file(n), CanonFile)
        for n in order.recorded(number)
        if n in texts and book.has(canon_file(n))
    }
    cast = tuple(book.characters())
    placed = [*book.stated_before()]
    placed += [fact for n, file in canon.items() for fact in _placed(n, file, texts[n])]
    facts = canonical_facts(placed, tuple(person.name for person in cast))
    return PromptContext(
        brief=brief,
        concept=book.load(CONCEPT, ConceptFile).concept,
        outline=book.load(OUTLINE, OutlineFile),
        number=number,
        scenes=tuple(scenes),
        order=order,
        cast=cast,
        world=book.load(WORLD, WorldFile) if book.has(WORLD) else None,
        style=book.load(STYLE, StyleFile) if book.has(STYLE) else None,
        notes=tuple(book.notes()),
        texts={n: without_notes(text) for n, text in texts.items()},
        summaries=_summaries(book, texts, number, order),
        facts=tuple(sorted(facts, key=lambda fact: fact.place)),
        events={n: tuple(file.events) for n, file in canon.items()},
        exits={n: file.exit for n, file in canon.items()},
        hits={n: tuple(file.threads) for n, file in canon.items()},
        habits=overused_block([without_notes(texts[n]) for n in near], HABITS_BUDGET),
        heeded=near,
    )


def _summaries(book: Book, texts: Iterable[int], number: int, order: DraftOrder) -> dict[int, str]:
    """What the chapters come to that may be told; what is written last is told of all."""
    told = texts if number in order.last else [n for n in texts if n < number]
    found = {n: book.found(summary_file(n)) for n in told}
    return {n: said.strip() for n, said in found.items() if said is not None}


def _texts(book: Book, number: int, order: DraftOrder) -> dict[int, str]:
    """The chapters that may be read and are there; the one just before has to be.

    Raises:
        ProjectError: The chapter before is missing.
    """
    found = {n: book.found(chapter_file(n)) for n in order.known(number)}
    before = order.before(number)
    if before is not None and found[before] is None:
        book.text(chapter_file(before))  # says what is missing
    return {n: text for n, text in found.items() if text is not None}


def _nearest(texts: Iterable[int], number: int) -> tuple[int, ...]:
    """The chapters whose habits the next one is most likely to take on, in order."""
    return tuple(sorted(sorted(texts, key=lambda n: (abs(n - number), n))[:HEEDED]))


def _placed(number: int, canon: CanonFile, text: str) -> Iterator[Fact]:
    """The facts of a record that stand in a chapter's text, on the lines where they stand."""
    for fact in canon.of_chapter(number):
        line = line_of_quote(fact.quote, text)
        if line is not None:
            yield fact.model_copy(update={"line": line})
