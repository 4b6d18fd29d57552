"""Summaries of the written chapters: what the next ones must not contradict."""

from typing import Final

from typing_extensions import override

from libriscribe2.agents.agent_base import BOOK_KEYS, Agent, Unit
from libriscribe2.models.draft_order import DraftOrder
from libriscribe2.models.excerpts import book_lines, chapter_block
from libriscribe2.models.story import OutlineFile
from libriscribe2.models.story_bible import SUMMARY_WORDS, StoryBibleFile
from libriscribe2.project.paths import (
    CHAPTER_FILES,
    OUTLINE,
    SUMMARY_FILES,
    chapter_file,
    story_bible_file,
)
from libriscribe2.prose import parts

PART_BUDGET: Final = 30_000
"""Most characters of text in one request: about 8,000 tokens of English."""


class SummarizerAgent(Agent):
    """Summarises a chapter as it was written, not as it was planned.

    The summary is part of the reading for the story bible; a book without one asks for it.
    """

    name = "summaries"
    also_called = ("summary",)
    auto_refresh = True
    reads = (OUTLINE, CHAPTER_FILES)
    brief_keys = BOOK_KEYS
    writes = SUMMARY_FILES

    @override
    @classmethod
    def inputs(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """Only its own chapter."""
        del order
        return (chapter_file(unit.chapter or 1),)

    @override
    @classmethod
    def awaits(cls, unit: Unit, order: DraftOrder) -> tuple[str, ...]:
        """Also the reading of the chapter."""
        return (*cls.inputs(unit, order), story_bible_file(unit.chapter or 1))

    @override
    async def execute(self, unit: Unit) -> str:
        """Take the summary of the reading, or ask; a very long chapter is summarised in parts."""
        number = unit.chapter or 1
        name = story_bible_file(number)
        if self.brief.has_story_bible and self.book.has(name):
            read = self.book.load(name, StoryBibleFile).summary
            if read:
                return f"{read}\n"
        texts = parts(self.book.text(chapter_file(number)), PART_BUDGET)
        outline = self.book.load(OUTLINE, OutlineFile).chapters
        shown = {
            "book": book_lines(self.brief),
            "chapter": chapter_block(outline[number - 1], number, len(outline)),
        }
        told = await self.together(
            self.write_prose(
                unit,
                {**shown, "text": text},
                words=SUMMARY_WORDS // len(texts),
                part=f"part{index:02d}" if len(texts) > 1 else "",
            )
            for index, text in enumerate(texts, start=1)
        )
        return "\n\n".join(part.strip() for part in told) + "\n"
