"""The pack of a scene: `pack(state, scene, budget)` is a pure function of what is known."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from libriscribe2.models.citations import notes_to_cite
from libriscribe2.models.excerpts import chapter_block, scene_block
from libriscribe2.packs.blocks import block, fields_within, frame, text_block
from libriscribe2.packs.endings import ending_part
from libriscribe2.packs.ledger import facts_part
from libriscribe2.packs.manifest import PackManifest, manifest_of
from libriscribe2.packs.naming import told_of
from libriscribe2.packs.part import NEVER, Part, Rendered, fitted
from libriscribe2.packs.passages import passages_part
from libriscribe2.packs.people import people_part, places_part
from libriscribe2.packs.prefix import prefix_parts
from libriscribe2.packs.state import PackState
from libriscribe2.packs.story import ahead_part, story_part, timeline_part
from libriscribe2.packs.surroundings import after_part, before_part, next_part, unseen_part
from libriscribe2.prose import weigh

BUDGET: Final = 32_000
"""Most that the parts of one scene's prompt take together, in the measure of `text_budget`.

With the prompt's own words that is less than 12,000 tokens even of a text that has three
characters to a token, so a model that reads 16,000 has room for its answer.
"""

STORY: Final = 3_600
PASSAGES: Final = 2_200
FACTS: Final = 3_000
"""Most that the memory of the chapters behind takes. What it does not need, early in a book, is
for the plan of those ahead (`ahead`), and then for more of the text before."""

FULL_SCENE: Final = 800
LEAST_MEMORY: Final = 0.3
"""A scene of `FULL_SCENE` words has all of the memory, a shorter one less, down to this share: a
prompt of a hundred times the scene's length would be paid for, and not be worth it."""

BEFORE: Final = 3_800
MORE_BEFORE: Final = 3_000
"""The text before: what it always has room for, and what it takes at most of the memory's room; a
scene of usual length is then shown whole."""

NOT_TRIMMED: Final = 10**6

NOTES_FRAME: Final = 440
"""What the notes' block takes besides its lines."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A scene's prompt before it is worded.

    Attributes:
        values: The prompt's values, by the name of the hole.
        manifest: What is in it, and from where.
    """

    values: Mapping[str, str]
    manifest: PackManifest


def pack(state: PackState, scene: int, budget: int = BUDGET) -> Packed:
    """What a scene is written from.

    Args:
        state: All that it may be written from.
        scene: Its place in the chapter, from 0.
        budget: Most that all parts take together.
    """
    made = fitted(_parts(state, scene), budget)
    return Packed(
        {one.part.name: one.shown.text for one in made},
        manifest_of(state, scene, budget, made),
    )


class _Memory(NamedTuple):
    """What the memory of the chapters behind takes at most, part by part."""

    story: int
    passages: int
    facts: int

    @classmethod
    def of(cls, state: PackState) -> "_Memory":
        """The memory of a chapter's scenes, by how long they are to be."""
        words = state.brief.words_per_chapter(state.chapters) / len(state.scenes)
        share = min(1.0, max(LEAST_MEMORY, words / FULL_SCENE))
        # Of what happened even a short scene has to know the outline.
        return cls(round(STORY * (1 + share) / 2), round(PASSAGES * share), round(FACTS * share))


def _parts(state: PackState, scene: int) -> list[Part]:
    """All parts, in the order of the prompt."""
    memory = _Memory.of(state)
    parts = (*prefix_parts(state), *_own_parts(state, scene, memory))
    made = {part.name: part for part in parts}
    story, passages, facts = memory
    past = made["story_so_far"].render(story).text + made["passages"].render(passages).text
    left = story + passages - weigh(past)
    made["ahead"] = replace(made["ahead"], budget=left)
    left += facts - weigh(made["ahead"].render(left).text) - weigh(made["facts"].render(facts).text)
    more = BEFORE + min(left, MORE_BEFORE)
    made["text_before"] = replace(made["text_before"], budget=more)
    return list(made.values())


def _own_parts(state: PackState, scene: int, memory: _Memory) -> list[Part]:
    """The parts that belong to the scene, in the order of the prompt."""
    plan = state.scenes[scene]
    return [
        Part("chapter", 3_000, 10, lambda room: _chapter(state, room)),
        Part("ending", 1_200, NEVER, lambda room: ending_part(state, room)),
        Part("characters", 2_800, 8, lambda room: people_part(plan, state, room)),
        Part("places", 1_200, 4, lambda room: places_part(plan, state, room)),
        Part("facts", memory.facts, 6, lambda room: facts_part(plan, state, room)),
        Part("story_so_far", memory.story, 2, lambda room: story_part(state, room)),
        Part("ahead", 0, 2, lambda room: ahead_part(state, room)),
        Part("timeline", 800, 5, lambda room: timeline_part(plan, state, room)),
        Part("passages", memory.passages, 1, lambda room: passages_part(plan, state, room)),
        Part("habits", 1_200, 3, lambda room: _habits(state, room)),
        Part("notes", 3_600, 8, lambda room: _notes(state, scene, room)),
        Part("text_before", BEFORE, 7, lambda room: before_part(state, room)),
        Part("as_planned", 1_400, 7, lambda room: unseen_part(scene, state, room)),
        Part("text_after", 2_000, 7, lambda room: after_part(scene, state, room)),
        Part("scene", NOT_TRIMMED, NEVER, lambda _room: _scene(state, scene)),
        Part("next", 340, 9, lambda room: next_part(scene, state, room)),
    ]


def _chapter(state: PackState, room: int) -> Rendered:
    """The plan of the chapter; its last fields go first."""
    told = json.loads(chapter_block(state.chapter, state.number, state.chapters))
    filled = {name: value for name, value in told.items() if value not in ("", [], None)}
    text, cut = fields_within(filled, room - frame("chapter"))
    return Rendered(block("chapter", text), cut)


def _scene(state: PackState, scene: int) -> Rendered:
    """The plan of the scene, whole."""
    told = scene_block(state.scenes[scene], scene + 1, len(state.scenes))
    return Rendered(block("scene", told))


def _habits(state: PackState, room: int) -> Rendered:
    """What the book has used up."""
    made = text_block("habits", state.habits, room)
    return replace(made, chapters=state.heeded if made.text else ())


def _notes(state: PackState, scene: int, room: int) -> Rendered:
    """The facts of the research that a scene may state, with their marks."""
    about = f"{told_of(state.scenes[scene])} {chapter_block(state.chapter, 1, 1)}"
    budget = max(0, room - NOTES_FRAME)
    return Rendered(notes_to_cite(state.notes, about, budget))
