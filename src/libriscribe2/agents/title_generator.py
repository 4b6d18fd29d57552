"""A title chosen from the finished text."""

from typing import Final

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.models.excerpts import book_lines, concept_block, premise_block
from libriscribe2.models.story import ConceptFile, OutlineFile, TitleFile
from libriscribe2.project.paths import CONCEPT, OUTLINE, SUMMARY_FILES, TITLE
from libriscribe2.prose import shorten

OUTLINE_BUDGET: Final = 8_000


class TitleGeneratorAgent(Agent):
    """Titles the book when the author wants that and has given no title."""

    name = "title"
    heeds = "title"
    also_called = ("title_generation",)
    reads = (CONCEPT, OUTLINE, SUMMARY_FILES)
    brief_keys = ("premise", *BOOK_KEYS, "auto_title")
    writes = TITLE
    wanted_if = "wants_title"
    shape = TitleFile

    @override
    async def execute(self, unit: Unit) -> TitleFile:
        """Ask for a title that fits what was written."""
        summaries = self.book.chapter_summaries()
        each = OUTLINE_BUDGET // max(1, len(summaries))
        titles = self.book.load(OUTLINE, OutlineFile).chapters
        told = "\n".join(
            f"{number}. {chapter.title}: {shorten(summary, each)}"
            for number, (chapter, summary) in enumerate(zip(titles, summaries, strict=False), 1)
        )
        return await self.ask(
            unit,
            TitleFile,
            limits={"title": {"maxLength": 120}, "alternatives": {"maxItems": 4}},
            premise=premise_block(self.brief),
            book=book_lines(self.brief),
            concept=concept_block(self.book.load(CONCEPT, ConceptFile).concept),
            outline=told,
        )
