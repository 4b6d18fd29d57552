"""Scene plans: what each scene of each chapter is for."""

import logging
from collections.abc import Mapping, Sequence
from typing import Final

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.checks.plan.plan import plan_with
from libriscribe2.checks.plan.plan_report import allowances, as_list, faults
from libriscribe2.errors import MaxRetriesExceededError
from libriscribe2.models.brief import CountRange
from libriscribe2.models.excerpts import (
    book_lines,
    cards,
    chapter_block,
    concept_block,
    scene_block,
    to_json,
)
from libriscribe2.models.findings import Finding
from libriscribe2.models.story import (
    ChapterScenes,
    ConceptFile,
    OutlineChapter,
    OutlineFile,
    PlannedChapter,
    ScenesFile,
)
from libriscribe2.project.paths import CHARACTERS, CONCEPT, OUTLINE, SCENES, WORLD
from libriscribe2.prose import shorten, weigh
from libriscribe2.telemetry import PLAN_NOT_MENDED

logger = logging.getLogger(__name__)

CARD_BUDGET: Final = 2_500
NEIGHBOUR_BUDGET: Final = 700
FAULTS_BUDGET: Final = 3_000
PLAN_BUDGET: Final = 14_000
"""A plan that takes more is not shown, so nobody is asked to mend it."""


class SceneOutlinerAgent(Agent):
    """Plans the scenes of all chapters, several chapters at once.

    Where rules in code find faults in a chapter's plan, the model is asked once to mend them.
    """

    name = "scenes"
    also_called = ("scene_outline", "plan")
    auto_refresh = True
    reads = (CONCEPT, CHARACTERS, WORLD, OUTLINE)
    brief_keys = (*BOOK_KEYS, "scenes_per_chapter", "words", "project_type")
    writes = SCENES
    shape = ScenesFile
    prompts = ("scenes", "scenes_mend")

    @override
    async def execute(self, unit: Unit) -> ScenesFile:
        """Ask for every chapter's scenes; a chapter needs only its neighbours to be planned.

        Where a plan waits for single chapters, only these are asked for.
        """
        outline = self.book.load(OUTLINE, OutlineFile).chapters
        shared, kept = self._shared(), self._kept(len(outline))
        wanted = [number for number in range(1, len(outline) + 1) if number not in kept]
        planned = await self._together(
            self._chapter(unit, outline, number, shared) for number in wanted
        )
        whole = kept | dict(zip(wanted, planned, strict=True))
        return ScenesFile(chapters=[whole[number] for number in sorted(whole)])

    def _kept(self, chapters: int) -> dict[int, PlannedChapter]:
        """The plans that stay, by chapter; none unless some chapters still wait for theirs."""
        plans = self.book.load(SCENES, ScenesFile).chapters if self.book.has(SCENES) else []
        kept = {plan.chapter: plan for plan in plans if plan.scenes}
        return kept if len(kept) < len(plans) == chapters else {}

    def _shared(self) -> dict[str, str]:
        """What the requests for all chapters are shown."""
        fields = ("name", "role", "motivation", "conflict")
        return {
            "book": book_lines(self.brief),
            "concept": concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            "characters": cards(self.book.characters(), fields, CARD_BUDGET),
            "places": cards(self.book.places(), ("name", "description"), CARD_BUDGET),
        }

    async def _chapter(
        self,
        unit: Unit,
        outline: Sequence[OutlineChapter],
        number: int,
        shared: Mapping[str, str],
    ) -> PlannedChapter:
        """One chapter's scenes; where rules in code find faults in them, mended once."""
        chapter = outline[number - 1]
        count = self.brief.scene_range(number, len(outline))
        shown = {
            "chapter": chapter_block(self._told(chapter), number, len(outline)),
            "count": f"{self._wording(count)} for {self._words(chapter, len(outline)):,} words",
        }
        planned = await self.ask(
            unit,
            ChapterScenes,
            part=f"ch{number:02d}",
            limits={"scenes": count.bounds()},
            neighbours=_neighbours(outline, number),
            **shown,
            **shared,
        )
        found = self._faults(number, chapter.title, planned)
        plan = _shown(planned)
        if found and weigh(plan) <= PLAN_BUDGET:
            shown |= {name: shared[name] for name in ("book", "characters", "places")}
            shown |= {"plan": plan, "faults": as_list(found, FAULTS_BUDGET)}
            planned = await self._mended(unit, number, planned, len(found), count, shown)
        return PlannedChapter(chapter=number, title=chapter.title, scenes=planned.scenes)

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
            mended = await self.ask(
                unit,
                ChapterScenes,
                prompt="scenes_mend",
                part=f"ch{number:02d}-lint1",
                limits={"scenes": count.bounds()},
                **shown,
            )
        except MaxRetriesExceededError as error:
            logger.warning("%s: %s/ch%02d: %s", PLAN_NOT_MENDED, unit.step, number, error.what)
            return planned
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


def _shown(planned: ChapterScenes) -> str:
    """A plan as lines of JSON."""
    scenes = enumerate(planned.scenes, start=1)
    return "\n".join(scene_block(one, n, len(planned.scenes)) for n, one in scenes)


def _neighbours(outline: Sequence[OutlineChapter], number: int) -> str:
    """The chapters before and after."""
    around = [n for n in (number - 1, number + 1) if 1 <= n <= len(outline)]
    return to_json(
        [
            {
                "number": n,
                "title": outline[n - 1].title[:NEIGHBOUR_BUDGET],
                "summary": shorten(outline[n - 1].summary, NEIGHBOUR_BUDGET),
            }
            for n in around
        ]
    )
