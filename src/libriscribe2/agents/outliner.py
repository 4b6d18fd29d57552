"""The outline: every chapter before it is written."""

from typing import Final

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent
from libriscribe2.agents.agent_context import Unit
from libriscribe2.models.citations import notes_to_plan
from libriscribe2.models.concept import ConceptFile
from libriscribe2.models.counts import CountRange
from libriscribe2.models.excerpts import book_lines, cards, concept_block, premise_block
from libriscribe2.models.story import OutlineChapter, OutlineFile
from libriscribe2.project.paths import CHARACTERS, CONCEPT, OUTLINE, RESEARCH_NOTES, WORLD
from libriscribe2.utils.text_budget import shorten

BATCH: Final = 40
"""Most chapters in one reply: more would pass the output limit of many models."""

CARD_BUDGET: Final = 4_000
SO_FAR_BUDGET: Final = 6_000
NOTES_BUDGET: Final = 6_000


class OutlinerAgent(Agent):
    """Plans the chapters, a batch at a time where there are very many."""

    name = "outline"
    reads = (CONCEPT, CHARACTERS, WORLD, RESEARCH_NOTES)
    brief_keys = ("premise", *BOOK_KEYS, "chapters", "project_type")
    writes = OUTLINE
    shape = OutlineFile

    @override
    async def execute(self, unit: Unit) -> OutlineFile:
        """Ask for the chapters, in the number that the author wants."""
        wanted = self.brief.chapter_range()
        outline = await self._batch(unit, (), wanted)
        chapters, summary = list(outline.chapters), outline.summary
        while len(chapters) < wanted.low:
            more = await self._batch(unit, chapters, wanted)
            chapters.extend(more.chapters)
        return OutlineFile(summary=summary, chapters=chapters)

    async def _batch(
        self, unit: Unit, so_far: list[OutlineChapter] | tuple[()], wanted: CountRange
    ) -> OutlineFile:
        """The next chapters after those so far."""
        done = len(so_far)
        low = min(BATCH, wanted.low - done)
        last = done + low >= wanted.low
        high = None if wanted.high is None else min(BATCH, wanted.high - done)
        count = CountRange(low, high if last else low)
        concept = concept_block(self.book.load(CONCEPT, ConceptFile).concept)
        return await self.ask(
            unit,
            OutlineFile,
            part=f"from{done + 1:02d}" if done else "",
            limits={"chapters": count.bounds()},
            premise=premise_block(self.brief),
            book=book_lines(self.brief),
            concept=concept,
            characters=cards(
                self.book.characters(), ("name", "role", "motivation", "conflict"), CARD_BUDGET
            ),
            places=cards(self.book.places(), ("name", "description"), CARD_BUDGET),
            notes=notes_to_plan(self.book.notes(), concept, NOTES_BUDGET),
            so_far=_planned(so_far),
            wanted=_wanted(count, done, last=last),
        )


def _planned(so_far: list[OutlineChapter] | tuple[()]) -> str:
    """The chapters of earlier batches as a block, the latest in full."""
    if not so_far:
        return ""
    each = SO_FAR_BUDGET // len(so_far)
    lines = (
        f"{number}. {chapter.title}: {shorten(chapter.summary, each)}"
        for number, chapter in enumerate(so_far, start=1)
    )
    return "These chapters are planned already.\n\n<outline>\n" + "\n".join(lines) + "\n</outline>"


def _wanted(count: CountRange, done: int, *, last: bool) -> str:
    """What this batch is asked for, in words."""
    chapters = count.wording("chapter")
    if not done:
        return f"the whole book in {chapters}" if last else f"the first {chapters}"
    ending = ", which bring the book to its end" if last else ""
    return f"the next {chapters} after chapter {done}{ending}"
