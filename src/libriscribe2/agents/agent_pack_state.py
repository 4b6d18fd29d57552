"""Reads from a project what a chapter's scenes may be written from."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from libriscribe2.models.brief import Brief
from libriscribe2.models.canon import CanonFile, Fact
from libriscribe2.models.concept import ConceptFile
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.scenes import ScenePlan
from libriscribe2.models.story import OutlineFile, WorldFile
from libriscribe2.models.style import StyleFile
from libriscribe2.packs.state import PackState
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
from libriscribe2.quality.canon.naming import canonical_facts
from libriscribe2.quality.habits import habits_block
from libriscribe2.toolchain.quoted_lines import line_of_quote
from libriscribe2.utils.author_notes import without_notes

HEEDED: Final = 12
"""How many chapters are looked through for what the book has used up."""

HABITS_BUDGET: Final = 1_150


def pack_state(
    brief: Brief, book: Book, number: int, scenes: Sequence[ScenePlan], order: DraftOrder
) -> PackState:
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
    told = texts if number in order.last else [n for n in texts if n < number]
    summarised = [n for n in told if book.has(summary_file(n))]
    recorded = [n for n in order.recorded(number) if n in texts and book.has(canon_file(n))]
    canon = {n: book.load(canon_file(n), CanonFile) for n in recorded}
    people = tuple(person.name for person in book.characters())
    placed = [*book.stated_before()]
    placed += [fact for n in recorded for fact in _standing(n, book, texts[n])]
    return PackState(
        brief=brief,
        concept=book.load(CONCEPT, ConceptFile).concept,
        outline=book.load(OUTLINE, OutlineFile),
        number=number,
        scenes=tuple(scenes),
        order=order,
        cast=tuple(book.characters()),
        world=book.load(WORLD, WorldFile) if book.has(WORLD) else None,
        style=book.load(STYLE, StyleFile) if book.has(STYLE) else None,
        notes=tuple(book.notes()),
        texts={n: without_notes(text) for n, text in texts.items()},
        summaries={n: book.text(summary_file(n)).strip() for n in summarised},
        facts=tuple(sorted(canonical_facts(placed, people), key=lambda fact: fact.place)),
        events={n: tuple(file.events) for n, file in canon.items()},
        exits={n: file.exit for n, file in canon.items()},
        hits={n: tuple(file.threads) for n, file in canon.items()},
        habits=habits_block([without_notes(texts[n]) for n in near], HABITS_BUDGET),
        heeded=near,
    )


def _texts(book: Book, number: int, order: DraftOrder) -> dict[int, str]:
    """The chapters that may be read and are there; the one just before has to be.

    Raises:
        ProjectError: The chapter before is missing.
    """
    wanted = [
        n for n in order.known(number) if n == order.before(number) or book.has(chapter_file(n))
    ]
    return {n: book.text(chapter_file(n)) for n in wanted}


def _nearest(texts: Iterable[int], number: int) -> tuple[int, ...]:
    """The chapters whose habits the next one is most likely to take on, in order."""
    return tuple(sorted(sorted(texts, key=lambda n: (abs(n - number), n))[:HEEDED]))


def _standing(number: int, book: Book, text: str) -> tuple[Fact, ...]:
    """The facts of a chapter that stand in its present text, on the lines where they stand."""
    return _placed(number, book.text(canon_file(number)), text)


@lru_cache(maxsize=512)
def _placed(number: int, canon: str, text: str) -> tuple[Fact, ...]:
    """The facts of a record that a text holds; one pair is worked out once."""
    facts = CanonFile.model_validate_json(canon).of_chapter(number)
    lines = ((fact, line_of_quote(fact.quote, text)) for fact in facts)
    return tuple(fact.model_copy(update={"line": line}) for fact, line in lines if line is not None)
