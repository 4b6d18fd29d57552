"""Reads from a project what a chapter's scenes may be written from."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from libriscribe2.models.brief import Brief
from libriscribe2.models.canon import CanonFile, Fact
from libriscribe2.models.concept import ConceptFile, ConceptModel
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.research import Note
from libriscribe2.models.scenes import ScenePlan, ScenesFile
from libriscribe2.models.story import Character, OutlineFile, WorldFile
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


@dataclass(frozen=True, slots=True)
class _Sources:
    """What a chapter is written from but for summaries, as the files hold it.

    Attributes:
        brief: What the author asked for.
        number: The chapter, from 1.
        scenes: The plans of its scenes.
        order: In which order the chapters are drafted.
        concept: The idea.
        outline: The plan of the book.
        cast: The people.
        world: Places, terms and rules; None where the book has none.
        style: The voice; None where the author gave no samples.
        notes: The notes of the research.
        before: What holds at the end of the book before.
        texts: The chapters that may be read and are there, by number.
        records: What is recorded of them, by number; the text of a file.
    """

    brief: Brief
    number: int
    scenes: Sequence[ScenePlan]
    order: DraftOrder
    concept: ConceptModel
    outline: OutlineFile
    cast: Sequence[Character]
    world: WorldFile | None
    style: StyleFile | None
    notes: Sequence[Note]
    before: Sequence[Fact]
    texts: Mapping[int, str]
    records: Mapping[int, str]


_READY: Final = deque[tuple[_Sources, PackState]](maxlen=2)
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
    sources = _sources(brief, book, number, scenes, order)
    texts = sources.texts
    told = texts if number in order.last else [n for n in texts if n < number]
    summaries = {n: said for n in told if (said := book.found(summary_file(n))) is not None}
    ready = next((state for known, state in _READY if known == sources), None)
    state = ready if ready is not None else _state(sources)
    return state.with_summaries({n: said.strip() for n, said in summaries.items()})


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
        sources = _sources(brief, book, number + 1, scenes, order)
        state = _state(sources)
        make_ahead(state, 0)
        _READY.append((sources, state))


def _sources(
    brief: Brief, book: Book, number: int, scenes: Sequence[ScenePlan], order: DraftOrder
) -> _Sources:
    """What the files hold."""
    texts = _texts(book, number, order)
    known = (n for n in order.recorded(number) if n in texts)
    return _Sources(
        brief=brief,
        number=number,
        scenes=scenes,
        order=order,
        concept=book.load(CONCEPT, ConceptFile).concept,
        outline=book.load(OUTLINE, OutlineFile),
        cast=book.characters(),
        world=book.load(WORLD, WorldFile) if book.has(WORLD) else None,
        style=book.load(STYLE, StyleFile) if book.has(STYLE) else None,
        notes=book.notes(),
        before=book.stated_before(),
        texts=texts,
        records={n: said for n in known if (said := book.found(canon_file(n))) is not None},
    )


def _state(sources: _Sources) -> PackState:
    """What comes of them."""
    texts, records = sources.texts, sources.records
    near = _nearest(texts, sources.number)
    canon = {n: Book.value(canon_file(n), CanonFile, said) for n, said in records.items()}
    people = tuple(person.name for person in sources.cast)
    placed = [*sources.before]
    placed += [fact for n, said in records.items() for fact in _placed(n, said, texts[n])]
    return PackState(
        brief=sources.brief,
        concept=sources.concept,
        outline=sources.outline,
        number=sources.number,
        scenes=tuple(sources.scenes),
        order=sources.order,
        cast=tuple(sources.cast),
        world=sources.world,
        style=sources.style,
        notes=tuple(sources.notes),
        texts={n: without_notes(text) for n, text in texts.items()},
        facts=tuple(sorted(canonical_facts(placed, people), key=lambda fact: fact.place)),
        events={n: tuple(file.events) for n, file in canon.items()},
        exits={n: file.exit for n, file in canon.items()},
        hits={n: tuple(file.threads) for n, file in canon.items()},
        habits=_habits(texts, near),
        heeded=near,
    )


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
    return {n: text for n, text in found.items() if text is not None}


def _nearest(texts: Iterable[int], number: int) -> tuple[int, ...]:
    """The chapters whose habits the next one is most likely to take on, in order."""
    return tuple(sorted(sorted(texts, key=lambda n: (abs(n - number), n))[:HEEDED]))


@lru_cache(maxsize=512)
def _placed(number: int, canon: str, text: str) -> tuple[Fact, ...]:
    """The facts of a record that stand in a chapter's text, on the lines where they stand."""
    facts = CanonFile.model_validate_json(canon).of_chapter(number)
    lines = ((fact, line_of_quote(fact.quote, text)) for fact in facts)
    return tuple(fact.model_copy(update={"line": line}) for fact, line in lines if line is not None)
