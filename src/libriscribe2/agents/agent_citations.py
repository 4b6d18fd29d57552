"""Judges the citations of chapters that are written, beside the notes that they cite."""

from collections.abc import Sequence

from libriscribe2.agents.agent_base import BOOK_KEYS, ConsultedAgent, Unit
from libriscribe2.context.cited_chapter import PROMPT, CitedChapter, findings_of
from libriscribe2.models.citations import facts
from libriscribe2.models.excerpts import book_lines
from libriscribe2.models.findings import Finding
from libriscribe2.models.reviews import CitationCheck


class CitationJudge(ConsultedAgent):
    """Judges the citations of chapters that are written; it is no stage."""

    name = "chapters"
    brief_keys = BOOK_KEYS
    prompts = (PROMPT,)

    async def judge(self, chapters: Sequence[CitedChapter]) -> list[tuple[int, Finding]]:
        """What no note supports in some chapters, each with its number.

        Raises:
            LibriScribeError: A question got no usable reply.
        """
        asked = [one for one in chapters if one.has_notes]
        told = await self.together(
            # Each by an agent of its own, which notes what it was made from.
            CitationJudge(self.context)._told(one)
            for one in asked
        )
        return [(one.number, found) for one, own in zip(asked, told, strict=True) for found in own]

    async def _told(self, one: CitedChapter) -> list[Finding]:
        shown = {"book": book_lines(self.brief), **one.shown()}
        unit = Unit("citations", one.number, "")
        told = await self.ask_about(unit, CitationCheck, PROMPT, shown)
        return findings_of(told, one.text, {note.id: note for note in facts(one.notes)})
