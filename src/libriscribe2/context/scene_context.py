"""The context of a scene: its parts within a budget, and a manifest of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from libriscribe2.context.knowledge_parts import knowledge_parts
from libriscribe2.context.notes import (
    NOTES_ROOM,
    going_back,
    homes_elsewhere,
    notes_to_cite,
    other_notes,
    own_notes,
    unsupported_block,
)
from libriscribe2.context.people_and_facts import (
    PEOPLE_REMARK,
    RULES_ROOM,
    facts_part,
    people_part,
    places_part,
    shows_all_terms,
    state_part,
    told_of,
)
from libriscribe2.context.prompt_context import PromptContext
from libriscribe2.context.prompt_parts import (
    NEVER,
    ContextManifest,
    Fit,
    Fitted,
    Part,
    Rendered,
    ShownFact,
    ShownPart,
    block,
    fields_within,
    fitted,
    frame,
    lines_block,
    text_block,
)
from libriscribe2.context.story_so_far import (
    JOINT,
    after_part,
    ahead_part,
    joints,
    last_scene,
    next_part,
    passages_part,
    story_part,
    text_part,
    timeline_part,
    unseen_part,
)
from libriscribe2.models.excerpts import book_lines, chapter_block, rule_lines, scene_block
from libriscribe2.models.story_bible import Fact, Thread
from libriscribe2.prose import parts, shorten, tail, weigh

CLOSING: Final = 3
"""How many of the last chapters are shown what is still owed."""

LINE_BUDGET: Final = 200


def ending_part(state: PromptContext, budget: int) -> Rendered:
    """For the last chapters: the threads that are not paid off; how it ends, `promises` says."""
    left = state.chapters - state.number
    if left >= CLOSING:
        return Rendered()
    lines = [f"This is chapter {state.number} of {state.chapters}."]
    lines += [f"Still owed: {_owed(thread)}" for thread in unpaid(state)]
    return lines_block("ending", lines if len(lines) > 1 else [], budget)


def unpaid(state: PromptContext) -> list[Thread]:
    """The threads that are open when the chapter begins, those that must be paid off first.

    What a chapter did is told by its record, and by the plan where its record is not known.
    """
    earlier = [hit for n, hits in state.hits.items() if n < state.number for hit in hits]
    planned = range(1, state.number)
    open_ones = [
        thread
        for thread in state.outline.threads
        if not any(map(thread.is_paid_off, earlier))
        and not (thread.payoff in planned and thread.payoff not in state.hits)
    ]
    return sorted(open_ones, key=lambda thread: not thread.must)


def thread_lines(threads: list[Thread]) -> list[str]:
    """Every thread in a line: where it is set up, and where it is paid off."""
    return [f"- {_owed(thread)} (chapter {thread.setup}{_until(thread)})" for thread in threads]


def _owed(thread: Thread) -> str:
    return f"{thread.id}: {shorten(thread.promise, LINE_BUDGET)}"


def _until(thread: Thread) -> str:
    """Where a thread ends, in words."""
    if thread.payoff is not None:
        return f" to {thread.payoff}"
    return f", by {thread.due_by} at the latest" if thread.due_by is not None else ""


TITLE_BUDGET: Final = 160
LOGLINE_BUDGET: Final = 400
DESCRIPTION_BUDGET: Final = 3_000
PERSON_BUDGET: Final = 300
OVERVIEW_BUDGET: Final = 700
CONCEPT_ROOM: Final = 6_000
"""The concept, and what of it the sources do not bear out."""

TRUTH_BUDGET: Final = 1_600
TRUTH_REMARK: Final = "What really happened; the reader learns of it only what a scene reveals:"

_PERSON: Final = ("role", "motivation")


def prefix_parts(state: PromptContext) -> list[Part]:
    """The parts that hold nothing of the chapter, in the order of the system message."""
    return [
        Part("book", 2_000, NEVER, lambda room: text_block("book", book_lines(state.brief), room)),
        Part("concept", CONCEPT_ROOM, NEVER, lambda room: _concept(state, room)),
        *knowledge_parts(state.known, per_chapter=False),
        Part("whole_book", 1_600 + TRUTH_BUDGET, NEVER, lambda room: _summary(state, room)),
        Part("promises", 1_600, NEVER, lambda room: _promises(state, room)),
        Part("cast", 2_400, NEVER, lambda room: _cast(state, room)),
        Part("rules", RULES_ROOM + OVERVIEW_BUDGET + 30, NEVER, lambda room: _rules(state, room)),
        Part("threads", 1_600, NEVER, lambda room: _threads(state, room)),
    ]


def _concept(state: PromptContext, room: int) -> Rendered:
    concept = state.concept
    fields = {
        "title": shorten(concept.title, TITLE_BUDGET),
        "logline": shorten(concept.logline, LOGLINE_BUDGET),
    }
    # The whole book's summary says the same, as it is planned; each is told once.
    if not state.outline.summary:
        fields["description"] = shorten(concept.description, DESCRIPTION_BUDGET)
    beyond = unsupported_block(state.unsupported)
    text, cut = fields_within(fields, room - frame("concept") - weigh(beyond))
    return Rendered(block("concept", text) + beyond, cut)


def _summary(state: PromptContext, room: int) -> Rendered:
    told = state.outline.summary
    if state.outline.truth:
        told += f"\n{TRUTH_REMARK} {shorten(state.outline.truth, TRUTH_BUDGET)}"
    return text_block("whole_book", told, room)


def _promises(state: PromptContext, room: int) -> Rendered:
    lines = [f"- {promise}" for promise in state.outline.promises]
    if state.outline.ending:
        lines.insert(0, f"The ending: {state.outline.ending}")
    return lines_block("promises", [shorten(line, room // 2) for line in lines], room)


def _cast(state: PromptContext, room: int) -> Rendered:
    lines = []
    for person in state.cast:
        told = "; ".join(value for name in _PERSON if (value := str(getattr(person, name))))
        lines.append(f"- {person.name}: {shorten(told, PERSON_BUDGET)}")
    return lines_block("cast", lines, room, remark=PEOPLE_REMARK)


def _rules(state: PromptContext, room: int) -> Rendered:
    world = state.world
    if world is None:
        return Rendered()
    overview = text_block("world", world.overview, OVERVIEW_BUDGET)
    rules = lines_block(
        "rules", rule_lines(world, terms=shows_all_terms(world)), room - weigh(overview.text)
    )
    return Rendered(overview.text + rules.text, overview.cut or rules.cut)


def _threads(state: PromptContext, room: int) -> Rendered:
    return lines_block("threads", thread_lines(state.outline.threads), room)


def manifest_of(
    state: PromptContext, scene: int, budget: int, made: Sequence[Fitted]
) -> ContextManifest:
    """The manifest of a context; a part of which there is nothing is not in it."""
    return ContextManifest(
        chapter=state.number,
        scene=scene + 1,
        drafting=state.order.mode,
        budget=budget,
        parts=tuple(_part(one) for one in made if one.shown.text or one.trimmed or one.shown.cut),
        facts=tuple(_fact(fact) for one in made for fact in one.shown.facts),
    )


def _part(one: Fitted) -> ShownPart:
    shown = one.shown
    return ShownPart(
        name=one.part.name,
        size=weigh(shown.text),
        fit=_fit(one),
        chapters=shown.chapters,
        room=one.part.budget if shown.cut and not one.trimmed else 0,
    )


def _fit(one: Fitted) -> Fit:
    if not one.shown.text:
        return "left out"
    if one.trimmed:
        return "trimmed"
    return "cut" if one.shown.cut else "whole"


def _fact(fact: Fact) -> ShownFact:
    return ShownFact(
        entity=fact.entity,
        attribute=fact.attribute.value,
        value=fact.value,
        chapter=fact.chapter,
        line=fact.line,
        quote=fact.quote,
        file=fact.origin,
    )


BUDGET: Final = 42_000
"""Most that the parts of one scene's prompt take together, in the measure of `prose.weigh`.

With the prompt's own words and a schema that is less than 12,000 tokens of English.
"""

CHAPTER_ROOM: Final = 14_000
"""What a request shows of the chapter beside its text has so much room, however long the text is."""

SCENE_ROOM: Final = 5_000
"""What is kept free for what concerns one scene, or one question about the chapter."""

REQUEST: Final = 50_000
"""Most that a request about a whole chapter takes beside the words that all requests begin with:
with them, and with as much JSON as it has, less than 12,000 tokens of English."""

PART_LESS: Final = 5_800
"""So much less a request takes that shows a part of a chapter: what nearly fits is asked about once."""

LEAST_TEXT: Final = 8_000

WEIGHT_OF_WORD: Final = 6

PASSAGES: Final = 1_100
PASSAGES_OF_FACTS: Final = 4_000
"""A book without a record of what it states has the room of `FACTS` for its own words."""
FACTS: Final = 4_000
PLACES: Final = 6_000
HABITS: Final = 1_200
STATE: Final = 7_000
AHEAD: Final = 700
AHEAD_OF_LAST: Final = 6_000
"""What is written last is written from what all other chapters say."""

FULL: Final = 800
LEAST_MEMORY: Final = 0.17
"""A chapter of so many words is shown facts and summaries up to their budgets, a scene of so many
passages and habits, a shorter one less, down to this share: a prompt of a hundred times the text's
length would be paid for, and not be worth it."""

NOT_TRIMMED: Final = 10**6

NOTES_FRAME: Final = 640
"""What the notes' block takes besides its lines."""


@dataclass(frozen=True, slots=True)
class SceneContext:
    """A scene's prompt before it is worded.

    Attributes:
        values: The prompt's values, by the name of the hole.
        manifest: What is in it, and from where.
    """

    values: Mapping[str, str]
    manifest: ContextManifest


_TO_WRITE_ON: Final = frozenset({"passages", "ahead", "habits", "story_so_far"})


@dataclass(frozen=True, slots=True)
class ChapterHead:
    """What every request of a chapter shows first: the same for all of them.

    Attributes:
        state: All that the chapter may be written from.
        made: Its parts, in the order of the prompt.
        text_room: What the text may take.
        before: What is shown of the chapter before.
        notes: What requests of the chapter show of the author's notes besides.
        to_come: What the chapter's own text will take.
    """

    state: PromptContext
    made: tuple[Fitted, ...]
    text_room: int
    before: str
    notes: int = 0
    to_come: int = 0

    @property
    def size(self) -> int:
        """What it takes."""
        return sum(weigh(one.shown.text) for one in self.made)

    def body_room(self, question: int) -> int:
        """What the chapter's own text may take in a request about all of it.

        Args:
            question: What the task takes with its schema and what it shows besides.
        """
        shown = self.size + weigh(self.before) + self.notes
        return max(LEAST_TEXT, REQUEST - shown - question)

    def smaller(self, by: int) -> "ChapterHead":
        """The same with so much less, first of what is for whoever writes on and for no reader."""
        before = tail(self.before, JOINT)
        by -= weigh(self.before) - weigh(before)
        parts = [
            replace(one.part, least=0) if one.part.name in _TO_WRITE_ON else one.part
            for one in self.made
        ]
        made = fitted(parts, self.size - max(0, by))
        return replace(self, made=tuple(made), before=before)

    def values(self, written: Sequence[str], room: int = 0) -> dict[str, str]:
        """The values of a prompt about the chapter, of which some scenes are written.

        Args:
            written: The scenes, which lose what does not fit.
            room: What the text of the chapter may take if that is more than a scene's request has.
        """
        shown = {one.part.name: one.shown.text for one in self.made}
        room = max(self.text_room, weigh(self.before) + room + 2 * frame("text_before"))
        text = text_part(self.state, written, room, self.before)
        return shown | {"text_before": text.text}


def within_room(text: str, room: int) -> list[str]:
    """A chapter's text whole where there is room for it, else in parts."""
    return [text] if weigh(text) <= room else parts(text, room - PART_LESS)


def chapter_head(state: PromptContext, budget: int = BUDGET) -> ChapterHead:
    """What all requests of a chapter show first: the book, then the chapter as it begins."""
    book = fitted(prefix_parts(state), budget)
    left = budget - sum(weigh(one.shown.text) for one in book) - SCENE_ROOM * budget // BUDGET
    text = round(state.brief.words_per_chapter(state.chapters) * WEIGHT_OF_WORD)
    room = max(left - text, CHAPTER_ROOM * budget // BUDGET)
    made = fitted(_chapter_parts(state), min(room, max(0, left)))
    left -= sum(weigh(one.shown.text) for one in made)
    before = last_scene(state)
    if weigh(before) + text > left:
        before = tail(before, JOINT)
    return ChapterHead(state, (*book, *made), max(0, left), before, BUDGET - budget, text)


def scene_context(
    state: PromptContext,
    scene: int,
    written: Sequence[str] = (),
    budget: int = BUDGET,
    head: ChapterHead | None = None,
) -> SceneContext:
    """What a scene is written from.

    Args:
        state: All that the chapter may be written from.
        scene: The scene's place in the chapter, from 0.
        written: The scenes of the chapter that are written.
        budget: Most that all parts take together.
        head: What all requests of the chapter show first, where it is known.
    """
    head = head or chapter_head(state, budget)
    before = head.before if written else last_scene(state)
    text = Part(
        "text_before", head.text_room, NEVER, lambda room: text_part(state, written, room, before)
    )
    shown = fitted([text], budget)
    left = budget - head.size - sum(weigh(one.shown.text) for one in shown)
    made = [*head.made, *shown, *fitted(_scene_parts(state, scene), left)]
    return SceneContext(
        {one.part.name: one.shown.text for one in made} | {"joints": joints(state, scene)},
        manifest_of(state, scene, budget, made),
    )


def _chapter_parts(state: PromptContext) -> list[Part]:
    """What concerns the whole chapter, as of its first sentence, in the order of the prompt.

    What bears on it is whole while there is room: the second figure is what is left of a part
    before another one gives way.
    """
    words = state.brief.words_per_chapter(state.chapters)
    plan, share, of_scene = state.plan, _memory(words), _memory(words / len(state.scenes))
    has_record = state.brief.has_story_bible
    return [
        Part("characters", 10_000, 4, lambda room: people_part(plan, state, room), 3_000),
        Part("places", PLACES, 4, lambda room: places_part(plan, state, room), 1_600),
        Part("story_so_far", 12_000, 5, lambda room: story_part(state, room, share), 3_600),
        Part("chapter", 8_000, 10, lambda room: _chapter(state, room), 3_000),
        Part("ending", 1_600, NEVER, lambda room: ending_part(state, room)),
        Part("facts", round(FACTS * share), 6, lambda room: facts_part(plan, state, room), 2_000),
        Part("state", STATE, 6, lambda room: state_part(plan, state, room), 2_500),
        *knowledge_parts(state.known, per_chapter=True),
        Part(
            "ahead",
            AHEAD_OF_LAST if state.number in state.order.last else AHEAD,
            2,
            lambda room: ahead_part(state, room),
        ),
        Part("timeline", 1_200, 5, lambda room: timeline_part(state, room), 800),
        Part(
            *("passages", round(PASSAGES * of_scene if has_record else PASSAGES_OF_FACTS), 1),
            *(lambda room: passages_part(plan, state, room), 0),
        ),
        Part("habits", round(HABITS * max(0.5, of_scene)), 3, lambda room: _habits(state, room)),
    ]


def _scene_parts(state: PromptContext, scene: int) -> list[Part]:
    """What concerns one scene."""
    return [
        Part("notes", NOTES_ROOM, 8, lambda room: _notes(state, scene, room), 3_600),
        Part("as_planned", 1_400, 7, lambda room: unseen_part(scene, state, room)),
        Part("text_after", 2_000, 7, lambda room: after_part(scene, state, room)),
        Part("scene", NOT_TRIMMED, NEVER, lambda _room: _scene(state, scene)),
        Part("next", 700, 9, lambda room: next_part(scene, state, room)),
    ]


def _memory(words: float) -> float:
    """How much of what is remembered a text of so many words is shown."""
    return min(1.0, max(LEAST_MEMORY, words / FULL))


def _chapter(state: PromptContext, room: int) -> Rendered:
    """The plan of the chapter; its last fields go first."""
    told = json.loads(chapter_block(state.chapter, state.number, state.chapters))
    filled = {name: value for name, value in told.items() if value not in ("", [], None)}
    text, cut = fields_within(filled, room - frame("chapter"))
    return Rendered(block("chapter", text), cut)


def _scene(state: PromptContext, scene: int) -> Rendered:
    """The plan of the scene, whole."""
    # The request says its length, which follows from how long the scenes before have become.
    plan = state.scenes[scene].model_copy(update={"target_words": 0})
    told = scene_block(plan, scene + 1, len(state.scenes))
    return Rendered(block("scene", told))


def _habits(state: PromptContext, room: int) -> Rendered:
    """What the book has used up."""
    made = text_block("habits", state.habits, room)
    return replace(made, chapters=state.heeded if made.text else ())


def _notes(state: PromptContext, scene: int, room: int) -> Rendered:
    """The facts of the research that a scene may state, with their marks: its own ones always."""
    if not state.notes:
        return Rendered()
    plan, budget = state.scenes[scene], max(0, room - NOTES_FRAME)
    own = own_notes(plan, state.notes)
    elsewhere = homes_elsewhere(state.outline, state.number, state.scenes, scene)
    about = f"{state.chapter.title} {told_of(plan)}"
    shown = {note.id for note in own}
    back = [one for one in going_back(state.outline, state.number) if one not in shown]
    others = other_notes(about, state.notes, elsewhere | shown, back)
    return Rendered(notes_to_cite(own, others, state.sources, budget))
