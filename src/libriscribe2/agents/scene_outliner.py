"""Scene plans: what each scene of each chapter is for."""

from collections.abc import Mapping, Sequence
from typing import Final

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.models.concept import ConceptFile
from libriscribe2.models.excerpts import book_lines, cards, chapter_block, concept_block, to_json
from libriscribe2.models.scenes import ChapterScenes, PlannedChapter, ScenesFile
from libriscribe2.models.story import OutlineChapter, OutlineFile
from libriscribe2.project.paths import CHARACTERS, CONCEPT, OUTLINE, SCENES, WORLD
from libriscribe2.utils.text_budget import shorten

CARD_BUDGET: Final = 2_500
NEIGHBOUR_BUDGET: Final = 700


class SceneOutlinerAgent(Agent):
    """Plans the scenes of all chapters, several chapters at once."""

    name = "scenes"
    also_called = ("scene_outline",)
    follows = True
    reads = (CONCEPT, CHARACTERS, WORLD, OUTLINE)
    brief_keys = (*BOOK_KEYS, "scenes_per_chapter", "words", "project_type")
    writes = SCENES
    shape = ScenesFile

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
        """One chapter's scenes."""
        chapter = outline[number - 1]
        count = self.brief.scene_range(number, len(outline))
        limits = {"scenes": count.bounds()}
        planned = await self.ask(
            unit,
            ChapterScenes,
            part=f"ch{number:02d}",
            limits=limits,
            neighbours=_neighbours(outline, number),
            chapter=chapter_block(chapter, number, len(outline)),
            count=count.wording("scene" if self.brief.kind == "fiction" else "section"),
            **shared,
        )
        return PlannedChapter(chapter=number, title=chapter.title, scenes=planned.scenes)


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
