"""The chapters: prose, scene by scene."""

from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.errors import ProjectError
from libriscribe2.models.citations import notes_to_cite
from libriscribe2.models.concept import ConceptFile
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.excerpts import (
    book_lines,
    cards,
    cast_of,
    chapter_block,
    concept_block,
    scene_block,
)
from libriscribe2.models.scenes import ScenePlan, ScenesFile
from libriscribe2.models.story import Character, Entry, OutlineChapter, OutlineFile
from libriscribe2.project.paths import (
    CANON_FILES,
    CHAPTER_FILES,
    CHARACTERS,
    CONCEPT,
    OUTLINE,
    RESEARCH_NOTES,
    SCENES,
    SUMMARY_FILES,
    WORLD,
    canon_file,
    chapter_file,
    summary_file,
)
from libriscribe2.utils.text_budget import shorten, tail, weigh

SCENE_BREAK: Final = "\n\n* * *\n\n"

REMEMBERED: Final = 3
"""How many chapters back the summaries reach; those before are shown as they were planned."""

# Characters of each part of a scene's prompt. Their sum bounds every prompt, whatever the
# length of the book; quality.md 2.3 has the token budgets that these stand for.
CARD_BUDGET: Final = 2_800
PLACE_BUDGET: Final = 1_200
RECENT_BUDGET: Final = 2_100
EARLIER_BUDGET: Final = 700
EARLIER_LINE: Final = 160
TAIL_BUDGET: Final = 3_800
NEXT_BUDGET: Final = 300
NOTES_BUDGET: Final = 3_000


class ChapterWriterAgent(Agent):
    """Writes a chapter from its plan, the record of what came before and the text before."""

    name = "chapters"
    also_called = ("chapter", "scene")
    reads = (CONCEPT, CHARACTERS, WORLD, OUTLINE, SCENES, RESEARCH_NOTES)
    reads_earlier = (CHAPTER_FILES, SUMMARY_FILES, CANON_FILES)
    brief_keys = (*BOOK_KEYS, "words", "project_type")
    writes = CHAPTER_FILES

    @override
    @classmethod
    def inputs(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """Also the neighbours and the summaries of the last few chapters, where they are known."""
        number = unit.chapter or 1
        beside = [n for n in (order.before(number), order.after(number)) if n]
        earlier = [n for n in order.known(number) if number - REMEMBERED <= n < number]
        files = (*map(chapter_file, beside), *map(summary_file, earlier))
        return (*cls.reads, *files)

    @override
    @classmethod
    def awaits(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """Also every chapter that it may be written from, with what is recorded of it."""
        number = unit.chapter or 1
        known, recorded = order.known(number), order.recorded(number)
        looked_up = (*map(chapter_file, known), *map(canon_file, recorded))
        return (*cls.inputs(unit, order), *looked_up)

    @override
    async def execute(self, unit: Unit) -> str:
        """Write the chapter's scenes one after the other and join them under its title."""
        number = unit.chapter or 1
        scenes = self._plan(number)
        outline = self.book.load(OUTLINE, OutlineFile).chapters
        shared = self._shared(outline, number)
        cast, known = self.book.characters(), [*self.book.places(), *self.book.terms()]
        written: list[str] = []
        for index in range(len(scenes)):
            before = SCENE_BREAK.join(written) or self._end_of_previous(number)
            own = _scene(scenes, index, cast, known)
            own["notes"] = self._notes(scenes[index], shared["chapter"])
            text = await self.write_prose(
                unit,
                {**shared, **own, "text_before": tail(before, TAIL_BUDGET)},
                words=self._words(len(outline), len(scenes)),
                part=f"scene{index + 1:02d}",
            )
            written.append(text.strip())
        return f"# {outline[number - 1].title}\n\n{SCENE_BREAK.join(written)}\n"

    def _plan(self, number: int) -> list[ScenePlan]:
        """The chapter's scenes.

        Raises:
            ProjectError: Its plan is missing or empty; no code makes one up.
        """
        planned = self.book.load(SCENES, ScenesFile).chapters
        scenes = planned[number - 1].scenes if number <= len(planned) else []
        if not scenes:
            raise ProjectError(
                f"{SCENES} has no scenes for chapter {number}",
                fix=f"Write them into {SCENES}, or have all scenes planned again: "
                "`libriscribe2 redo PROJECT scenes`.",
            )
        return scenes

    def _notes(self, plan: ScenePlan, chapter: str) -> str:
        """The facts that a scene may state, with their marks; empty where the book has none."""
        about = f"{plan.summary} {plan.goal} {plan.outcome} {plan.place} {chapter}"
        return notes_to_cite(self.book.notes(), about, NOTES_BUDGET)

    def _words(self, chapters: int, scenes: int) -> int:
        """Words of one scene."""
        return max(1, round(self.brief.words_per_chapter(chapters) / scenes))

    def _shared(self, outline: Sequence[OutlineChapter], number: int) -> dict[str, str]:
        """What all scenes of a chapter are shown."""
        return {
            "book": book_lines(self.brief),
            "concept": concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            "story_so_far": self._story_so_far(outline, number),
            "chapter": chapter_block(outline[number - 1], number, len(outline)),
        }

    def _story_so_far(self, outline: Sequence[OutlineChapter], number: int) -> str:
        """The last chapters as they were written, and as many before them as planned as fit."""
        first = max(1, number - REMEMBERED)
        each = RECENT_BUDGET // REMEMBERED
        recent = [
            f"Chapter {n}: {shorten(self.book.text(summary_file(n)).strip(), each)}"
            for n in range(first, number)
        ]
        earlier: list[str] = []
        for n in range(first - 1, 0, -1):
            line = f"Chapter {n}, as planned: {shorten(outline[n - 1].summary, EARLIER_LINE)}"
            if weigh("".join([*earlier, line])) > EARLIER_BUDGET:
                break
            earlier.insert(0, line)
        return "\n".join([*earlier, *recent])

    def _end_of_previous(self, number: int) -> str:
        """The end of the chapter before."""
        return self.book.text(chapter_file(number - 1)) if number > 1 else ""


def _scene(
    scenes: Sequence[ScenePlan], index: int, cast: Sequence[Character], known: Sequence[Entry]
) -> dict[str, str]:
    """What one scene is shown: its plan, its people and place, and what comes next."""
    plan = scenes[index]
    fields = ("name", "role", "personality", "motivation", "conflict", "appearance")
    told = f"{plan.place} {plan.summary}".casefold()
    places = [entry for entry in known if entry.name.casefold() in told]
    following = scenes[index + 1].summary if index + 1 < len(scenes) else ""
    return {
        "scene": scene_block(plan, index + 1, len(scenes)),
        "characters": cards(cast_of(plan, cast), fields, CARD_BUDGET),
        "places": cards(places, ("name", "description"), PLACE_BUDGET),
        "next": shorten(following, NEXT_BUDGET),
    }
