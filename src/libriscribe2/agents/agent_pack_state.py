"""Reads from a project what a chapter's scenes may be written from."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from libriscribe2.models.brief import Brief
from libriscribe2.models.canon import CanonFile, Fact
from libriscribe2.models.concept import ConceptFile
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.scenes import ScenePlan, ScenesFile
from libriscribe2.models.story import OutlineFile, WorldFile
from libriscribe2.models.style import StyleFile
from libriscribe2.packs.pack import look_ahead as make_ahead
from libriscribe2.packs.state import PackState
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    CONCEPT,
    OUTLINE,
    SCENES,
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

_READY: Final = deque[PackState](maxlen=2)
"""What was worked out for chapters that are written next."""


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
    summaries = {n: said for n in told if (said := book.found(summary_file(n))) is not None}
    known = (n for n in order.recorded(number) if n in texts)
    records = {n: said for n in known if (said := book.found(canon_file(n))) is not None}
    canon = {n: book.value(canon_file(n), CanonFile, said) for n, said in records.items()}
    people = tuple(person.name for person in book.characters())
    placed = [*book.stated_before()]
    placed += [fact for n, said in records.items() for fact in _placed(n, said, texts[n])]
    state = PackState(
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
        summaries={n: said.strip() for n, said in summaries.items()},
        facts=tuple(sorted(canonical_facts(placed, people), key=lambda fact: fact.place)),
        events={n: tuple(file.events) for n, file in canon.items()},
        exits={n: file.exit for n, file in canon.items()},
        hits={n: tuple(file.threads) for n, file in canon.items()},
        habits=_habits(texts, near),
        heeded=near,
    )
    any(map(state.take_over, _READY))
    return state


def look_ahead(brief: Brief, book: Book, number: int, order: DraftOrder) -> None:
    """Work out what the chapter after `number` will be written from, but for summaries.

    It can be done while a model is waited for: nothing comes of it but that `pack_state` and
    `packs.pack` need less time.

    Raises:
        LibriScribeError: A file that it would be written from cannot be read.
    """
    known = order.known(number + 1) if number < order.chapters else ()
    if number not in known or not all(book.has(chapter_file(n)) for n in known):
        return
    plans = book.load(SCENES, ScenesFile).chapters
    scenes = plans[number].scenes if number < len(plans) else []
    if scenes:
        state = pack_state(brief, book, number + 1, scenes, order)
        make_ahead(state, 0)
        _READY.append(state)


def _habits(texts: Mapping[int, str], near: Iterable[int]) -> str:
    """What the nearest chapters have used up."""
    return habits_block([without_notes(texts[n]) for n in near], HABITS_BUDGET)


def _texts(book: Book, number: int, order: DraftOrder) -> dict[int, str]:
    """The chapters that may be read and are there; the one just before has to be.

    Raises:
        ProjectError: The chapter before is missing.
    """
    found = {n: book.found(chapter_file(n)) for n in order.known(number)}
    before = order.before(number)
    if before is not None and found[before] is None:
        book.text(chapter_file(before))  # says what is missing
    texts = {n: text for n, text in found.items() if text is not None}
    # What is remembered of a text is found sooner by the very object that it was found by before.
    ready = _READY[-1].texts if _READY else {}
    return {n: known if (known := ready.get(n)) == text else text for n, text in texts.items()}


def _nearest(texts: Iterable[int], number: int) -> tuple[int, ...]:
    """The chapters whose habits the next one is most likely to take on, in order."""
    return tuple(sorted(sorted(texts, key=lambda n: (abs(n - number), n))[:HEEDED]))


@lru_cache(maxsize=512)
def _placed(number: int, canon: str, text: str) -> tuple[Fact, ...]:
    """The facts of a record that stand in a chapter's text, on the lines where they stand."""
    facts = CanonFile.model_validate_json(canon).of_chapter(number)
    lines = ((fact, line_of_quote(fact.quote, text)) for fact in facts)
    return tuple(fact.model_copy(update={"line": line}) for fact, line in lines if line is not None)
