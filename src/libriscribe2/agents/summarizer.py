"""Summaries of the written chapters: what the next ones must not contradict."""

from typing import ClassVar, Final

from typing_extensions import override

from libriscribe2.agents.agent_base import Agent, Unit, together
from libriscribe2.models.excerpts import book_lines, chapter_block, parts
from libriscribe2.models.story import OutlineFile
from libriscribe2.project.paths import CHAPTER_FILES, OUTLINE, SUMMARY_FILES, chapter_file

PART_BUDGET: Final = 30_000
"""Most characters of text in one request: about 8,000 tokens of English."""

WORDS: Final = 110


class SummarizerAgent(Agent):
    """Summarises a chapter as it was written, not as it was planned."""

    name = "summaries"
    also_called = ("summary",)
    reads = (OUTLINE, CHAPTER_FILES)
    brief_keys: ClassVar[tuple[str, ...]] = ("language",)
    writes = SUMMARY_FILES

    @override
    @classmethod
    def inputs(cls, unit: Unit) -> tuple[str, ...]:
        """Only its own chapter."""
        return (chapter_file(unit.chapter or 1),)

    @override
    async def execute(self, unit: Unit) -> str:
        """Ask for the summary; a very long chapter is summarised in parts."""
        number = unit.chapter or 1
        texts = parts(self.book.text(chapter_file(number)), PART_BUDGET)
        words = str(WORDS // len(texts))
        outline = self.book.load(OUTLINE, OutlineFile).chapters
        chapter = chapter_block(outline[number - 1], number, len(outline))
        told = await together(
            self.write_prose(
                unit,
                part=f"part{index:02d}" if len(texts) > 1 else "",
                book=book_lines(self.brief),
                chapter=chapter,
                text=text,
                words=words,
            )
            for index, text in enumerate(texts, start=1)
        )
        return "\n\n".join(part.strip() for part in told) + "\n"
