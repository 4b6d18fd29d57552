"""All that a chapter's scenes may be written from, as one value."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from libriscribe2.models.brief import Brief
from libriscribe2.models.canon import ExitState, Fact, ThreadHit, ToldEvent
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.notes import Note
from libriscribe2.models.story import (
    Character,
    ConceptModel,
    OutlineChapter,
    OutlineFile,
    ScenePlan,
    WorldFile,
)
from libriscribe2.models.style import StyleFile
from libriscribe2.packs.standing import standing


@dataclass(frozen=True)
class PackState:
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
        world: Places, terms and rules; None where the book has none.
        style: The voice; None where the author gave no samples.
        notes: The notes of the research.
        texts: Finished chapters by number, as readers see them.
        summaries: What finished chapters come to, by number.
        facts: What finished chapters state, under one name each, in the order of the text; first
            what holds at the end of the book before.
        events: What happens in finished chapters, by number.
        exits: How finished chapters leave their people, by number.
        hits: What finished chapters do with the threads, by number.
        habits: What the book has used up; "" where that is not known.
        heeded: The chapters from which that is known.
        written: The scenes of this chapter that are written.
    """

    brief: Brief
    concept: ConceptModel
    outline: OutlineFile
    number: int
    scenes: tuple[ScenePlan, ...]
    order: DraftOrder
    cast: tuple[Character, ...] = ()
    world: WorldFile | None = None
    style: StyleFile | None = None
    notes: tuple[Note, ...] = ()
    texts: Mapping[int, str] = field(default_factory=dict)
    summaries: Mapping[int, str] = field(default_factory=dict)
    facts: tuple[Fact, ...] = ()
    events: Mapping[int, tuple[ToldEvent, ...]] = field(default_factory=dict)
    exits: Mapping[int, ExitState] = field(default_factory=dict)
    hits: Mapping[int, tuple[ThreadHit, ...]] = field(default_factory=dict)
    habits: str = ""
    heeded: tuple[int, ...] = ()
    written: tuple[str, ...] = ()

    @property
    def chapters(self) -> int:
        """How many chapters the book has."""
        return len(self.outline.chapters)

    @property
    def chapter(self) -> OutlineChapter:
        """The plan of the chapter."""
        return self.outline.chapters[self.number - 1]

    @cached_property
    def held(self) -> tuple[Fact, ...]:
        """The facts that hold when the chapter begins, in the order of the text."""
        return tuple(standing(self.facts, self.number))

    @cached_property
    def held_of(self) -> Mapping[str, tuple[Fact, ...]]:
        """The same by whom they are about."""
        found: dict[str, tuple[Fact, ...]] = {}
        for fact in self.held:
            found[fact.entity] = (*found.get(fact.entity, ()), fact)
        return found

    def with_scene(self, text: str) -> "PackState":
        """The same with one more scene of the chapter written."""
        return replace(self, written=(*self.written, text))
