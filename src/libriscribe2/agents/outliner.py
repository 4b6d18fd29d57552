"""The plan of a book: its outline, and the scenes of every chapter."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel
from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.checks.plan.plan import plan_with
from libriscribe2.checks.plan.plan_report import allowances, as_list, faults
from libriscribe2.context.notes import homeless, notes_to_plan, with_all_homed, with_known_notes
from libriscribe2.context.prompt_parts import block
from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.models.brief import CountRange
from libriscribe2.models.excerpts import (
    MendedOutline,
    MendedOutlineOfFacts,
    book_lines,
    cards,
    chapter_block,
    concept_block,
    outline_lines,
    premise_block,
    scene_block,
    scene_record,
    to_json,
    world_lines,
)
from libriscribe2.models.findings import Finding
from libriscribe2.models.story import (
    ChapterScenes,
    ChapterSections,
    ConceptFile,
    NoteHomes,
    OutlineChapter,
    OutlineFile,
    OutlineOfFacts,
    PlannedChapter,
    ScenesFile,
    WorldFile,
)
from libriscribe2.models.story_bible import Thread
from libriscribe2.models.style import STYLE
from libriscribe2.project.paths import CHARACTERS, CONCEPT, OUTLINE, RESEARCH_NOTES, SCENES, WORLD
from libriscribe2.prose import shorten, weigh
from libriscribe2.telemetry import PLAN_NOT_MENDED

logger = logging.getLogger(__name__)

PEOPLE_FIELDS: Final = (
    *("name", "role", "motivation", "conflict", "relationships", "arc", "background", "age"),
    *("personality", "appearance"),
)
"""What a planner is shown of the people, the most important first."""

BATCH: Final = 15
"""Most chapters in one reply: more would pass the output limit of many models."""

CARD_BUDGET: Final = 8_000
WORLD_BUDGET: Final = 5_000
SO_FAR_BUDGET: Final = 6_000
MOST_THREADS: Final = 16
ID_BUDGET: Final = 40
PROMISE_BUDGET: Final = 160
STATE_BUDGET: Final = 400
TIME_BUDGET: Final = 80
FAULTS_BUDGET: Final = 4_000


class OutlinerAgent(Agent):
    """Plans the chapters, a batch at a time where there are many.

    Where rules in code find faults in the plan, the model is asked once to mend them. In a book of
    facts each note has its home in one chapter, or a reason why it has none: the model is asked
    once for those that it forgot.
    """

    name = "outline"
    heeds = "outline"
    reads = (CONCEPT, CHARACTERS, WORLD, RESEARCH_NOTES)
    brief_keys = ("premise", *BOOK_KEYS, "chapters", "project_type")
    writes = OUTLINE
    shape = OutlineFile
    prompts = ("outline", "outline_mend", "outline_homes")

    @override
    async def execute(self, unit: Unit) -> OutlineFile:
        """Ask for the chapters, in the number that the author wants."""
        wanted = self.brief.chapter_range()
        outline = await self._batch(unit, None, wanted)
        while len(outline.chapters) < wanted.low:
            outline = _joined(outline, await self._batch(unit, outline, wanted))
        if self.brief.kind != "fiction":
            outline = with_known_notes(outline, self.book.notes())
            outline = await self._all_homed(unit, outline)
        found = self._faults(outline)
        return await self._mended(unit, outline, found) if found else outline

    async def _batch(
        self, unit: Unit, so_far: OutlineFile | None, wanted: CountRange
    ) -> OutlineFile:
        """The next chapters after those so far."""
        done = 0 if so_far is None else len(so_far.chapters)
        low = min(BATCH, wanted.low - done)
        last = done + low >= wanted.low
        high = None if wanted.high is None else min(BATCH, wanted.high - done)
        count = CountRange(low, high if last else low)
        concept = concept_block(self.book.load(CONCEPT, ConceptFile).concept)
        notes = notes_to_plan(self.book.notes(), self.book.sources(), self.book.answers())
        is_story = self.brief.kind == "fiction"
        shape: type[OutlineFile | OutlineOfFacts] = OutlineFile if is_story else OutlineOfFacts
        told = await self.ask(
            unit,
            shape,
            part=f"from{done + 1:02d}" if done else "",
            limits={"chapters": count.bounds()},
            premise=premise_block(self.brief),
            book=book_lines(self.brief),
            concept=concept,
            characters=cards(self.book.characters(), PEOPLE_FIELDS, CARD_BUDGET),
            places=cards(self.book.places(), ("name", "description"), CARD_BUDGET),
            notes=self._world() + notes,
            so_far="" if so_far is None else _planned(so_far),
            wanted=self._wanted(count, done, wanted.low, last=last),
        )
        return told.as_file()

    async def _all_homed(self, unit: Unit, outline: OutlineFile) -> OutlineFile:
        """The outline with a home for the notes that it forgot: asked for once."""
        left = homeless(outline, self.book.notes())
        if not left:
            return outline
        try:
            homes = await self.ask(
                unit,
                NoteHomes,
                prompt="outline_homes",
                part="homes",
                book=book_lines(self.brief),
                outline=outline_lines(outline, (0,)),
                notes=notes_to_plan(left, self.book.sources(), self.book.answers()),
            )
        except MaxRetriesExceededError as error:
            logger.warning("%s: %s: %s", PLAN_NOT_MENDED, unit.step, error.what)
            return outline
        return with_known_notes(homes.applied_to(outline), self.book.notes())

    def _world(self) -> str:
        """What holds in the world, as a block: a plan that breaks a rule cannot be written."""
        if not self.book.has(WORLD):
            return ""
        told = world_lines(self.book.load(WORLD, WorldFile), WORLD_BUDGET)
        return f"\n\n<world>\n{told}\n</world>\n\nThe plan keeps the rules of this world."

    def _wanted(self, count: CountRange, done: int, whole: int, *, last: bool) -> str:
        """What this batch is asked for, in words."""
        chapters = f"{count.wording('chapter')} of about {self.brief.words_per_chapter(whole):,} words each"
        if not done:
            first = f"the first {chapters}, of a book of {whole} chapters"
            return f"the whole book in {chapters}" if last else first
        ending = ", which bring the book to its end" if last else ""
        return f"the next {chapters}, after chapter {done} of a book of {whole} chapters{ending}"

    async def _mended(
        self, unit: Unit, outline: OutlineFile, found: Sequence[Finding]
    ) -> OutlineFile:
        """The outline with fewer faults, or as it was: asked for once, whatever comes of it."""
        is_story = self.brief.kind == "fiction"
        shown = {
            "book": book_lines(self.brief),
            "outline": outline_lines(outline, (one.where.chapter for one in found)),
            "faults": as_list(found, FAULTS_BUDGET),
            "threads": block("threads", _threads(outline.threads)) if is_story else "",
        }
        shape: type[BaseModel] = MendedOutline if is_story else MendedOutlineOfFacts
        try:
            mend = await self.ask_about(unit, shape, "outline_mend", shown, part="lint1")
        except MaxRetriesExceededError as error:
            logger.warning("%s: %s: %s", PLAN_NOT_MENDED, unit.step, error.what)
            return outline
        mended = MendedOutline.model_validate(mend.model_dump()).applied_to(outline)
        return mended if len(self._faults(mended)) < len(found) else outline

    def _faults(self, outline: OutlineFile) -> tuple[Finding, ...]:
        """What code is sure to be wrong in an outline and the author does not let stand."""
        plan = plan_with(self.brief, self.book, outline)
        self.made_from.allow = self.brief.allow
        return faults(plan, OUTLINE, allowances(self.brief.allow))


def _joined(outline: OutlineFile, more: OutlineFile) -> OutlineFile:
    """An outline with the chapters of a further batch; what it says of a thread is newer."""
    threads = {one.id: one for one in (*outline.threads, *more.threads)}
    joined = {
        "promises": outline.promises or more.promises,
        "ending": outline.ending or more.ending,
        "threads": list(threads.values()),
        "chapters": [*outline.chapters, *more.chapters],
        "left_out": [*outline.left_out, *more.left_out],
    }
    return outline.model_copy(update=joined)


def _planned(so_far: OutlineFile) -> str:
    """The chapters of earlier batches as a block, the latest in full, and the threads."""
    each = SO_FAR_BUDGET // len(so_far.chapters)
    lines = "\n".join(
        f"{number}. {chapter.title}: {shorten(chapter.summary, each)}"
        for number, chapter in enumerate(so_far.chapters, start=1)
    )
    last = so_far.chapters[-1]
    left = {
        "opening_move": last.opening_move,
        "ending_move": last.ending_move,
        "exit_state": shorten(last.exit_state, STATE_BUDGET),
        "story_time": shorten(last.story_time, TIME_BUDGET),
    }
    told = f"These chapters are planned already.\n\n<outline>\n{lines}\n</outline>"
    if any(left.values()):
        told += f"\n\nThe last of them ends so: {to_json(left)}"
    if so_far.threads:
        threads = f"<threads>\n{_threads(so_far.threads)}\n</threads>"
        told += f"\n\n{threads}\n\nList only threads that are new, or that have changed."
    return told


def _threads(threads: Sequence[Thread]) -> str:
    """Threads as lines of JSON."""
    shown = (
        one.model_dump()
        | {"id": shorten(one.id, ID_BUDGET), "promise": shorten(one.promise, PROMISE_BUDGET)}
        for one in threads[:MOST_THREADS]
    )
    return "\n".join(map(to_json, shown))


SCENES_CARD_BUDGET: Final = 4_000
NEIGHBOUR_BUDGET: Final = 700
SCENES_FAULTS_BUDGET: Final = 3_000
PLAN_BUDGET: Final = 14_000
"""A plan that takes more is not shown, so nobody is asked to mend it."""


class SceneOutlinerAgent(Agent):
    """Plans the scenes of all chapters, several chapters at once.

    Where rules in code find faults in a chapter's plan, the model is asked once to mend them.
    """

    name = "scenes"
    heeds = "scenes"
    also_called = ("scene_outline", "plan")
    auto_refresh = True
    reads = (CONCEPT, CHARACTERS, WORLD, OUTLINE)
    reads_earlier = (STYLE.file,)  # not waited for: whoever ends with the plan has the sheet, too
    brief_keys = (*BOOK_KEYS, "scenes_per_chapter", "words", "project_type")
    writes = SCENES
    shape = ScenesFile
    prompts = ("scenes", "scenes_mend")

    @override
    async def execute(self, unit: Unit) -> ScenesFile:
        """Ask for every chapter's scenes, those of every other chapter first.

        The chapters between are shown the scenes next to them on both sides, so that of any two
        neighbours one knows the other's plan, and the whole takes the time of two requests. Where
        a plan waits for single chapters, only these are asked for.
        """
        outline = self.book.load(OUTLINE, OutlineFile).chapters
        shared, plans = self._shared(), self._kept(len(outline))
        wanted = [number for number in range(1, len(outline) + 1) if number not in plans]
        for wave in (wanted[::2], wanted[1::2]):
            work = [self._chapter(unit, outline, number, shared, plans) for number in wave]
            plans = plans | dict(zip(wave, await self.together(work), strict=True))
        return ScenesFile(chapters=[plans[number] for number in sorted(plans)])

    def _kept(self, chapters: int) -> dict[int, PlannedChapter]:
        """The plans that stay, by chapter; none unless some chapters still wait for theirs."""
        plans = self.book.load(SCENES, ScenesFile).chapters if self.book.has(SCENES) else []
        kept = {plan.chapter: plan for plan in plans if plan.scenes}
        return kept if len(kept) < len(plans) == chapters else {}

    def _shared(self) -> dict[str, str]:
        """What the requests for all chapters are shown."""
        places = cards(self.book.places(), ("name", "description"), SCENES_CARD_BUDGET)
        world = self.book.load(WORLD, WorldFile) if self.book.has(WORLD) else None
        return {
            "book": book_lines(self.brief),
            "concept": concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            "characters": cards(self.book.characters(), PEOPLE_FIELDS, SCENES_CARD_BUDGET),
            "places": f"{places}\n{world_lines(world, WORLD_BUDGET)}" if world else places,
        }

    async def _chapter(
        self,
        unit: Unit,
        outline: Sequence[OutlineChapter],
        number: int,
        shared: Mapping[str, str],
        plans: Mapping[int, PlannedChapter],
    ) -> PlannedChapter:
        """One chapter's scenes; where rules in code find faults in them, mended once."""
        chapter = outline[number - 1]
        count = self.brief.scene_range(number, len(outline))
        shown = {
            "chapter": chapter_block(self._told(chapter), number, len(outline)),
            "count": f"{self._wording(count)} for {self._words(chapter, len(outline)):,} words",
        }
        told = await self.ask(
            unit,
            self._shape,
            part=f"ch{number:02d}",
            limits={"scenes": count.bounds()},
            neighbours=_neighbours(outline, number, plans),
            **shown,
            **shared,
        )
        planned = self._homed(chapter, _as_scenes(told))
        found = self._faults(number, chapter.title, planned)
        plan = _shown(planned)
        if found and weigh(plan) <= PLAN_BUDGET:
            shown |= {name: shared[name] for name in ("book", "characters", "places")}
            shown |= {"plan": plan, "faults": as_list(found, SCENES_FAULTS_BUDGET)}
            planned = await self._mended(unit, number, planned, len(found), count, shown)
        scenes = self._homed(chapter, planned).scenes
        return PlannedChapter(chapter=number, title=chapter.title, scenes=scenes)

    @property
    def _shape(self) -> type[BaseModel]:
        return ChapterScenes if self.brief.kind == "fiction" else ChapterSections

    def _homed(self, chapter: OutlineChapter, planned: ChapterScenes) -> ChapterScenes:
        """A plan whose sections state all notes of their chapter."""
        notes = self.book.notes()
        if self.brief.kind == "fiction" or not notes:
            return planned
        return ChapterScenes(scenes=with_all_homed(planned.scenes, chapter.plants, notes))

    async def _mended(
        self,
        unit: Unit,
        number: int,
        planned: ChapterScenes,
        faulty: int,
        count: CountRange,
        shown: Mapping[str, str],
    ) -> ChapterScenes:
        """A plan with fewer faults, or as it was: asked for once, whatever comes of it."""
        try:
            told = await self.ask(
                unit,
                self._shape,
                prompt="scenes_mend",
                part=f"ch{number:02d}-lint1",
                limits={"scenes": count.bounds()},
                **shown,
            )
        except MaxRetriesExceededError as error:
            logger.warning("%s: %s/ch%02d: %s", PLAN_NOT_MENDED, unit.step, number, error.what)
            return planned
        mended = _as_scenes(told)
        return mended if len(self._faults(number, "", mended)) < faulty else planned

    def _faults(self, number: int, title: str, planned: ChapterScenes) -> tuple[Finding, ...]:
        """What code is sure to be wrong in a chapter's plan and the author does not let stand."""
        chapter = PlannedChapter(chapter=number, title=title, scenes=planned.scenes)
        outline = self.book.load(OUTLINE, OutlineFile)
        plan = plan_with(self.brief, self.book, outline, (chapter,))
        self.made_from.allow = self.brief.allow
        return faults(plan, SCENES, allowances(self.brief.allow))

    def _told(self, chapter: OutlineChapter) -> OutlineChapter:
        """A chapter that says of each thread and claim what it is, beside its id."""
        threads = self.book.load(OUTLINE, OutlineFile).threads
        meant = {one.id: f"{one.id}: {one.promise}" for one in threads}
        meant |= {note.id: f"{note.id}: {note.claim}" for note in self.book.notes()}
        plants, payoffs = (
            [meant.get(one, one) for one in ids] for ids in (chapter.plants, chapter.payoffs)
        )
        return chapter.model_copy(update={"plants": plants, "payoffs": payoffs})

    def _wording(self, count: CountRange) -> str:
        return count.wording("scene" if self.brief.kind == "fiction" else "section")

    def _words(self, chapter: OutlineChapter, chapters: int) -> int:
        """Words that a chapter is to have."""
        return chapter.target_words or self.brief.words_per_chapter(chapters)


def _as_scenes(told: BaseModel) -> ChapterScenes:
    """What a model planned, as the book keeps it."""
    return ChapterScenes.model_validate(told.model_dump())


def _shown(planned: ChapterScenes) -> str:
    """A plan as lines of JSON."""
    scenes = enumerate(planned.scenes, start=1)
    return "\n".join(scene_block(one, n, len(planned.scenes)) for n, one in scenes)


def _neighbours(
    outline: Sequence[OutlineChapter], number: int, plans: Mapping[int, PlannedChapter]
) -> str:
    """The chapters before and after; of one that is planned, the scene next to this chapter."""
    told: list[dict[str, Any]] = []
    for n in [n for n in (number - 1, number + 1) if 1 <= n <= len(outline)]:
        title, summary = outline[n - 1].title, outline[n - 1].summary
        shown = {"number": n, "title": title[:NEIGHBOUR_BUDGET]}
        told.append({**shown, "summary": shorten(summary, NEIGHBOUR_BUDGET)})
        if n in plans:
            scenes = plans[n].scenes
            name, at = ("last_scene", len(scenes)) if n < number else ("first_scene", 1)
            told[-1][name] = scene_record(scenes[at - 1], at, len(scenes))
    return to_json(told)
