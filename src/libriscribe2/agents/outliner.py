"""The plan of a book: its outline, and the scenes of every chapter, several chapters at a time."""

import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel
from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.checks.plan.plan import plan_with
from libriscribe2.checks.plan.plan_report import allowances, as_list, faults
from libriscribe2.context.knowledge_parts import BOOK_FILES
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
    neighbours_block,
    outline_lines,
    premise_block,
    to_json,
    whole_lines,
    world_lines,
)
from libriscribe2.models.findings import Finding
from libriscribe2.models.given import GivenOutline, filled_outline, outline_block
from libriscribe2.models.story import (
    ChapterScenes,
    ChapterSections,
    ConceptFile,
    GroupScenes,
    GroupSections,
    NoteHomes,
    OutlineFile,
    OutlineOfFacts,
    PlannedChapter,
    ScenesFile,
    WorldFile,
)
from libriscribe2.models.story_bible import Thread
from libriscribe2.project.paths import (
    CHARACTERS,
    CONCEPT,
    GIVEN_OUTLINE,
    OUTLINE,
    RESEARCH_NOTES,
    SCENES,
    WORLD,
)
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

    The model is asked once to mend what rules in code find, and in a book of facts once for a home,
    or a reason to have none, for the notes that it forgot.
    """

    name = "outline"
    heeds = "outline"
    reads = (CONCEPT, CHARACTERS, WORLD, RESEARCH_NOTES, GIVEN_OUTLINE)
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
        given = self._given()
        outline = outline if given is None else filled_outline(outline, given)
        found = self._faults(outline)
        outline = await self._mended(unit, outline, found) if found else outline
        return outline if given is None else filled_outline(outline, given)

    def _given(self) -> GivenOutline | None:
        """The chapters that the author brought along."""
        return self.book.load(GIVEN_OUTLINE, GivenOutline) if self.book.has(GIVEN_OUTLINE) else None

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
        found = (self.book.sources(), self.book.answers(), self.book.unsupported())
        notes = notes_to_plan(self.book.notes(), *found)
        is_story = self.brief.kind == "fiction"
        shape: type[OutlineFile | OutlineOfFacts] = OutlineFile if is_story else OutlineOfFacts
        given = self._given()
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
            notes=self._world() + notes + ("" if given is None else outline_block(given)),
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
        name = "world" if self.brief.kind == "fiction" else "terms"
        return f"\n\n<{name}>\n{told}\n</{name}>\n\nThe plan keeps these rules."

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
        "truth": outline.truth or more.truth,
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
SCENES_FAULTS_BUDGET: Final = 6_500

MOST_SCENES: Final = 20
"""Most scenes in one reply, about 8,500 tokens; a chapter with more is asked for alone."""

CHAPTERS_BUDGET: Final = 18_000
"""Most that the chapters of one request take; one that takes more is asked for alone."""

PLAN_BUDGET: Final = 24_000
"""Most that the plans of one request to mend them take, with their chapters. A chapter that takes
more is not shown, so nobody is asked to mend it."""

Plans = dict[int, PlannedChapter]
"""The scenes of chapters, by number."""


class SceneOutlinerAgent(Agent):
    """Plans the scenes of all chapters, in groups that fit one reply, in the order of the book.

    Then a model reads the whole plan of a story for contradictions. What its quotes prove, and what
    rules in code find, goes back once.
    """

    name = "scenes"
    heeds = "scenes"
    also_called = ("scene_outline", "plan")
    auto_refresh = True
    of_chapters = True
    reads = (CONCEPT, CHARACTERS, WORLD, OUTLINE)
    reads_earlier = BOOK_FILES  # whoever ends with the plan has them, too
    brief_keys = (*BOOK_KEYS, "scenes_per_chapter", "words", "project_type")
    writes = SCENES
    shape = ScenesFile
    prompts = ("scenes", "scenes_mend", "plan_review")

    @override
    async def execute(self, unit: Unit) -> ScenesFile:
        """Ask for every chapter's scenes; each group is shown how the plan before it ends.

        Where a plan waits for single chapters, only these are asked for. Of a group's reply, what
        is no good is asked for alone.
        """
        plans = self._kept()
        numbers = range(1, len(self._outline.chapters) + 1)
        wanted = [number for number in numbers if number not in plans]
        groups = _groups(wanted, self._share, in_a_row=True)
        while groups:
            group, told = groups.pop(0), Plans()
            neighbours = neighbours_block(self._outline.chapters, group, plans)
            try:
                made = await self._asked(unit, group, neighbours)
                told = self._usable(group, made)
            except MaxRetriesExceededError:
                if len(group) == 1:
                    raise
            groups[:0] = [[number] for number in group if number not in told]  # asked for alone
            plans |= told
        clashes: dict[int, list[Finding]] = {}
        if self.brief.kind == "fiction" and sum(len(plan.scenes) for plan in plans.values()) > 1:
            from libriscribe2.agents.agent_plan_reader import contradictions  # noqa: PLC0415 -- late

            clashes = _by_chapter(await contradictions(self, unit, plans))
        plans |= await self._mended(unit, wanted, plans, clashes)
        return ScenesFile(chapters=[plans[number] for number in sorted(plans)])

    @property
    def _outline(self) -> OutlineFile:
        return self.book.load(OUTLINE, OutlineFile)

    def _kept(self) -> Plans:
        """The plans that stay, by chapter; none unless only some are missing or asked for again."""
        plans = self.book.load(SCENES, ScenesFile).chapters if self.book.has(SCENES) else []
        again = {int(part[2:]) for part in self.book.parts_asked_again(self.name)}
        kept = {plan.chapter: plan for plan in plans if plan.scenes and plan.chapter not in again}
        if again and self.book.made(SCENES):
            self.made_from.settled = frozenset()
        return kept if len(kept) < len(plans) == len(self._outline.chapters) else {}

    def _shared(self) -> dict[str, str]:
        """What the requests for all chapters are shown."""
        places = cards(self.book.places(), ("name", "description"), SCENES_CARD_BUDGET)
        world = self.book.load(WORLD, WorldFile) if self.book.has(WORLD) else None
        is_story = self.brief.kind == "fiction"
        return {
            "book": book_lines(self.brief),
            "concept": concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            "characters": cards(self.book.characters(), PEOPLE_FIELDS, SCENES_CARD_BUDGET),
            "places": f"{places}\n{world_lines(world, WORLD_BUDGET)}" if world else places,
            "whole_book": block("whole_book", whole_lines(self._outline)) if is_story else "",
        }

    def _share(self, number: int) -> float:
        """How much of a request a chapter takes, where 1 is a whole one."""
        scenes = self._range(number).middle()
        weight = weigh(self._block(number))
        return max(scenes / MOST_SCENES, weight / CHAPTERS_BUDGET)

    def _asked(
        self, unit: Unit, group: Sequence[int], neighbours: str
    ) -> Coroutine[Any, Any, BaseModel]:
        """The plans of some chapters, to be awaited."""
        ranges = {n: self._range(n) for n in group}
        counts = {n: f"{self._wording(n)} for {self._words(n):,} words" for n in group}
        values = {"neighbours": neighbours, "chapter": "\n".join(map(self._block, group))}
        name, also, is_story = _numbers(group), self._shared(), self.brief.kind == "fiction"
        if len(group) == 1:
            limits, values["count"] = {"scenes": ranges[group[0]].bounds()}, counts[group[0]]
            alone: type[BaseModel] = ChapterScenes if is_story else ChapterSections
            return self.ask_about(unit, alone, "scenes", values, also, part=name, limits=limits)
        values["count"] = "; ".join(f"chapter {n}: {count}" for n, count in counts.items())
        limits = {
            "chapters": CountRange(len(group), len(group)).bounds(),
            "chapters.scenes": CountRange.around(ranges.values()).bounds(),
        }
        shape: type[BaseModel] = GroupScenes if is_story else GroupSections
        return self.ask_about(
            unit, shape, "scenes", values, also, part=name, limits=limits, in_parts=True
        )

    def _usable(self, group: Sequence[int], told: BaseModel) -> Plans:
        """The usable plans of a reply, by chapter."""
        if not isinstance(told, GroupScenes | GroupSections):
            return {group[0]: self._as_planned(group[0], told)}
        # Where all are there under other numbers, the model has counted from 1.
        own = [one.chapter for one in told.chapters]
        counted = len(own) == len(group) and {*own} != {*group}
        numbers = group if counted else own if {*own} <= {*group} else []
        found = zip(numbers, told.chapters, strict=False)
        made = {number: self._as_planned(number, one) for number, one in found}
        return {n: plan for n, plan in made.items() if self._range(n).holds(len(plan.scenes))}

    def _as_planned(self, number: int, told: BaseModel) -> PlannedChapter:
        """A plan as the book keeps it; the sections of a book of facts state all their notes."""
        chapter, notes = self._outline.chapters[number - 1], self.book.notes()
        scenes = ChapterScenes.model_validate(told.model_dump()).scenes
        if self.brief.kind != "fiction" and notes:
            scenes = with_all_homed(scenes, chapter.plants, notes)
        return PlannedChapter(chapter=number, title=chapter.title, scenes=scenes)

    async def _mended(
        self, unit: Unit, wanted: Iterable[int], plans: Plans, clashes: Mapping[int, list[Finding]]
    ) -> Plans:
        """The plans with fewer faults than before: asked for once, whatever comes of it."""
        sure = self._faults(plans)
        found = {n: [*sure.get(n, ()), *clashes.get(n, ())] for n in {*sure, *clashes}}

        from libriscribe2.agents.agent_plan_reader import changed_plans, shown_to_mend, still_wrong  # noqa: PLC0415 -- late

        shown = {n: shown_to_mend(plans[n], clashes.get(n, ())) for n in found}

        async def mended(group: Sequence[int]) -> Plans:
            faults = as_list((one for n in group for one in found[n]), SCENES_FAULTS_BUDGET)
            values = {
                "chapter": "\n".join(map(self._block, group)),
                "plan": "\n".join(shown[n] for n in group),
                "faults": faults,
                **self._shared(),
            }
            change = await changed_plans(self, unit, f"{_numbers(group)}-lint1", values)
            made = change.applied_to({n: plans[n] for n in group})
            told = {n: self._as_planned(n, plan) for n, plan in made.items()}
            left = {n: self._faults({**plans, n: plan}).get(n, []) for n, plan in told.items()}
            for n, plan in told.items():
                left[n] += still_wrong(clashes.get(n, ()), plans[n], plan)
            better = {n: plan for n, plan in told.items() if len(left[n]) < len(found[n])}
            for n in told.keys() - better.keys():
                logger.warning("%s: %s/ch%02d: as many faults", PLAN_NOT_MENDED, unit.step, n)
                self.remark(f"the plan of chapter {n} was not mended: its new one is no better")
            return better

        def share(number: int) -> float:
            faults = weigh(as_list(found[number], SCENES_FAULTS_BUDGET)) / SCENES_FAULTS_BUDGET
            return max(faults, weigh(f"{shown[number]}{self._block(number)}") / PLAN_BUDGET)

        faulty = [n for n in wanted if n in found and weigh(shown[n]) <= PLAN_BUDGET]
        better = await self.together(mended(group) for group in _groups(faulty, share))
        return {number: plan for group in better for number, plan in group.items()}

    def _faults(self, plans: Plans) -> dict[int, list[Finding]]:
        """What code is sure to be wrong in the plan and the author does not let stand."""
        planned = [plans[n] for n in sorted(plans)]
        plan = plan_with(self.brief, self.book, self._outline, planned)
        self.made_from.allow = self.brief.allow
        return _by_chapter(faults(plan, SCENES, allowances(self.brief.allow)))

    def _block(self, number: int) -> str:
        """A chapter that says of each thread and claim what it is, beside its id."""
        chapters, threads = self._outline.chapters, self._outline.threads
        meant = {one.id: f"{one.id}: {one.promise}" for one in threads}
        meant |= {note.id: f"{note.id}: {note.claim}" for note in self.book.notes()}
        chapter = chapters[number - 1]
        plants, payoffs = (
            [meant.get(one, one) for one in ids] for ids in (chapter.plants, chapter.payoffs)
        )
        told = chapter.model_copy(update={"plants": plants, "payoffs": payoffs})
        return chapter_block(told, number, len(chapters))

    def _range(self, number: int) -> CountRange:
        return self.brief.scene_range(number, len(self._outline.chapters))

    def _wording(self, number: int) -> str:
        return self._range(number).wording("scene" if self.brief.kind == "fiction" else "section")

    def _words(self, number: int) -> int:
        """Words that a chapter is to have."""
        chapters = self._outline.chapters
        return chapters[number - 1].target_words or self.brief.words_per_chapter(len(chapters))


def _by_chapter(found: Iterable[Finding]) -> dict[int, list[Finding]]:
    """Findings by the chapter that has to change."""
    told: dict[int, list[Finding]] = {}
    for one in found:
        told.setdefault(one.where.chapter, []).append(one)
    return told


def _groups(
    numbers: Iterable[int], share: Callable[[int], float], *, in_a_row: bool = False
) -> list[list[int]]:
    """Chapters in groups that fit one request each, by how much of one each takes."""
    groups: list[list[int]] = []
    for number in numbers:
        follows = groups and (not in_a_row or groups[-1][-1] == number - 1)
        if follows and sum(map(share, [*groups[-1], number])) <= 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _numbers(group: Sequence[int]) -> str:
    """Some chapters as the name of a question about them: `ch03`, `ch03-05`."""
    first, last = group[0], group[-1]
    return f"ch{first:02d}" if first == last else f"ch{first:02d}-{last:02d}"
