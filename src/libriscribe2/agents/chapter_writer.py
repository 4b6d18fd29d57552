"""The chapters: prose, scene by scene."""

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import ClassVar, Final

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.agents.agent_reviser import Reviser
from libriscribe2.agents.agent_scene import SceneCall, with_opening, without_stub, write_scene
from libriscribe2.checks.text_lengths import Wanted, chapter_words, habit_at, scene_words
from libriscribe2.context.knowledge_parts import BOOK_FILES, CHAPTER_PATTERNS, chapter_files
from libriscribe2.context.prompt_context import PromptContext, read_context
from libriscribe2.context.prompt_parts import Fit, ShownPart, block, text_block
from libriscribe2.context.revision_context import gate_context, shown_for_revision
from libriscribe2.context.scene_context import (
    BUDGET,
    ChapterHead,
    SceneContext,
    chapter_head,
    scene_context,
)
from libriscribe2.context.story_so_far import REMEMBERED, joined_scenes, scenes_of
from libriscribe2.errors import ProjectError
from libriscribe2.llm.backend import WHOLE_CHAPTER
from libriscribe2.models.citations import facts, with_known_ids
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.excerpts import scene_block
from libriscribe2.models.story import ScenePlan, ScenesFile
from libriscribe2.project.paths import (
    CHAPTER_FILES,
    CHARACTERS,
    CONCEPT,
    DRAFT_FILES,
    OUTLINE,
    RESEARCH_NOTES,
    SCENES,
    SERIES_FACTS,
    STORY_BIBLE_FILES,
    SUMMARY_FILES,
    WORLD,
    chapter_file,
    draft_file,
    note_on,
    story_bible_file,
    summary_file,
)
from libriscribe2.prose import count_words, divided, round_words, shorten, trimmed, weigh
from libriscribe2.telemetry import REVISION_JUDGED

logger = logging.getLogger(__name__)

WHOLE: Final = "chapter_whole"
"""The prompt that asks for all scenes of a chapter at once."""

AUTHOR_NOTES: Final = "author_notes"
"""How the manifest of a prompt calls the author's notes."""

NEXT_BUDGET: Final = 2_000
NEXT_REMARK: Final = (
    "The next scene is written and begins with this. Lead up to it and repeat nothing of it."
)

_CHAPTER_TITLE: Final = re.compile(r"\A\s*#[ \t][^\n]*\n+")
"""A title of the first level alone: the headings of sections stay."""

_HEADING: Final = re.compile(r"\A\s*(?:#{1,6}[ \t][^\n]*|\*\*[^\n*]{1,80}\*\*)\n+")
"""A title that a text begins with; the chapter has its own."""


class ChapterWriterAgent(Agent):
    """Writes a chapter from its plan, the record of what came before and the text around it."""

    name = "chapters"
    heeds = "chapters"
    also_called = ("chapter", "scene")
    reads = (CONCEPT, CHARACTERS, WORLD, OUTLINE, SCENES, *BOOK_FILES, RESEARCH_NOTES, SERIES_FACTS)
    reads_earlier: ClassVar[tuple[str, ...]] = (
        CHAPTER_FILES,
        SUMMARY_FILES,
        STORY_BIBLE_FILES,
        DRAFT_FILES,
        *CHAPTER_PATTERNS,
    )
    brief_keys = (*BOOK_KEYS, "words", "project_type")
    writes = CHAPTER_FILES
    prompts = (
        *("chapter", "chapters", WHOLE, "continue", "openings"),
        *("critique", "critique_again", "citations", "patches"),
    )

    @override
    @classmethod
    def inputs(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """Also the neighbours and the summaries of the last few chapters, where they are known.

        Where all chapters are drafted at once, its own draft and that of the chapter before; what
        is written last works from the summaries of all others.
        """
        number = unit.chapter or 1
        drafts = order.drafts(number)
        if drafts:
            return (*cls.reads, *map(draft_file, drafts))
        beside = [n for n in (order.before(number), order.after(number)) if n]
        known, near = order.known(number), range(number - REMEMBERED, number)
        earlier = known if number in order.last else [n for n in known if n in near]
        files = (*map(chapter_file, beside), *map(summary_file, earlier))
        return (*cls.reads, *files)

    @override
    @classmethod
    def awaits(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """Also every chapter that it may be written from, with what is recorded of it."""
        number = unit.chapter or 1
        known = order.known(number)
        earlier = [n for n in known if n < number - REMEMBERED]
        looked_up = (
            *map(chapter_file, known),
            *map(story_bible_file, known),
            *map(summary_file, earlier),
            *chapter_files(number, order),
        )
        return (*cls.inputs(unit, order), *looked_up)

    @override
    async def execute(self, unit: Unit) -> str:
        """Write the chapter, or only the opening of one that was drafted with all others.

        Where only some of its scenes are asked for again, the others stay as they are.
        """
        number = unit.chapter or 1
        self.made_from.plans = self.book.plan_shas(number)
        parts = unit.part.split("+") if unit.part else self.book.parts_asked_again(unit.step)
        if parts and self.book.has(unit.output):
            return await self._anew(unit, sorted(int(part[-2:]) for part in parts))
        drafts = self._drafts(number)
        if drafts == (number,):
            return self.book.text(draft_file(number))
        state = self._state(unit)
        if drafts:
            context = scene_context(state, 0, budget=self._budget(unit))
            text = await with_opening(self, unit, context.values)
            self.made_from.draft = self.book.draft_of(draft_file(number)) or ""
            return text
        head = chapter_head(state, self._budget(unit))
        at_once = self.context.whole_chapters and len(state.scenes) > 1
        written: list[str] = []
        lengths = self._lengths(state, at_once=at_once)
        due = 0
        for wanted in lengths:
            lacking = due - sum(map(count_words, written))
            now = wanted.with_share_of(lacking, len(lengths) - len(written))
            call = (self._all_scenes if at_once else self._scene)(unit, head, now, written)
            written.append(self._usable(call, await write_scene(self, unit, call)))
            due += wanted.words
        draft = f"# {state.chapter.title}\n\n{joined_scenes(written)}\n"
        if not self.brief.revision:
            return draft
        asked = round_words(sum(wanted.asked for wanted in lengths))
        gates, shown = gate_context(state, asked), shown_for_revision(state)
        revised = await Reviser(self, head).revised(unit, draft, gates, shown)
        text = await self._better_of(unit, draft, revised)
        self.made_from.draft = draft if text != draft else ""
        return text

    async def _anew(self, unit: Unit, scenes: Iterable[int]) -> str:
        """Write some scenes of a chapter again, between the others as they are.

        Raises:
            ProjectError: The text does not have the scenes that are planned.
        """
        state, made = self._state(unit), self.book.made(unit.output)
        title, written = planned_scenes(self.book.text(unit.output), unit.output, len(state.scenes))
        head, number = chapter_head(state, self._budget(unit)), state.number
        if made is not None:
            self.made_from.keys += made.keys
            self.made_from.models += made.params.get("models", [])
            self.made_from.prompts |= made.params.get("prompts", {})
        old = {} if made is None else {one["scene"]: one for one in made.params.get("packs", [])}
        lengths = self._lengths(state)
        for scene in scenes:
            before, after = written[: scene - 1], written[scene:]
            call = self._scene(unit, head, lengths[scene - 1], before, after)
            written[scene - 1] = self._usable(call, await write_scene(self, unit, call))
        old |= {one["scene"]: one for one in self.made_from.manifests}
        self.made_from.manifests = [old[scene] for scene in sorted(old)]
        settled = {note_on(number, scene) for scene in scenes}
        touched = set(self.book.touched_scenes(number)) - {*scenes}
        if touched:  # their plan was changed, too, and they are not written by it yet
            then = made.params["plans"] if made is not None else []
            plans = enumerate(zip(then, self.made_from.plans, strict=True), start=1)
            self.made_from.plans = [old if n in touched else new for n, (old, new) in plans]
        self.made_from.settled = frozenset(settled if touched else {*settled, SCENES})
        return f"{title}{joined_scenes(written)}\n"

    async def _better_of(self, unit: Unit, draft: str, revised: str) -> str:
        """The revised text, or the draft where an evaluator prefers it; the remark says why."""
        evaluator = self.context.evaluator
        if evaluator is None or revised == draft:
            return revised
        decision = await evaluator.decide(unit.chapter or 1, draft, revised)
        logger.info("%s: %s: %s", REVISION_JUDGED, unit.step, decision.reason)
        self.remark(decision.reason)
        return revised if decision.keeps else draft

    def _state(self, unit: Unit) -> PromptContext:
        """All that the chapter may be written from.

        Raises:
            ProjectError: A file cannot be used.
        """
        number = unit.chapter or 1
        return read_context(self.brief, self.book, number, self._plan(number), self._order())

    def _drafts(self, number: int) -> tuple[int, ...]:
        """The chapters whose drafts the text is made from: its own, and the one before."""
        return self._order().drafts(number)

    def _order(self) -> DraftOrder:
        """In which order the chapters are drafted."""
        return DraftOrder.planned(self.brief.drafting, self.brief.kind, self.book.roles())

    def _words(self, state: PromptContext) -> float:
        """The wanted words of the chapter."""
        return chapter_words(self.brief, state.outline.chapters)[state.number - 1]

    def _lengths(self, state: PromptContext, *, at_once: bool = False) -> list[Wanted]:
        """How long each text that is asked for is to be: one for each scene, or one for all."""
        lengths = chapter_words(self.brief, state.outline.chapters)
        actual = {n: _written(text) for n, text in state.texts.items()}
        wanted = {n: round(lengths[n - 1]) for n in actual}
        habit, words = habit_at(state.number, actual, wanted, state.order.known), self._words(state)
        if at_once:
            return [Wanted(round(words), habit)]
        return [Wanted(one, habit) for one in scene_words(words, state.scenes)]

    def _scene(
        self,
        unit: Unit,
        head: ChapterHead,
        wanted: Wanted,
        written: Sequence[str],
        after: Sequence[str] = (),
    ) -> SceneCall:
        """What is asked for the scene that comes after those that are written."""
        part = f"scene{len(written) + 1:02d}"
        budget = self._budget(unit, part)
        context = scene_context(head.state, len(written), written, budget, head)
        if after:
            shown = text_block("text_after", after[0], NEXT_BUDGET, remark=NEXT_REMARK).text
            context = replace(context, values={**context.values, "text_after": shown})
        context = self._with_notes(context, unit, part)
        return SceneCall(context, wanted, head, written, part, ChapterWriterAgent.name)

    def _all_scenes(
        self, unit: Unit, head: ChapterHead, wanted: Wanted, written: Sequence[str]
    ) -> SceneCall:
        """One question for all scenes, which shows what any of them may be written from."""
        state = head.state
        one_plan = replace(state, scenes=(state.plan,))
        budget = self._budget(unit)
        whole = scene_context(one_plan, 0, budget=budget, head=head)
        # What is asked about the chapter afterwards begins alike and shows its text besides.
        least = max(whole.manifest.size, budget - head.to_come)
        manifest = whole.manifest.model_copy(update={"budget": least})
        scenes = [one.model_copy(update={"target_words": 0}) for one in state.scenes]
        plans = (scene_block(one, n, len(scenes)) for n, one in enumerate(scenes, 1))
        values = {**whole.values, "scene": block("scenes", "\n".join(plans))}
        context = self._with_notes(SceneContext(values, manifest), unit, WHOLE_CHAPTER)
        return SceneCall(context, wanted, head, written, WHOLE_CHAPTER, WHOLE)

    def _usable(self, call: SceneCall, text: str) -> str:
        """A text with the heading that is planned and no other, which cites notes that there are."""
        notes = self.book.notes()
        ids = {note.id for note in facts(notes)} if notes else ()
        text = with_known_ids(trimmed(text), ids) if ids else trimmed(text)
        scenes = call.head.state.scenes
        if call.prompt == WHOLE:
            text, beside = without_stub(text, len(scenes))
            if beside:
                self.remark(f"left out beside the scenes: “{shorten(beside, 60)}”")
            own = _CHAPTER_TITLE if any(scene.heading for scene in scenes) else _HEADING
            return trimmed(own.sub("", text, count=1))
        heading = " ".join(scenes[len(call.written)].heading.strip("# ").split())
        return f"## {heading}\n\n{_HEADING.sub('', text, count=1)}" if heading else text

    def _with_notes(self, context: SceneContext, unit: Unit, part: str) -> SceneContext:
        """A context whose manifest also names the author's notes that the request shows."""
        parts = (*context.manifest.parts, *self._shown(unit, part))
        return replace(context, manifest=context.manifest.model_copy(update={"parts": parts}))

    def _budget(self, unit: Unit, part: str = "") -> int:
        """What the parts of a prompt take beside the author's notes."""
        return BUDGET - sum(one.size for one in self._shown(unit, part))

    def _shown(self, unit: Unit, part: str) -> list[ShownPart]:
        """The author's notes as a part of the prompt; nothing where there are none."""
        text, cut = self._noted(unit.at(part))
        fit: Fit = "cut" if cut else "whole"
        return [ShownPart(name=AUTHOR_NOTES, size=weigh(text), fit=fit)] if text else []

    def _plan(self, number: int) -> Sequence[ScenePlan]:
        """The chapter's scenes.

        Raises:
            ProjectError: Its plan is missing or empty; no code makes one up.
        """
        planned = self.book.load(SCENES, ScenesFile).chapters
        scenes = planned[number - 1].scenes if number <= len(planned) else []
        if not scenes:
            raise ProjectError(
                f"{SCENES} has no scenes for chapter {number}",
                fix=f"Add them to {SCENES}, or plan all scenes again: "
                "`libriscribe2 redo PROJECT scenes`.",
            )
        return scenes


def planned_scenes(text: str, name: str, planned: int) -> tuple[str, list[str]]:
    """A chapter's title, as it stands there, and its scenes.

    Args:
        text: The chapter.
        name: Its file.
        planned: How many scenes it has to have.

    Raises:
        ProjectError: It has more or fewer.
    """
    title, body = divided(text)
    scenes = [*map(trimmed, scenes_of(body))]
    if len(scenes) != planned:
        raise ProjectError(
            f"{name} does not have the scenes of its plan",
            why=f"its scene breaks make {len(scenes)} of it, {SCENES} plans {planned}",
            fix="Put the breaks (a line `* * *`) where the plan has them, or write the whole "
            "chapter again.",
        )
    return title, scenes


def _written(text: str) -> int:
    """The words of a chapter without its title."""
    return count_words(text.partition("\n")[2])


class DraftWriterAgent(ChapterWriterAgent):
    """Writes a chapter from its plan alone, while all others are written too."""

    name = "drafts"
    also_called = ("draft", "chapters")
    reads_earlier = ()
    writes = DRAFT_FILES
    wanted_if = "is_drafted_at_once"
    lazy = True

    @override
    @classmethod
    def inputs(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """No other chapter."""
        del unit, order
        return cls.reads

    @override
    async def execute(self, unit: Unit) -> str:
        """Write the chapter's scenes one after the other and join them under its title."""
        text = await super().execute(unit)
        self.made_from.plans = []  # the chapter's own record has them
        return text

    @override
    def _drafts(self, number: int) -> tuple[int, ...]:
        """None: it is the draft."""
        return ()
