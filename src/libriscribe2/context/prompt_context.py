"""All that a chapter's scenes may be written from; which facts are in force."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from libriscribe2.models.brief import Brief
from libriscribe2.models.canon import HARD_STANCES, Attribute, ExitState, Fact, ThreadHit, ToldEvent
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

FIXED: Final = frozenset(
    {
        Attribute.EYES,
        Attribute.HAIR,
        Attribute.BIRTHDAY,
        Attribute.KIN,
        Attribute.ALIAS,
        Attribute.RULE,
        Attribute.DISTANCE,
        Attribute.COUNT,
    }
)
"""What is so from the first page to the last, wherever the text says it."""

_ONE_AT_A_TIME: Final = frozenset(
    {
        Attribute.LOCATION,
        Attribute.AGE,
        Attribute.JOB,
        Attribute.RANK,
        Attribute.ALIVE,
        Attribute.EYES,
        Attribute.HAIR,
        Attribute.BIRTHDAY,
        Attribute.DISTANCE,
        Attribute.COUNT,
    }
)
"""What has one value at a time; of the others there may be several."""

_WORD: Final = re.compile(r"\w+")


def facts_in_force(facts: Iterable[Fact], chapter: int) -> list[Fact]:
    """The facts that hold when a chapter begins, in the order of the text.

    What may change holds only as earlier chapters left it; what never does also holds where only
    a later chapter says it. Of several tellings of one thing, the first stands for what is fixed
    and the last for what changes.

    Args:
        facts: The facts in the order of the text.
        chapter: The chapter, from 1.
    """
    held: dict[tuple[str, ...], Fact] = {}
    for fact in facts:
        if fact.stance not in HARD_STANCES:
            continue
        if fact.attribute in FIXED:
            held.setdefault(_key(fact), fact)
        elif fact.chapter < chapter:
            held[_key(fact)] = fact
    return sorted(held.values(), key=lambda fact: fact.place)


def _key(fact: Fact) -> tuple[str, ...]:
    """What two facts have to share for one to take the place of the other."""
    about = fact.entity.casefold(), fact.attribute.value
    if fact.attribute in _ONE_AT_A_TIME:
        return about
    if fact.attribute is Attribute.POSSESSION:  # `has: a knife`, then `lost: a knife`
        return (*about, _plain(fact.value.partition(":")[2] or fact.value))
    return (*about, _plain(fact.value))


def _plain(value: str) -> str:
    """A value in a form that can be compared."""
    return " ".join(_WORD.findall(value.casefold()))


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
        return tuple(facts_in_force(self.facts, self.number))

    @cached_property
    def held_of(self) -> Mapping[str, tuple[Fact, ...]]:
        """The same by whom they are about."""
        found: dict[str, tuple[Fact, ...]] = {}
        for fact in self.held:
            found[fact.entity] = (*found.get(fact.entity, ()), fact)
        return found

    def with_scene(self, text: str) -> "PromptContext":
        """The same with one more scene of the chapter written."""
        return replace(self, written=(*self.written, text))
