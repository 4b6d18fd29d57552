"""All that a chapter's scenes may be written from; which facts are in force."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from libriscribe2.checks.continuity.fact_values import canonical_facts
from libriscribe2.context.earlier_text import DISTANCE, EarlierPassages, overused_block
from libriscribe2.context.knowledge_parts import read_knowledge
from libriscribe2.models.brief import Brief
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.notes import Note, Source, UnsupportedWords
from libriscribe2.models.story import (
    Character,
    ConceptFile,
    ConceptModel,
    OutlineChapter,
    OutlineFile,
    ScenePlan,
    WorldFile,
)
from libriscribe2.models.story_bible import (
    Attribute,
    ExitState,
    Fact,
    StatedEvent,
    StoryBibleFile,
    ThreadHit,
)
from libriscribe2.project.artifacts import Book
from libriscribe2.project.paths import (
    CONCEPT,
    OUTLINE,
    WORLD,
    chapter_file,
    story_bible_file,
    summary_file,
)
from libriscribe2.prose import without_notes
from libriscribe2.research.quotes import line_of_quote


@dataclass(frozen=True)
class PromptContext:
    """What is known when a scene is written.

    It holds nothing of a chapter that the draft order does not allow: what is not in here cannot
    reach a prompt.

    Attributes:
        brief: What the author asked for.
        concept: The idea.
        outline: The plan of the book.
        number: The chapter that is written, from 1.
        scenes: The plans of its scenes.
        order: In which order the chapters are drafted.
        cast: The people.
        walk_ons: Those whom finished chapters brought in and no plan of the cast has.
        world: Places, as the chapters before leave them, terms and rules; None where the book has
            none.
        known: What is known by kind (`context.knowledge_parts`), as far as there is a file of it.
        notes: The notes of the research.
        sources: Their sources.
        unsupported: What the concept says and no note bears out.
        texts: Finished chapters by number, as readers see them.
        summaries: What finished chapters come to, by number.
        facts: What finished chapters state, under one name each, in the order of the text; first
            what holds at the end of the book before.
        events: What happens in finished chapters, by number.
        exits: How finished chapters leave their people, by number.
        hits: What finished chapters do with the threads, by number.
        habits: What the book has used up; "" where that is not known.
        heeded: The chapters from which that is known.
    """

    brief: Brief
    concept: ConceptModel
    outline: OutlineFile
    number: int
    scenes: tuple[ScenePlan, ...]
    order: DraftOrder
    cast: tuple[Character, ...] = ()
    walk_ons: tuple[Character, ...] = ()
    world: WorldFile | None = None
    known: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    sources: tuple[Source, ...] = ()
    unsupported: tuple[UnsupportedWords, ...] = ()
    texts: Mapping[int, str] = field(default_factory=dict)
    summaries: Mapping[int, str] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    events: Mapping[int, tuple[StatedEvent, ...]] = field(default_factory=dict)
    exits: Mapping[int, ExitState] = field(default_factory=dict)
    hits: Mapping[int, tuple[ThreadHit, ...]] = field(default_factory=dict)
    habits: str = ""
    heeded: tuple[int, ...] = ()

    @property
    def chapters(self) -> int:
        """How many chapters the book has."""
        return len(self.outline.chapters)

    @property
    def chapter(self) -> OutlineChapter:
        """The plan of the chapter."""
        return self.outline.chapters[self.number - 1]

    @cached_property
    def plan(self) -> ScenePlan:
        """All that the chapter's scenes hold, as one plan."""
        scenes = self.scenes
        texts = ("summary", "goal", "conflict", "turn", "outcome", "place", "time")
        states = ("entry_state", "exit_state")
        lists = ("characters", "reveals", "withholds")
        said = {
            name: dict.fromkeys(getattr(one, name) for one in scenes) for name in (*texts, *states)
        }
        told = {name: " ".join(filter(None, values)) for name, values in said.items()}
        listed = {
            name: list(dict.fromkeys(value for one in scenes for value in getattr(one, name)))
            for name in lists
        }
        things = [thing for one in scenes for thing in one.things]
        return scenes[0].model_copy(update={**told, **listed, "things": things})

    @cached_property
    def held(self) -> tuple[Fact, ...]:
        """The facts that hold when the chapter begins, in the order of the text."""
        from libriscribe2.checks.continuity.ledger import facts_in_force  # noqa: PLC0415 -- on no road before the first reading

        return tuple(facts_in_force(self.facts, self.number, claims=True))

    @cached_property
    def held_of(self) -> Mapping[str, tuple[Fact, ...]]:
        """The same by whom they are about."""
        found: dict[str, tuple[Fact, ...]] = {}
        for fact in self.held:
            found[fact.entity] = (*found.get(fact.entity, ()), fact)
        return found

    @cached_property
    def names_of(self) -> Mapping[str, tuple[str, ...]]:
        """Every name under which a text may speak of whom or what they are about."""
        return {
            entity: (entity, *(one.value for one in facts if one.attribute is Attribute.ALIAS))
            for entity, facts in self.held_of.items()
        }

    @cached_property
    def earlier(self) -> EarlierPassages:
        """Passages of earlier chapters that its scenes may be shown."""
        distance = DISTANCE if self.brief.has_story_bible else 1
        return EarlierPassages(self.texts, self.number, distance)


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
    readable = {n: without_notes(text) for n, text in texts.items()}
    near = _nearest(texts, number)
    canon = {
        n: book.load(story_bible_file(n), StoryBibleFile)
        for n in order.known(number)
        if n in texts and book.has(story_bible_file(n))
    }
    cast = tuple(book.characters())
    world, facts = _stated(book, number, canon, texts, cast)
    return PromptContext(
        brief=brief,
        concept=book.load(CONCEPT, ConceptFile).concept,
        outline=book.load(OUTLINE, OutlineFile),
        number=number,
        scenes=tuple(scenes),
        order=order,
        cast=cast,
        walk_ons=_walk_ons(cast, [canon[n] for n in sorted(canon) if n < number]),
        world=world,
        known=read_knowledge(book, number, order),
        notes=tuple(book.notes()),
        sources=tuple(book.sources()),
        unsupported=tuple(book.unsupported()),
        texts=readable,
        summaries=_summaries(book, texts, number, order),
        facts=facts,
        events={n: tuple(file.events) for n, file in canon.items()},
        exits={n: file.exit for n, file in canon.items()},
        hits={n: tuple(file.threads) for n, file in canon.items()},
        habits=_habits(brief, [readable[n] for n in near]),
        heeded=near,
    )


def _habits(brief: Brief, texts: Sequence[str]) -> str:
    """What chapters have used up; what a book of facts says often are its terms."""
    return overused_block(texts, HABITS_BUDGET, phrases=brief.kind == "fiction")


def _stated(
    book: Book,
    number: int,
    canon: Mapping[int, StoryBibleFile],
    texts: Mapping[int, str],
    cast: Sequence[Character],
) -> tuple[WorldFile | None, tuple[Fact, ...]]:
    """The world as the chapters before leave it, and what all of them state."""
    from libriscribe2.checks.continuity.ledger import standing_ends, with_ends, world_at  # noqa: PLC0415 -- as above

    placed = [*book.stated_before()]
    placed += [fact for n, file in canon.items() for fact in _placed(n, file, texts[n])]
    ended = standing_ends(canon, texts)
    facts = with_ends(canonical_facts(placed, tuple(person.name for person in cast)), ended)
    world = book.load(WORLD, WorldFile) if book.has(WORLD) else None
    now = None if world is None else world_at(world, ended, number)
    return now, tuple(sorted(facts, key=lambda fact: fact.place))


def _walk_ons(cast: Sequence[Character], read: Iterable[StoryBibleFile]) -> tuple[Character, ...]:
    """Those whom chapters brought in, as the first of them describes them."""
    known = {person.name.casefold() for person in cast}
    found: dict[str, Character] = {}
    for one in (one for file in read for one in file.new_people):
        if one.name.casefold() not in known:
            found.setdefault(one.name.casefold(), Character(name=one.name, role=one.who))
    return tuple(found.values())


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


def _placed(number: int, canon: StoryBibleFile, text: str) -> Iterator[Fact]:
    """The facts of a record that stand in a chapter's text, on the lines where they stand."""
    for fact in canon.of_chapter(number):
        line = line_of_quote(fact.quote, text)
        if line is not None:
            yield fact.model_copy(update={"line": line})
